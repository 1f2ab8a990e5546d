//! A process as on Fuchsia, for tests.

use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::transmute;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::NonNull;
use std::sync::OnceLock;

use ash::vk;
use fuchsia_simulation::{LoaderService, Process, Simulation};
use loader_core::platform::{Libraries, Library, LibraryKind};
use platform_fuchsia::Fuchsia;

pub(crate) mod programs;

/// A loader's platform over a simulated system.
pub(crate) fn fuchsia(service: Option<LoaderService>) -> (&'static Fuchsia, &'static Simulation) {
    let process = Process::new(Simulation::new(service), &[]);
    (process.fuchsia, process.simulation)
}

/// The null driver, which cargo puts beside the tests.
pub(crate) fn null_driver() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join("libvkload_null.so")
}

/// The test driver, compiled with these switches.
pub(crate) fn driver(switches: &[&str]) -> PathBuf {
    compile("driver.c", switches)
}

/// The library made of a file in this folder with these switches, under a name of its own: each test opens its own copy.
pub(crate) fn compile(source: &str, switches: &[&str]) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().unwrap()).path();
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let library = folder.join(format!("libdriver{number}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source);
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-o"])
        .args([&library, &source])
        .args(switches)
        .status()
        .expect("a C compiler (package gcc)");
    assert!(status.success());
    library
}

/// Opens a driver as the loader does.
pub(crate) fn open(fuchsia: &Fuchsia, name: impl AsRef<[u8]>) -> Result<Library, String> {
    fuchsia.open(name.as_ref(), LibraryKind::Driver).map_err(words)
}

/// Opens a layer as the loader does.
pub(crate) fn open_layer(fuchsia: &Fuchsia, path: &str) -> Result<Library, String> {
    fuchsia.open(path.as_bytes(), LibraryKind::Layer).map_err(words)
}

fn words(words: loader_core::memory::Text) -> String {
    String::from_utf8(words.to_vec()).unwrap()
}

/// What the test driver wrote down.
pub(crate) fn said_by(fuchsia: &Fuchsia, library: Library) -> String {
    let function = symbol(fuchsia, library, c"what_was_said");
    // SAFETY: the test driver has this function.
    let said =
        unsafe { CStr::from_ptr(transmute::<NonNull<c_void>, extern "C" fn() -> *const c_char>(function)()) };
    said.to_str().unwrap().to_owned()
}

/// A function of a library.
pub(crate) fn symbol(fuchsia: &Fuchsia, library: Library, name: &CStr) -> NonNull<c_void> {
    fuchsia.symbol(library, name).unwrap_or_else(|| panic!("no {name:?}"))
}

/// Asks the loader, as a driver does, to connect a fresh channel to `name`.
pub(crate) fn connect(fuchsia: &'static Fuchsia, simulation: &Simulation, name: &str) -> vk::Result {
    let name = CString::new(name).unwrap();
    // SAFETY: the name is a C string, and the handle belongs to nobody else.
    unsafe { fuchsia.open_in_namespace(name.as_ptr(), simulation.channel_of_driver()) }
}
