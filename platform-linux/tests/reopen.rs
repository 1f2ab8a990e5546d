//! The library is opened, used and closed a thousand times without leaving anything behind: plug-in hosts and test
//! frameworks do that.

use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::fs;
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

const CYCLES: usize = 1000;
/// Cycles after which the C library's own tables have their final size.
const WARM_UP: usize = 20;
/// Set in the process that does the cycles, to the library.
const CHILD: &str = "VKLOAD_TEST_REOPEN";

#[test]
fn a_thousand_openings_leave_nothing_behind() {
    if let Some(library) = env::var_os(CHILD) {
        return reopen(Path::new(&library));
    }
    let empty = tempfile::tempdir().expect("a folder without manifests");
    let output = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "a_thousand_openings_leave_nothing_behind", "--nocapture"])
        .env(CHILD, library())
        // Blocks that malloc keeps for later would count as used.
        .env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0")
        .env("VK_DRIVER_FILES", empty.path())
        .env("VK_LAYER_PATH", empty.path())
        .env("VK_IMPLICIT_LAYER_PATH", empty.path())
        .output()
        .expect("the child runs");
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// The library that `cargo xtask build` makes, or the one that `VKLOAD_TEST_LIBRARY` names.
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
    for cycle in 0..CYCLES {
        open_use_close(&library);
        if cycle == WARM_UP {
            before = Some(Resources::now());
        }
    }
    assert_eq!(Some(Resources::now()), before, "after {CYCLES} cycles, and after {WARM_UP}");
}

fn open_use_close(library: &CStr) {
    // SAFETY: the path is a valid C string. The library's functions have the types that Vulkan gives them, and
    // nothing of it is used after it is closed.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!handle.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        let mut number = 0;

        let version = libc::dlsym(handle, c"vkEnumerateInstanceVersion".as_ptr());
        let version: unsafe extern "system" fn(*mut u32) -> i32 = transmute(version);
        assert_eq!(version(&raw mut number), 0);
        assert!(number >= 1 << 22);

        let extensions = libc::dlsym(handle, c"vkEnumerateInstanceExtensionProperties".as_ptr());
        if let Some(extensions) = as_function(extensions) {
            extensions(null_mut(), &raw mut number, null_mut());
        }
        assert_eq!(libc::dlclose(handle), 0);
        assert!(
            libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD).is_null(),
            "it stays loaded"
        );
    }
}

type EnumerateExtensions = unsafe extern "system" fn(*mut c_char, *mut u32, *mut c_void) -> i32;

/// # Safety
/// `address` is NULL or a function of this type.
unsafe fn as_function(address: *mut c_void) -> Option<EnumerateExtensions> {
    // SAFETY: the caller vouches for the type; NULL is None.
    unsafe { transmute(address) }
}

/// What a process could leak.
#[derive(Debug, PartialEq, Eq)]
struct Resources {
    /// Bytes of the C library's heap in use.
    heap: usize,
    /// Mapped ranges of addresses.
    mappings: usize,
    /// Open descriptors.
    descriptors: usize,
}

impl Resources {
    fn now() -> Self {
        let mappings = fs::read_to_string("/proc/self/maps").expect("/proc").lines().count();
        let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").count();
        // SAFETY: has no preconditions.
        let heap = unsafe { libc::mallinfo2() };
        Self { heap: heap.uordblks + heap.hblkhd, mappings, descriptors }
    }
}
