//! Facts as text, one in each line.

use core::cell::Cell;
use core::ffi::c_int;

use vkload_core::memory::{Callback, Text, TryGrow, Vec, formatted, sort_by};
use vkload_core::platform::hash::hex;
use vkload_core::platform::{CacheFault, FileError, Files};

use super::super::files::FileSystem;

/// Lines of words. A failure is remembered until the end, so that adding a word needs no check.
pub(super) struct Lines<'a> {
    /// A prefix for all paths. Empty except in tests.
    root: &'a [u8],
    text: Text,
    fault: Cell<Option<CacheFault>>,
}

impl<'a> Lines<'a> {
    pub(super) const fn new(root: &'a [u8]) -> Self {
        Self { root, text: Text::new(), fault: Cell::new(None) }
    }

    /// Begins a line about `subject`.
    #[inline(never)] // many callers
    pub(super) fn line(&mut self, subject: &[u8]) {
        if !self.text.is_empty() {
            self.plain(b"\n");
        }
        self.plain(subject);
    }

    /// Adds a word. Characters that would end a word or a line are written as `%` and two digits, and so is
    /// `%` itself.
    pub(super) fn word(&mut self, word: &[u8]) {
        self.plain(b" ");
        for byte in word {
            if matches!(byte, 0..=b' ' | b'%' | 0x7f) {
                self.plain(b"%");
                self.plain(hex(u64::from(*byte)).get(14..).unwrap_or_default());
            } else {
                self.plain(&[*byte]);
            }
        }
    }

    /// Adds `before` and a decimal number.
    pub(super) fn number(&mut self, before: char, value: u32) {
        match formatted(format_args!("{before}{value}")) {
            Ok(text) => self.plain(&text),
            Err(_) => self.fail(CacheFault::OutOfMemory),
        }
    }

    /// Adds a hash.
    #[inline(never)] // some callers
    pub(super) fn hash(&mut self, hash: u64) {
        self.word(&hex(hash));
    }

    /// Adds bytes as they are.
    #[inline(never)] // many callers
    fn plain(&mut self, bytes: &[u8]) {
        if self.text.try_extend(bytes).is_err() {
            self.fail(CacheFault::OutOfMemory);
        }
    }

    /// Returns the text written after the first `length` bytes and a blank.
    pub(super) fn since(&self, length: usize) -> &[u8] {
        self.text.get(length.saturating_add(1)..).unwrap_or_default()
    }

    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Records why the text cannot be compared.
    #[inline(never)] // many callers
    pub(super) fn fail(&self, fault: CacheFault) {
        self.fault.set(Some(fault));
    }

    /// Returns the path of a file of the system, from its parts.
    #[inline(never)] // some callers
    pub(super) fn path(&self, parts: &[&[u8]]) -> Text {
        let mut path = Text::new();
        for part in core::iter::once(&self.root).chain(parts) {
            if path.try_extend(part).is_err() {
                self.fail(CacheFault::OutOfMemory);
                break;
            }
        }
        path
    }

