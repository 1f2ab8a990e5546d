//! A driver's handle for its own surface, which is set at most once.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ash::vk::{self, Handle as _};

/// The handle: NULL until it is set. Surface handles have 64 bits on every processor, but not every processor
/// has atomic operations of 64 bits.
#[derive(Default)]
pub(super) struct OwnHandle {
    is_set: AtomicBool,
    low: AtomicU32,
    high: AtomicU32,
}

impl OwnHandle {
    pub(super) fn get(&self) -> vk::SurfaceKHR {
        if !self.is_set.load(Ordering::Acquire) {
            return vk::SurfaceKHR::null();
        }
        let half = |half: &AtomicU32| u64::from(half.load(Ordering::Relaxed));
        vk::SurfaceKHR::from_raw(half(&self.high) << 32 | half(&self.low))
    }

    /// Sets the handle. Other threads may read it meanwhile, but only one may set it, and only once.
    pub(super) fn set(&self, handle: vk::SurfaceKHR) {
        let raw = handle.as_raw();
        self.low.store(raw as u32, Ordering::Relaxed);
        self.high.store((raw >> 32) as u32, Ordering::Relaxed);
        self.is_set.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handle_has_64_bits_on_every_processor() {
        let own = OwnHandle::default();
        assert!(own.get().is_null());
        own.set(vk::SurfaceKHR::from_raw(0x0123_4567_89AB_CDEF));
        assert_eq!(own.get().as_raw(), 0x0123_4567_89AB_CDEF);
    }
}
