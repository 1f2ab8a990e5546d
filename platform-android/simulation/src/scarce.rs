//! Memory that runs out for the loader, but not for the system that it runs on.

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU32;

use platform_android::ApiLevel;
use platform_android::host::Host;
use platform_android::system::{
    BufferKind, Fence, Library, Namespace, OpenMethod, PropertyValue, Statistic, System,
};
use platform_android_apk::{Apk, ApplicationSystem, NamespaceRequest};
use platform_android_system::SystemLoader;
use vkload_core::log::Level;
use vkload_core::memory::{OutOfMemory, Text, Vec};
use vkload_core::platform::{FileError, Waiting};

use crate::Android;

thread_local! {
    /// How many allocations of this thread will still succeed, if memory is scarce.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The allocator of a test's process: `#[global_allocator] static MEMORY: Scarce = Scarce;`
pub struct Scarce;

// SAFETY: all calls go to the system's allocator, except those that report out of memory.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`, which is the heap's.
        if take() { unsafe { Heap.alloc(layout) } } else { ptr::null_mut() }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`; every block came from
        // this heap.
        unsafe { Heap.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`; every block came from
        // this heap.
        if take() { unsafe { Heap.realloc(block, layout, size) } } else { ptr::null_mut() }
    }
}

/// Takes one more block. Returns whether memory is left for it.
fn take() -> bool {
    LEFT.with(|left| match left.get() {
        None => true,
        Some(count) => {
            left.set(Some(count.saturating_sub(1)));
            count > 0
        }
    })
}

/// Calls a loader, one of [`Android::scarce`], with memory for fewer than `count` blocks. Returns
/// its result, and whether the memory was enough.
pub fn with_memory_for<T>(count: usize, call: impl FnOnce() -> T) -> (T, bool) {
    LEFT.set(Some(count));
    let result = call();
    let left = LEFT.take();
    (result, left.is_some_and(|left| left > 0))
}

impl Android {
    /// Returns a loader of this system whose memory [`with_memory_for`] can exhaust; the system's
    /// own memory does not run out.
    pub fn scarce(&'static self) -> &'static SystemLoader {
        let system: &'static Plenty = Box::leak(Box::new(Plenty(self)));
        crate::loader_on(Host::new(system).at(ApiLevel::NEWEST))
    }
}

impl Android {
    /// Returns the same for an application with its own loader.
    pub fn scarce_application(&'static self) -> &'static Apk {
        let system: &'static Plenty = Box::leak(Box::new(Plenty(self)));
        Box::leak(Box::new(Apk::new(system)))
    }
}

/// A system that has memory when the loader has none.
struct Plenty(&'static Android);

impl Plenty {
    fn with<T>(&self, call: impl FnOnce(&'static Android) -> T) -> T {
        let left = LEFT.take();
        let result = call(self.0);
        LEFT.set(left);
        result
    }
}

impl Waiting for Plenty {
    fn wait(&self, turn: u32) {
        self.with(|system| system.wait(turn));
    }

    fn thread(&self) -> usize {
        self.0.thread()
    }

    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        self.with(|system| system.sleep_while(word, value));
    }

    fn wake_all(&self, word: &AtomicU32) {
        self.with(|system| system.wake_all(word));
    }
}

/// Forwards methods to the system.
macro_rules! pass_on {
    ($(fn $name:ident(&self $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)*) => {
        $(
            fn $name(&self $(, $argument: $kind)*) $(-> $result)? {
                self.with(|system| system.$name($($argument),*))
            }
        )*
    };
}

impl System for Plenty {
    pass_on! {
        fn property(&self, name: &CStr) -> PropertyValue;
        fn whole_property(&self, name: &CStr) -> Result<Text, OutOfMemory>;
        fn dumpable(&self) -> bool;
        fn process(&self) -> u32;
        fn page_size(&self) -> usize;
        fn log(&self, level: Level, tag: &CStr, text: &CStr);
        fn now(&self) -> i64;
        fn open(&self, path: &CStr, method: OpenMethod) -> Result<Library, Text>;
        fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>>;
        fn hardware_module(&self, id: &CStr) -> Option<Result<NonNull<c_void>, c_int>>;
        fn exported_namespace(&self, name: &CStr) -> Option<Namespace>;
        fn list(&self, folder: &CStr) -> Result<Vec<Text>, FileError>;
        fn file_size(&self, path: &CStr) -> Result<u64, FileError>;
        fn read_at(&self, path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError>;
        fn updatable_driver(&self) -> Option<Namespace>;
        fn has_application_namespace(&self) -> bool;
        fn layer_paths(&self) -> Result<Text, OutOfMemory>;
        fn debug_layers(&self) -> Result<Text, OutOfMemory>;
        fn count(&self, statistic: Statistic);
        fn count_engine(&self, name: &CStr);
        fn count_extensions(&self, of_device: bool, names: &[&CStr]);
        fn recorded_tags(&self) -> Option<&'static AtomicU32>;
        fn begin_slice(&self, name: &CStr) -> bool;
        fn end_slice(&self);
        fn wait_for_fence(&self, fence: Fence, milliseconds: c_int) -> bool;
        fn duplicate_fence(&self, fence: Fence) -> Option<Fence>;
        fn close_fence(&self, fence: Fence);
        fn sleep(&self, word: &AtomicU32, value: u32, nanoseconds: Option<i64>);
        fn buffer_supported(&self, kind: BufferKind) -> bool;
        fn hardware_buffer_of(&self, window_buffer: *mut c_void) -> *mut c_void;
    }

    fn abort(&self) -> ! {
        self.0.abort()
    }

    unsafe fn close(&self, library: Library) -> bool {
        // SAFETY: by this method's `# Safety` no code uses an address in the library any more.
        self.with(|system| unsafe { system.close(library) })
    }
}

impl ApplicationSystem for Plenty {
    pass_on! {
        fn variable(&self, name: &CStr) -> Result<Option<Text>, OutOfMemory>;
        fn own_folders(&self) -> Result<[Text; 2], OutOfMemory>;
        fn make_folder(&self, path: &CStr) -> Result<(), FileError>;
        fn create(&self, path: &CStr, content: &[u8]) -> Result<(), FileError>;
        fn rename(&self, from: &CStr, to: &CStr) -> Result<(), FileError>;
        fn remove(&self, path: &CStr);
        fn is_running(&self, process: u32) -> bool;
        fn namespace(&self, request: &NamespaceRequest<'_>) -> Result<Namespace, Text>;
    }
}
