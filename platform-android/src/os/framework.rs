//! The framework's decisions for this application, and its statistics.
//!
//! They belong to a C++ class, `GraphicsEnv` of libgraphicsenv. Inside a system tree
//! `aosp/graphics_env.cpp` is linked to the loader and provides these functions in a table called
//! `vkload_graphics_env`. Without it the system has no updatable driver and no layer of a package,
//! and nothing is counted.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec, text};

use crate::system::{Namespace, Statistic};

/// The functions of `aosp/graphics_env.cpp`, in this order. Any thread may call them. Texts stay
/// valid until the framework changes the values, which it does before the application's own code
/// runs.
#[repr(C)]
pub struct GraphicsEnv {
    /// The linker namespace of the updatable driver, or NULL.
    pub driver_namespace: unsafe extern "C" fn() -> *mut c_void,
    /// libnativeloader's namespace of the application, or NULL.
    pub application_namespace: unsafe extern "C" fn() -> *mut c_void,
    /// The folders with layers, separated by colons.
    pub layer_paths: unsafe extern "C" fn() -> *const c_char,
    /// The layers that the settings enable, separated by colons.
    pub debug_layers: unsafe extern "C" fn() -> *const c_char,
    /// Records that a driver is about to be loaded, and whether it is the updatable one.
    pub driver_to_load: unsafe extern "C" fn(updatable: bool),
    /// Records whether that succeeded, in this many nanoseconds.
    pub driver_loaded: unsafe extern "C" fn(loaded: bool, nanoseconds: i64),
    /// Counts one of these: 0 an instance with this API version, 1 a device, 2 the features of one,
    /// 3 a swapchain, 4 a device that is a processor, 5 a swapchain that only pretends to be
    /// rotated.
    pub count: unsafe extern "C" fn(what: u32, value: u64),
    /// Records the extensions of an instance or a device.
    pub extensions: unsafe extern "C" fn(of_device: bool, count: u32, names: *const *const c_char),
    /// Records an application's engine, if the framework counts engines.
    pub engine: unsafe extern "C" fn(name: *const c_char),
}

/// A word with the address of `vkload_graphics_env`, in assembly: Rust has no weak symbols.
#[cfg(target_pointer_width = "64")]
macro_rules! word {
    () => {
        ".8byte vkload_graphics_env"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word {
    () => {
        ".4byte vkload_graphics_env"
    };
}

core::arch::global_asm!(
    ".weak vkload_graphics_env",
    ".hidden vkload_graphics_env",
    ".hidden vkload_graphics_env_or_null",
    ".globl vkload_graphics_env_or_null",
    ".pushsection .data.rel.ro.vkload_graphics_env,\"aw\",%progbits",
    ".balign 8",
    "vkload_graphics_env_or_null:",
    word!(),
    ".size vkload_graphics_env_or_null, . - vkload_graphics_env_or_null",
    ".popsection",
);

unsafe extern "C" {
    /// NULL if nothing defines the table.
    safe static vkload_graphics_env_or_null: Option<&'static GraphicsEnv>;
}

fn table() -> Option<&'static GraphicsEnv> {
    vkload_graphics_env_or_null
}

pub(super) fn updatable_driver() -> Option<Namespace> {
    // SAFETY: `GraphicsEnv` lets any thread call its functions, and this one takes no parameters.
    NonNull::new(unsafe { (table()?.driver_namespace)() }).map(Namespace)
}

pub(super) fn application_namespace() -> Option<NonNull<c_void>> {
    // SAFETY: `GraphicsEnv` lets any thread call its functions, and this one takes no parameters.
    NonNull::new(unsafe { (table()?.application_namespace)() })
}

pub(super) fn layer_paths() -> Result<Text, OutOfMemory> {
    copied(table().map(|table| table.layer_paths))
}

pub(super) fn debug_layers() -> Result<Text, OutOfMemory> {
    copied(table().map(|table| table.debug_layers))
}

fn copied(function: Option<unsafe extern "C" fn() -> *const c_char>) -> Result<Text, OutOfMemory> {
    // SAFETY: `GraphicsEnv` lets any thread call its functions; the text is NULL or a C string that
    // is copied at once.
    unsafe {
        let words = function.map_or(core::ptr::null(), |function| function());
        if words.is_null() { Ok(Text::new()) } else { text(&[CStr::from_ptr(words).to_bytes()]) }
    }
}

pub(super) fn count(statistic: Statistic) {
    let Some(table) = table() else { return };
    // SAFETY: `GraphicsEnv` lets any thread call its functions with any numbers.
    unsafe {
        match statistic {
            Statistic::DriverToLoad { updatable } => (table.driver_to_load)(updatable),
            Statistic::DriverLoaded { loaded, nanoseconds } => (table.driver_loaded)(loaded, nanoseconds),
            Statistic::ApiVersion(version) => (table.count)(0, u64::from(version)),
            Statistic::Device => (table.count)(1, 0),
            Statistic::Features(features) => (table.count)(2, features),
            Statistic::Swapchain => (table.count)(3, 0),
            Statistic::CpuInUse => (table.count)(4, 0),
            Statistic::FalsePrerotation => (table.count)(5, 0),
        }
    }
}

pub(super) fn count_engine(name: &CStr) {
    let Some(table) = table() else { return };
    // SAFETY: the name is a C string that outlives the call.
    unsafe { (table.engine)(name.as_ptr()) };
}

/// Reports the names of enabled extensions, unless memory is short.
pub(super) fn count_extensions(of_device: bool, names: &[&CStr]) {
    let Some(table) = table() else { return };
    let mut pointers = Vec::new();
    for name in names {
        if pointers.try_push(name.as_ptr()).is_err() {
            return;
        }
    }
    let count = u32::try_from(pointers.len()).unwrap_or(0);
    // SAFETY: `pointers` holds `count` pointers to C strings that outlive the call.
    unsafe { (table.extensions)(of_device, count, pointers.as_ptr()) };
}
