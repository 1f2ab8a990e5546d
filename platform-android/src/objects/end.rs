//! The end of the loader's data of an instance or a device.

use core::sync::atomic::{AtomicU8, Ordering};

use vkload_core::dispatch::WithTable;
use vkload_core::memory::{Box, CopiedCallbacks};

/// No code above the lower end of the chain waits for the object's end.
const ALONE: u8 = 0;
/// The application's vkDestroyDevice or vkDestroyInstance is in progress, and will free the
/// object's data.
const LEAVING: u8 = 1;
const GONE: u8 = 2;

/// Which end of the chain frees the loader's data of an object. Layers know an object by the first
/// word of its handle until their own vkDestroyDevice or vkDestroyInstance ends, which is after the
/// driver's: until then the target of the word must not become another object's. The data of an
/// object that a layer created for itself and destroys within the chain is freed at the lower end.
///
/// The memory is freed through the callbacks with which the lower end created the object: a layer
/// that passes its own keeps them until its function has returned.
#[derive(Default)]
pub struct End(AtomicU8);

impl End {
    /// Calls `destroy`, which enters the chain. Returns whether the driver destroyed the object:
    /// then the caller must [`free`] it.
    pub fn outlasts(&self, destroy: impl FnOnce()) -> bool {
        self.0.store(LEAVING, Ordering::Relaxed);
        destroy();
        self.0.swap(ALONE, Ordering::AcqRel) == GONE
    }

    /// Records, at the lower end of the chain, that the driver destroyed the object. Returns
    /// whether the caller must [`free`] it.
    pub fn frees_at_lower_end(&self) -> bool {
        self.0.swap(GONE, Ordering::AcqRel) != LEAVING
    }
}

/// Frees the loader's data of an instance or a device.
///
/// # Safety
/// `both` is a leaked box with this allocator; no code uses it any more.
pub unsafe fn free<T, D>(both: *const WithTable<T, D>, allocator: CopiedCallbacks) {
    // SAFETY: by this function's `# Safety` `both` is a leaked box with this allocator,
    // which no code uses any more.
    drop(unsafe { Box::from_raw_in(both.cast_mut(), allocator) });
}
