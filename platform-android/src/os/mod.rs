//! Android itself: the C library, the log, the dynamic linker and whatever else the system offers.
//!
//! Loading the loader needs only the C library, the dynamic linker and the log. Everything else is
//! looked up when they are first used (`late`), since no version of Android has all of it and a process may be
//! denied some.

mod buffers;
mod fences;
mod files;
mod framework;
pub mod late;
mod linker;
mod properties;
mod sleeping;
mod slices;

pub use framework::GraphicsEnv;
pub use linker::linkers_words;
pub use slices::{BeginSlice, EndSlice, Slices};

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::NonNull;
use core::sync::atomic::AtomicU32;

use crate::late;
use vkload_core::log::Level;
use vkload_core::memory::{OutOfMemory, Text, Vec};
use vkload_core::platform::{FileError, Pause, Waiting};

use crate::system::{BufferKind, Fence, Library, Namespace, OpenMethod, PropertyValue, Statistic, System};

/// The system that this process runs on.
pub struct Android {
    slices: &'static dyn Slices,
}

impl Android {
    pub const fn new(slices: &'static dyn Slices) -> Self {
        Self { slices }
    }
}

#[link(name = "log")]
unsafe extern "C" {
    fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
}

unsafe extern "C" {
    safe fn getpagesize() -> c_int;
}

late! {
    set_abort_message: unsafe extern "C" fn(*const c_char) = c"android_set_abort_message" in c"libc.so";
}

/// Methods that are functions of the modules.
macro_rules! functions {
    ($($name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)? = $function:path;)*) => {$(
        fn $name(&self, $($parameter: $type),*) $(-> $result)? {
            $function($($parameter),*)
        }
    )*};
}

impl System for Android {
    functions! {
        property(name: &CStr) -> PropertyValue = properties::value;
        whole_property(name: &CStr) -> Result<Text, OutOfMemory> = properties::whole_value;
        open(path: &CStr, method: OpenMethod) -> Result<Library, Text> = linker::open;
        symbol(library: Library, name: &CStr) -> Option<NonNull<c_void>> = linker::symbol;
        hardware_module(id: &CStr) -> Option<Result<NonNull<c_void>, c_int>> = linker::hardware_module;
        exported_namespace(name: &CStr) -> Option<Namespace> = linker::exported_namespace;
        list(folder: &CStr) -> Result<Vec<Text>, FileError> = files::list;
        file_size(path: &CStr) -> Result<u64, FileError> = files::size;
        read_at(path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> = files::read_at;
        updatable_driver() -> Option<Namespace> = framework::updatable_driver;
        layer_paths() -> Result<Text, OutOfMemory> = framework::layer_paths;
        debug_layers() -> Result<Text, OutOfMemory> = framework::debug_layers;
        count(statistic: Statistic) = framework::count;
        count_engine(name: &CStr) = framework::count_engine;
        count_extensions(of_device: bool, names: &[&CStr]) = framework::count_extensions;
        wait_for_fence(fence: Fence, milliseconds: c_int) -> bool = fences::wait;
        duplicate_fence(fence: Fence) -> Option<Fence> = fences::duplicate;
        close_fence(fence: Fence) = fences::close;
        sleep(word: &AtomicU32, value: u32, nanoseconds: Option<i64>) = sleeping::sleep;
        buffer_supported(kind: BufferKind) -> bool = buffers::supported;
        hardware_buffer_of(window_buffer: *mut c_void) -> *mut c_void = buffers::hardware_buffer_of;
    }

    fn dumpable(&self) -> bool {
        // SAFETY: this `prctl` only returns a number.
        unsafe { libc::prctl(libc::PR_GET_DUMPABLE) > 0 }
    }

    fn process(&self) -> u32 {
        // SAFETY: `getpid` has no preconditions.
        unsafe { libc::getpid() }.cast_unsigned()
    }

    fn page_size(&self) -> usize {
        usize::try_from(getpagesize()).unwrap_or(4096)
    }

    fn leave_message(&self, text: &CStr) {
        if let Some(set) = set_abort_message() {
            // SAFETY: the text is a C string, which the function copies.
            unsafe { set(text.as_ptr()) };
        }
    }

    fn abort(&self) -> ! {
        // SAFETY: `abort` has no preconditions and does not return.
        unsafe { libc::abort() }
    }

    fn log(&self, level: Level, tag: &CStr, text: &CStr) {
        // ANDROID_LOG_ERROR and so on.
        let priority = match level {
            Level::Error => 6,
            Level::Warning => 5,
            Level::Info => 4,
            Level::Debug => 3,
        };
        // SAFETY: both are C strings. A record that cannot be written is lost.
        unsafe { __android_log_write(priority, tag.as_ptr(), text.as_ptr()) };
    }

    #[allow(clippy::unnecessary_cast)] // the fields are narrower on 32-bit targets
    fn now(&self) -> i64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is writable, and every system has this clock.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        (time.tv_sec as i64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as i64)
    }

    unsafe fn close(&self, library: Library) -> bool {
        // SAFETY: this method's `# Safety` equals `linker::close`'s.
        unsafe { linker::close(library) }
    }

    fn has_application_namespace(&self) -> bool {
        framework::application_namespace().is_some()
    }

    fn recorded_tags(&self) -> Option<&'static AtomicU32> {
        self.slices.recorded_tags()
    }

    fn begin_slice(&self, name: &CStr) -> bool {
        slices::begin(self.slices, name)
    }

    fn end_slice(&self) {
        slices::end(self.slices);
    }
}

impl Waiting for Android {
    fn wait(&self, turn: u32) {
        static SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: Pause::NANOSECONDS };
        match Pause::of(turn) {
            Pause::Spin => core::hint::spin_loop(),
            Pause::Yield => {
                // SAFETY: `sched_yield` has no preconditions.
                unsafe { libc::sched_yield() };
            }
            Pause::Sleep => {
                // SAFETY: `SLEEP` is a valid time, and NULL means that the rest of an interrupted
                // sleep is not wanted.
                unsafe { libc::nanosleep(&raw const SLEEP, core::ptr::null_mut()) };
            }
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions. It returns the address of Bionic's thread
        // descriptor, which holds pointers.
        (unsafe { libc::pthread_self() }) as usize
    }

    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        sleeping::sleep(word, value, None);
    }

    fn wake_all(&self, word: &AtomicU32) {
        sleeping::wake(word);
    }
}

pub fn errno() -> c_int {
    // SAFETY: `__errno` returns the valid address of this thread's error number.
    unsafe { *libc::__errno() }
}
