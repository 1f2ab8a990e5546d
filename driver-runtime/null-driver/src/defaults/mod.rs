//! Defaults for commands of extensions without an effect in this driver: the call succeeds, objects are created and
//! destroyed, and queries return nothing or the permitted minimum. Most commands have a generated row; some take
//! more.

mod actions;
mod by_hand;
mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod commands_4_gen;
mod rows;

use vkload_driver_runtime::dispatch::EntryPoints;

use crate::Null;

pub(crate) use by_hand::COMMANDS as BY_HAND;

/// The commands that have a row. The driver's other functions and the runtime's come first.
pub(crate) const COMMANDS: EntryPoints<Null> = commands_1_gen::COMMANDS
    .and(&commands_2_gen::COMMANDS)
    .and(&commands_3_gen::COMMANDS)
    .and(&commands_4_gen::COMMANDS);
