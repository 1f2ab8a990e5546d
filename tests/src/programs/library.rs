//! The loaders that programs are made to use.
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Debian's Khronos loader, the one to compare with (package libvulkan1).
pub(crate) const DISTRIBUTION: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

/// A loader, and a folder that makes programs use it when it comes first in `LD_LIBRARY_PATH`.
///
/// The folder holds two links, `libvulkan.so.1` for programs that were linked with the library and
/// `libvulkan.so` for those that open it by that name and for the linker.
#[derive(Debug)]
pub struct Library {
    file: PathBuf,
    folder: TempDir,
}

impl Library {
    /// Returns the library that this workspace builds, or the one that `VKLOAD_TEST_LIBRARY` names.
    pub fn under_test() -> Self {
        Self::new(&crate::library_under_test())
    }

    /// Returns the loader that the distribution ships.
    pub fn distribution() -> Self {
        assert!(Path::new(DISTRIBUTION).exists(), "install the Debian package libvulkan1");
        Self::new(Path::new(DISTRIBUTION))
    }

    pub fn at(file: &Path) -> Self {
        Self::new(file)
    }

    /// Returns the file itself, links resolved.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whether this is the distribution's own library, which differs in nothing from itself.
    pub fn is_distribution(&self) -> bool {
        fs::canonicalize(DISTRIBUTION).is_ok_and(|file| file == self.file)
    }

    pub fn search_path(&self) -> OsString {
        let mut path = self.folder().as_os_str().to_owned();
        if let Some(rest) = env::var_os("LD_LIBRARY_PATH").filter(|rest| !rest.is_empty()) {
            path.push(":");
            path.push(rest);
        }
        path
    }

    fn new(file: &Path) -> Self {
        let file = fs::canonicalize(file).expect("the library's path resolves");
        let folder =
            tempfile::Builder::new().prefix("vkload-library-").tempdir().expect("a folder for links");
        for name in ["libvulkan.so.1", "libvulkan.so"] {
            symlink(&file, folder.path().join(name)).expect("a link to the library");
        }
        Self { file, folder }
    }
}
