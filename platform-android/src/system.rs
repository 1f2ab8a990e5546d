//! The functions that the loader calls on an Android system, other than memory: properties, the
//! dynamic linker and its namespaces, files, the framework's decisions for this application, fences
//! and graphics buffers.

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;
use core::sync::atomic::AtomicU32;

use vkload_core::log::Level;
use vkload_core::memory::{OutOfMemory, Text, Vec};
use vkload_core::platform::{FileError, Waiting};

/// The longest value of a property, with its NUL (`PROP_VALUE_MAX`).
pub const PROPERTY_VALUE_MAX: usize = 92;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace(pub NonNull<c_void>);

// SAFETY: the loader never dereferences the pointer; it only names a namespace to the dynamic
// linker, which any thread may call.
unsafe impl Send for Namespace {}
// SAFETY: the loader only passes the pointer to the dynamic linker, which any thread may call.
unsafe impl Sync for Namespace {}

/// The way in which a library is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMethod {
    Linker,
    Namespace(Namespace),
    /// `android_load_sphal_library`: the vendor's libraries.
    Vendor,
    /// libnativeloader: the application's namespace. The library may be built for another
    /// processor, behind a native bridge.
    Application,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// The handle of the linker or the native bridge.
    pub handle: NonNull<c_void>,
    pub method: OpenMethod,
    pub bridged: bool,
}

// SAFETY: the loader never dereferences the pointer; it only names a library to the dynamic linker,
// which any thread may call.
unsafe impl Send for Library {}
// SAFETY: the loader only passes the pointer to the dynamic linker, which any thread may call.
unsafe impl Sync for Library {}

/// The file descriptor of a fence; -1 is a signalled one.
pub type Fence = c_int;

/// The buffer in question for `AHardwareBuffer_isSupported`: of one layer, one by one texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferKind {
    pub format: u32,
    pub usage: u64,
}

/// The framework's statistics (`GpuStatsInfo`) that a loader can collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A driver is about to be loaded.
    DriverToLoad {
        updatable: bool,
    },
    DriverLoaded {
        loaded: bool,
        nanoseconds: i64,
    },
    /// An application asked for this version of Vulkan.
    ApiVersion(u32),
    Device,
    /// The features that it was created with: the 55 of `VkPhysicalDeviceFeatures`, the first in
    /// the lowest bit.
    Features(u64),
    Swapchain,
    CpuInUse,
    /// A swapchain claims to be rotated already, but is not.
    FalsePrerotation,
}

/// `ATRACE_TAG_GRAPHICS`: the bit of graphics in [`System::recorded_tags`].
pub const GRAPHICS: u32 = 1 << 1;

/// An Android system.
///
/// Any thread may call the methods. None of them calls back into the loader, except that opening or
/// closing a library may.
pub trait System: Waiting {
    /// Returns the value of a property (`__system_property_get`), empty if it is not set. A value
    /// that is too long yields another text here.
    fn property(&self, name: &CStr) -> PropertyValue;

    /// Returns the value of a property, however long: properties whose names begin with `ro.` may
    /// have longer values since API level 26 (`__system_property_read_callback`).
    fn whole_property(&self, name: &CStr) -> Result<Text, OutOfMemory>;

    /// Returns whether the process may be dumped (`prctl(PR_GET_DUMPABLE)`), as debuggable
    /// applications may.
    fn dumpable(&self) -> bool;

    /// Returns whether the application may be debugged, because it may be dumped or the whole
    /// system is a debugging build: only then does it get the layers and settings that developers
    /// put on a device from outside.
    fn debuggable(&self) -> bool {
        self.dumpable() || self.property(c"ro.debuggable").is_true()
    }

    fn process(&self) -> u32;

    fn page_size(&self) -> usize;

    /// Leaves the reason for which the process is about to end to the report of the crash
    /// (`android_set_abort_message`).
    fn leave_message(&self, _text: &CStr) {}

    fn abort(&self) -> !;

    /// Writes a record to the system's log, without a newline.
    fn log(&self, level: Level, tag: &CStr, text: &CStr);

    /// Nanoseconds of the monotonic clock.
    fn now(&self) -> i64;

    /// Opens a library with `RTLD_NOW | RTLD_LOCAL`. The path may lead into an archive:
    /// `base.apk!/lib/arm64-v8a/x.so`.
    fn open(&self, path: &CStr, method: OpenMethod) -> Result<Library, Text>;

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>>;

    /// Undoes one opening of a library. Returns whether that worked.
    ///
    /// # Safety
    /// No code uses an address in the library any more, unless it is also open elsewhere.
    unsafe fn close(&self, library: Library) -> bool;

