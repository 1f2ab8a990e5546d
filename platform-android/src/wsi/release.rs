//! Giving acquired images back without presenting them.

use ash::vk;
use vkload_core::registry::calls::ReleaseSwapchainImagesEXT;

use crate::wsi::swapchain::Swapchain;

/// A shared swapchain's image stays acquired; a retired swapchain's images are destroyed, since the
/// application has no further use for them.
pub fn release_swapchain_images(call: &ReleaseSwapchainImagesEXT<'_>) -> vk::Result {
    let info = &*call.release_info;
    // SAFETY: by valid usage of the command the swapchain is a valid handle, and the indices are a counted
    // array.
    unsafe {
        let swapchain = Swapchain::from_handle(info.swapchain);
        if swapchain.made.shared || info.image_index_count == 0 {
            return vk::Result::SUCCESS;
        }
        let indices = core::slice::from_raw_parts(info.p_image_indices, info.image_index_count as usize);
        let mut result = vk::Result::SUCCESS;
        for index in indices {
            if let Err(error) = release(swapchain, *index) {
                result = error;
            }
        }
        result
    }
}

fn release(swapchain: &Swapchain, index: u32) -> Result<(), vk::Result> {
    let fence = swapchain.image(index, |image| {
        let dequeued = core::mem::replace(&mut image.dequeued, false);
        dequeued.then(|| image.dequeue_fence.take())
    });
    let Some(Some(fence)) = fence else { return Ok(()) };
    match (swapchain.active_window(), swapchain.buffer(index)) {
        (Some(window), Some(buffer)) => window.cancel(&buffer, fence)?,
        _ => swapchain.destroy_if_idle(index),
    }
    Ok(())
}
