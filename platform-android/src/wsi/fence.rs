//! Fences that are closed once, whatever happens.

use core::ffi::c_int;

use crate::system::{Fence, System};

/// What a fence that has been signalled looks like where a descriptor is expected.
const SIGNALLED: Fence = -1;

/// A descriptor of a fence. Whoever has it owns it: it is closed when it is dropped, unless it was given to the
/// driver or the window, which own what they are given even where they fail.
pub struct OwnedFence {
    system: &'static dyn System,
    descriptor: Fence,
}

impl OwnedFence {
    /// A fence that has been signalled already.
    #[must_use]
    pub fn signalled(system: &'static dyn System) -> Self {
        Self { system, descriptor: SIGNALLED }
    }

    /// The owner of `descriptor`; anything negative is a fence that has been signalled.
    #[must_use]
    pub fn new(system: &'static dyn System, descriptor: Fence) -> Self {
        Self { system, descriptor }
    }

    /// Another owner of the same fence. Where there are too many descriptors, waits for the fence instead, for then it
    /// needs none any more.
    #[must_use]
    pub fn another(&self) -> Self {
        if self.descriptor < 0 {
            return Self::signalled(self.system);
        }
        let another = self.system.duplicate_fence(self.descriptor);
        if another.is_none() {
            self.wait();
        }
        Self { system: self.system, descriptor: another.unwrap_or(SIGNALLED) }
    }

    /// Waits until it is signalled.
    pub fn wait(&self) {
        if self.descriptor >= 0 {
            let for_ever = -1;
            self.system.wait_for_fence(self.descriptor, for_ever);
        }
    }

    /// Whether it has been signalled.
    #[must_use]
    pub fn is_signalled(&self) -> bool {
        let now = 0;
        self.descriptor < 0 || self.system.wait_for_fence(self.descriptor, now)
    }

    /// Whether there is a descriptor at all: something of which somebody was not sure that it is over.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.descriptor >= 0
    }

    /// The descriptor, to be given to somebody who owns it then.
    #[must_use]
    pub fn give(mut self) -> c_int {
        core::mem::replace(&mut self.descriptor, SIGNALLED)
    }

    /// Takes the fence out of a place, which keeps a signalled one.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let system = self.system;
        core::mem::replace(self, Self::signalled(system))
    }
}

impl Drop for OwnedFence {
    fn drop(&mut self) {
        if self.descriptor >= 0 {
            self.system.close_fence(self.descriptor);
        }
    }
}
