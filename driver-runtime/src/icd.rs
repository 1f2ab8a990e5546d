//! A driver library's interface to the loader.

use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk;

/// The newest interface between loader and driver that the runtime has.
pub const INTERFACE_VERSION: u32 = 7;

/// `vk_icdNegotiateLoaderICDInterfaceVersion`
pub type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;

/// The interface version that the loader agreed to; 0 without a negotiation. A library has one driver.
static NEGOTIATED: AtomicU32 = AtomicU32::new(0);

/// Returns the interface version in use, 0 if none was negotiated.
pub fn negotiated() -> u32 {
    NEGOTIATED.load(Ordering::Relaxed)
}

/// Agrees to the newest interface version that both sides have.
///
/// # Safety
/// `version` is NULL, which is an error, or a valid pointer.
pub unsafe extern "system" fn negotiate(version: *mut u32) -> vk::Result {
    // SAFETY: the caller vouches for the pointer.
    let Some(version) = (unsafe { version.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    *version = (*version).min(INTERFACE_VERSION);
    NEGOTIATED.store(*version, Ordering::Relaxed);
    vk::Result::SUCCESS
}

/// Exports the functions by which a Vulkan loader finds the driver: `vk_icdGetInstanceProcAddr`,
/// `vk_icdNegotiateLoaderICDInterfaceVersion` and `vk_icdGetPhysicalDeviceProcAddr`. For interface version 7 the first
/// would be enough.
#[macro_export]
macro_rules! export_icd {
    ($driver:ty) => {
        /// Looks up every function of the driver for the loader.
        ///
        /// # Safety
        /// As for [`vkload_driver_runtime::proc_addr::get_instance_proc_addr`]($crate::proc_addr::get_instance_proc_addr).
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
            instance: $crate::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: the loader keeps the specification's promises.
            unsafe { $crate::proc_addr::get_instance_proc_addr::<$driver>(instance, name) }
        }

        /// Agrees with the loader on an interface version.
        ///
        /// # Safety
        /// `version` is NULL or a valid pointer.
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(
            version: *mut u32,
        ) -> $crate::vk::Result {
            // SAFETY: the loader passes a pointer to its newest version.
            unsafe { $crate::icd::negotiate(version) }
        }

        /// Looks up physical-device commands that the loader does not know.
        ///
        /// # Safety
        /// As for [`vk_icdGetInstanceProcAddr`].
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
            instance: $crate::vk::Instance,
            name: *const core::ffi::c_char,
        ) -> $crate::vk::PFN_vkVoidFunction {
            // SAFETY: the loader keeps the specification's promises.
            unsafe { $crate::proc_addr::get_physical_device_proc_addr::<$driver>(instance, name) }
        }
    };
}
