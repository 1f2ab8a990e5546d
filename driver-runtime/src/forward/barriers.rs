//! Barriers, events and timestamps, by the forms with 64 bits of stages and accesses. The 32 bits of the first form mean the
//! same there.

use core::slice;

use ash::vk;

use super::calls::{CHUNK, Chunk, call};
use crate::calls;
use crate::dispatch::{Forward, forwards};

fn stages(stages: vk::PipelineStageFlags) -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::from_raw(stages.as_raw().into())
}

fn access(access: vk::AccessFlags) -> vk::AccessFlags2 {
    vk::AccessFlags2::from_raw(access.as_raw().into())
}

/// A barrier of the second form with the stages of a command: members with the same name have the same meaning.
macro_rules! barrier {
    ($command:ident, $one:ident, $second:ident { $($same:ident),* $(,)? }) => {
        vk::$second {
            p_next: $one.p_next,
            src_stage_mask: $command.before,
            src_access_mask: access($one.src_access_mask),
            dst_stage_mask: $command.after,
            dst_access_mask: access($one.dst_access_mask),
            $($same: $one.$same,)*
            ..Default::default()
        }
    };
}

/// The barriers of a command, which have its stages in common.
#[derive(Clone, Copy)]
struct Barriers<'a> {
    before: vk::PipelineStageFlags2,
    after: vk::PipelineStageFlags2,
    flags: vk::DependencyFlags,
    memory: &'a [vk::MemoryBarrier<'a>],
    buffers: &'a [vk::BufferMemoryBarrier<'a>],
    images: &'a [vk::ImageMemoryBarrier<'a>],
}

impl<'a> Barriers<'a> {
    /// Creates a dependency without barriers: the stages wait, and no memory becomes visible.
    fn of_execution(before: vk::PipelineStageFlags2, after: vk::PipelineStageFlags2) -> Self {
        let flags = vk::DependencyFlags::empty();
        Self { before, after, flags, memory: &[], buffers: &[], images: &[] }
    }

