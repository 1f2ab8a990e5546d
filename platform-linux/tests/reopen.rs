//! The library is opened, used and closed a thousand times without leaking anything: plug-in hosts
//! and test frameworks do this.
//!
//! To test on an emulated processor, set `VKLOAD_TEST_CC` to its C compiler and
//! `VKLOAD_TEST_RUNNER` to the command line of the emulator (`tests/run.sh arches`).

use std::env;
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};

use vkload_core::vk;

const CYCLES: usize = 1000;
/// The number on an emulated processor, which is slow.
const EMULATED_CYCLES: usize = 100;
/// Set to the library in the process that runs the cycles.
const CHILD: &str = "VKLOAD_TEST_REOPEN";
/// The command that runs programs of another processor.
const RUNNER: &str = "VKLOAD_TEST_RUNNER";

#[test]
fn a_thousand_openings_leave_nothing_behind() {
    if let Some(library) = env::var_os(CHILD) {
        return reopen(Path::new(&library));
    }
    let folder = tempfile::tempdir().expect("a folder");
    if !build_driver(folder.path()) {
        eprintln!("skipped: no C compiler (package gcc)");
        return;
    }
    let output = this_program()
        .args(["--exact", "a_thousand_openings_leave_nothing_behind", "--nocapture"])
        .env(CHILD, library())
        // Blocks that malloc caches would count as used.
        .env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0")
        .env("VK_DRIVER_FILES", folder.path())
        .env("VK_LAYER_PATH", folder.path())
        .env("VK_IMPLICIT_LAYER_PATH", folder.path())
        .output()
        .expect("the child runs");
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
}

fn this_program() -> Command {
    let program = env::current_exe().expect("this test");
    let Ok(runner) = env::var(RUNNER) else { return Command::new(program) };
    let mut words = runner.split_whitespace();
    let mut command = Command::new(words.next().expect("an emulator"));
    command.args(words).arg(program);
    command
}

/// A driver with one device: it has every command and does nothing.
const DRIVER: &str = r#"
#include <stdint.h>
#include <string.h>

static uintptr_t instance = 0x01CDC0DE, device = 0x01CDC0DE;

static int nothing(void) { return 0; }
static int create(const void *info, const void *callbacks, void **out) {
    *out = &instance;
    return 0;
}
static int enumerate(void *of, uint32_t *count, void **out) {
    if (out) *out = &device;
    *count = 1;
    return 0;
}
static int extensions(const char *layer, uint32_t *count, void *out) {
    *count = 0;
    return 0;
}

int vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
    *version = 5;
    return 0;
}
void *vk_icdGetInstanceProcAddr(void *of, const char *name) {
    if (strcmp(name, "vkCreateInstance") == 0) return create;
    if (strcmp(name, "vkEnumeratePhysicalDevices") == 0) return enumerate;
    if (strcmp(name, "vkEnumerateInstanceExtensionProperties") == 0) return extensions;
    return strcmp(name, "vkEnumerateInstanceVersion") == 0 ? 0 : nothing;
}
"#;

/// Puts the driver and its manifest into `folder`. Returns whether there is a compiler.
fn build_driver(folder: &Path) -> bool {
    let (source, library) = (folder.join("driver.c"), folder.join("driver.so"));
    fs::write(&source, DRIVER).expect("a file");
    let manifest =
        r#"{"file_format_version":"1.0.0","ICD":{"library_path":"./driver.so","api_version":"1.0.0"}}"#;
    fs::write(folder.join("driver.json"), manifest).expect("a file");
    let compiler = env::var("VKLOAD_TEST_CC").unwrap_or_else(|_| "cc".to_owned());
    let compiler = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    compiler.is_ok_and(|status| {
        assert!(status.success(), "the driver compiles");
        true
    })
}

/// The library that `cargo xtask build` builds, or the one in `VKLOAD_TEST_LIBRARY`.
fn library() -> PathBuf {
    let library = env::var_os("VKLOAD_TEST_LIBRARY").map_or_else(
        || {
            let target = env::var_os("CARGO_TARGET_DIR").map_or("../target".into(), PathBuf::from);
            Path::new(env!("CARGO_MANIFEST_DIR")).join(target).join("release/libvulkan.so.1")
        },
        PathBuf::from,
    );
    assert!(library.exists(), "{} is missing: run `cargo xtask build` first", library.display());
    library
}

fn reopen(library: &Path) {
    let library = CString::new(library.as_os_str().as_bytes()).expect("a path");
    let mut before = None;
    let cycles = if env::var_os(RUNNER).is_some() { EMULATED_CYCLES } else { CYCLES };
    for cycle in 0..cycles {
        open_use_close(&library);
        // By then the C library's own tables have their final size, and the test's main thread has begun to wait, for which it allocates.
        if cycle == cycles / 2 {
            before = Some(Resources::now());
        }
    }
    assert_eq!(Some(Resources::now()), before, "after {cycles} cycles, and after half of them");
}

fn open_use_close(library: &CStr) {
    // SAFETY: the path is a valid C string, `use_library` gets an open Vulkan loader, and nothing
    // of the library is used after `dlclose`.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!handle.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        use_library(handle);
        assert_eq!(libc::dlclose(handle), 0);
        assert!(
            libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD).is_null(),
            "it stays loaded"
        );
    }
}

/// Makes every query that needs no instance, then creates an instance on the driver.
///
/// # Safety
/// `library` is an open Vulkan loader.
unsafe fn use_library(library: *mut c_void) {
    // SAFETY: `library` is an open Vulkan loader, by this function's `# Safety`, so its exports
    // have the types of their commands. All pointers passed are NULL where Vulkan allows it, or to
    // live variables.
    unsafe {
        let function = |name: &CStr| {
            let address = libc::dlsym(library, name.as_ptr());
            assert!(!address.is_null(), "{name:?} is missing");
            address
        };
        let version: vk::PFN_vkEnumerateInstanceVersion = transmute(function(c"vkEnumerateInstanceVersion"));
        let extensions: vk::PFN_vkEnumerateInstanceExtensionProperties =
            transmute(function(c"vkEnumerateInstanceExtensionProperties"));
        let create: vk::PFN_vkCreateInstance = transmute(function(c"vkCreateInstance"));
        let destroy: vk::PFN_vkDestroyInstance = transmute(function(c"vkDestroyInstance"));

        let mut number = 0;
        assert_eq!(version(&raw mut number), vk::Result::SUCCESS);
        assert!(number >= vk::API_VERSION_1_0);
        assert_eq!(extensions(null(), &raw mut number, null_mut()), vk::Result::SUCCESS);
        let info = vk::InstanceCreateInfo::default();
        let mut instance = vk::Instance::null();
        assert_eq!(create(&raw const info, null(), &raw mut instance), vk::Result::SUCCESS);
        destroy(instance, null());
    }
}

/// What a process could leak.
#[derive(Debug, PartialEq, Eq)]
struct Resources {
    /// Bytes in use on the C library's heap.
    heap: usize,
    mappings: usize,
    descriptors: usize,
}

impl Resources {
    fn now() -> Self {
        let mappings = fs::read_to_string("/proc/self/maps").expect("/proc").lines().count();
        let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").count();
        // SAFETY: `mallinfo2` has no preconditions.
        let heap = unsafe { libc::mallinfo2() };
        Self { heap: heap.uordblks + heap.hblkhd, mappings, descriptors }
    }
}
