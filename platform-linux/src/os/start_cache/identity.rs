//! Whether a file is still the same.

use loader_core::platform::CacheFault;

use super::super::files::{State, beginning};
use super::hash::{hash, mixed};

/// A hash of what tells the regular file `path` from every other: its number, size and times, and its first bytes, which in a
/// library hold the build's ID. File systems that are made with all times alike differ in those. The number of its file system is
/// left out, since it may be another after each start of the machine. `None` if there is no such file.
///
/// # Errors
/// [`CacheFault::Changed`]: it changed so recently that a further change might not show.
pub(super) fn of_file(path: &[u8]) -> Result<Option<u64>, CacheFault> {
    /// Room for the headers and notes of a library.
    const BEGINNING: usize = 4096;
    let Some(state) = State::of(path).filter(State::is_regular_file) else { return Ok(None) };
    let fingerprint = state.fingerprint().ok_or(CacheFault::Changed)?;
    // A program that may be run but not read has only the rest.
    let beginning = beginning(path, BEGINNING).unwrap_or_default().0;
    let mut identity = hash(0, &beginning);
    for number in [
        fingerprint.identity.1,
        fingerprint.size,
        fingerprint.changed.0.cast_unsigned(),
        fingerprint.changed.1.cast_unsigned(),
    ] {
        identity = mixed(identity, number);
    }
    Ok(Some(mixed(identity, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;
    use tempfile::tempdir;

    /// The identity, once a further change would show.
    pub(in super::super) fn settled(path: &Path) -> u64 {
        loop {
            match of_file(path.as_os_str().as_bytes()) {
                Ok(identity) => return identity.unwrap(),
                Err(CacheFault::Changed) => std::thread::yield_now(),
                Err(other) => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_file_is_another_once_its_content_changes_although_size_and_time_stay() {
        let folder = tempdir().unwrap();
        let file = folder.path().join("lib.so");
        fs::write(&file, b"one").unwrap();
        assert_eq!(
            of_file(file.as_os_str().as_bytes()),
            Err(CacheFault::Changed),
            "a further change might not show"
        );
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        let before = settled(&file);
        assert_eq!(settled(&file), before);
        fs::write(&file, b"two").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        assert_ne!(settled(&file), before);
    }

    #[test]
    fn nothing_but_a_regular_file_has_an_identity() {
        assert_eq!(of_file(b"/nowhere"), Ok(None));
        assert_eq!(of_file(b"/"), Ok(None));
        assert_eq!(of_file(b"/dev/null"), Ok(None));
    }
}
