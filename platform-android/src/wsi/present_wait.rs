//! Waiting until a frame is shown (`VK_KHR_present_id2`, `VK_KHR_present_wait2`), or rather until
//! the consumer has taken it, which is the last event that every window reports.

use ash::vk;
use vkload_core::platform::Lock;
use vkload_core::registry::calls::WaitForPresent2KHR;

use crate::trace::slice;
use crate::wsi::listener;
use crate::wsi::native_window::SLOTS;
use crate::wsi::swapchain::Swapchain;

/// The frames of a swapchain to which the application assigned ids.
pub struct Numbered(Lock<Frames>);

#[derive(Clone, Copy)]
pub(super) struct Frames {
    /// The application's id of a frame, and the window's number if it has one.
    frames: [(u64, Option<u64>); SLOTS],
    count: usize,
}

impl Numbered {
    pub(crate) const fn new() -> Self {
        Self(Lock::new(Frames { frames: [(0, None); SLOTS], count: 0 }))
    }
}

impl Frames {
    pub(super) fn push(&mut self, id: u64, number: Option<u64>) {
        if self.count == SLOTS {
            self.frames.rotate_left(1);
            self.count = SLOTS.saturating_sub(1);
        }
        if let Some(entry) = self.frames.get_mut(self.count) {
            *entry = (id, number);
            self.count = self.count.saturating_add(1);
        }
    }

    /// Returns the window's numbers of the frame with this id and of all later ones. The
    /// application's ids only grow.
    pub(super) fn since(&self, id: u64) -> impl Iterator<Item = Option<u64>> {
        let known = self.frames.iter().take(self.count);
        known.filter(move |(known, _)| *known >= id).map(|(_, number)| *number)
    }
}

/// Records a frame by the application's id, before the window has it, since the window may report it
/// at once.
pub fn remember(swapchain: &Swapchain, id: u64, number: Option<u64>) {
    let system = swapchain.loader().system;
    swapchain.numbered.0.lock(system).push(id, number.filter(|_| swapchain.made.is_waited_for));
    listener::changed(system);
}

pub fn wait_for_present2(call: &WaitForPresent2KHR<'_>) -> vk::Result {
    let _slice = slice(c"WaitForPresent2KHR");
    let info = &*call.present_wait_2_info;
    // SAFETY: by valid usage of the command the swapchain is a valid handle.
    let swapchain = unsafe { Swapchain::from_handle(call.swapchain) };
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