    /// Returns `path` without the common prefix of all paths.
    pub(super) fn plain_path<'b>(&self, path: &'b [u8]) -> &'b [u8] {
        path.get(self.root.len()..).unwrap_or_default()
    }

    /// Returns the names in a system folder in order; an empty list if the folder does not exist.
    pub(super) fn names(&self, parts: &[&[u8]]) -> Vec<Text> {
        let mut names = self.there(FileSystem.list(&self.path(parts)));
        sort_by(&mut names, |one, other| one.as_slice().cmp(other));
        names
    }

    /// Returns the content of a file that the kernel generates; empty if the file does not exist.
    pub(super) fn read(&self, parts: &[&[u8]]) -> Text {
        /// `/proc/bus/pci/devices` has some 150 bytes for each function.
        const LARGEST: usize = 1 << 20;
        self.there(FileSystem.read(&self.path(parts), LARGEST))
    }

    /// Adds a line about `subject` with at most `count` lines of `content`, each cut to `width` bytes, unless
    /// it is empty.
    pub(super) fn content(&mut self, subject: &[u8], content: &[u8], count: usize, width: usize) {
        if content.is_empty() {
            return;
        }
        self.line(subject);
        let mut left = count;
        any_part(content.strip_suffix(b"\n").unwrap_or(content), b'\n', &mut |line: &[u8]| {
            self.word(line.get(..width).unwrap_or(line));
            left = left.wrapping_sub(1);
            left == 0
        });
    }

    /// Returns the available contents of a file or folder. It may be missing or closed to this process, but a
    /// shortage of memory or of file descriptors must not look the same.
    fn there<T>(&self, found: Result<Vec<T>, FileError>) -> Vec<T> {
        match found {
            Ok(found) => return found,
            Err(FileError::OutOfMemory) => self.fail(CacheFault::OutOfMemory),
            Err(FileError::Other(number @ (libc::EMFILE | libc::ENFILE))) => {
                self.fail(CacheFault::System(number));
            }
            Err(_) => {}
        }
        Vec::new()
    }

    /// Returns the whole text, unless something failed.
    pub(super) fn finish(mut self) -> Result<Text, CacheFault> {
        self.plain(b"\n");
        self.fault.get().map_or(Ok(self.text), Err)
    }
}

/// Returns whether `is_it` accepts any part of `text` between separators. It is called in order, up to the
/// first such part.
#[inline(never)] // some callers, each with little to do
pub(super) fn any_part(text: &[u8], separator: u8, is_it: &mut dyn for<'a> Callback<&'a [u8], bool>) -> bool {
    let mut rest = text;
    loop {
        // The C library examines many bytes at once.
        // SAFETY: `rest` is readable for its length.
        let found = unsafe { libc::memchr(rest.as_ptr().cast(), c_int::from(separator), rest.len()) };
        let length =
            if found.is_null() { rest.len() } else { found.addr().wrapping_sub(rest.as_ptr().addr()) };
        if is_it.call(rest.get(..length).unwrap_or_default()) {
            return true;
        }
        let Some(behind) = rest.get(length.wrapping_add(1)..) else { return false };
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_can_look_like_another_line_or_word() {
        let mut lines = Lines::new(b"");
        lines.line(b"node");
        lines.word(b"a b\nnode %20\x7f");
        lines.number(' ', 226);
        lines.number(':', 0);
        lines.number(' ', u32::MAX);
        lines.line(b"end");
        let text = lines.finish().unwrap();
        let text = core::str::from_utf8(&text).unwrap();
        assert_eq!(text, "node a%20b%0anode%20%2520%7f 226:0 4294967295\nend\n");
    }

    #[test]
    fn parts_lie_between_separators() {
        let parts = |text: &[u8]| {
            let mut parts = std::vec::Vec::new();
            assert!(!any_part(text, b' ', &mut |part: &[u8]| {
                parts.push(part.to_vec());
                false
            }));
            parts
        };
        for text in ["", " ", "a", "a b", " a  b "] {
            let expected: std::vec::Vec<_> = text.split(' ').map(|part| part.as_bytes().to_vec()).collect();
            assert_eq!(parts(text.as_bytes()), expected, "{text:?}");
        }
        assert!(any_part(b"a b", b' ', &mut |part: &[u8]| part == b"b"));
    }

    #[test]
    fn a_shortage_is_not_mistaken_for_a_missing_file() {
        for number in [libc::EMFILE, libc::ENFILE] {
            let lines = Lines::new(b"");
            assert!(lines.there::<u8>(Err(FileError::Other(number))).is_empty());
            assert_eq!(lines.finish(), Err(CacheFault::System(number)));
        }
        let lines = Lines::new(b"");
        for missing in [FileError::NotFound, FileError::Denied, FileError::Other(libc::ENODEV)] {
            assert!(lines.there::<u8>(Err(missing)).is_empty());
        }
        assert!(lines.finish().is_ok());
    }
}
