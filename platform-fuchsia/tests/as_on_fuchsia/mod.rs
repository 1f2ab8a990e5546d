//! A process like one on Fuchsia, for tests.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::transmute;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::NonNull;

use ash::vk;
use platform_fuchsia::Fuchsia;
use platform_fuchsia::simulation::{LoaderService, Process, Simulation};
use vkload_core::platform::{Libraries, Library, LibraryKind};

pub(crate) mod programs;

/// Returns a loader's platform over a simulated system.
pub(crate) fn fuchsia(service: Option<LoaderService>) -> (&'static Fuchsia, &'static Simulation) {
    let process = Process::new(Simulation::new(service), &[]);
    (process.fuchsia, process.simulation)
}

/// Returns the path of the null driver, which cargo builds next to the tests.
pub(crate) fn null_driver() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join("libvkload_null.so")
}

/// A library compiled for a test, which exists as long as this value.
pub(crate) struct Compiled {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Deref for Compiled {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.path
    }
}

/// Returns the test driver, compiled with these switches.
pub(crate) fn driver(switches: &[&str]) -> Compiled {
    compiled("tests/driver.c", switches)
}

/// Returns a layer that passes every call on.
pub(crate) fn layer() -> Compiled {
    compiled("../tests/benches/null_layer.c", &[])
}

/// Returns the library compiled from a file, given by its path from the crate, with these switches.
pub(crate) fn compiled(source: &str, switches: &[&str]) -> Compiled {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libcompiled.so");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-o"])
        .args([&path, &Path::new(env!("CARGO_MANIFEST_DIR")).join(source)])
        .args(switches)
        .status()
        .expect("a C compiler (package gcc)");
    assert!(status.success(), "{source}");
    Compiled { _folder: folder, path }
}

pub(crate) fn open(fuchsia: &Fuchsia, name: impl AsRef<[u8]>) -> Result<Library, String> {
    fuchsia.open(name.as_ref(), LibraryKind::Driver).map_err(words)
}

pub(crate) fn open_layer(fuchsia: &Fuchsia, path: &str) -> Result<Library, String> {
    fuchsia.open(path.as_bytes(), LibraryKind::Layer).map_err(words)
}

fn words(words: vkload_core::memory::Text) -> String {
    String::from_utf8(words.to_vec()).unwrap()
}

pub(crate) fn said_by(fuchsia: &Fuchsia, library: Library) -> String {
    let function = symbol(fuchsia, library, c"what_was_said");
    // SAFETY: the test driver exports this function with this type, and it returns a C string.
    let said =
        unsafe { CStr::from_ptr(transmute::<NonNull<c_void>, extern "C" fn() -> *const c_char>(function)()) };
    said.to_str().unwrap().to_owned()
}

pub(crate) fn symbol(fuchsia: &Fuchsia, library: Library, name: &CStr) -> NonNull<c_void> {
    fuchsia.symbol(library, name).unwrap_or_else(|| panic!("no {name:?}"))
}

/// Asks the loader, as a driver does, to connect a new channel to `name`.
pub(crate) fn connect(fuchsia: &'static Fuchsia, simulation: &Simulation, name: &str) -> vk::Result {
    let name = CString::new(name).unwrap();
    // SAFETY: the name is a valid C string, and nothing else owns the handle.
    unsafe { fuchsia.open_in_namespace(name.as_ptr(), simulation.channel_of_driver()) }
}