    /// Calls `call` with dependencies of at most [`CHUNK`] barriers of each kind, at least once. The first form's
    /// stages apply to all commands, whatever its barriers cover, so one barrier always covers all memory: if the
    /// command has none, this barrier makes no memory visible.
    fn for_each_chunk(self, mut call: impl FnMut(&vk::DependencyInfo<'_>)) {
        let execution = [vk::MemoryBarrier::default()];
        let Self { mut buffers, mut images, .. } = self;
        let mut memory: &[_] = if self.memory.is_empty() { &execution } else { self.memory };
        while !(memory.is_empty() && buffers.is_empty() && images.is_empty()) {
            let memory = Chunk::take(&mut memory, |one| self.of_memory(one));
            let buffers = Chunk::take(&mut buffers, |one| self.of_buffer(one));
            let images = Chunk::take(&mut images, |one| self.of_image(one));
            let info = vk::DependencyInfo::default()
                .dependency_flags(self.flags)
                .memory_barriers(memory.as_slice())
                .buffer_memory_barriers(buffers.as_slice())
                .image_memory_barriers(images.as_slice());
            call(&info);
        }
    }

    fn of_memory(&self, one: &vk::MemoryBarrier<'a>) -> vk::MemoryBarrier2<'a> {
        barrier!(self, one, MemoryBarrier2 {})
    }

    fn of_buffer(&self, one: &vk::BufferMemoryBarrier<'a>) -> vk::BufferMemoryBarrier2<'a> {
        barrier!(
            self,
            one,
            BufferMemoryBarrier2 { src_queue_family_index, dst_queue_family_index, buffer, offset, size }
        )
    }

    fn of_image(&self, one: &vk::ImageMemoryBarrier<'a>) -> vk::ImageMemoryBarrier2<'a> {
        barrier!(
            self,
            one,
            ImageMemoryBarrier2 {
                old_layout,
                new_layout,
                src_queue_family_index,
                dst_queue_family_index,
                image,
                subresource_range,
            }
        )
    }
}

fn pipeline_barrier(call: &calls::CmdPipelineBarrier<'_>) {
    let barriers = Barriers {
        flags: call.dependency_flags,
        memory: call.memory_barriers(),
        buffers: call.buffer_memory_barriers(),
        images: call.image_memory_barriers(),
        ..Barriers::of_execution(stages(call.src_stage_mask), stages(call.dst_stage_mask))
    };
    // SAFETY: the second form has the same handles and barriers.
    barriers.for_each_chunk(|info| unsafe {
        call!(call.command_buffer, CmdPipelineBarrier2(info));
    });
}

/// Sets an event with a dependency from its stages on all commands, since only `vkCmdWaitEvents` knows the stages
/// that wait. The second form requires the same dependency in both commands. A driver must not rely on that, and must
/// use the dependencies of the wait.
fn set_event(call: &calls::CmdSetEvent<'_>) {
    let barriers = Barriers::of_execution(stages(call.stage_mask), vk::PipelineStageFlags2::ALL_COMMANDS);
    // SAFETY: the second form has the same handles.
    barriers.for_each_chunk(|info| unsafe {
        call!(call.command_buffer, CmdSetEvent2(call.event, info));
    });
}

fn reset_event(call: &calls::CmdResetEvent<'_>) {
    let stages = stages(call.stage_mask);
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.command_buffer, CmdResetEvent2(call.event, stages)) };
}

/// With one event, the event gets the barriers. With several, no single event could have them, since they cover work
/// before all events; so the stages first wait for the events, and a barrier follows. It waits for more than needed,
/// including work recorded between an event and the wait.
fn wait_events(call: &calls::CmdWaitEvents<'_>) {
    let commands = call.command_buffer;
    let execution = Barriers::of_execution(stages(call.src_stage_mask), stages(call.dst_stage_mask));
    // SAFETY: the other commands have the same handles and barriers.
    unsafe {
        if let [event] = call.events() {
            let barriers = Barriers {
                memory: call.memory_barriers(),
                buffers: call.buffer_memory_barriers(),
                images: call.image_memory_barriers(),
                ..execution
            };
            return barriers.for_each_chunk(|info| {
                call!(commands, CmdWaitEvents2(1u32, slice::from_ref(event), slice::from_ref(info)));
            });
        }
        for events in call.events().chunks(CHUNK) {
            execution.for_each_chunk(|info| {
                let infos = [*info; CHUNK];
                let count = u32::try_from(events.len()).unwrap_or_default();
                call!(commands, CmdWaitEvents2(count, events, &infos[..]));
            });
        }
        if call.memory_barrier_count != 0
            || call.buffer_memory_barrier_count != 0
            || call.image_memory_barrier_count != 0
        {
            call!(
                commands,
                CmdPipelineBarrier(
                    call.src_stage_mask,
                    call.dst_stage_mask,
                    vk::DependencyFlags::empty(),
                    call.memory_barrier_count,
                    call.memory_barriers,
                    call.buffer_memory_barrier_count,
                    call.buffer_memory_barriers,
                    call.image_memory_barrier_count,
                    call.image_memory_barriers,
                )
            );
        }
    }
}

fn write_timestamp(call: &calls::CmdWriteTimestamp<'_>) {
    let stages = stages(call.pipeline_stage);
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.command_buffer, CmdWriteTimestamp2(stages, call.query_pool, call.query)) };
}

fn write_buffer_marker(call: &calls::CmdWriteBufferMarkerAMD<'_>) {
    let (stages, buffer, offset) = (stages(call.pipeline_stage), call.dst_buffer, call.dst_offset);
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.command_buffer, CmdWriteBufferMarker2AMD(stages, buffer, offset, call.marker)) };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CmdPipelineBarrier = pipeline_barrier => CMD_PIPELINE_BARRIER_2;
    CmdSetEvent = set_event => CMD_SET_EVENT_2;
    CmdResetEvent = reset_event => CMD_RESET_EVENT_2;
    CmdWaitEvents = wait_events => CMD_WAIT_EVENTS_2;
    CmdWriteTimestamp = write_timestamp => CMD_WRITE_TIMESTAMP_2;
    CmdWriteBufferMarkerAMD = write_buffer_marker => CMD_WRITE_BUFFER_MARKER_2_AMD;
};
