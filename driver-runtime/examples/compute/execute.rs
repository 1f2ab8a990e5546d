//! The execution of recorded commands. The runtime records them and calls these functions when a queue reaches the
//! command buffer.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

use driver_runtime::command_buffer::CommandBuffer;
use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Object, entry_points, vk};

use crate::Compute;
use crate::descriptors::Set;
use crate::events::Event;
use crate::interpreter::{self, Memory};
use crate::memory::{Buffer, Range};
use crate::pipelines::Pipeline;
use crate::shader::Region;

/// The most descriptor sets that can be bound.
pub(crate) const SETS: usize = 4;
/// The bytes of push constants.
pub(crate) const PUSH_CONSTANTS: usize = 128;

/// The bound objects during the execution of a command buffer.
#[derive(Clone, Copy)]
struct Bound {
    pipeline: vk::Pipeline,
    sets: [vk::DescriptorSet; SETS],
    push_constants: [u32; PUSH_CONSTANTS / 4],
    /// The result of a dispatch that failed.
    failed: bool,
}

thread_local! {
    /// A command buffer may be executed by several queues at a time, each of which has a thread.
    static BOUND: RefCell<Bound> = const { RefCell::new(Bound::NOTHING) };
}

impl Bound {
    const NOTHING: Self = Self {
        pipeline: vk::Pipeline::null(),
        sets: [vk::DescriptorSet::null(); SETS],
        push_constants: [0; PUSH_CONSTANTS / 4],
        failed: false,
    };
}

/// Executes a command buffer. Returns whether all of it was done.
///
/// # Safety
/// The handle, and every object that its commands use, is live, and no thread records into it.
pub(crate) unsafe fn execute(commands: vk::CommandBuffer) -> bool {
    BOUND.set(Bound::NOTHING);
    // SAFETY: the caller vouches for the command buffer.
    unsafe {
        if let Some(commands) = CommandBuffer::<Compute>::from_handle(commands) {
            commands.replay();
        }
    }
    !BOUND.with_borrow(|bound| bound.failed)
}

unsafe extern "system" fn bind_pipeline(
    _: vk::CommandBuffer,
    _: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    BOUND.with_borrow_mut(|bound| bound.pipeline = pipeline);
}

unsafe extern "system" fn bind_descriptor_sets(
    _: vk::CommandBuffer,
    _: vk::PipelineBindPoint,
    _: vk::PipelineLayout,
    first: u32,
    count: u32,
    sets: *const vk::DescriptorSet,
    _: u32,
    _: *const u32,
) {
    BOUND.with_borrow_mut(|bound| {
        let places = bound.sets.iter_mut().skip(first as usize).take(count as usize);
        // SAFETY: the application passes a counted array.
        places.enumerate().for_each(|(at, place)| *place = unsafe { sets.add(at).read() });
    });
}

unsafe extern "system" fn push_constants(
    _: vk::CommandBuffer,
    _: vk::PipelineLayout,
    _: vk::ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const c_void,
) {
    BOUND.with_borrow_mut(|bound| {
        let places = bound.push_constants.iter_mut().skip(offset as usize / 4).take(size as usize / 4);
        let values = values.cast::<u32>();
        // SAFETY: the application passes as many bytes as it says.
        places.enumerate().for_each(|(at, place)| *place = unsafe { values.add(at).read_unaligned() });
    });
}

unsafe extern "system" fn dispatch(_: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    let bound = BOUND.with_borrow(|bound| *bound);
    // SAFETY: the command buffer has bound these objects, which are live while it is executed.
    let done = unsafe {
        Object::<Pipeline>::from_handle(bound.pipeline)
            .is_none_or(|pipeline| interpreter::dispatch(&pipeline.0, [x, y, z], &bound).is_ok())
    };
    if !done {
        BOUND.with_borrow_mut(|bound| bound.failed = true);
    }
}

unsafe extern "system" fn dispatch_indirect(commands: vk::CommandBuffer, buffer: vk::Buffer, offset: u64) {
    // SAFETY: the application keeps the buffer while the command buffer is executed.
    unsafe {
        let Some(range) = Buffer::range(buffer, offset, 12) else { return };
        let [x, y, z] = [0, 4, 8].map(|at| range.word(at).map_or(0, |word| word.load(Ordering::Relaxed)));
        dispatch(commands, x, y, z);
    }
}

/// The memory that shaders see.
impl Memory for Bound {
    fn load(&self, region: Region, offset: u32) -> u32 {
        match region {
            Region::PushConstants => self.push_constants.get(offset as usize / 4).copied().unwrap_or(0),
            _ => {
                self.word(region, offset, |range, at| range.word(at).map(|word| word.load(Ordering::Relaxed)))
            }
        }
    }

