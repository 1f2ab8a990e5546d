//! What can be asked before there is an instance.

use core::ffi::c_char;

use ash::vk;
use loader_core::registry::ExtensionKind;

use crate::driver::Driver;
use crate::extensions;
use crate::out_array::OutArray;

/// # Safety
/// As the specification has it for `vkEnumerateInstanceVersion`.
pub(crate) unsafe extern "system" fn enumerate_instance_version<D: Driver>(out: *mut u32) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    unsafe { out.write(D::api_version()) };
    vk::Result::SUCCESS
}

/// # Safety
/// As the specification has it for `vkEnumerateInstanceExtensionProperties`.
pub(crate) unsafe extern "system" fn enumerate_instance_extension_properties<D: Driver>(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    // SAFETY: the caller vouches for the counted out-array.
    let mut array = unsafe { OutArray::new(count, out) };
    extensions::list(&D::instance_extensions(), ExtensionKind::Instance, &mut array);
    array.finish()
}

/// A driver has no layers.
///
/// # Safety
/// As the specification has it for `vkEnumerateInstanceLayerProperties`.
pub(crate) unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    _: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    unsafe { count.write(0) };
    vk::Result::SUCCESS
}
