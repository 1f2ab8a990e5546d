//! Presenting with device groups, each of which has one device.

use ash::vk;
use vkload_core::registry::calls::{
    GetDeviceGroupPresentCapabilitiesKHR, GetDeviceGroupSurfacePresentModesKHR,
    GetPhysicalDevicePresentRectanglesKHR,
};

use crate::wsi::surface::Surface;

pub fn get_device_group_present_capabilities(call: &GetDeviceGroupPresentCapabilitiesKHR<'_>) -> vk::Result {
    // SAFETY: by valid usage of the command the structure begins a chain, and no other code uses it.
    let out = unsafe { call.device_group_present_capabilities.as_mut() };
    out.present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
    out.present_mask[0] = 1;
    out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    vk::Result::SUCCESS
}

pub fn get_device_group_surface_present_modes(call: &GetDeviceGroupSurfacePresentModesKHR<'_>) -> vk::Result {
    call.modes.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
    vk::Result::SUCCESS
}

/// Returns the whole window.
pub fn get_physical_device_present_rectangles(
    call: &GetPhysicalDevicePresentRectanglesKHR<'_>,
) -> Result<vk::Result, vk::Result> {
    // SAFETY: by valid usage of the command the surface is a valid handle, and count and rectangles are a
    // counted out-array.
    unsafe {
        let surface = Surface::from_handle(call.surface).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        if call.rects.is_null() {
            call.rect_count.write(1);
            return Ok(vk::Result::SUCCESS);
        }
        let (width, height) = surface.window.size()?;
        let extent = vk::Extent2D { width: width.unsigned_abs(), height: height.unsigned_abs() };
        let whole = vk::Rect2D { offset: vk::Offset2D { x: 0, y: 0 }, extent };
        Ok(vkload_core::abi::array::deliver(&[whole], call.rect_count.as_ptr(), call.rects))
    }
}
