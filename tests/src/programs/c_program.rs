//! C programs, compiled against the distribution's Vulkan headers and linked with the library under test.
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::programs::{Library, Machine};

/// A compiled program of the folder `c`.
#[derive(Debug)]
pub struct CProgram {
    folder: TempDir,
    name: String,
}

impl CProgram {
    /// Compiles `c/NAME.c` with all warnings as errors and links it with `-lvulkan` of `library`'s folder and
    /// with the other `libraries`.
    pub fn compile(name: &str, library: &Library, libraries: &[&str]) -> Self {
        Self::compile_as(&[], name, library, libraries)
    }

    /// Compiles it as a shared library, whose `main` is called after it is opened with `dlopen`. Unlike a program's dependencies, its
    /// dependencies do not come first when other libraries look up functions.
    pub fn compile_to_open(name: &str, library: &Library) -> Self {
        Self::compile_as(&["-shared", "-fPIC"], name, library, &[])
    }

    /// Compiles it with ThreadSanitizer, which only watches the program: its libraries were compiled without it.
    pub fn compile_watched(name: &str, library: &Library) -> Self {
        Self::compile_as(&["-fsanitize=thread", "-Wl,--as-needed"], name, library, &[])
    }

    fn compile_as(kind: &[&str], name: &str, library: &Library, libraries: &[&str]) -> Self {
        let folder =
            tempfile::Builder::new().prefix("vkload-c-").tempdir().expect("a folder for the program");
        let root = Path::new(super::SOURCES);
        let status = Command::new("cc")
            .args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"])
            .args(kind)
            .arg("-I")
            .arg(root.join("shaders"))
            .arg("-o")
            .arg(folder.path().join(name))
            .arg(root.join("c").join(format!("{name}.c")))
            .arg("-L")
            .arg(library.folder())
            .arg("-lvulkan")
            .args(libraries.iter().map(|library| format!("-l{library}")))
            .status()
            .expect("install the Debian packages gcc and libvulkan-dev");
        assert!(status.success(), "{name}.c does not compile or link");
        Self { folder, name: name.to_owned() }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Returns the program, run on `machine` with `library`.
    pub fn command(&self, machine: &Machine, library: &Library) -> Command {
        machine.command(library, self.path())
    }
}
