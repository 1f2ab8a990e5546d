//! A program's file in the user's cache folder. A file that another user may have written is refused.

use core::ffi::{CStr, c_char, c_int, c_void};

use vkload_core::memory::{OutOfMemory, Text, TryGrow, text};
use vkload_core::platform::hash::{hash, hex};
use vkload_core::platform::{CacheFault, Files, LARGEST_CACHE, with_c_path};

use super::super::errno;
use super::super::files::{FileSystem, may, may_be_as_large};
use super::super::state::State;
use super::out_of_memory;

/// The number of files that the folder may hold. Programs come and go; their files would stay.
const MOST_FILES: usize = 256;

/// The prefix of all file names in the folder.
const BEGINNING: &[u8] = b"start-";

/// The file of a program: its location, and its names, which end in NUL.
pub(super) struct CacheFile {
    folder: Text,
    /// [`BEGINNING`] and the hash of the program's path.
    name: Text,
    /// The name while this thread writes the file. A number follows that no other thread has.
    temporary: Text,
    user: libc::uid_t,
}

impl CacheFile {
    /// Returns the location of the file of `program` in `folder`, whose path is absolute.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn of(folder: Text, program: &[u8]) -> Result<Self, OutOfMemory> {
        // The address of the thread's error number distinguishes it from other threads of its process.
        // SAFETY: these calls have no preconditions and cannot fail.
        let (user, process, thread) =
            unsafe { (libc::geteuid(), libc::getpid(), libc::__errno_location().addr()) };
        let hashes = [hash(0, program), hash(u64::from(process.cast_unsigned()), &thread.to_le_bytes())];
        let [program, thread] = hashes.map(hex);
        let name = text(&[BEGINNING, &program, b"\0"])?;
        let temporary = text(&[BEGINNING, &program, b".", &thread, b"\0"])?;
        Ok(Self { folder, name, temporary, user })
    }

    /// Reads the file.
    pub(super) fn load(&self) -> Result<Text, CacheFault> {
        match self.load_while(&|| ()) {
            // Another process may have replaced this file by its own, which is complete.
            Err(CacheFault::Changed) => self.load_while(&|| ()),
            other => other,
        }
    }

    /// Reads the file. `happening` runs between reading it and checking whether it has changed.
    fn load_while(&self, happening: &dyn Fn()) -> Result<Text, CacheFault> {
        let folder = self.open_folder()?;
        // It neither waits for the writer of a FIFO nor lets a terminal control the process.
        let file = Descriptor::open(folder.0, self.name.as_ptr().cast(), libc::O_NONBLOCK | libc::O_NOCTTY)?;
        let before = file.state()?;
        match before.stat.st_nlink {
            1 if before.is_regular_file() => {}
            0 => return Err(CacheFault::Changed),
            // The second name may be in a folder that other users can write.
            _ => return Err(CacheFault::NotAFile),
        }
        self.is_written_by_user_only(&before)?;
        let size = before.size().filter(|size| *size <= LARGEST_CACHE).ok_or(CacheFault::TooLarge)?;
        let mut content = Text::new();
        // One byte more, to see the end.
        content.try_resize(size.saturating_add(1), 0).map_err(out_of_memory)?;
        // SAFETY: the text is writable for its length.
        let got = unsafe { libc::read(file.0, content.as_mut_ptr().cast::<c_void>(), content.len()) };
        happening();
        // Regular files are read in one go.
        if usize::try_from(got) != Ok(size) || file.state()?.version() != before.version() {
            return Err(CacheFault::Changed);
        }
        content.truncate(size);
        Ok(content)
    }

    /// Writes the file under another name, and then gives it its own.
    ///
    /// Nothing waits for the disk: a file that is left incomplete when the machine stops suddenly is detected
    /// by its checksum.
    pub(super) fn keep(&self, content: &[u8]) -> Result<(), CacheFault> {
        if content.len() > LARGEST_CACHE {
            return Err(CacheFault::TooLarge);
        }
        if !may_be_as_large(content.len()) {
            return Err(CacheFault::System(libc::EFBIG));
        }
        let folder = match self.open_folder() {
            Err(CacheFault::NotFound) => {
                self.make_folder()?;
                self.open_folder()
            }
            other => other,
        }?;
        let temporary = &self.temporary;
        // Remove the file that a killed process has left.
        folder.remove(temporary);
        let file = Descriptor::open(
            folder.0,
            temporary.as_ptr().cast(),
            libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL,
        )?;
        let kept = file.fill(content).and_then(|()| {
            // SAFETY: the names are valid C strings.
            checked(unsafe {
                libc::renameat(folder.0, temporary.as_ptr().cast(), folder.0, self.name.as_ptr().cast())
            })
        });
        if kept.is_err() {
            folder.remove(temporary);
        }
        self.remove_excess(&folder);
        kept
    }

    /// Removes the file.
    pub(super) fn forget(&self) {
        if let Ok(folder) = self.open_folder() {
            folder.remove(&self.name);
        }
    }

    /// Returns the folder, if it is the user's own.
    fn open_folder(&self) -> Result<Descriptor, CacheFault> {
        let open = |path: &CStr| Descriptor::open(libc::AT_FDCWD, path.as_ptr(), libc::O_DIRECTORY);
        let folder = with_c_path(&self.folder, open).map_err(|_| CacheFault::NoFolder)??;
        self.is_written_by_user_only(&folder.state()?)?;
        Ok(folder)
    }

    fn is_written_by_user_only(&self, state: &State) -> Result<(), CacheFault> {
        if state.stat.st_uid != self.user {
            return Err(CacheFault::NotOwn);
        }
        if is_writable_by_others(state) { Err(CacheFault::WritableByOthers) } else { Ok(()) }
    }

    /// Creates the folder and its parent in folders of the user. With `sudo -E`, it creates none in another
    /// user's folder.
    fn make_folder(&self) -> Result<(), CacheFault> {
        for folder in [parent(&self.folder), &self.folder] {
            if may(folder, libc::F_OK) {
                continue;
            }
            let parent = State::of(parent(folder)).ok_or(CacheFault::NoFolder)?;
            if parent.stat.st_uid != self.user {
                return Err(CacheFault::NotOwn);
            }
            let make = |path: &CStr| {
                // SAFETY: the path is a valid C string.
                let made = checked(unsafe { libc::mkdir(path.as_ptr(), 0o700) });
                // A umask can withhold even the user's own permissions. If others can write the parent, the
                // name may now belong to another folder.
                if made.is_ok() && !is_writable_by_others(&parent) {
                    // SAFETY: the path is a valid C string.
                    unsafe { libc::chmod(path.as_ptr(), 0o700) };
                }
                // Another process may have been faster.
                if made == Err(CacheFault::System(libc::EEXIST)) { Ok(()) } else { made }
            };
            with_c_path(folder, make).map_err(|_| CacheFault::NoFolder)??;
        }
        Ok(())
    }

    /// Removes all files but this one if the folder contains too many. Each of those programs starts learning
    /// again, which happens once for every [`MOST_FILES`] new programs.
    fn remove_excess(&self, folder: &Descriptor) {
        let Ok(mut names) = FileSystem.list(&self.folder) else { return };
        names.retain(|name| name.starts_with(BEGINNING));
        if names.len() <= MOST_FILES {
            return;
        }
        for name in &mut names {
            if name.try_push(0).is_ok() && name.as_slice() != self.name.as_slice() {
                folder.remove(name);
            }
        }
    }
}

