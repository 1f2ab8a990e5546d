//! A recording of the system trace.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use platform_android::system::GRAPHICS;

use crate::Android;

impl Android {
    /// Begins or ends a recording of slices of graphics; see [`Self::slices`].
    pub fn record_slices(&self, on: bool) {
        self.recorded.store(if on { GRAPHICS } else { 0 }, Ordering::SeqCst);
    }

    /// Returns the slices recorded since the last time: the name of each, after as many spaces as
    /// slices around it.
    pub fn slices(&self) -> Vec<String> {
        let mut world = self.change();
        assert_eq!(world.open_slices, 0, "a slice has not ended");
        std::mem::take(&mut world.slices)
    }

    pub(super) fn begin(&self, name: &CStr) -> bool {
        let mut world = self.change();
        let around = world.open_slices;
        world.slices.push(format!("{:around$}{}", "", name.to_string_lossy()));
        world.open_slices += 1;
        true
    }

    pub(super) fn end(&self) {
        let open = &mut self.change().open_slices;
        *open = open.checked_sub(1).expect("a slice ends that has not begun");
    }
}
