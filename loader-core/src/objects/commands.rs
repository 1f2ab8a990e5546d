//! All commands that the loader implements itself.

use super::debug::commands as debug;
use super::device::DRIVER_FUNCTIONS;
use super::device::commands as device;
use super::instance::commands as instance;
use super::own_command::OwnCommand;
use super::physical_device::commands as physical_device;
use super::physical_device::{emulated, stand_ins};
use super::surface::commands as surface;
use crate::abi::Command;
use crate::dispatch::TERMINATORS;
#[cfg(feature = "foreign-handles")]
use crate::loader;
#[cfg(feature = "foreign-handles")]
use crate::registry::command as registry_command;
use crate::registry::{Class, CommandId, CommandSet, INSTANCE_SLOTS, each};

/// The lower ends of instance and physical-device commands by their slots, laid out by the compiler so
/// that no search is necessary.
static INSTANCE_TERMINATORS: [Option<Command>; INSTANCE_SLOTS] = by_slot(&[
    instance::COMMANDS,
    physical_device::COMMANDS,
    emulated::COMMANDS,
    stand_ins::COMMANDS,
    device::COMMANDS,
    surface::COMMANDS,
    surface::CREATING,
    debug::COMMANDS,
]);

#[expect(clippy::indexing_slicing, clippy::panic, reason = "evaluated by the compiler")]
const fn by_slot(tables: &[&[OwnCommand]]) -> [Option<Command>; INSTANCE_SLOTS] {
    let mut functions = [None; INSTANCE_SLOTS];
    each!(tables, |table| {
        each!(table, |own| {
            let Some(slot) = own.command.instance_slot() else { panic!("a device command") };
            assert!(functions[slot].is_none(), "a command has two functions");
            functions[slot] = own.lower;
        });
    });
    functions
}

static DEVICE_COMMANDS: [OwnCommand; DEVICE_COMMAND_COUNT] =
    joined(&[device::DEVICE_COMMANDS, surface::DEVICE_COMMANDS, debug::DEVICE_COMMANDS]);

const DEVICE_COMMAND_COUNT: usize =
    device::DEVICE_COMMANDS.len() + surface::DEVICE_COMMANDS.len() + debug::DEVICE_COMMANDS.len();

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn joined<const COUNT: usize>(tables: &[&[OwnCommand]]) -> [OwnCommand; COUNT] {
    let mut all = [tables[0][0]; COUNT];
    let mut next = 0;
    each!(tables, |table| {
        each!(table, |own| {
            assert!(
                own.lower.is_none() || next < DRIVER_FUNCTIONS,
                "DRIVER_FUNCTIONS does not count this command"
            );
            all[next] = *own;
            next += 1;
        });
    });
    all
}

/// Returns the row of a command on devices, queues or command buffers, and its index.
pub(super) fn device_command(command: CommandId) -> Option<(usize, &'static OwnCommand)> {
    const SET: CommandSet = set(&DEVICE_COMMANDS);
    let is_it = |(_, own): &(usize, &OwnCommand)| own.command == command;
    // Only loaders that look handles up let drivers take turns at a window, so others leave this to drivers.
    #[cfg(feature = "foreign-handles")]
    if command == registry_command::DESTROY_SWAPCHAIN_KHR && !loader::handles().are_looked_up() {
        return None;
    }
    if SET.contains(command) { DEVICE_COMMANDS.iter().enumerate().find(is_it) } else { None }
}

const fn set(commands: &[OwnCommand]) -> CommandSet {
    let mut set = CommandSet::listed(&[]);
    each!(commands, |own| { set = set.with(&CommandSet::listed(&[own.command])) });
    set
}

/// Returns the lower end of an instance's call chain for `command`: the loader's own function, or the piece
/// that passes a physical-device command on to the driver.
pub fn instance_terminator(command: CommandId) -> Option<Command> {
    let slot = command.instance_slot()?;
    let own = INSTANCE_TERMINATORS.get(slot).copied().flatten();
    own.or_else(|| if command.class() == Class::PhysicalDevice { TERMINATORS.piece(slot) } else { None })
}

pub fn device_terminator(command: CommandId) -> Option<Command> {
    device_command(command)?.1.lower
}

/// Returns whether the loader has the upper end of the call chain for `command` if there are layers.
#[cfg(test)]
pub(crate) fn has_upper_end(command: CommandId) -> bool {
    device_command(command).is_some_and(|(_, own)| own.above_layers.is_some())
}
