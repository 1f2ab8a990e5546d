//! The recording: a sequence of calls, in memory blocks that are kept for the next recording.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, TryGrow, Vec};
use vkload_core::registry::CommandId;

use super::copy::Copier;
use super::rows::Row;
use crate::dispatch::Command;
use crate::result::CommandBufferError;

/// A recording. Recording needs exclusive access, and no thread records during a replay.
pub(in crate::command_buffer) struct Recorder {
    /// The blocks, each filled up to its length. A block never grows, so its contents do not move.
    blocks: Vec<Block, CopiedCallbacks>,
    /// The block that is being filled; those behind it are empty.
    last: usize,
    /// There was no memory for a call.
    is_incomplete: bool,
}

/// Words; padding between two parts of a call is uninitialised.
type Block = Vec<MaybeUninit<u64>, CopiedCallbacks>;

/// How long the first block is, and the longest that is not for one call alone, in words.
const FIRST_BLOCK: usize = 128;
const LONGEST_BLOCK: usize = 8192;

/// The start of a call. After it come the parameters as words, and then the copies of the data behind them; or, for
/// the driver's own call, an [`Own`].
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Header {
    row: Option<&'static Row>,
    /// How long the call is, with this.
    length: usize,
}

const HEADER: usize = size_of::<Header>().div_ceil(size_of::<u64>());

/// A call of the driver's function, whose data only the function `make` can interpret.
#[repr(C)]
struct Own<T> {
    /// # Safety
    /// The pointer points to the value that contains this function.
    make: unsafe fn(vk::CommandBuffer, *const u64),
    function: unsafe fn(vk::CommandBuffer, &T),
    data: T,
}

/// A call that was recorded.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    row: Option<&'static Row>,
    words: *const u64,
    recorded: PhantomData<&'a Recorder>,
}

impl Call<'_> {
    /// Returns the command, or `None` for a call that the driver has recorded
    /// [itself](crate::command_buffer::ExclusiveCommandBuffer::record).
    pub fn command(&self) -> Option<CommandId> {
        self.row.map(|row| row.command)
    }

    /// Calls `function` with `commands` and the command's parameters, or makes the call that the driver recorded
    /// itself.
    ///
    /// # Safety
    /// `function` has the type of [`Call::command`], and all objects that the parameters refer to are still valid.
    pub unsafe fn make(&self, function: Command, commands: vk::CommandBuffer) {
        // SAFETY: the caller vouches for the function.
        unsafe { self.make_with(|_| Some(function), commands) };
    }

    /// Does the same as [`Call::make`], with the function that `find` has for the command, if it has one.
    ///
    /// # Safety
    /// As there.
    pub(in crate::command_buffer) unsafe fn make_with(
        &self,
        find: impl FnOnce(CommandId) -> Option<Command>,
        commands: vk::CommandBuffer,
    ) {
        // SAFETY: the caller vouches for the function; the data after the header is as the header describes.
        unsafe {
            match self.row {
                Some(row) => {
                    if let Some(function) = find(row.command) {
                        (row.replay)(function, commands, self.words);
                    }
                }
                None => {
                    let make = self.words.cast::<unsafe fn(vk::CommandBuffer, *const u64)>().read();
                    make(commands, self.words);
                }
            }
        }
    }
}

impl Recorder {
    pub(in crate::command_buffer) const fn new(memory: CopiedCallbacks) -> Self {
        Self { blocks: Vec::new_in(memory), last: 0, is_incomplete: false }
    }

    /// Forgets the calls, and with `release` gives back their memory.
    pub(in crate::command_buffer) fn clear(&mut self, release: bool) {
        if release {
            self.blocks = Vec::new_in(*self.blocks.allocator());
        }
        self.blocks.iter_mut().for_each(Vec::clear);
        (self.last, self.is_incomplete) = (0, false);
    }

    /// Returns an error if the recording is incomplete.
    pub(in crate::command_buffer) fn end(&self) -> Result<(), CommandBufferError> {
        if self.is_incomplete { Err(CommandBufferError::OutOfHostMemory) } else { Ok(()) }
    }

