//! Fences that are closed exactly once, whatever happens.

use core::ffi::c_int;

use crate::system::{Fence, System};

const SIGNALLED: Fence = -1;

/// The owned descriptor of a fence. It is closed on drop, unless it was given to the driver or the
/// window, which take ownership even on failure.
pub struct OwnedFence {
    system: &'static dyn System,
    descriptor: Fence,
}

impl OwnedFence {
    #[must_use]
    pub fn signalled(system: &'static dyn System) -> Self {
        Self { system, descriptor: SIGNALLED }
    }

    /// Takes ownership of `descriptor`; a negative one is a signalled fence.
    pub fn new(system: &'static dyn System, descriptor: Fence) -> Self {
        Self { system, descriptor }
    }

    /// Creates another owner of the same fence. If no descriptor is left, waits for the fence
    /// instead, after which none is needed.
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

    pub fn wait(&self) {
        if self.descriptor >= 0 {
            let for_ever = -1;
            self.system.wait_for_fence(self.descriptor, for_ever);
        }
    }

    pub fn is_signalled(&self) -> bool {
        let now = 0;
        self.descriptor < 0 || self.system.wait_for_fence(self.descriptor, now)
    }

    /// Returns whether it holds a descriptor, that is, work that may not be finished.
    pub fn is_some(&self) -> bool {
        self.descriptor >= 0
    }

    /// Gives up the descriptor to a new owner.
    pub fn give(mut self) -> c_int {
        core::mem::replace(&mut self.descriptor, SIGNALLED)
    }

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
