//! The metadata of pictures with a high dynamic range (`VK_EXT_hdr_metadata`).

use ash::vk;

use crate::wsi::swapchain::Swapchain;

/// `vkSetHdrMetadataEXT`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn set_hdr_metadata(
    _: vk::Device,
    count: u32,
    swapchains: *const vk::SwapchainKHR,
    metadata: *const vk::HdrMetadataEXT<'_>,
) {
    for index in 0..count as usize {
        // SAFETY: by this function's `# Safety` both arrays have `count` elements, and the
        // swapchains are valid handles.
        let (swapchain, metadata) =
            unsafe { (Swapchain::from_handle(*swapchains.add(index)), &*metadata.add(index)) };
        let Some(window) = swapchain.active_window() else { continue };
        let display = [
            metadata.display_primary_red.x,
            metadata.display_primary_red.y,
            metadata.display_primary_green.x,
            metadata.display_primary_green.y,
            metadata.display_primary_blue.x,
            metadata.display_primary_blue.y,
            metadata.white_point.x,
            metadata.white_point.y,
            metadata.max_luminance,
            metadata.min_luminance,
        ];
        let light = [metadata.max_content_light_level, metadata.max_frame_average_light_level];
        // The command has no result: without the metadata the picture is shown like any other.
        let _ = window.set_smpte2086(&display);
        let _ = window.set_cta861_3(&light);
    }
}
