//! The first forms of device commands, for drivers that implement only the second: `vkCmdCopyBuffer` for a driver
//! with `vkCmdCopyBuffer2`.
//!
//! A driver's table contains a forwarder if the driver lacks the first form and has the second; otherwise the command
//! behaves as without a forwarder. It calls through its object's table.
//!
//! **Lists.** Recording commands cannot fail, so they need no memory: a list of regions or barriers that must be
//! converted is passed on in calls of at most [`calls::CHUNK`] elements each, from the stack. The application could
//! have done the same: a command's regions may not overlap, so their order has no meaning, and successive barriers
//! order at least as much as the barriers of one command. Commands with a result take memory with command scope and
//! return `VK_ERROR_OUT_OF_HOST_MEMORY`.
//!
//! **Chains** of the first form's structures are passed on with the second's. They may contain structures that
//! drivers do not expect there; drivers skip those.

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

const LISTS: [&[Forward]; 6] = [
    regions::FORWARDS,
    barriers::FORWARDS,
    render_pass::FORWARDS,
    binding::FORWARDS,
    memory::FORWARDS,
    submit::FORWARDS,
];

/// Returns a table with all forwarders that it can use.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn forwarded(mut table: DispatchTable) -> DispatchTable {
    let mut at = 0;
    while at < LISTS.len() {
        table = table.forwarded(LISTS[at]);
        at += 1;
    }
    table
}
