//! Checkpoints (`VK_NV_device_diagnostic_checkpoints`): each queue keeps the last one that it has begun, and the last one whose
//! earlier commands are complete. They differ if the device is lost at a checkpoint. Markers in buffers (`VK_AMD_buffer_marker`) are written
//! at the top and at the bottom of the pipe, and a lost device writes none.

use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::Ordering;

use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::OutArray;
use vkload_driver_runtime::vk::{self, Handle as _};
use vkload_driver_runtime::{Object, Queue, calls, entry_points};

use crate::host::Shared;
use crate::resource::Buffer;
use crate::{Null, scenario};

pub struct Checkpoints {
    reached: Shared<Reached>,
}

/// The last markers at the top and at the bottom of the pipe.
#[derive(Clone, Copy, Default)]
struct Reached {
    top: Option<usize>,
    bottom: Option<usize>,
}

impl Checkpoints {
    pub(crate) fn none() -> Self {
        Self { reached: Shared::new(Reached::default()) }
    }
}

/// Returns the queue that executes a command buffer, unless its device is lost.
///
/// # Safety
/// The handle is live, and its queue executes it.
unsafe fn working_queue<'a>(commands: vk::CommandBuffer) -> Option<&'a Queue<Null>> {
    // SAFETY: the caller vouches for the handle.
    let queue = unsafe {
        let commands = CommandBuffer::<Null>::from_handle(commands)?;
        Queue::<Null>::from_handle(vk::Queue::from_raw(commands.queue.load(Ordering::Relaxed)))
    };
    queue.filter(|queue| queue.lost_reason().is_none())
}

/// Returns a word of a buffer.
///
/// # Safety
/// The handle is live.
unsafe fn word_of(buffer: vk::Buffer, offset: u64) -> Option<*mut u32> {
    // SAFETY: the caller vouches for the handle.
    match unsafe { Object::<Buffer>::from_handle(buffer) }?.bytes(offset, 4)? {
        (word, 4) => Some(word.cast().as_ptr()),
        _ => None,
    }
}

/// # Safety
/// The handle is live, the queue executes the command buffer, and the word can be written.
unsafe fn write_marker(
    commands: vk::CommandBuffer,
    is_bottom: bool,
    marker: u32,
    word: impl FnOnce() -> Option<*mut u32>,
) {
    // SAFETY: the caller vouches for the handles.
    unsafe {
        let Some(queue) = working_queue(commands) else { return };
        if is_bottom && scenario::get().before_own(scenario::CHECKPOINT).is_some() {
            queue.set_lost("the scenario wants it");
            return;
        }
        if let Some(word) = word() {
            word.write_unaligned(marker);
        }
    }
}

fn cmd_set_checkpoint(call: &calls::CmdSetCheckpointNV<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, and its queue executes the command buffer.
    let queue = unsafe { working_queue(call.command_buffer)? };
    let marker = Some(call.checkpoint_marker.expose_provenance());
    queue.reached.lock().top = marker;
    if scenario::get().before_own(scenario::CHECKPOINT).is_some() {
        queue.set_lost("the scenario wants it");
        return None;
    }
    queue.reached.lock().bottom = marker;
    Some(())
}

/// A command that writes the last checkpoints.
macro_rules! query {
    ($name:ident, $command:ident, $stages:ident) => {
        fn $name(call: &calls::$command<'_>) {
            // SAFETY: the call obeys the specification.
            let (queue, mut array) = unsafe {
                let array = OutArray::new(call.checkpoint_data_count.as_ptr(), call.checkpoint_data);
                (Queue::<Null>::from_handle(call.queue), array)
            };
            if let Some(queue) = queue {
                let Reached { top, bottom } = *queue.reached.lock();
                for (stage, marker) in
                    [(vk::$stages::TOP_OF_PIPE, top), (vk::$stages::BOTTOM_OF_PIPE, bottom)]
                {
                    let Some(marker) = marker else { continue };
                    array.push_with(|out| {
                        out.stage = stage;
                        out.p_checkpoint_marker = with_exposed_provenance_mut(marker);
                    });
                }
            }
            let _incomplete = array.finish();
        }
    };
}
query! { get_queue_checkpoint_data, GetQueueCheckpointDataNV, PipelineStageFlags }
query! { get_queue_checkpoint_data_2, GetQueueCheckpointData2NV, PipelineStageFlags2 }

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        GetQueueCheckpointDataNV = get_queue_checkpoint_data,
        GetQueueCheckpointData2NV = get_queue_checkpoint_data_2,
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CmdSetCheckpointNV = cmd_set_checkpoint,
        CmdWriteBufferMarkerAMD = |call| {
            let is_bottom = call.pipeline_stage == vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            let word = || word_of(call.dst_buffer, call.dst_offset);
            write_marker(call.command_buffer, is_bottom, call.marker, word);
        },
        CmdWriteMarkerToMemoryAMD = |call| {
            let info = &call.info;
            let is_bottom = info.stage == vk::PipelineStageFlags2::BOTTOM_OF_PIPE;
            let word = || Some(with_exposed_provenance_mut(info.dst_range.address as usize));
            write_marker(call.command_buffer, is_bottom, info.marker, word);
        },
        CmdWriteBufferMarker2AMD = |call| {
            let is_bottom = call.stage == vk::PipelineStageFlags2::BOTTOM_OF_PIPE;
            let word = || word_of(call.dst_buffer, call.dst_offset);
            write_marker(call.command_buffer, is_bottom, call.marker, word);
        },
    }
};
