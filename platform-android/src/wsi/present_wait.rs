//! Waiting until a frame is shown (`VK_KHR_present_id2`, `VK_KHR_present_wait2`), or rather until
//! the consumer has taken it, which is the last event that every window reports.

use ash::vk;

use crate::trace::slice;
use crate::wsi::listener;
use crate::wsi::structures::PresentWait2Info;
use crate::wsi::swapchain::Swapchain;

/// Records a frame by the application's id, before the window has it: from then on the window may
/// report it.
pub fn remember(swapchain: &Swapchain, id: u64, number: Option<u64>) {
    let system = swapchain.loader().system;
    swapchain.numbered.0.lock(system).push(id, number.filter(|_| swapchain.made.is_waited_for));
    listener::changed(system);
}

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
    let _slice = slice(c"WaitForPresent2KHR");
    // SAFETY: by this function's `# Safety` the swapchain is a valid handle and `info` a valid
    // pointer.
    let (swapchain, info) = unsafe { (Swapchain::from_handle(swapchain), &*info) };
    let look = || match swapchain.is_active() {
        false => Some(vk::Result::ERROR_OUT_OF_DATE_KHR),
        true => is_over(swapchain, info.present_id).then_some(vk::Result::SUCCESS),
    };
    listener::wait(swapchain.loader().system, info.timeout, look).unwrap_or(vk::Result::TIMEOUT)
}

/// Returns whether that frame or a later one was taken or dropped, or will never be reported.
fn is_over(swapchain: &Swapchain, id: u64) -> bool {
    let (system, listener) = (swapchain.loader().system, &swapchain.surface.listener);
    let frames = *swapchain.numbered.0.lock(system);
    let told = |number: Option<u64>| number.is_none_or(|number| listener.has_heard_of(system, number));
    id == 0 || frames.since(id).any(told)
}
