//! What the loader asks of an Android system, other than memory: properties, the dynamic linker and its namespaces, files, what
//! the framework has decided for this application, fences and graphics buffers.

use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;

use loader_core::log::Level;
use loader_core::memory::{OutOfMemory, Text, Vec};
use loader_core::platform::{FileError, Waiting};

/// The longest value of a property, with its NUL (`PROP_VALUE_MAX`).
pub const PROPERTY_VALUE_MAX: usize = 92;

/// A linker namespace (`android_namespace_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace(pub NonNull<c_void>);

// SAFETY: the value is a name for the dynamic linker, which may be used from any thread.
unsafe impl Send for Namespace {}
// SAFETY: as above.
unsafe impl Sync for Namespace {}

/// By which door a library is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `dlopen`
    Linker,
    /// `android_dlopen_ext` with this namespace.
    Namespace(Namespace),
    /// `android_load_sphal_library`: the vendor's libraries.
    Vendor,
    /// libnativeloader: the application's namespace. The library may be for another processor, behind a native bridge.
    Application,
}

/// An open library, to be closed as it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// What the linker, or the native bridge, calls it.
    pub handle: NonNull<c_void>,
    /// By which door it was opened.
    pub door: Door,
    /// Whether the native bridge runs it.
    pub bridged: bool,
}

// SAFETY: the value is a name for the dynamic linker, which may be used from any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// A file descriptor of a fence; -1 is one that has been signalled.
pub type Fence = c_int;

/// What `AHardwareBuffer_isSupported` is asked about: a buffer of one layer, one by one texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferKind {
    /// `AHARDWAREBUFFER_FORMAT_*`
    pub format: u32,
    /// `AHARDWAREBUFFER_USAGE_*`
    pub usage: u64,
}

/// What the framework counts (`GpuStatsInfo`), as far as a loader can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A driver is going to be loaded.
    DriverToLoad {
        /// Whether it is an updatable one.
        updatable: bool,
    },
    /// A driver was loaded, or was not, in this many nanoseconds.
    DriverLoaded {
        /// Whether it was.
        loaded: bool,
        /// How long that took.
        nanoseconds: i64,
    },
    /// An application asked for this version of Vulkan.
    ApiVersion(u32),
    /// A device was made.
    Device,
    /// The features that it was made with: the 55 of `VkPhysicalDeviceFeatures`, the first in the lowest bit.
    Features(u64),
    /// A swapchain was made.
    Swapchain,
    /// A device is a processor.
    CpuInUse,
    /// A swapchain pretends to be rotated already, and is not.
    FalsePrerotation,
}

/// An Android system.
///
/// Methods may be called by any thread, and none of them calls back into the loader, except that a library which is
/// opened or closed may.
pub trait System: Waiting {
    /// The value of a property (`__system_property_get`), empty if it is not set. What is longer than values may be is something
    /// else here.
    fn property(&self, name: &CStr) -> PropertyValue;

    /// The same, however long it is: values of properties whose names begin with `ro.` may be longer, since level 26 of the
    /// API (`__system_property_read_callback`).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn whole_property(&self, name: &CStr) -> Result<Text, OutOfMemory>;

    /// Whether the process may be dumped (`prctl(PR_GET_DUMPABLE)`), which debuggable applications are.
    fn dumpable(&self) -> bool;

    /// Whether the application may be debugged, as it may be dumped or the whole system is made for debugging: only then
    /// does it get what developers put on a device from outside.
    fn debuggable(&self) -> bool {
        self.dumpable() || self.property(c"ro.debuggable").is_true()
    }

    /// The number of the process, which a fork changes.
    fn process(&self) -> u32;

    /// Bytes of a page of memory.
    fn page_size(&self) -> usize;

    /// Ends the process at once.
    fn abort(&self) -> !;

    /// Writes a record to the system's log, without a newline.
    fn log(&self, level: Level, tag: &CStr, text: &CStr);

    /// Nanoseconds of the monotonic clock.
    fn now(&self) -> i64;

    /// Opens a library with `RTLD_NOW | RTLD_LOCAL`. A path may lead into an archive: `base.apk!/lib/arm64-v8a/x.so`.
    ///
    /// # Errors
    /// The linker's words.
    fn open(&self, path: &CStr, door: Door) -> Result<Library, Text>;

    /// A function or variable of a library.
    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>>;

    /// Gives one opening of a library back. Whether that worked.
    ///
    /// # Safety
    /// Nothing uses an address in the library any more unless it was opened once more elsewhere.
    unsafe fn close(&self, library: Library) -> bool;