    /// Returns the answer of libhardware for a module id (`hw_get_module`): the module, which holds
    /// its library's handle, or a negative error number. `None` if libhardware is missing.
    fn hardware_module(&self, _id: &CStr) -> Option<Result<NonNull<c_void>, c_int>> {
        None
    }

    /// Returns the namespace that an APEX exports under this name
    /// (`android_get_exported_namespace`).
    fn exported_namespace(&self, name: &CStr) -> Option<Namespace>;

    /// Lists the names in a folder, in the system's order, without `.` and `..`.
    fn list(&self, folder: &CStr) -> Result<Vec<Text>, FileError>;

    /// Returns the size of a regular file in bytes.
    fn file_size(&self, path: &CStr) -> Result<u64, FileError>;

    /// Fills `bytes` with the content from `offset` on.
    ///
    /// # Errors
    /// Why it cannot be read; [`FileError::Other`] with 0 if the file ends too early.
    fn read_at(&self, path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError>;

    /// Returns the framework's decision (`GraphicsEnv`): the namespace of an updatable driver.
    fn updatable_driver(&self) -> Option<Namespace>;

    /// Returns whether the application has a namespace for [`OpenMethod::Application`] to lead into.
    fn has_application_namespace(&self) -> bool;

    /// Returns the folders with layers, separated by colons.
    fn layer_paths(&self) -> Result<Text, OutOfMemory>;

    /// Returns the layers that the settings enable for this application, separated by colons.
    fn debug_layers(&self) -> Result<Text, OutOfMemory>;

    fn count(&self, _statistic: Statistic) {}

    /// Reports the name of the engine that an application is made with to the framework.
    fn count_engine(&self, _name: &CStr) {}

    /// Reports the names of enabled extensions to the framework.
    fn count_extensions(&self, _of_device: bool, _names: &[&CStr]) {}

    /// Returns the word with a bit for each kind of slice that is being recorded ([`GRAPHICS`]),
    /// which the system changes at any time; `None` if nothing can be recorded.
    fn recorded_tags(&self) -> Option<&'static AtomicU32> {
        None
    }

    /// Begins a slice of the calling thread, within those that have begun. Returns whether it is
    /// recorded: then it must end.
    fn begin_slice(&self, _name: &CStr) -> bool {
        false
    }

    /// Ends the last slice of the calling thread that has begun.
    fn end_slice(&self) {}

    /// Waits for a fence, at most that many milliseconds, for ever if negative (`sync_wait`).
    /// Returns whether it was signalled.
    fn wait_for_fence(&self, fence: Fence, milliseconds: c_int) -> bool;

    /// Duplicates the descriptor of a fence; `None` if too many are open.
    fn duplicate_fence(&self, fence: Fence) -> Option<Fence>;

    fn close_fence(&self, fence: Fence);

    /// Sleeps while `word` has that value, until another thread [wakes](Waiting::wake_all) it or that many
    /// nanoseconds are over, for ever if `None`; maybe shorter (`FUTEX_WAIT`).
    fn sleep(&self, word: &AtomicU32, value: u32, nanoseconds: Option<i64>);

    /// Returns whether such graphics buffers can be allocated (`AHardwareBuffer_isSupported`).
    fn buffer_supported(&self, kind: BufferKind) -> bool;

    /// Returns the hardware buffer of a window's buffer (`ANativeWindowBuffer_getHardwareBuffer`),
    /// NULL if it has none. It lives as long as the window's buffer.
    fn hardware_buffer_of(&self, window_buffer: *mut c_void) -> *mut c_void;
}

#[derive(Clone, Copy)]
pub struct PropertyValue {
    bytes: [u8; PROPERTY_VALUE_MAX],
    length: usize,
}

impl PropertyValue {
    pub const fn empty() -> Self {
        Self { bytes: [0; PROPERTY_VALUE_MAX], length: 0 }
    }

    /// This value, cut at the maximum length of a property.
    pub fn new(value: &[u8]) -> Self {
        let mut own = Self::empty();
        for (to, from) in own.bytes.iter_mut().take(PROPERTY_VALUE_MAX.saturating_sub(1)).zip(value) {
            *to = *from;
            own.length = own.length.saturating_add(1);
        }
        own
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns whether it means yes: `1`, `y`, `yes`, `on` or `true`, as for the system's own
    /// readers.
    pub fn is_true(&self) -> bool {
        matches!(self.as_bytes(), b"1" | b"y" | b"yes" | b"on" | b"true")
    }

    /// Returns whether it means no, as for the system's own readers: `0`, `n`, `no`, `off` or
    /// `false`.
    pub fn is_false(&self) -> bool {
        matches!(self.as_bytes(), b"0" | b"n" | b"no" | b"off" | b"false")
    }
}
