//! The word that a driver's handles begin with.

use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

/// The first word of a foreign device's handles. In libraries that have no such devices it takes no room.
#[derive(Clone, Copy)]
pub(super) struct DriversKey(#[cfg(feature = "foreign-handles")] usize);

impl DriversKey {
    /// The handles do not begin with a word of the driver's.
    pub(super) const NONE: Self = Self::new(0);

    /// What the driver put into the first word of the device.
    ///
    /// # Safety
    /// `device` is a driver's handle.
    pub(super) unsafe fn of(device: vk::Device) -> Self {
        // SAFETY: the caller vouches for the handle.
        let word = unsafe { first_word(device.as_raw()) };
        Self::new(word.map_or(0, |word| word.load(Ordering::Relaxed)))
    }

    #[cfg(feature = "foreign-handles")]
    const fn new(word: usize) -> Self {
        Self(word)
    }

    #[cfg(not(feature = "foreign-handles"))]
    const fn new(_: usize) -> Self {
        Self()
    }

    pub(super) fn word(self) -> usize {
        #[cfg(feature = "foreign-handles")]
        return self.0;
        #[cfg(not(feature = "foreign-handles"))]
        0
    }
}

/// The first word of an object. Only an object of a layer may be written.
///
/// # Safety
/// `object` is a dispatchable handle, or NULL.
pub(super) unsafe fn first_word<'a>(object: u64) -> Option<&'a AtomicUsize> {
    let address = core::ptr::with_exposed_provenance::<AtomicUsize>(usize::try_from(object).ok()?);
    // SAFETY: the caller vouches for the handle. Several threads may be given one wrapper at the same time and write the
    // same word to it, so it is an atomic one; a load from memory that cannot be written is one like any other.
    unsafe { address.as_ref() }
}
