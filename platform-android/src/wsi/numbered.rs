//! The frames of a swapchain to which the application assigned ids (`VK_KHR_present_id2`).

use vkload_core::platform::Lock;

use crate::wsi::native_window::SLOTS;

/// The frames of a swapchain to which the application assigned ids, as many as can be in flight.
pub struct Numbered(pub(super) Lock<Frames>);

#[derive(Clone, Copy)]
pub(super) struct Frames {
    /// The application's id of a frame, and the window's number if it has one.
    frames: [(u64, Option<u64>); SLOTS],
    count: usize,
}

impl Numbered {
    #[must_use]
    pub const fn new() -> Self {
        Self(Lock::new(Frames { frames: [(0, None); SLOTS], count: 0 }))
    }
}

impl Default for Numbered {
    fn default() -> Self {
        Self::new()
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
