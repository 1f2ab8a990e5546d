//! Libraries that tests add to the system.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::NamedTempFile;

use crate::Android;

/// Returns the null driver of this project as a HAL module, which cargo builds next to the tests.
pub fn null_driver() -> PathBuf {
    let tests = env::current_exe().expect("the path of this test");
    // Examples are in a folder next to the tests' folder.
    let folders = [tests.with_file_name(""), tests.with_file_name("../deps")];
    let library = folders.map(|folder| folder.join("libvkload_null.so"));
    let library = library.iter().find(|library| library.exists()).unwrap_or(&library[0]).clone();
    assert!(library.exists(), "there is no {}: run the tests with cargo", library.display());
    library
}

/// Returns a copy without the symbol of a HAL module, in the same folder: a loader inside an application uses a library that is both as a module.
pub fn null_driver_without_module() -> PathBuf {
    static COPY: LazyLock<PathBuf> = LazyLock::new(|| {
        let library = null_driver();
        let mut content = fs::read(&library).expect("the null driver");
        let names = content.windows(5).enumerate().filter(|(_, word)| word == b"\0HMI\0");
        let starts: Vec<usize> = names.map(|(start, _)| start).collect();
        assert!(!starts.is_empty(), "{} has no symbol HMI", library.display());
        starts.iter().for_each(|start| content[start + 1] = b'h');
        let copy = library.with_file_name("libvkload_null_icd.so");
        let unfinished = NamedTempFile::new_in(library.with_file_name("")).expect("a file");
        fs::write(&unfinished, content).expect("a copy");
        unfinished.persist(&copy).expect("a copy");
        copy
    });
    COPY.clone()
}

impl Android {
    /// Compiles a C source file to a library of the system. `options` are compiler options:
    /// `-DNAME=VALUE`.
    pub fn compile(&self, path: &str, source: &Path, options: &[&str]) {
        let host_path = self.host_path(path);
        fs::create_dir_all(host_path.parent().unwrap_or(Path::new("/"))).expect("folders");
        let status = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-o"])
            .arg(&host_path)
            .args(options)
            .arg(source)
            .status()
            .expect("install the Debian package gcc");
        assert!(status.success(), "{} does not compile", source.display());
    }
}
