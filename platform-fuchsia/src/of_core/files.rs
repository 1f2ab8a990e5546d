//! The file system: the component's namespace, with the loader service's folder at [`MANIFESTS`].

use core::ffi::c_int;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use vkload_core::platform::{FileError, Files, Fingerprint, with_c_path};

use crate::fuchsia::Fuchsia;
use crate::policy::MANIFESTS;
use crate::system::Descriptor;
use crate::system::{ErrorNumber, FileState, FileSystem};

impl Files for Fuchsia {
    fn list(&self, path: &[u8]) -> Result<Vec<Text>, FileError> {
        self.locate(path)?.open(libc::O_DIRECTORY)?.names()
    }

    fn read(&self, path: &[u8], limit: usize) -> Result<Text, FileError> {
        let file = self.locate(path)?.open(0)?;
        let state = file.state()?;
        if !state.is_file {
            return Err(FileError::NotAFile);
        }
        file.read(state, limit)
    }

    fn exists(&self, path: &[u8]) -> bool {
        let Ok(location) = self.locate(path) else { return false };
        let access = with_c_path(location.path, |path| location.files.access(location.folder, path));
        matches!(access, Ok(Ok(())))
    }

    /// The service's folder has no times: drivers come and go there without a trace.
    fn fingerprint(&self, path: &[u8]) -> Option<Fingerprint> {
        let location = self.locate(path).ok().filter(|location| location.folder == libc::AT_FDCWD)?;
        let state = location.open(0).ok()?.state().ok()?;
        Some(Fingerprint { identity: state.identity, size: state.size, changed: (state.changed, 0) })
    }
}

/// The number of the C library's error for a path that is too long.
const ENAMETOOLONG: c_int = 36;

/// A path, and the folder that it starts from.
struct Location<'a> {
    files: &'static dyn FileSystem,
    folder: Descriptor,
    path: &'a [u8],
}

impl Fuchsia {
    fn locate<'a>(&self, path: &'a [u8]) -> Result<Location<'a>, FileError> {
        let files = self.system.files();
        let in_namespace = Location { files, folder: libc::AT_FDCWD, path };
        let below = match path.strip_prefix(MANIFESTS) {
            Some([]) => b".",
            Some([b'/', path @ ..]) => path,
            _ => return Ok(in_namespace),
        };
        let folder = self.service().map(|service| service.manifests()).ok_or(FileError::NotFound)?;
        Ok(Location { folder, path: below, ..in_namespace })
    }
}

impl Location<'_> {
    fn open(&self, flags: c_int) -> Result<File, FileError> {
        let opened = with_c_path(self.path, |path| self.files.open(self.folder, path, flags));
        let descriptor = opened.map_err(|fault| fault.error(ENAMETOOLONG))??;
        Ok(File { files: self.files, descriptor })
    }
}

struct File {
    files: &'static dyn FileSystem,
    descriptor: Descriptor,
}

impl File {
    fn state(&self) -> Result<FileState, FileError> {
        Ok(self.files.state(self.descriptor)?)
    }

    /// Reads to the end, but not beyond `limit`.
    fn read(&self, state: FileState, limit: usize) -> Result<Text, FileError> {
        let mut content = Text::new();
        let mut block = [0; 4096];
        loop {
            if content.len() > limit || usize::try_from(state.size).is_ok_and(|size| size > limit) {
                return Err(FileError::TooLarge);
            }
            let got = self.files.read(self.descriptor, &mut block)?;
            match block.get(..got) {
                None | Some([]) => return Ok(content),
                Some(got) => content.try_extend(got)?,
            }
        }
    }

    /// Returns every name in the folder except `.` and `..`.
    fn names(self) -> Result<Vec<Text>, FileError> {
        let mut names = Vec::new();
        let mut kept = Ok(());
        let mut keep = |name: &[u8]| {
            if kept.is_ok() && name != b"." && name != b".." {
                kept = text(&[name]).and_then(|name| names.try_push(name));
            }
        };
        let (files, descriptor) = (self.files, self.descriptor);
        // `list` closes the folder.
        core::mem::forget(self);
        files.list(descriptor, &mut keep)?;
        kept.map_err(|OutOfMemory| FileError::OutOfMemory)?;
        Ok(names)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.files.close(self.descriptor);
    }
}

impl From<ErrorNumber> for FileError {
    fn from(error: ErrorNumber) -> Self {
        match error.0 {
            libc::ENOENT => Self::NotFound,
            libc::EACCES | libc::EPERM => Self::Denied,
            libc::EISDIR => Self::NotAFile,
            libc::ENOMEM => Self::OutOfMemory,
            other => Self::Other(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::c_library::CLibrary;

    #[test]
    fn a_file_that_is_larger_than_it_says_is_too_large_all_the_same() {
        let location = Location { files: &CLibrary, folder: libc::AT_FDCWD, path: b"/proc/self/status" };
        let read = |limit| {
            let file = location.open(0).unwrap();
            let state = file.state().unwrap();
            assert_eq!(state.size, 0, "as such files say");
            file.read(state, limit).map(|content| content.len())
        };
        assert_eq!(read(10), Err(FileError::TooLarge));
        assert!(read(1 << 20).unwrap() > 10);
    }

    #[test]
    fn error_numbers_become_reasons() {
        for (number, reason) in [
            (libc::ENOENT, FileError::NotFound),
            (libc::EACCES, FileError::Denied),
            (libc::EPERM, FileError::Denied),
            (libc::EISDIR, FileError::NotAFile),
            (libc::ENOMEM, FileError::OutOfMemory),
            (libc::EIO, FileError::Other(libc::EIO)),
        ] {
            assert_eq!(FileError::from(ErrorNumber(number)), reason);
        }
    }
}
