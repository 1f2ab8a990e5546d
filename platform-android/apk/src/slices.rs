//! Slices of a system trace, recorded through libandroid (`android/trace.h`, API level 23), which
//! has to be asked before each: applications cannot open the library with the word that shows what
//! is being recorded.

use core::sync::atomic::AtomicU32;

use platform_android::late;
use platform_android::os::{BeginSlice, EndSlice, Slices};
use platform_android::system::GRAPHICS;

pub(crate) struct LibAndroid;

late! {
    begin: BeginSlice = c"ATrace_beginSection" in c"libandroid.so";
    end: EndSlice = c"ATrace_endSection" in c"libandroid.so";
    is_enabled: unsafe extern "C" fn() -> bool = c"ATrace_isEnabled" in c"libandroid.so";
}

impl Slices for LibAndroid {
    /// Returns a word that always has the bit for graphics set.
    fn recorded_tags(&self) -> Option<&'static AtomicU32> {
        static PERHAPS: AtomicU32 = AtomicU32::new(GRAPHICS);
        (is_enabled().is_some() && begin().is_some() && end().is_some()).then_some(&PERHAPS)
    }

    fn begin_if_recorded(&self) -> Option<BeginSlice> {
        // SAFETY: any thread may call it at any time.
        is_enabled().filter(|is_enabled| unsafe { is_enabled() })?;
        begin()
    }

    fn end(&self) -> Option<EndSlice> {
        end()
    }
}
