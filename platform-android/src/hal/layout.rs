//! The structures of Android's hardware abstraction layer, as a driver lays them out in memory
//! (`hardware.h`, `hwvulkan.h`).

use core::ffi::{c_char, c_int, c_void};
use core::mem::offset_of;
use core::ptr::NonNull;

use ash::vk;

use super::fault::{Structure, StructureFault};

/// The unit of a module's reserved members: 64 bits if pointers are that wide, else 32.
type Word = usize;

pub const MODULE_TAG: u32 = 0x4857_4D54;
pub const DEVICE_TAG: u32 = 0x4857_4454;
/// `HWVULKAN_DISPATCH_MAGIC`: the driver's value in the first word of each dispatchable object,
/// pointer-sized.
pub const DISPATCH_MAGIC: usize = 0x01CD_C0DE;

#[repr(C)]
pub struct Module {
    pub tag: u32,
    pub module_api_version: u16,
    pub hal_api_version: u16,
    /// A C string: `vulkan`.
    pub id: *const c_char,
    pub name: *const c_char,
    pub author: *const c_char,
    pub methods: *const Methods,
    /// Written by the loader: the library.
    pub dso: *mut c_void,
    pub reserved: [Word; 25],
}

#[repr(C)]
pub struct Methods {
    /// Opens the device of this name. Returns 0 or a negative error number.
    pub open: Option<unsafe extern "C" fn(*const Module, *const c_char, *mut *mut Device) -> c_int>,
}

#[repr(C)]
pub struct Device {
    pub tag: u32,
    pub version: u32,
    pub module: *mut Module,
    pub reserved: [Word; 12],
    /// Releases the device; may be NULL.
    pub close: Option<unsafe extern "C" fn(*mut Device) -> c_int>,
    /// Called only with NULL as the layer name.
    pub enumerate_instance_extension_properties: Option<vk::PFN_vkEnumerateInstanceExtensionProperties>,
    pub create_instance: Option<vk::PFN_vkCreateInstance>,
    pub get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// Checks that this begins like a module, with a version whose structures are those above.
///
/// # Safety
/// As many bytes as a module has are readable.
pub(super) unsafe fn check_module(module: NonNull<Module>) -> Result<(), StructureFault> {
    // SAFETY: by this function's `# Safety` the pointer is valid for reads of a whole module.
    let (tag, version) = unsafe { ((*module.as_ptr()).tag, (*module.as_ptr()).module_api_version) };
    check(Structure::Module, (tag, MODULE_TAG), u32::from(version), version.to_be_bytes()[0])
}

/// Checks that this begins like a device, with a version whose structures are those above.
///
/// # Safety
/// As many bytes as a device has are readable.
pub(super) unsafe fn check_device(device: NonNull<Device>) -> Result<(), StructureFault> {
    // SAFETY: by this function's `# Safety` the pointer is valid for reads of a whole device.
    let (tag, version) = unsafe { ((*device.as_ptr()).tag, (*device.as_ptr()).version) };
    check(Structure::Device, (tag, DEVICE_TAG), version, version.to_be_bytes()[0])
}

const fn check(
    what: Structure,
    (tag, expected): (u32, u32),
    version: u32,
    major: u8,
) -> Result<(), StructureFault> {
    match (tag == expected, major) {
        (false, _) => Err(StructureFault::OtherTag { what, tag, expected }),
        (true, 0) => Ok(()),
        (true, _) => Err(StructureFault::OtherVersion { what, version }),
    }
}

const _: () = {
    let wide = size_of::<usize>() == 8;
    assert!(size_of::<Module>() == if wide { 248 } else { 128 });
    assert!(offset_of!(Module, module_api_version) == 4 && offset_of!(Module, hal_api_version) == 6);
    assert!(offset_of!(Module, id) == 8);
    assert!(offset_of!(Module, name) == if wide { 16 } else { 12 });
    assert!(offset_of!(Module, author) == if wide { 24 } else { 16 });
    assert!(offset_of!(Module, methods) == if wide { 32 } else { 20 });
    assert!(offset_of!(Module, dso) == if wide { 40 } else { 24 });
    assert!(offset_of!(Module, reserved) == if wide { 48 } else { 28 });
    assert!(size_of::<Device>() == if wide { 144 } else { 76 });
    assert!(offset_of!(Device, version) == 4 && offset_of!(Device, module) == 8);
    assert!(offset_of!(Device, reserved) == if wide { 16 } else { 12 });
    assert!(offset_of!(Device, close) == if wide { 112 } else { 60 });
    assert!(offset_of!(Device, enumerate_instance_extension_properties) == if wide { 120 } else { 64 });
    assert!(offset_of!(Device, create_instance) == if wide { 128 } else { 68 });
    assert!(offset_of!(Device, get_instance_proc_addr) == if wide { 136 } else { 72 });
};
