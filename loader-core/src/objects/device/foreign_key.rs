//! The first word of a driver's handles.

use core::sync::atomic::{AtomicUsize, Ordering};

use ash::vk::{self, Handle as _};

/// The first word of a foreign device's handles. It takes no space in libraries that have no such
/// devices.
#[derive(Clone, Copy)]
pub(super) struct DriversKey(#[cfg(feature = "foreign-handles")] usize);

impl DriversKey {
    pub(super) const NONE: Self = Self::new(0);

    /// Returns the value that the driver wrote to the first word of the device.
    ///
    /// # Safety
    /// `device` is NULL or a driver's live device.
    pub(super) unsafe fn of(device: vk::Device) -> Self {
        // SAFETY: by this function's `# Safety` `device` is NULL or a live device, which is a
        // dispatchable handle.
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

/// Returns the first word of an object. Only a layer's object may be written.
///
/// # Safety
/// `object` is NULL or a dispatchable handle, which lives for `'a`.
pub(super) unsafe fn first_word<'a>(object: u64) -> Option<&'a AtomicUsize> {
    let address = core::ptr::with_exposed_provenance::<AtomicUsize>(usize::try_from(object).ok()?);
    // SAFETY: by this function's `# Safety` `object` is NULL or a live dispatchable handle, which
    // begins with an aligned word. Several threads may get one wrapper at the same time and write
    // the same word, so it is accessed as an atomic; a relaxed load from read-only memory is a
    // plain load.
    unsafe { address.as_ref() }
}