    pub(in crate::command_buffer) fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        self.blocks.iter().flat_map(|block| {
            let mut rest = block.as_slice();
            core::iter::from_fn(move || {
                let words = rest.get(HEADER..)?.as_ptr().cast();
                // SAFETY: a block is filled with whole calls, which begin with a header.
                let header = unsafe { rest.as_ptr().cast::<Header>().read() };
                rest = rest.get(header.length..)?;
                Some(Call { row: header.row, words, recorded: PhantomData })
            })
        })
    }

    /// # Safety
    /// The words are parameters of the row's command that obey the specification.
    #[inline]
    pub(super) unsafe fn record(&mut self, row: &'static Row, words: &[u64]) {
        if row.arguments.is_empty() {
            if let Some(start) = self.add(Some(row), size_of_val(words)) {
                // SAFETY: the space is as large.
                unsafe { start.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
            }
            return;
        }
        // SAFETY: as here.
        unsafe { self.record_with_arguments(row, words) };
    }

    /// # Safety
    /// As for [`Recorder::record`].
    unsafe fn record_with_arguments(&mut self, row: &'static Row, words: &[u64]) {
        let mut measured = Copier::measuring(size_of_val(words));
        // SAFETY: the caller vouches for the parameters.
        row.arguments.iter().for_each(|argument| _ = unsafe { measured.argument(argument, words) });
        let Some(start) = self.add(Some(row), measured.used()) else { return };
        // SAFETY: the space is as large as measured; the words are its beginning.
        unsafe {
            start.copy_from_nonoverlapping(words.as_ptr(), words.len());
            let mut copier = Copier::into(start.cast(), size_of_val(words));
            for argument in row.arguments {
                let copy = copier.argument(argument, words);
                start.add(argument.index).write(copy.expose_provenance() as u64);
            }
        }
    }

    /// # Safety
    /// The function may be called with the data whenever the calls are made.
    pub(in crate::command_buffer) unsafe fn record_own<T: Copy + 'static>(
        &mut self,
        function: unsafe fn(vk::CommandBuffer, &T),
        data: T,
    ) {
        /// # Safety
        /// As `Own::make` has it.
        unsafe fn make<T>(commands: vk::CommandBuffer, own: *const u64) {
            // SAFETY: this function is in a value of the type; the code that recorded it vouches for the call.
            unsafe {
                let own = &*own.cast::<Own<T>>();
                (own.function)(commands, &own.data);
            }
        }
        const { assert!(align_of::<Own<T>>() <= align_of::<u64>(), "the data is aligned to more than 8 bytes") };
        if let Some(start) = self.add(None, size_of::<Own<T>>()) {
            // SAFETY: the space is large enough.
            unsafe { start.cast::<Own<T>>().write(Own { make: make::<T>, function, data }) };
        }
    }

    /// Adds a call of this number of bytes after its header and returns its address, or `None` if memory runs out.
    #[inline]
    fn add(&mut self, row: Option<&'static Row>, bytes: usize) -> Option<*mut u64> {
        let length = bytes.div_ceil(size_of::<u64>()).saturating_add(HEADER);
        let has_room = |block: &Block| block.capacity().saturating_sub(block.len()) >= length;
        if !self.blocks.get(self.last).is_some_and(has_room) && self.next_block(length).is_err() {
            self.is_incomplete = true;
            return None;
        }
        let block = self.blocks.get_mut(self.last)?;
        let end = block.len().saturating_add(length);
        // SAFETY: the space is large enough for these words, which the header and, before anything reads them, the
        // caller fills.
        unsafe {
            let start = block.as_mut_ptr().add(block.len()).cast::<u64>();
            start.cast::<Header>().write(Header { row, length });
            block.set_len(end);
            Some(start.add(HEADER))
        }
    }

    /// Moves on to an empty block that is large enough.
    #[cold]
    fn next_block(&mut self, length: usize) -> Result<(), OutOfMemory> {
        let filled = self.blocks.get(self.last).is_some_and(|block| !block.is_empty());
        let next = if filled { self.last.saturating_add(1) } else { self.last };
        if self.blocks.get(next).is_none_or(|block| block.capacity() < length) {
            let before = self.blocks.last().map_or(0, Vec::capacity);
            let wanted = before.saturating_mul(2).clamp(FIRST_BLOCK, LONGEST_BLOCK).max(length);
            let mut block = Vec::new_in(*self.blocks.allocator());
            block.try_reserve_exact(wanted).map_err(|_| OutOfMemory)?;
            self.blocks.try_push(block)?;
            // A next block that is too short moves further back.
            let last = self.blocks.len().saturating_sub(1);
            self.blocks.swap(next, last);
        }
        self.last = next;
        Ok(())
    }
}
