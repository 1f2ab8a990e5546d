//! Slices of a system trace, recorded through libcutils (`cutils/trace.h`), with a word in its
//! memory that shows what is being recorded.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use platform_android::late;
use platform_android::os::{BeginSlice, EndSlice, Slices};

pub(crate) struct Cutils;

late! {
    begin: BeginSlice = c"atrace_begin_body" in c"libcutils.so";
    end: EndSlice = c"atrace_end_body" in c"libcutils.so";
    set_up: EndSlice = c"atrace_setup" in c"libcutils.so";
    // An `uint64_t`. The tag of graphics is in its first half on every little-endian processor.
    tags: &'static AtomicU32 = c"atrace_enabled_tags" in c"libcutils.so";
}

impl Slices for Cutils {
    fn recorded_tags(&self) -> Option<&'static AtomicU32> {
        static IS_SET_UP: AtomicBool = AtomicBool::new(false);
        let (tags, set_up) = (tags()?, set_up()?);
        if !IS_SET_UP.swap(true, Ordering::Relaxed) {
            // SAFETY: any thread may call it at any time; it does something only once.
            unsafe { set_up() };
        }
        (begin().is_some() && end().is_some()).then_some(tags)
    }

    fn begin_if_recorded(&self) -> Option<BeginSlice> {
        begin()
    }

    fn end(&self) -> Option<EndSlice> {
        end()
    }
}
