//! Barriers, events and timestamps, by the forms with 64 bits of stages and accesses. The 32 bits of the first form mean the
//! same there.

use ash::vk;

use super::calls::{CHUNK, Chunk, call, list};
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

    /// Adds barriers, each kind by its count and its array.
    ///
    /// # Safety
    /// The arrays have this many valid barriers, which live as long as `'a`.
    unsafe fn with(
        self,
        (memory_count, memory): (u32, *const vk::MemoryBarrier<'a>),
        (buffer_count, buffers): (u32, *const vk::BufferMemoryBarrier<'a>),
        (image_count, images): (u32, *const vk::ImageMemoryBarrier<'a>),
    ) -> Self {
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            Self {
                memory: list(memory, memory_count),
                buffers: list(buffers, buffer_count),
                images: list(images, image_count),
                ..self
            }
        }
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

/// # Safety
/// As specified for the command.
unsafe extern "system" fn pipeline_barrier(
    commands: vk::CommandBuffer,
    before: vk::PipelineStageFlags,
    after: vk::PipelineStageFlags,
    flags: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: the caller vouches for handle and arrays; the function's requirements are met.
    unsafe {
        let barriers = Barriers { flags, ..Barriers::of_execution(stages(before), stages(after)) }.with(
            (memory_count, memory),
            (buffer_count, buffers),
            (image_count, images),
        );
        barriers.for_each_chunk(|info| {
            call!(commands, CMD_PIPELINE_BARRIER_2: PFN_vkCmdPipelineBarrier2(info));
        });
    }
}

/// Sets an event with a dependency from its stages on all commands, since only `vkCmdWaitEvents` knows the stages
/// that wait. The second form requires the same dependency in both commands. A driver must not rely on that, and must
/// use the dependencies of the wait.
///
/// # Safety
/// As specified for the command.
unsafe extern "system" fn set_event(
    commands: vk::CommandBuffer,
    event: vk::Event,
    before: vk::PipelineStageFlags,
) {
    let barriers = Barriers::of_execution(stages(before), vk::PipelineStageFlags2::ALL_COMMANDS);
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    barriers.for_each_chunk(|info| unsafe {
        call!(commands, CMD_SET_EVENT_2: PFN_vkCmdSetEvent2(event, info));
    });
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn reset_event(
    commands: vk::CommandBuffer,
    event: vk::Event,
    before: vk::PipelineStageFlags,
) {
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe { call!(commands, CMD_RESET_EVENT_2: PFN_vkCmdResetEvent2(event, stages(before))) };
}

/// With one event, the event gets the barriers. With several, no single event could have them, since they cover work
/// before all events; so the stages first wait for the events, and a barrier follows. It waits for more than needed,
/// including work recorded between an event and the wait.
///
/// # Safety
/// As specified for the command.
unsafe extern "system" fn wait_events(
    commands: vk::CommandBuffer,
    event_count: u32,
    events: *const vk::Event,
    before: vk::PipelineStageFlags,
    after: vk::PipelineStageFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: the caller vouches for handles and arrays; the functions' requirements are met.
    unsafe {
        let execution = Barriers::of_execution(stages(before), stages(after));
        let barriers = execution.with((memory_count, memory), (buffer_count, buffers), (image_count, images));
        let events = list(events, event_count);
        if let [event] = events {
            return barriers.for_each_chunk(|info| {
                call!(commands, CMD_WAIT_EVENTS_2: PFN_vkCmdWaitEvents2(1, event, info));
            });
        }
        for events in events.chunks(CHUNK) {
            execution.for_each_chunk(|info| {
                let infos = [*info; CHUNK];
                let count = u32::try_from(events.len()).unwrap_or_default();
                call!(
                    commands,
                    CMD_WAIT_EVENTS_2: PFN_vkCmdWaitEvents2(count, events.as_ptr(), infos.as_ptr())
                );
            });
        }
        if memory_count != 0 || buffer_count != 0 || image_count != 0 {
            let flags = vk::DependencyFlags::empty();
            call!(
                commands,
                CMD_PIPELINE_BARRIER: PFN_vkCmdPipelineBarrier(
                    before,
                    after,
                    flags,
                    memory_count,
                    memory,
                    buffer_count,
                    buffers,
                    image_count,
                    images,
                )
            );
        }
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn write_timestamp(
    commands: vk::CommandBuffer,
    stage: vk::PipelineStageFlags,
    pool: vk::QueryPool,
    query: u32,
) {
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe { call!(commands, CMD_WRITE_TIMESTAMP_2: PFN_vkCmdWriteTimestamp2(stages(stage), pool, query)) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn write_buffer_marker(
    commands: vk::CommandBuffer,
    stage: vk::PipelineStageFlags,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    marker: u32,
) {
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe {
        call!(
            commands,
            CMD_WRITE_BUFFER_MARKER_2_AMD: PFN_vkCmdWriteBufferMarker2AMD(stages(stage), buffer, offset, marker)
        )
    };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CMD_PIPELINE_BARRIER: PFN_vkCmdPipelineBarrier = pipeline_barrier => CMD_PIPELINE_BARRIER_2;
    CMD_SET_EVENT: PFN_vkCmdSetEvent = set_event => CMD_SET_EVENT_2;
    CMD_RESET_EVENT: PFN_vkCmdResetEvent = reset_event => CMD_RESET_EVENT_2;
    CMD_WAIT_EVENTS: PFN_vkCmdWaitEvents = wait_events => CMD_WAIT_EVENTS_2;
    CMD_WRITE_TIMESTAMP: PFN_vkCmdWriteTimestamp = write_timestamp => CMD_WRITE_TIMESTAMP_2;
    CMD_WRITE_BUFFER_MARKER_AMD: PFN_vkCmdWriteBufferMarkerAMD = write_buffer_marker
        => CMD_WRITE_BUFFER_MARKER_2_AMD;
};
