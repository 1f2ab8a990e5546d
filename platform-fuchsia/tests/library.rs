//! Fuchsia's `libvulkan.so` itself, in a process of this machine: the same code, linked so that
//! this machine's linker accepts it, over libraries with the names of Fuchsia's. It uses this
//! machine's C library.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[allow(dead_code)]
mod as_on_fuchsia;

use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::mem::transmute;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr::null_mut;

use as_on_fuchsia::null_driver;
use as_on_fuchsia::programs::draw;
use ash::{Entry, StaticFn, vk};
use tempfile::TempDir;
use vkload_tests::artifact;

const SYSTEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/system.c");

const LOADER: &str = "libvulkan_fuchsia.so";
const DRIVER: &str = "libvkload_null.so";

/// Returns the path where `cargo xtask fuchsia-abi` puts the loader's library for this test, and
/// `driver-abi` the null driver's.
fn built(name: &str) -> Option<PathBuf> {
    let path = format!("fuchsia-here/x86_64-unknown-fuchsia/release/{name}");
    artifact(&path, "cargo xtask fuchsia-abi && cargo xtask driver-abi")
}

/// An open library of this machine.
struct Library(*mut c_void);

impl Library {
    /// Opens a library. With `RTLD_GLOBAL`, other libraries find it by its name.
    fn open(path: &Path, flags: i32) -> Self {
        let path = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the path is a valid C string, and the initialisers do nothing to the process.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | flags) };
        // SAFETY: if `dlopen` returned NULL, it failed in this thread; `dlerror` then returns a C
        // string that is valid until its next call.
        assert!(!library.is_null(), "{:?}", unsafe { CStr::from_ptr(libc::dlerror()) });
        Self(library)
    }

    fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the library is open, and the name is a valid C string.
        let symbol = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!symbol.is_null(), "{name:?}");
        symbol
    }
}

/// The libraries of Fuchsia that this machine lacks, and the test's functions to inspect them.
struct System(Library);

impl System {
    /// Creates a system with this driver in its service.
    fn new(folder: &Path, driver: &Path) -> Self {
        for name in ["libc.so", "libfdio.so"] {
            Library::open(&compile(folder, name, "/dev/null"), libc::RTLD_GLOBAL);
        }
        let system = Library::open(&compile(folder, "libzircon.so", SYSTEM), libc::RTLD_GLOBAL);
        let manifests = folder.join("manifests");
        std::fs::create_dir(&manifests).unwrap();
        let manifest = r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "0-driver.so", "api_version": "1.3.0"}}"#;
        std::fs::write(manifests.join("0-driver.so.json"), manifest).unwrap();
        let path = |path: &Path| CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the function has this type, and both arguments are valid C strings.
        unsafe {
            let set = transmute::<*mut c_void, extern "C" fn(*const c_char, *const c_char)>(
                system.symbol(c"set_service"),
            );
            set(path(&manifests).as_ptr(), path(driver).as_ptr());
        }
        Self(system)
    }

    fn calls(&self) -> String {
        // SAFETY: the function has this type, and returns a C string.
        let said = unsafe {
            let said =
                transmute::<*mut c_void, extern "C" fn() -> *const c_char>(self.0.symbol(c"what_was_said"));
            CStr::from_ptr(said())
        };
        said.to_str().unwrap().to_owned()
    }

    fn open_handles(&self) -> c_uint {
        // SAFETY: the function has this type.
        unsafe { transmute::<*mut c_void, extern "C" fn() -> c_uint>(self.0.symbol(c"open_handles"))() }
    }
}

fn compile(folder: &Path, name: &str, source: &str) -> PathBuf {
    let library = folder.join(name);
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-x", "c", source, "-o"])
        .arg(&library)
        .arg(format!("-Wl,-soname,{name}"))
        .status()
        .expect("a C compiler (package gcc)");
    assert!(status.success());
    library
}

