//! The metadata of pictures with a high dynamic range (`VK_EXT_hdr_metadata`).

use vkload_core::registry::calls::SetHdrMetadataEXT;

use crate::wsi::swapchain::Swapchain;

pub fn set_hdr_metadata(call: &SetHdrMetadataEXT<'_>) {
    for (swapchain, metadata) in call.swapchains().iter().zip(call.metadata()) {
        // SAFETY: by valid usage of the command the swapchains are valid handles.
        let Some(window) = (unsafe { Swapchain::from_handle(*swapchain) }).active_window() else { continue };
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
