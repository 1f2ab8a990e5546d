//! Facts as text, one in each line.

use loader_core::memory::{Text, TryGrow};
use loader_core::platform::{CacheFault, FileError};

use super::hash::hex;

/// Lines of words. What went wrong is remembered for the end, so that adding a word needs no check.
pub(super) struct Lines {
    pub(super) text: Text,
    fault: Option<CacheFault>,
}

impl Lines {
    pub(super) const fn new() -> Self {
        Self { text: Text::new(), fault: None }
    }

    /// Begins a line about `subject`.
    pub(super) fn line(&mut self, subject: &[u8]) {
        if !self.text.is_empty() {
            self.plain(b"\n");
        }
        self.plain(subject);
    }

    /// Adds a word. What would end a word or a line is written as `%` and two digits, and so is `%` itself.
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

    /// Adds `before` and a number.
    pub(super) fn number(&mut self, before: u8, value: u64, base: u64) {
        let mut digits = [0; 22];
        let mut rest = value;
        let mut first = digits.len();
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0'.wrapping_add(rest.checked_rem(base).unwrap_or(0) as u8);
            rest = rest.checked_div(base).unwrap_or(0);
            first = place;
            if rest == 0 {
                break;
            }
        }
        self.plain(&[before]);
        self.plain(digits.get(first..).unwrap_or_default());
    }

    /// Adds a hash.
    pub(super) fn hash(&mut self, hash: u64) {
        self.word(&hex(hash));
    }

    /// Adds bytes as they are.
    pub(super) fn plain(&mut self, bytes: &[u8]) {
        if self.text.try_extend(bytes).is_err() {
            self.fault = Some(CacheFault::OutOfMemory);
        }
    }

    /// What there is of a file or folder. It may be missing or closed to this process, but a shortage of memory or of file
    /// descriptors must not look like that.
    pub(super) fn there<T>(&mut self, found: Result<T, FileError>) -> Option<T> {
        match found {
            Ok(found) => return Some(found),
            Err(FileError::OutOfMemory) => self.fault = Some(CacheFault::OutOfMemory),
            Err(FileError::Other(number @ (libc::EMFILE | libc::ENFILE))) => {
                self.fault = Some(CacheFault::System(number));
            }
            Err(_) => {}
        }
        None
    }

    /// The whole text, if nothing went wrong.
    pub(super) fn finish(mut self) -> Result<Text, CacheFault> {
        self.plain(b"\n");
        self.fault.map_or(Ok(self.text), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_can_look_like_another_line_or_word() {
        let mut lines = Lines::new();
        lines.line(b"node");
        lines.word(b"a b\nnode %20\x7f");
        lines.number(b' ', 226, 10);
        lines.number(b':', 0, 10);
        lines.number(b' ', 0o660, 8);
        lines.number(b' ', u64::MAX, 8);
        lines.line(b"end");
        let text = lines.finish().unwrap();
        let text = core::str::from_utf8(&text).unwrap();
        assert_eq!(text, "node a%20b%0anode%20%2520%7f 226:0 660 1777777777777777777777\nend\n");
    }

    #[test]
    fn a_shortage_is_not_mistaken_for_a_missing_file() {
        for number in [libc::EMFILE, libc::ENFILE] {
            let mut lines = Lines::new();
            assert_eq!(lines.there(Err::<(), _>(FileError::Other(number))), None);
            assert_eq!(lines.finish(), Err(CacheFault::System(number)));
        }
        let mut lines = Lines::new();
        assert_eq!(lines.there(Err::<(), _>(FileError::NotFound)), None);
        assert_eq!(lines.there(Err::<(), _>(FileError::Other(libc::ENODEV))), None);
        assert!(lines.finish().is_ok());
    }
}
