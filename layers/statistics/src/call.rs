//! The work of a wrapper before and after the call.

use core::ffi::c_void;

use vkload_core::registry::CommandId;

use crate::next::{Function, Next};
use crate::{clock, threads};

/// Returns the next layer's function, and the time before it is called.
///
/// # Safety
/// `handle` is the first parameter of a call of `command`, as the chain passes it.
#[inline(never)]
pub(crate) unsafe fn begin(handle: *const c_void, command: CommandId) -> (Function, u64) {
    // SAFETY: the caller vouches for the handle.
    let next = unsafe { Next::of(handle) };
    let Some(function) = next.and_then(|next| next.function(command)) else { nowhere_to_go(command) };
    (function, clock::now())
}

/// Adds the call to the counters of the thread.
#[inline(never)]
pub(crate) fn end(command: CommandId, start: u64, bytes: u64) {
    threads::count(command, start, clock::now(), bytes);
}

/// Returns a call on an object that no instance or device known to this layer owns, or of a command that the device does not have.
#[cold]
fn nowhere_to_go(command: CommandId) -> ! {
    crate::message::say(&format!(
        "{} was called on an object for which the next layer does not have this command; enable the extension or the version \
         that has it",
        command.name().to_string_lossy()
    ));
    std::process::abort()
}
