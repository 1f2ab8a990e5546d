//! Secondary command buffers of drivers without: calls are copied with everything that they point to, and made again.
//!
//! The generated files have a row for each command that records, but for those whose parameters cannot be copied: what is in
//! arrays of arrays (building acceleration structures from the host's ranges), or has a size that another object knows (push
//! descriptors by template), or returns a result. A driver that has such a command has it in primary command buffers only.

mod commands_1_gen;
mod commands_2_gen;
mod commands_3_gen;
mod copy;
mod rows;
mod structures_gen;

use ash::vk;
use loader_core::memory::{Application, OutOfMemory, TryGrow, Vec};
use loader_core::platform::Lock;
use loader_core::registry::{COMMAND_COUNT, CommandId, command};

use super::{BufferState, CommandBuffer, CommandBuffers};
use crate::dispatch::{Command, DispatchTable, EntryPoints};
use crate::object::Object;
use crate::result::CommandBufferError;
use copy::Copier;
use rows::Row;

/// What was recorded. By the specification one thread at a time records, and nobody while it is executed.
pub(super) struct Recording {
    state: Lock<State>,
    memory: Application,
}

struct State {
    calls: Vec<Call, Application>,
    /// There was no memory for a call.
    is_incomplete: bool,
}

/// A call: its parameters as words, and behind them the copies of what they point to.
struct Call {
    row: &'static Row,
    block: Vec<u64, Application>,
}

impl Recording {
    pub(super) fn new(memory: Application) -> Self {
        Self { state: Lock::new(State { calls: Vec::new_in(memory), is_incomplete: false }), memory }
    }

    pub(super) fn clear(&self) {
        let empty = State { calls: Vec::new_in(self.memory), is_incomplete: false };
        let old = core::mem::replace(&mut *self.state.lock(&Spin), empty);
        drop(old);
    }

    /// Whether all was recorded.
    pub(super) fn end(&self) -> Result<(), CommandBufferError> {
        if self.state.lock(&Spin).is_incomplete { Err(CommandBufferError::OutOfHostMemory) } else { Ok(()) }
    }

    /// # Safety
    /// The words are parameters of the row's command that obey the specification.
    unsafe fn record(&self, row: &'static Row, words: &[u64]) {
        // SAFETY: the caller vouches for the parameters.
        let call = unsafe { Call::new(row, words, self.memory) };
        let mut calls = core::mem::replace(&mut self.state.lock(&Spin).calls, Vec::new_in(self.memory));
        let kept = call.and_then(|call| calls.try_push(call));
        let mut state = self.state.lock(&Spin);
        state.calls = calls;
        state.is_incomplete |= kept.is_err();
    }

    /// Makes the calls for a primary command buffer.
    ///
    /// # Safety
    /// Nobody records meanwhile, and what was recorded is still valid.
    unsafe fn replay<D: CommandBuffers>(&self, primary: vk::CommandBuffer) {
        let (first, count) = {
            let state = self.state.lock(&Spin);
            (state.calls.as_ptr(), state.calls.len())
        };
        // SAFETY: nobody records meanwhile, so the list stays; the function is the command's.
        unsafe {
            for call in core::slice::from_raw_parts(first, count) {
                if let Some(function) = real::<D>(call.row.command) {
                    (call.row.replay)(function, primary, call.block.as_ptr());
                }
            }
        }
    }
}

impl Call {
    /// # Safety
    /// As for [`Recording::record`].
    unsafe fn new(row: &'static Row, words: &[u64], memory: Application) -> Result<Self, OutOfMemory> {
        let mut measured = Copier::measuring(size_of_val(words));
        // SAFETY: the caller vouches for the parameters.
        row.arguments.iter().for_each(|argument| _ = unsafe { measured.argument(argument, words) });
        let length = measured.used().div_ceil(size_of::<u64>());
        let mut block: Vec<u64, Application> = Vec::new_in(memory);
        block.try_reserve_exact(length).map_err(|_| OutOfMemory)?;
        block.try_resize(length, 0)?;
        let start = block.as_mut_ptr();
        // SAFETY: the block is as long as was measured; the words are its beginning.
        unsafe {
            start.copy_from_nonoverlapping(words.as_ptr(), words.len());
            let mut copier = Copier::into(start.cast(), size_of_val(words));
            for argument in row.arguments {
                let copy = copier.argument(argument, words);
                start.add(argument.place).write(copy.expose_provenance() as u64);
            }
        }
        Ok(Self { row, block })
    }
}

/// Records a call if its command buffer is recorded by the runtime, or else returns the driver's function to be called.
///
/// # Safety
/// `commands` is a live handle, and the words are parameters of the row's command that obey the specification.
unsafe fn take<D: CommandBuffers>(
    commands: vk::CommandBuffer,
    row: &'static Row,
    words: &[u64],
) -> Option<Command> {
    // SAFETY: the caller vouches for handle and parameters.
    unsafe {
        let buffer: &CommandBuffer<D> = Object::<BufferState<D>>::from_handle(commands)?;
        if !buffer.is_replayed() {
            return real::<D>(row.command);
        }
        buffer.recording.record(row, words);
    }
    None
}

/// The function that records into primary command buffers.
fn real<D: CommandBuffers>(command: CommandId) -> Option<Command> {
    if command == command::CMD_EXECUTE_COMMANDS {
        Some(execute_commands::<D>())
    } else {
        Real::<D>::TABLE.get(command)
    }
}

struct Real<D>(core::marker::PhantomData<D>);

impl<D: CommandBuffers> Real<D> {
    const TABLE: &'static DispatchTable = &DispatchTable::new(match D::REPLAYED {
        Some(real) => real,
        None => &EntryPoints::NONE,
    });
}

/// Makes the calls of secondary command buffers.
///
/// # Safety
/// As the specification has it for `vkCmdExecuteCommands`.
unsafe extern "system" fn execute<D: CommandBuffers>(
    primary: vk::CommandBuffer,
    count: u32,
    secondaries: *const vk::CommandBuffer,
) {
    // SAFETY: the caller vouches for the handles in the counted array.
    unsafe {
        for place in 0..count as usize {
            if let Some(commands) = Object::<BufferState<D>>::from_handle(secondaries.add(place).read()) {
                commands.recording.replay::<D>(primary);
            }
        }
    }
}

const fn execute_commands<D: CommandBuffers>() -> Command {
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
    unsafe { core::mem::transmute::<vk::PFN_vkCmdExecuteCommands, Command>(execute::<D>) }
}

/// The commands that record: by the runtime into secondary command buffers, by `real` into primary ones.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(super) const fn entry_points<D: CommandBuffers>(real: &EntryPoints) -> EntryPoints {
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
                own = own.with(row.command, recorder);
                taken[index] = true;
            }
            at += 1;
        }
        part += 1;
    }
    // What cannot be recorded is the driver's, for primary command buffers.
    let mut index = 0;
    while index < COMMAND_COUNT {
        let command = CommandId::new(index as u16);
        if command.canonical().index() == index
            && !taken[index]
            && let Some(function) = table.const_get(command)
        {
            own = own.with(command, function);
        }
        index += 1;
    }
    own
}

/// The lock is held for a few words.
struct Spin;

impl loader_core::platform::Waiting for Spin {
    fn wait(&self, _: u32) {
        core::hint::spin_loop();
    }

    /// Of no use here: only those who take turns ask for it.
    fn thread(&self) -> usize {
        1
    }
}
