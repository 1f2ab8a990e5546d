//! The null driver as a shared library: its exports for Vulkan loaders and, as a HAL module, for Android's. On Fuchsia
//! without the standard library, replacements for parts of it.
#![cfg_attr(target_os = "fuchsia", no_std)]

use core::ffi::c_char;

use vkload_driver_runtime::vk;

#[cfg(target_os = "fuchsia")]
mod fuchsia;

#[cfg(target_os = "fuchsia")]
vkload_driver_runtime::export_fuchsia!();

#[cfg(not(target_os = "fuchsia"))]
vkload_driver_runtime::export_hal!(vkload_null_driver::Null, c"vkload null driver", c"vkload");

/// Looks up every function of the driver.
///
/// # Safety
/// As specified for `vkGetInstanceProcAddr`; `name` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader keeps the specification's promises.
    unsafe { vkload_null_driver::get_instance_proc_addr(instance, name) }
}

/// Agrees with the loader on an interface version.
///
/// # Safety
/// `version` is NULL or a valid pointer.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: the loader passes a pointer to its newest version.
    unsafe { vkload_null_driver::negotiate(version) }
}

/// Looks up physical-device commands that the loader does not know.
///
/// # Safety
/// As for [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader keeps the specification's promises.
    unsafe { vkload_null_driver::get_physical_device_proc_addr(instance, name) }
}
