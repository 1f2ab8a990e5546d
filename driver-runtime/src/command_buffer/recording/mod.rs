//! Command buffers that the runtime records: calls are copied with everything that they point to, and made again.
//!
//! The generated files have a row for each recording command except those whose parameters cannot be copied: arrays
//! of arrays (building acceleration structures from the host's ranges), data whose size depends on another object
//! (push descriptors by template), and commands that return a result. These are called at once.

mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod copy;
pub(super) mod recorder;
mod rows;
mod structures_gen;

use ash::vk;
use vkload_core::registry::{COMMAND_COUNT, CommandId, command};

use super::buffer::{BufferState, CommandBuffers};
use crate::calls;
use crate::dispatch::{Command, DispatchTable, EntryPoints};
use crate::object::Object;
use rows::Row;

/// Records a call if the runtime records its command buffer, or else returns the driver's function to be called.
///
/// # Safety
/// `commands` is a live handle that the caller synchronises, and the words are parameters of the row's command that obey the
/// specification.
#[inline]
unsafe fn take<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    row: &'static Row,
    words: &[u64],
) -> Option<Command> {
    // SAFETY: the caller vouches for handle and parameters.
    unsafe {
        let mut buffer = Object::<BufferState<D>>::exclusive(commands)?;
        if !buffer.is_recorded() {
            return real::<D>(row.command);
        }
        buffer.part_mut().recorder.record(row, words);
    }
    None
}

/// Returns the function that executes a recorded command.
pub(super) fn real<D: CommandBuffers>(command: CommandId) -> Option<Command> {
    if command == command::CMD_EXECUTE_COMMANDS {
        Some(calls::CmdExecuteCommands::function(execute::<D>))
    } else {
        Real::<D>::TABLE.get(command)
    }
}

struct Real<D>(core::marker::PhantomData<D>);

impl<D: CommandBuffers> Real<D> {
    const TABLE: &'static DispatchTable = &DispatchTable::new(match D::RECORDING.commands() {
        Some(real) => real,
        None => &EntryPoints::NONE,
    });
}

/// Makes the calls of secondary command buffers.
fn execute<D: CommandBuffers>(call: &calls::CmdExecuteCommands<'_>) {
    for secondary in call.command_buffers() {
        // SAFETY: the call obeys the specification.
        unsafe {
            if let Some(commands) = Object::<BufferState<D>>::from_handle(*secondary) {
                commands.replay_for(call.command_buffer);
            }
        }
    }
}

/// Returns the commands that record into the runtime's recording, or otherwise call the commands in `real`.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(super) const fn entry_points<D: CommandBuffers>(real: &EntryPoints<D>) -> EntryPoints<D> {
    let table = DispatchTable::new(real);
    let mut own = EntryPoints::NONE;
    let mut taken = [false; COMMAND_COUNT];
    let parts = [
        commands_1_gen::Recorders::<D>::ALL,
        commands_2_gen::Recorders::<D>::ALL,
        commands_3_gen::Recorders::<D>::ALL,
    ];
    let mut part = 0;
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            let (row, recorder) = parts[part][at];
            let index = row.command.index();
            let is_execute = index == command::CMD_EXECUTE_COMMANDS.index();
            if is_execute || table.const_get(row.command).is_some() {
                // SAFETY: the generated function records the command that its row names.
                own = unsafe { own.with(row.command, recorder) };
                taken[index] = true;
            }
            at += 1;
        }
        part += 1;
    }
    // Commands that cannot be recorded are the driver's.
    let mut index = 0;
    while index < COMMAND_COUNT {
        let command = CommandId::new(index as u16);
        if command.canonical().index() == index
            && !taken[index]
            && let Some(function) = table.const_get(command)
        {
            // SAFETY: the function is the driver's for this command.
            own = unsafe { own.with(command, function) };
        }
        index += 1;
    }
    own
}
