//! Slices of a system trace.
//!
//! The system's libraries record them through libcutils (`cutils/trace.h`), with a word in its
//! memory that shows what is being recorded. Applications cannot open that, and have libandroid
//! (`android/trace.h`, API level 23), which has to be asked.

use core::ffi::{CStr, c_char};
use core::sync::atomic::AtomicU32;

use super::late::late;

type Begin = unsafe extern "C" fn(*const c_char);
type End = unsafe extern "C" fn();

#[cfg(not(feature = "apk"))]
mod system {
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::{AtomicU32, Begin, End, late};

    late! {
        begin: Begin = c"atrace_begin_body" in c"libcutils.so";
        pub(super) end: End = c"atrace_end_body" in c"libcutils.so";
        set_up: End = c"atrace_setup" in c"libcutils.so";
        // An `uint64_t`. The tag of graphics is in its first half on every little-endian processor.
        tags: &'static AtomicU32 = c"atrace_enabled_tags" in c"libcutils.so";
    }

    pub(in crate::os) fn recorded_tags() -> Option<&'static AtomicU32> {
        static IS_SET_UP: AtomicBool = AtomicBool::new(false);
        let (tags, set_up) = (tags()?, set_up()?);
        if !IS_SET_UP.swap(true, Ordering::Relaxed) {
            // SAFETY: any thread may call it at any time; it does something only once.
            unsafe { set_up() };
        }
        (begin().is_some() && end().is_some()).then_some(tags)
    }

    pub(super) fn begin_if_recorded() -> Option<Begin> {
        begin()
    }
}

#[cfg(feature = "apk")]
mod system {
    use super::{AtomicU32, Begin, End, late};
    use crate::system::GRAPHICS;

    late! {
        begin: Begin = c"ATrace_beginSection" in c"libandroid.so";
        pub(super) end: End = c"ATrace_endSection" in c"libandroid.so";
        is_enabled: unsafe extern "C" fn() -> bool = c"ATrace_isEnabled" in c"libandroid.so";
    }

    /// Returns a word that always has the bit for graphics set: the system has to be asked before each
    /// slice.
    pub(in crate::os) fn recorded_tags() -> Option<&'static AtomicU32> {
        static PERHAPS: AtomicU32 = AtomicU32::new(GRAPHICS);
        (is_enabled().is_some() && begin().is_some() && end().is_some()).then_some(&PERHAPS)
    }

    pub(super) fn begin_if_recorded() -> Option<Begin> {
        // SAFETY: any thread may call it at any time.
        is_enabled().filter(|is_enabled| unsafe { is_enabled() })?;
        begin()
    }
}

pub(super) use system::recorded_tags;

/// Begins a slice. Returns whether it is recorded.
pub(super) fn begin(name: &CStr) -> bool {
    let Some(begin) = system::begin_if_recorded() else { return false };
    // SAFETY: the name is a C string, which is copied.
    unsafe { begin(name.as_ptr()) };
    true
}

/// Ends the last slice.
pub(super) fn end() {
    if let Some(end) = system::end() {
        // SAFETY: any thread may call it at any time.
        unsafe { end() };
    }
}
