//! The driver as an Android HAL module, which the system's Vulkan loader opens.
//!
//! Android's loader reads the same words in a dispatchable object as every other loader, so one driver is an ICD and
//! a HAL module at the same time. [`export_hal!`](crate::export_hal) exports the symbol `HMI`.

use core::ffi::{CStr, c_char, c_int};
use core::mem::offset_of;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use ash::vk;

use vkload_core::memory::{Box, Process};

use crate::dispatch::function;
use crate::driver::{Driver, Tables};
use crate::extensions::Unlisted;

/// A word of Android's structures that are 64 bits wide where pointers are, and 32 elsewhere.
type Word = usize;

/// The common start of every Android HAL module (`hw_module_t`).
#[repr(C)]
pub struct Module {
    tag: u32,
    module_api_version: u16,
    hal_api_version: u16,
    id: Text,
    name: Text,
    author: Text,
    methods: &'static Methods,
    /// The loader writes the handle of the library here.
    dso: AtomicPtr<()>,
    reserved: [Word; 25],
}

/// A C string that lives for ever.
#[repr(transparent)]
struct Text(*const c_char);

// SAFETY: the string never changes.
unsafe impl Sync for Text {}

/// The functions of a module (`hw_module_methods_t`).
#[repr(C)]
pub struct Methods {
    open: unsafe extern "C" fn(&'static Module, *const c_char, *mut *const HalDevice) -> c_int,
}

/// The structure that the loader gets from the module (`hwvulkan_device_t`): the three functions that give access to
/// all others.
#[repr(C)]
pub struct HalDevice {
    tag: u32,
    version: u32,
    module: &'static Module,
    reserved: [Word; 12],
    close: unsafe extern "C" fn(*const Self) -> c_int,
    enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    create_instance: vk::PFN_vkCreateInstance,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

const MODULE_TAG: u32 = 0x4857_4D54;
const DEVICE_TAG: u32 = 0x4857_4454;
const MODULE_API_VERSION: u16 = 0x0001;
const HAL_API_VERSION: u16 = 0x0100;
const DEVICE_API_VERSION: u32 = 0x0001_0000;
const DEVICE_ID: &CStr = c"vk0";
const NO_SUCH_DEVICE: c_int = -2;

/// Whether Android's loader has opened the driver.
static OPENED: AtomicBool = AtomicBool::new(false);

/// Returns the driver's unlisted device extensions for the loader that has opened it.
pub(crate) fn more_device_extensions<D: Driver>() -> Unlisted {
    if OPENED.load(Ordering::Relaxed) { D::HAL_DEVICE_EXTENSIONS } else { D::MORE_DEVICE_EXTENSIONS }
}

impl Module {
    /// Creates a driver's module.
    #[must_use]
    pub const fn new<D: Driver>(name: &'static CStr, author: &'static CStr) -> Self {
        Self {
            tag: MODULE_TAG,
            module_api_version: MODULE_API_VERSION,
            hal_api_version: HAL_API_VERSION,
            id: Text(c"vulkan".as_ptr()),
            name: Text(name.as_ptr()),
            author: Text(author.as_ptr()),
            methods: &Methods { open: open::<D> },
            dso: AtomicPtr::new(null_mut()),
            reserved: [0; 25],
        }
    }
}

/// # Safety
/// As for the module's `open`: `id` is NULL or a valid C string, `out` a valid pointer.
unsafe extern "C" fn open<D: Driver>(
    module: &'static Module,
    id: *const c_char,
    out: *mut *const HalDevice,
) -> c_int {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        if id.is_null() || CStr::from_ptr(id) != DEVICE_ID {
            return NO_SUCH_DEVICE;
        }
        let table = D::TABLE;
        let (Some(enumerate), Some(create), Some(look_up)) = (
            function!(
                table,
                ENUMERATE_INSTANCE_EXTENSION_PROPERTIES: PFN_vkEnumerateInstanceExtensionProperties
            ),
            function!(table, CREATE_INSTANCE: PFN_vkCreateInstance),
            function!(table, GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr),
        ) else {
            return NO_SUCH_DEVICE;
        };
        let device = HalDevice {
            tag: DEVICE_TAG,
            version: DEVICE_API_VERSION,
            module,
            reserved: [0; 12],
            close,
            enumerate_instance_extension_properties: enumerate,
            create_instance: create,
            get_instance_proc_addr: look_up,
        };
        let Ok(device) = Box::try_new_in(device, Process) else { return NO_MEMORY };
        out.write(&raw mut *Box::leak(device));
    }
    OPENED.store(true, Ordering::Relaxed);
    0
}

const NO_MEMORY: c_int = -12;

/// # Safety
/// The device comes from [`open`], and is closed once.
unsafe extern "C" fn close(device: *const HalDevice) -> c_int {
    // SAFETY: `open` made the box in this memory, and the caller gives it back.
    drop(unsafe { Box::from_raw_in(device.cast_mut(), Process) });
    0
}

const _: () = {
    let wide = size_of::<usize>() == 8;
    assert!(size_of::<Module>() == if wide { 248 } else { 128 });
    assert!(offset_of!(Module, methods) == if wide { 32 } else { 20 });
    assert!(offset_of!(Module, dso) == if wide { 40 } else { 24 });
    assert!(size_of::<HalDevice>() == if wide { 144 } else { 76 });
    assert!(offset_of!(HalDevice, close) == if wide { 112 } else { 60 });
    assert!(offset_of!(Module, id) == 8 && offset_of!(Module, reserved) == if wide { 48 } else { 28 });
    assert!(
        offset_of!(HalDevice, module) == 8 && offset_of!(HalDevice, reserved) == if wide { 16 } else { 12 }
    );
    assert!(offset_of!(HalDevice, enumerate_instance_extension_properties) == if wide { 120 } else { 64 });
    assert!(offset_of!(HalDevice, create_instance) == if wide { 128 } else { 68 });
    assert!(offset_of!(HalDevice, get_instance_proc_addr) == if wide { 136 } else { 72 });
};

/// Exports the driver as an Android HAL module: the symbol `HMI`. The name and the author are C strings.
#[macro_export]
macro_rules! export_hal {
    ($driver:ty, $name:expr, $author:expr) => {
        /// The symbol that Android's loader looks up.
        #[unsafe(no_mangle)]
        pub static HMI: $crate::hal::Module = $crate::hal::Module::new::<$driver>($name, $author);
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::LOADER_MAGIC;
    use crate::testing::TestDriver;

    static MODULE: Module = Module::new::<TestDriver>(c"test", c"nobody");

    #[test]
    fn a_hal_module_leads_to_the_same_driver() {
        let mut device = core::ptr::null();
        // SAFETY: called as Android's loader does.
        unsafe {
            assert_eq!(CStr::from_ptr(MODULE.id.0), c"vulkan");
            assert_eq!((MODULE.methods.open)(&MODULE, c"other".as_ptr(), &mut device), NO_SUCH_DEVICE);
            assert_eq!((MODULE.methods.open)(&MODULE, c"vk0".as_ptr(), &mut device), 0);
            let close = (*device).close;
            let (opened, device) = (device, &*device);
            let mut handle = vk::Instance::null();
            let info = vk::InstanceCreateInfo::default();
            let result = (device.create_instance)(&info, core::ptr::null(), &mut handle);
            assert_eq!(result, vk::Result::SUCCESS);
            let first =
                core::ptr::with_exposed_provenance::<usize>(vk::Handle::as_raw(handle) as usize).read();
            assert_eq!(first, LOADER_MAGIC);
            let destroy = (device.get_instance_proc_addr)(handle, c"vkDestroyInstance".as_ptr()).unwrap();
            let destroy =
                core::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyInstance>(destroy);
            destroy(handle, core::ptr::null());
            let mut count = 0;
            let list = device.enumerate_instance_extension_properties;
            assert_eq!(list(core::ptr::null(), &mut count, core::ptr::null_mut()), vk::Result::SUCCESS);
            assert_eq!((count, close(opened)), (3, 0));
        }
    }
}
