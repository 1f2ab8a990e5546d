//! Presenting with device groups, each of which has one device.

use ash::vk;

use crate::wsi::surface::Surface;

/// `vkGetDeviceGroupPresentCapabilitiesKHR`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_device_group_present_capabilities(
    _: vk::Device,
    out: *mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `out` is a valid pointer.
    unsafe {
        (*out).present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
        (*out).present_mask[0] = 1;
        (*out).modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    }
    vk::Result::SUCCESS
}

/// `vkGetDeviceGroupSurfacePresentModesKHR`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_device_group_surface_present_modes(
    _: vk::Device,
    _: vk::SurfaceKHR,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `out` is valid for a write.
    unsafe { out.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL) };
    vk::Result::SUCCESS
}

/// `vkGetPhysicalDevicePresentRectanglesKHR`: the whole window.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_physical_device_present_rectangles(
    _: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::Rect2D,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the surface is a valid handle, and `count` and `out`
    // are a counted out-array.
    unsafe {
        let Some(surface) = Surface::from_handle(surface) else {
            return vk::Result::ERROR_SURFACE_LOST_KHR;
        };
        if out.is_null() {
            count.write(1);
            return vk::Result::SUCCESS;
        }
        match surface.window.size() {
            Ok((width, height)) => {
                let extent = vk::Extent2D { width: width.unsigned_abs(), height: height.unsigned_abs() };
                let whole = vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent };
                vkload_core::abi::array::deliver(&[whole], count, out)
            }
            Err(error) => error.into(),
        }
    }
}