/// The library in this process, over a system with a driver in its service.
struct Loaded {
    system: System,
    library: Library,
    entry: Entry,
    _folder: TempDir,
}

fn load(driver: &Path) -> Option<Loaded> {
    let library = built(LOADER)?;
    let folder = tempfile::tempdir().unwrap();
    let system = System::new(folder.path(), driver);
    let library = Library::open(&library, libc::RTLD_LOCAL);
    let look_up = library.symbol(c"vkGetInstanceProcAddr");
    // SAFETY: this is the loader's own vkGetInstanceProcAddr.
    let entry = unsafe {
        let get_instance_proc_addr = transmute::<*mut c_void, vk::PFN_vkGetInstanceProcAddr>(look_up);
        Entry::from_static_fn(StaticFn { get_instance_proc_addr })
    };
    Some(Loaded { system, library, entry, _folder: folder })
}

fn draw_with(driver: &Path) {
    let Some(Loaded { system, library, entry, .. }) = &load(driver) else { return };
    // SAFETY: the instance may be NULL for a global command, and the name is a valid C string.
    let found = unsafe { entry.get_instance_proc_addr(vk::Instance::null(), c"vkCreateInstance".as_ptr()) };
    assert_eq!(found.map(|it| it as *mut c_void), Some(library.symbol(c"vkCreateInstance")));

    let drawn = draw(entry).unwrap();
    assert_eq!(drawn.devices, 1);
    assert!(
        drawn.bytes.starts_with(&[255, 128, 0, 255]) && drawn.bytes.ends_with(b"end."),
        "{:?}",
        drawn.bytes
    );
    assert_eq!(
        system.calls(),
        "connect /svc/fuchsia.vulkan.loader.Loader\ncall GetSupportedFeatures\nwrite ConnectToDeviceFs\n\
         write ConnectToManifestFs\ndescriptor\nget 0-driver.so\ndlopen_vmo\n"
    );
    // The channels of the loader service and of the folder of devices.
    assert_eq!(system.open_handles(), 2);

    // SAFETY: nothing of the library is used any more.
    assert_eq!(unsafe { libc::dlclose(library.0) }, 0);
}

/// Runs an ignored test in a process of its own: a process has one system.
fn in_child(test: &str) -> Output {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", test, "--nocapture"]).output().unwrap()
}

#[test]
fn the_library_itself_draws_with_a_driver_of_the_service() {
    draw_with(&null_driver());
}

#[test]
fn so_it_does_with_the_null_drivers_library_for_fuchsia() {
    if built(DRIVER).is_some() {
        let child = in_child("draw_with_the_library_for_fuchsia");
        assert!(child.status.success(), "{child:?}");
    }
}

#[test]
#[ignore = "the test above runs it in a process of its own"]
fn draw_with_the_library_for_fuchsia() {
    draw_with(&built(DRIVER).unwrap());
}

#[test]
fn a_fatal_error_prints_a_line_and_does_not_unwind() {
    if built(LOADER).is_none() {
        return;
    }
    let child = in_child("use_an_invalid_instance");
    assert_eq!(child.status.signal(), Some(libc::SIGABRT), "{child:?}");
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(said.contains("[Vulkan Loader] ERROR") && said.contains("vkEnumeratePhysicalDevices"), "{said}");
    assert!(!said.contains("went on"), "{said}");
}

#[test]
#[ignore = "ends its process: the test above runs it in one of its own"]
fn use_an_invalid_instance() {
    let loaded = load(&null_driver()).unwrap();
    let command = loaded.library.symbol(c"vkEnumeratePhysicalDevices");
    let mut count = 0;
    let result = std::panic::catch_unwind(move || {
        // SAFETY: the function has this type. The handle is invalid on purpose; the loader reports
        // it and aborts.
        unsafe {
            let command = transmute::<*mut c_void, vk::PFN_vkEnumeratePhysicalDevices>(command);
            command(vk::Instance::null(), &raw mut count, null_mut())
        }
    });
    eprintln!("went on with {result:?}");
}
