//! Features that are the loader's, since their extensions are.

use core::ffi::c_void;

use ash::vk::{self, TaggedStructure as _};
use loader_core::abi::chain;

use crate::objects::{Instance, InstanceCommands};

type Compression = vk::PhysicalDeviceImageCompressionControlFeaturesEXT<'static>;
type SwapchainCompression = vk::PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT<'static>;
type Maintenance = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT<'static>;

/// Puts what the loader has into the structures that are chained to a query of features. `swapchainMaintenance1` needs
/// nothing but its extension; swapchain images are compressed by whom all images are, the driver.
///
/// # Safety
/// `first` begins a pNext chain that can be written to; the device is one of the instance's.
pub(super) unsafe fn put_in(instance: &Instance, device: vk::PhysicalDevice, first: *mut c_void) {
    // SAFETY: the caller vouches for the chain, in which types say what structures are.
    unsafe {
        for structure in chain::pointers(first) {
            match (*structure).s_type {
                Maintenance::STRUCTURE_TYPE => {
                    (*structure.cast::<Maintenance>()).swapchain_maintenance1 = vk::TRUE;
                }
                SwapchainCompression::STRUCTURE_TYPE => {
                    (*structure.cast::<SwapchainCompression>()).image_compression_control_swapchain =
                        has_image_compression(&instance.driver, device).into();
                }
                _ => {}
            }
        }
    }
}

/// Whether the driver's images can be compressed as an application wants it.
///
/// # Safety
/// The device is one of the driver's.
pub(super) unsafe fn has_image_compression(driver: &InstanceCommands, device: vk::PhysicalDevice) -> bool {
    let Some(get) = driver.get_physical_device_features2.or(driver.get_physical_device_features2_khr) else {
        return false;
    };
    let mut compression = Compression::default();
    let mut features =
        vk::PhysicalDeviceFeatures2 { p_next: (&raw mut compression).cast(), ..Default::default() };
    // SAFETY: the caller vouches for the device; the chain is well formed.
    unsafe { get(device, &mut features) };
    compression.image_compression_control == vk::TRUE
}
