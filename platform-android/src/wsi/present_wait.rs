//! Waiting until a frame is shown (`VK_KHR_present_id2`, `VK_KHR_present_wait2`).
//!
//! A window has neither an event nor a fence for that: it says when a frame was shown only if
//! asked, so a waiting thread asks about every millisecond.

use ash::vk;

use crate::wsi::frame_timestamps::FrameTimestamps;
use crate::wsi::patience::Patience;
use crate::wsi::structures::PresentWait2Info;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::{Window, WindowError};

/// Records a frame by the application's id.
pub fn remember(swapchain: &Swapchain, id: u64, number: Option<u64>) {
    swapchain.numbered.0.lock(swapchain.loader().system).push(id, number);
}

/// `vkWaitForPresent2KHR`
#[expect(non_camel_case_types, reason = "the bindings name the types of commands like that")]
pub type PFN_vkWaitForPresent2KHR =
    unsafe extern "system" fn(vk::Device, vk::SwapchainKHR, *const PresentWait2Info) -> vk::Result;

/// `vkWaitForPresent2KHR`
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn wait_for_present2(
    _: vk::Device,
    swapchain: vk::SwapchainKHR,
    info: *const PresentWait2Info,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the swapchain is a valid handle and `info` a valid
    // pointer.
    let (swapchain, info) = unsafe { (Swapchain::from_handle(swapchain), &*info) };
    let system = swapchain.loader().system;
    let mut patience = Patience::new(system, info.timeout);
    loop {
        let Some(window) = swapchain.active_window() else { return vk::Result::ERROR_OUT_OF_DATE_KHR };
        match is_over(swapchain, window, info.present_id) {
            Ok(true) => return vk::Result::SUCCESS,
            Ok(false) => {}
            Err(error) => return error.into(),
        }
        if !patience.wait() {
            return vk::Result::TIMEOUT;
        }
    }
}

/// Whether that frame was shown, never will be, or was shown so long ago that the window has
/// forgotten it. The window reports a frame that another one has replaced as pending until a later
/// one is shown.
fn is_over(swapchain: &Swapchain, window: &Window, id: u64) -> Result<bool, WindowError> {
    if id == 0 {
        return Ok(true);
    }
    let frames = *swapchain.numbered.0.lock(swapchain.loader().system);
    for number in frames.since(id) {
        // The window can never say anything about a frame without a number.
        let Some(number) = number else { return Ok(true) };
        match window.frame_timestamps(number) {
            Ok(times) if times.presented == FrameTimestamps::PENDING => {}
            Ok(_) | Err(WindowError::NOT_FOUND | WindowError::BAD_VALUE) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
