//! The loader of a process on Android.

use core::fmt::Display;

use loader_core::log::Topic;

use crate::loader::Loader;
use crate::os::ANDROID;

/// The loader of the process.
pub static LOADER: Loader = Loader::new(&ANDROID);

/// Reports that the loader has failed and aborts the process. The loader is written not to panic;
/// if it does, its state cannot be trusted any more.
pub fn report_and_abort(failure: &dyn Display) -> ! {
    LOADER.end_process(Topic::Loader, format_args!("internal error: {failure}"))
}
