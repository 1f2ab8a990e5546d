//! The loader of a process on Android.

use core::fmt::Display;

use platform_android::host::Host;
use platform_android::os::Android;
use vkload_core::log::Topic;

use crate::SystemLoader;
use crate::hal::DriverSearch;
use crate::slices::Cutils;

static ANDROID: Android = Android::new(&Cutils);
static SEARCH: DriverSearch = DriverSearch::new();

pub static LOADER: SystemLoader = SystemLoader::new(Host::new(&ANDROID), &SEARCH);

/// Reports that the loader has failed and aborts the process. The loader is written not to panic;
/// if it does, its state cannot be trusted any more.
pub fn report_and_abort(failure: &dyn Display) -> ! {
    LOADER.end_process(Topic::Loader, format_args!("internal error: {failure}"))
}
