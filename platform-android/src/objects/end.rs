//! The end of what the loader knows of an instance or a device.

use core::sync::atomic::{AtomicU8, Ordering};

use loader_core::dispatch::WithTable;
use loader_core::memory::{Application, Box};

/// Nobody above the lower end of the chain waits for the object's end.
const ALONE: u8 = 0;
/// The application's vkDestroyDevice or vkDestroyInstance is under way, and frees what is known of the object.
const LEAVING: u8 = 1;
/// The driver has destroyed the object.
const GONE: u8 = 2;

/// Which end of the chain frees what is known of an object. Layers know an object by the first word of its handle until their own
/// vkDestroyDevice or vkDestroyInstance comes to an end, which is after the driver's: what the word leads to must not be another
/// object's before. What a layer made for itself and destroys within the chain is freed at the lower end.
///
/// The memory goes back through the callbacks that the lower end created the object with: a layer that passes its own keeps them until its
/// function has come back.
#[derive(Default)]
pub struct End(AtomicU8);

impl End {
    /// Calls `destroy`, which enters the chain. Whether the driver has destroyed the object: the caller has to [`free`] it then.
    #[must_use]
    pub fn outlasts(&self, destroy: impl FnOnce()) -> bool {
        self.0.store(LEAVING, Ordering::Relaxed);
        destroy();
        self.0.swap(ALONE, Ordering::AcqRel) == GONE
    }

    /// The driver has destroyed the object, at the lower end of the chain. Whether the caller has to [`free`] it.
    #[must_use]
    pub fn frees_at_lower_end(&self) -> bool {
        self.0.swap(GONE, Ordering::AcqRel) != LEAVING
    }
}

/// Frees what the loader knows of an instance or a device.
///
/// # Safety
/// The place is that of a box with this allocator that was leaked; nobody uses it any more.
pub unsafe fn free<T, D>(place: *const WithTable<T, D>, allocator: Application) {
    // SAFETY: the caller vouches for the box.
    drop(unsafe { Box::from_raw_in(place.cast_mut(), allocator) });
}
