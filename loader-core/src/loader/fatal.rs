//! Errors that abort the process.

use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use super::current;
use crate::log::{CommandText as _, Level, Topic, write_line};
use crate::registry::{Class, CommandId};

/// Reports that the handle given to `command` is not one of the loader's, and aborts: going on would be
/// undefined. The identifier of the violated rule is the one that validation tools use.
pub fn report_bad_handle(command: CommandId) -> ! {
    let name = command.text();
    let parameter = match command.class() {
        Class::Global | Class::Instance => "instance",
        // Commands below a device are given physical devices only as objects to name.
        _ => "physicalDevice",
    };
    fatal(Topic::Loader, format_args!("{name}: Invalid {parameter} [VUID-{name}-{parameter}-parameter]"))
}

/// Writes a message whatever any filter says, and aborts.
pub fn fatal(topic: Topic, message: fmt::Arguments<'_>) -> ! {
    if let Some(loader) = current() {
        write_line(loader.platform.log, Level::Error, topic, message);
        (loader.platform.abort)()
    }
    let words = LAST_WORDS.load(Ordering::Acquire);
    if words.is_null() {
        // SAFETY: does not return.
        unsafe { crate::machine::trap() }
    }
    // SAFETY: only `end_with` stores here, and it stores functions of this type.
    (unsafe { core::mem::transmute::<*mut (), LastWords>(words) })(topic, message)
}

pub type LastWords = fn(Topic, fmt::Arguments<'_>) -> !;

/// The abort function of a platform that has no [`Loader`](super::Loader).
static LAST_WORDS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Sets how [`fatal`] aborts on a platform that has no [`Loader`](super::Loader). Without it, [`fatal`] only
/// traps.
pub fn end_with(words: LastWords) {
    LAST_WORDS.store(words as *mut (), Ordering::Release);
}
