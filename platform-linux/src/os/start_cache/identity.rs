//! Detects whether a file is still the same.

use vkload_core::platform::hash::{hash, mixed};
use vkload_core::platform::{CacheFault, Fingerprint};

use super::super::files::beginning;
use super::super::state::State;

/// Returns a hash that distinguishes the file or folder `path` from all others of this kind (`S_IFREG`, `S_IFDIR`).
/// It covers the file's number, size and times, and its first bytes, which in a library contain the build ID: on file
/// systems created with equal times, only those differ. The number of its file system is left out, since it may change
/// whenever the machine starts. The hash of a folder differs if names in it have been added, removed or given to other
/// files. `None` if none of this kind exists.
///
/// # Errors
/// [`CacheFault::Changed`]: it changed so recently that a further change might not show.
pub(super) fn of(path: &[u8], kind: libc::mode_t) -> Result<Option<u64>, CacheFault> {
    /// Enough for the headers and notes of a library.
    const BEGINNING: usize = 4096;
    let Some(state) = State::of(path).filter(|state| state.kind() == kind) else { return Ok(None) };
    let fingerprint = state.fingerprint().ok_or(CacheFault::Changed)?;
    // A folder and a program that may be run but not read have only the rest.
    let beginning = beginning(path, &state, BEGINNING).unwrap_or_default().0;
    Ok(Some(combined(&fingerprint, &beginning)))
}

fn combined(fingerprint: &Fingerprint, beginning: &[u8]) -> u64 {
    let mut identity = hash(0, beginning);
    for number in [
        fingerprint.identity.1,
        fingerprint.size,
        fingerprint.changed.0.cast_unsigned(),
        fingerprint.changed.1.cast_unsigned(),
        // Up to this point, the last numbers have affected few bits.
        0,
    ] {
        identity = mixed(identity, number);
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use tempfile::tempdir;

    fn of_file(path: &[u8]) -> Result<Option<u64>, CacheFault> {
        of(path, libc::S_IFREG)
    }

    /// Returns the identity, once a further change would show.
    fn settled(path: &Path) -> u64 {
        loop {
            match of_file(path.as_os_str().as_bytes()) {
                Ok(identity) => return identity.unwrap(),
                Err(fault) => assert_eq!(fault, CacheFault::Changed),
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_file_is_another_once_its_content_changes() {
        let folder = tempdir().unwrap();
        let file = folder.path().join("lib.so");
        fs::write(&file, b"one").unwrap();
        let path = file.as_os_str().as_bytes();
        assert_eq!(of_file(path), Err(CacheFault::Changed), "a further change might not show");
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        let before = settled(&file);
        assert_eq!(settled(&file), before);
        fs::write(&file, b"two").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        assert_ne!(settled(&file), before, "its size and time are those from before");
    }

    #[test]
    fn files_in_images_whose_times_are_all_alike_differ_in_their_beginnings() {
        let plain = Fingerprint { identity: (1, 2), size: 3, changed: (4, 5) };
        let identity = |fingerprint| combined(&fingerprint, b"one");
        assert_ne!(combined(&plain, b"two"), identity(plain));
        assert_eq!(identity(Fingerprint { identity: (7, 2), ..plain }), identity(plain), "after a restart");
        for other in [
            Fingerprint { identity: (1, 7), ..plain },
            Fingerprint { size: 7, ..plain },
            Fingerprint { changed: (7, 5), ..plain },
            Fingerprint { changed: (4, 7), ..plain },
        ] {
            assert_ne!(identity(other), identity(plain));
        }
    }

    #[test]
    fn a_folder_is_another_once_a_file_in_it_is() {
        let folder = tempdir().unwrap();
        let path = folder.path().as_os_str().as_bytes();
        let settled = || {
            loop {
                match of(path, libc::S_IFDIR) {
                    Err(CacheFault::Changed) => std::thread::yield_now(),
                    other => return other.unwrap().unwrap(),
                }
            }
        };
        let before = settled();
        fs::write(folder.path().join("lib.so"), b"").unwrap();
        assert_ne!(settled(), before);
        assert_eq!(of(&[path, b"/lib.so"].concat(), libc::S_IFDIR), Ok(None), "a file is not a folder");
    }

    #[test]
    fn nothing_but_a_regular_file_has_an_identity() {
        assert_eq!(of_file(b"/nowhere"), Ok(None));
        assert_eq!(of_file(b"/"), Ok(None));
        assert_eq!(of_file(b"/dev/null"), Ok(None));
    }
}
