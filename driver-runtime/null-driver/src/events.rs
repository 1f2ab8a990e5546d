//! Events. A queue with a thread waits for the host to set an event. One that works in the application's own calls cannot, so the
//! event is assumed to be set in time.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::events::{self, Event};
use vkload_driver_runtime::{Object, calls, entry_points};

use crate::{Null, scenario};

fn cmd_wait_events_2(call: &calls::CmdWaitEvents2<'_>) {
    let events = call.events().iter().filter(|_| scenario::get().asynchronous);
    // SAFETY: the call obeys the specification.
    let events = events.filter_map(|event| unsafe { Object::<Event<Null>>::from_handle(*event) });
    events.for_each(|event| event.wait());
}

pub(crate) const COMMANDS: EntryPoints<Null> = events::entry_points::<Null>();

/// The functions that run when a command buffer is executed.
// SAFETY: the function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! { CmdWaitEvents2 = cmd_wait_events_2 }
}
.or(&events::recorded::<Null>());
