//! Commands of devices in their first form, for drivers that write the second one: `vkCmdCopyBuffer` for a driver with
//! `vkCmdCopyBuffer2`.
//!
//! A forwarder is in a driver's table where the driver lacks the first form and has the second; otherwise the command is as
//! if there were no forwarder. It calls through the table of its object.
//!
//! **Lists.** Commands that record cannot fail, so they need no memory: a list of regions or barriers that must be converted
//! is handed over in calls of at most [`calls::CHUNK`] elements each, from the stack. That is what the application could have done:
//! regions of one command may not overlap, so their order means nothing, and barriers one after the other order at least as
//! much as those of one command. Commands with a result take memory with the scope of a command and return
//! `VK_ERROR_OUT_OF_HOST_MEMORY`.
//!
//! **Chains** of structures in the first form are handed over with the second, and have what drivers do not expect there;
//! they pass over it.

mod barriers;
mod binding;
pub(crate) mod calls;
mod memory;
mod regions;
mod render_pass;
mod submit;
#[cfg(test)]
mod tests;

use crate::dispatch::{DispatchTable, Forward};

/// All of them.
const LISTS: [&[Forward]; 6] = [
    regions::FORWARDS,
    barriers::FORWARDS,
    render_pass::FORWARDS,
    binding::FORWARDS,
    memory::FORWARDS,
    submit::FORWARDS,
];

/// A table with all forwarders that are of use in it.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn forwarded(mut table: DispatchTable) -> DispatchTable {
    let mut at = 0;
    while at < LISTS.len() {
        table = table.forwarded(LISTS[at]);
        at += 1;
    }
    table
}