    fn store(&self, region: Region, offset: u32, value: u32) {
        self.word(region, offset, |range, at| {
            range.word(at).map(|word| {
                word.store(value, Ordering::Relaxed);
                value
            })
        });
    }

    fn add(&self, region: Region, offset: u32, value: u32) -> u32 {
        let add = |range: Range, at| range.word(at).map(|word| word.fetch_add(value, Ordering::Relaxed));
        self.word(region, offset, add)
    }

    fn size(&self, region: Region) -> u32 {
        self.range(region).map_or(0, |range| u32::try_from(range.size()).unwrap_or(u32::MAX))
    }
}

impl Bound {
    fn range(&self, region: Region) -> Option<Range> {
        let Region::Buffer { set, binding } = region else { return None };
        // SAFETY: bound objects are live while the command buffer is executed.
        unsafe { Set::buffer(*self.sets.get(set as usize)?, binding) }
    }

    fn word(&self, region: Region, offset: u32, use_it: impl Fn(Range, u64) -> Option<u32>) -> u32 {
        self.range(region).and_then(|range| use_it(range, offset.into())).unwrap_or(0)
    }
}

unsafe extern "system" fn fill_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: u64,
    size: u64,
    value: u32,
) {
    // SAFETY: the application keeps the buffer while the command buffer is executed.
    let Some(range) = (unsafe { Buffer::range(buffer, offset, size) }) else { return };
    (0..range.size())
        .step_by(4)
        .filter_map(|at| range.word(at))
        .for_each(|word| word.store(value, Ordering::Relaxed));
}

unsafe extern "system" fn update_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: u64,
    size: u64,
    values: *const c_void,
) {
    // SAFETY: the application passes as many bytes as it says, and keeps the buffer while the command buffer is executed.
    unsafe {
        if let Some(range) = Buffer::range(buffer, offset, size) {
            range.write(std::slice::from_raw_parts(values.cast(), size as usize));
        }
    }
}

unsafe extern "system" fn copy_buffer(_: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    // SAFETY: the application passes a valid structure, and keeps the buffers while the command buffer is executed.
    unsafe {
        for region in (0..(*info).region_count as usize).map(|place| &*(*info).p_regions.add(place)) {
            let from = Buffer::range((*info).src_buffer, region.src_offset, region.size);
            let to = Buffer::range((*info).dst_buffer, region.dst_offset, region.size);
            if let (Some(from), Some(to)) = (from, to) {
                to.copy(from);
            }
        }
    }
}

/// Commands are executed one after the other, and all memory is coherent.
unsafe extern "system" fn pipeline_barrier(_: vk::CommandBuffer, _: *const vk::DependencyInfo<'_>) {}

unsafe extern "system" fn set_event(
    _: vk::CommandBuffer,
    event: vk::Event,
    _: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the application keeps the event while the command buffer is executed.
    unsafe { Object::<Event>::from_handle(event) }.iter().for_each(|event| event.put(1));
}

unsafe extern "system" fn reset_event(_: vk::CommandBuffer, event: vk::Event, _: vk::PipelineStageFlags2) {
    // SAFETY: as above.
    unsafe { Object::<Event>::from_handle(event) }.iter().for_each(|event| event.put(0));
}

unsafe extern "system" fn wait_events(
    _: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    _: *const vk::DependencyInfo<'_>,
) {
    for place in 0..count as usize {
        // SAFETY: as above; the array is a counted one.
        unsafe { Object::<Event>::from_handle(events.add(place).read()) }
            .iter()
            .for_each(|event| event.wait());
    }
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Compute> = unsafe {
    entry_points! {
        CMD_BIND_PIPELINE: PFN_vkCmdBindPipeline = bind_pipeline,
        CMD_BIND_DESCRIPTOR_SETS: PFN_vkCmdBindDescriptorSets = bind_descriptor_sets,
        CMD_PUSH_CONSTANTS: PFN_vkCmdPushConstants = push_constants,
        CMD_DISPATCH: PFN_vkCmdDispatch = dispatch,
        CMD_DISPATCH_INDIRECT: PFN_vkCmdDispatchIndirect = dispatch_indirect,
        CMD_FILL_BUFFER: PFN_vkCmdFillBuffer = fill_buffer,
        CMD_UPDATE_BUFFER: PFN_vkCmdUpdateBuffer = update_buffer,
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = copy_buffer,
        CMD_PIPELINE_BARRIER_2: PFN_vkCmdPipelineBarrier2 = pipeline_barrier,
        CMD_SET_EVENT_2: PFN_vkCmdSetEvent2 = set_event,
        CMD_RESET_EVENT_2: PFN_vkCmdResetEvent2 = reset_event,
        CMD_WAIT_EVENTS_2: PFN_vkCmdWaitEvents2 = wait_events,
    }
};
