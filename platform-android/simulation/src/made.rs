//! Libraries that tests put into the system.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Android;

/// The null driver of this project as a HAL module, which cargo builds beside the tests.
///
/// # Panics
/// If it is not there.
#[must_use]
pub fn null_driver() -> PathBuf {
    let tests = env::current_exe().expect("the path of this test");
    let library = tests.with_file_name("libvulkan_null.so");
    assert!(library.exists(), "there is no {}: run the tests with cargo", library.display());
    library
}

impl Android {
    /// Compiles a source file in C to a library of the system. `options` are the compiler's: `-DNAME=VALUE`.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn compile(&self, path: &str, source: &Path, options: &[&str]) {
        let place = self.place(path);
        fs::create_dir_all(place.parent().unwrap_or(Path::new("/"))).expect("folders");
        let status = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-o"])
            .arg(&place)
            .args(options)
            .arg(source)
            .status()
            .expect("install the Debian package gcc");
        assert!(status.success(), "{} does not compile", source.display());
    }
}