/// Returns the path of the folder that `path` is in.
fn parent(path: &[u8]) -> &[u8] {
    let mut parent = path;
    while let Some((last, rest)) = parent.split_last() {
        parent = rest;
        // A slash too many is not the one that ends the parent.
        if *last == b'/' && !rest.ends_with(b"/") {
            break;
        }
    }
    parent
}

fn is_writable_by_others(state: &State) -> bool {
    state.stat.st_mode & (libc::S_IWGRP | libc::S_IWOTH) != 0
}

/// Returns why the call that returned `result` failed, if it did.
#[inline(never)] // several callers
fn checked(result: c_int) -> Result<(), CacheFault> {
    if result >= 0 {
        return Ok(());
    }
    Err(match errno() {
        libc::ENOENT => CacheFault::NotFound,
        libc::ELOOP | libc::ENOTDIR | libc::EISDIR | libc::ENXIO => CacheFault::NotAFile,
        libc::ENOMEM => CacheFault::OutOfMemory,
        number => CacheFault::System(number),
    })
}

/// An open file or folder.
struct Descriptor(c_int);

impl Descriptor {
    /// Opens the file with this name, unless it is a link; a file that this creates is accessible only to the
    /// user.
    fn open(folder: c_int, name: *const c_char, flags: c_int) -> Result<Self, CacheFault> {
        let flags = flags | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: callers pass a valid C string.
        let descriptor = unsafe { libc::openat(folder, name, flags, 0o600) };
        checked(descriptor).map(|()| Self(descriptor))
    }

    fn state(&self) -> Result<State, CacheFault> {
        State::of_descriptor(self.0).ok_or_else(|| CacheFault::System(errno()))
    }

    /// Writes the whole file and closes it: some file systems report only then that the disk is full.
    fn fill(self, content: &[u8]) -> Result<(), CacheFault> {
        // A umask can withhold even the user's own permissions.
        // SAFETY: the descriptor is open.
        checked(unsafe { libc::fchmod(self.0, 0o600) })?;
        // SAFETY: the content is readable for its length.
        let written = unsafe { libc::write(self.0, content.as_ptr().cast::<c_void>(), content.len()) };
        if usize::try_from(written) != Ok(content.len()) {
            // Only a part of it fitted.
            let full = CacheFault::System(libc::ENOSPC);
            return if written < 0 { checked(-1) } else { Err(full) };
        }
        let descriptor = self.0;
        core::mem::forget(self);
        // SAFETY: the descriptor is open, and nothing uses it any more.
        checked(unsafe { libc::close(descriptor) })
    }

    /// Removes the file with this name in this folder, if it exists.
    fn remove(&self, name: &Text) {
        // SAFETY: the name ends in NUL.
        unsafe { libc::unlinkat(self.0, name.as_ptr().cast(), 0) };
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open, and nothing uses it after `drop`.
        unsafe { libc::close(self.0) };
    }
}

#[cfg(test)]
mod tests;