    /// What libhardware finds for the id of a module (`hw_get_module`): the module with its library's handle in it, or a
    /// negative error number. `None` where there is no libhardware.
    fn hardware_module(&self, _id: &CStr) -> Option<Result<NonNull<c_void>, c_int>> {
        None
    }

    /// The namespace that an APEX exports under this name (`android_get_exported_namespace`).
    fn exported_namespace(&self, name: &CStr) -> Option<Namespace>;

    /// The names in a folder, in whatever order the system gives them, without `.` and `..`.
    ///
    /// # Errors
    /// Why the folder cannot be listed.
    fn list(&self, folder: &CStr) -> Result<Vec<Text>, FileError>;

    /// The size of a regular file in bytes.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn file_size(&self, path: &CStr) -> Result<u64, FileError>;

    /// Reads from `offset` on until `bytes` are full.
    ///
    /// # Errors
    /// Why it cannot be read; [`FileError::Other`] with 0 if it ends before.
    fn read_at(&self, path: &CStr, offset: u64, bytes: &mut [u8]) -> Result<(), FileError>;

    /// What the framework has decided (`GraphicsEnv`): the namespace of an updatable driver.
    fn updatable_driver(&self) -> Option<Namespace>;

    /// Whether there is a namespace of the application's, which [`Door::Application`] leads into.
    fn has_application_namespace(&self) -> bool;

    /// The folders in which layers are, separated by colons.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn layer_paths(&self) -> Result<Text, OutOfMemory>;

    /// The layers that the settings enable for this application, separated by colons.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn debug_layers(&self) -> Result<Text, OutOfMemory>;

    /// Tells the framework what it counts.
    fn count(&self, _statistic: Statistic) {}

    /// Tells the framework the names of enabled extensions.
    fn count_extensions(&self, _of_device: bool, _names: &[&CStr]) {}

    /// Waits for a fence, at most that many milliseconds, for ever if negative (`sync_wait`). Whether it was signalled.
    fn wait_for_fence(&self, fence: Fence, milliseconds: c_int) -> bool;

    /// Another descriptor of the same fence, `None` if there are too many.
    fn duplicate_fence(&self, fence: Fence) -> Option<Fence>;

    /// Closes a descriptor.
    fn close_fence(&self, fence: Fence);

    /// Whether such graphics buffers can be allocated (`AHardwareBuffer_isSupported`).
    fn buffer_supported(&self, kind: BufferKind) -> bool;

    /// The hardware buffer of a window's buffer (`ANativeWindowBuffer_getHardwareBuffer`), NULL where there is none. It lives
    /// as long as the window's buffer does.
    fn hardware_buffer_of(&self, window_buffer: *mut c_void) -> *mut c_void;
}

/// The value of a property.
#[derive(Clone, Copy)]
pub struct PropertyValue {
    bytes: [u8; PROPERTY_VALUE_MAX],
    length: usize,
}

impl PropertyValue {
    /// Nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self { bytes: [0; PROPERTY_VALUE_MAX], length: 0 }
    }

    /// This value, cut where properties end.
    #[must_use]
    pub fn new(value: &[u8]) -> Self {
        let mut own = Self::empty();
        for (to, from) in own.bytes.iter_mut().take(PROPERTY_VALUE_MAX.saturating_sub(1)).zip(value) {
            *to = *from;
            own.length = own.length.saturating_add(1);
        }
        own
    }

    /// The bytes, without a NUL.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Whether the property is not set, or to nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether it says yes: `1`, `y`, `yes`, `on` or `true`, as the system's own readers take it.
    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self.as_bytes(), b"1" | b"y" | b"yes" | b"on" | b"true")
    }

    /// Whether it says no, likewise: `0`, `n`, `no`, `off` or `false`.
    #[must_use]
    pub fn is_false(&self) -> bool {
        matches!(self.as_bytes(), b"0" | b"n" | b"no" | b"off" | b"false")
    }
}

/// A linker namespace that is to be made (`android_create_namespace`).
#[cfg(feature = "apk")]
#[derive(Clone, Copy, Debug)]
pub struct NamespaceRequest<'a> {
    /// What it is called. Several may have one name.
    pub name: &'a CStr,
    /// The folder in which names are looked up first, that of `LD_LIBRARY_PATH` and the default one.
    pub folder: &'a CStr,
    /// The folder below which libraries may be opened by their paths, as the driver is. This counts where the system makes
    /// namespaces strict that are not asked to be.
    pub permitted: &'a CStr,
}
