//! A platform to start a port from: the loader in a program without an operating system.
//!
//! Copy the crate, list your drivers in `DRIVERS`, and replace the parts that your system has: variables, files, a
//! dynamic linker, threads. The program that contains it supplies two functions, [`write_log`] and [`stop`]
//! (`program/src/machine.rs` has them for five processors). It calls `init_heap` first, and then Vulkan through
//! [`entry::get_instance_proc_addr`]. A system whose programs link to a `libvulkan` needs a shared library as well:
//! `docs/internals.md` says how.
#![no_std]

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;

use vkload_core::discovery::FixedDrivers;
use vkload_core::flavour::Flavour;
use vkload_core::loader::Loader;
use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::{
    Identity, Level, Libraries, Library, LibraryKind, LogSink, NoEnvironment, NoFiles, Platform, Waiting,
};
use vkload_core::registry::{ExtensionSet, VulkanPlatform as WindowSystem};
use vkload_core::vk;

/// A driver's `vk_icdGetInstanceProcAddr`.
type GetProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// A driver that is linked into the program.
struct Driver {
    name: &'static str,
    get_instance_proc_addr: GetProcAddr,
}

/// The drivers by their names in `SOURCE`.
static DRIVERS: [Driver; 1] =
    [Driver { name: "null", get_instance_proc_addr: vkload_null_driver::get_instance_proc_addr }];

/// The drivers that are used, in this order.
static SOURCE: FixedDrivers = FixedDrivers { libraries: "null", option: "platform-template" };

/// The extensions for window systems of this system: none. Extensions for every system are included.
const EXTENSIONS: ExtensionSet = ExtensionSet::on(&[WindowSystem::None, WindowSystem::Provisional]);

/// The system as the loader sees it.
pub static PLATFORM: Platform = Platform {
    environment: &NoEnvironment,
    files: &NoFiles,
    libraries: &LinkedDrivers,
    identity: &Program,
    log: &Log,
    abort: stop,
    waiting: &OneThread,
    windows: None,
};

pub static LOADER: Loader = Loader::new(&PLATFORM, Flavour::new(&SOURCE, &EXTENSIONS));

/// The global commands of Vulkan: those that take no object.
pub mod entry {
    vkload_core::global_commands!(crate::LOADER);
}

unsafe extern "Rust" {
    /// Writes one line, including its newline. The program defines this function.
    pub safe fn write_log(line: &[u8]);

    /// Stops the program after a failure that cannot be returned, which has been logged. The program defines this
    /// function.
    pub safe fn stop() -> !;
}

/// Finds drivers in [`DRIVERS`] instead of in files.
struct LinkedDrivers;

impl Libraries for LinkedDrivers {
    fn open(&self, name: &[u8], _: LibraryKind) -> Result<Library, Text> {
        let driver = DRIVERS.iter().find(|driver| driver.name.as_bytes() == name);
        let missing = || text(&[b"it is not linked into this program"]).unwrap_or_default();
        driver.map(|driver| Library(NonNull::from(driver).cast())).ok_or_else(missing)
    }

    /// Returns the driver's only symbol: the loader looks up everything else through it.
    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: `open` made the library from a reference to a static.
        let driver = unsafe { library.0.cast::<Driver>().as_ref() };
        let function = driver.get_instance_proc_addr as *mut c_void;
        NonNull::new(function).filter(|_| name == c"vk_icdGetInstanceProcAddr")
    }

    /// Does nothing: drivers stay in the program.
    unsafe fn close(&self, _: Library) {}
}

/// The program, which is never elevated.
struct Program;

impl Identity for Program {
    fn elevated(&self) -> bool {
        false
    }

    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}

struct Log;

impl LogSink for Log {
    fn write(&self, _: Level, line: &[u8]) {
        write_log(line);
    }
}

/// The only thread. A system with more needs a number for each (`Waiting::thread`).
struct OneThread;

impl Waiting for OneThread {
    fn wait(&self, _: u32) {
        core::hint::spin_loop();
    }

    fn thread(&self) -> usize {
        core::ptr::from_ref(&LOADER).addr()
    }
}

/// The memory of the loader and the drivers. With an operating system, its allocator is used.
#[cfg(target_os = "none")]
#[global_allocator]
static HEAP: linked_list_allocator::LockedHeap = linked_list_allocator::LockedHeap::empty();

/// Gives the loader its memory. Must be called before any command.
#[cfg(target_os = "none")]
pub fn init_heap(memory: &'static mut [core::mem::MaybeUninit<u8>]) {
    HEAP.lock().init_from_slice(memory);
}

/// Returns the bytes that are allocated.
#[cfg(target_os = "none")]
pub fn used_heap() -> usize {
    HEAP.lock().used()
}
