//! The runtime's functions, which the driver's call.

use vkload_driver_runtime::Tables;
use vkload_driver_runtime::dispatch::{Command, EntryPoints};
use vkload_driver_runtime::registry::CommandId;

use crate::Null;

static RUNTIME: EntryPoints<Null> = Null::COMMON;

pub(crate) fn runtime(command: CommandId) -> Option<Command> {
    RUNTIME.get(command)
}
