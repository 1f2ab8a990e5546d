//! Checkpoints (`VK_NV_device_diagnostic_checkpoints`): each queue keeps the last one that it has begun, and the last one whose
//! earlier commands are complete. They differ if the device is lost at a checkpoint. Markers in buffers (`VK_AMD_buffer_marker`) are written
//! at the top and at the bottom of the pipe, and a lost device writes none.

use core::ffi::c_void;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::Ordering;

use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::vk::{self, Handle as _};
use vkload_driver_runtime::{Object, Queue, entry_points};

use crate::host::Shared;
use crate::resource::Buffer;
use crate::{Null, scenario};

/// A queue's last checkpoints.
pub struct Checkpoints {
    reached: Shared<Reached>,
}

/// The last markers at the top and at the bottom of the pipe.
#[derive(Clone, Copy)]
struct Reached {
    top: Option<usize>,
    bottom: Option<usize>,
}

impl Checkpoints {
    pub(crate) const fn none() -> Self {
        Self { reached: Shared::new(Reached { top: None, bottom: None }) }
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

unsafe extern "system" fn cmd_write_buffer_marker(
    commands: vk::CommandBuffer,
    stage: vk::PipelineStageFlags,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    marker: u32,
) {
    // SAFETY: the handles are live, and the queue executes the command buffer.
    unsafe {
        let Some(queue) = working_queue(commands) else { return };
        let is_bottom = stage == vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        if is_bottom && scenario::get().before_own(scenario::CHECKPOINT).is_some() {
            queue.set_lost("the scenario wants it");
            return;
        }
        let word = Object::<Buffer>::from_handle(buffer).and_then(|buffer| buffer.bytes(offset, 4));
        if let Some((word, 4)) = word {
            word.cast::<u32>().write_unaligned(marker);
        }
    }
}

unsafe extern "system" fn cmd_write_buffer_marker_2(
    commands: vk::CommandBuffer,
    stage: vk::PipelineStageFlags2,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    marker: u32,
) {
    let stage = match stage {
        vk::PipelineStageFlags2::BOTTOM_OF_PIPE => vk::PipelineStageFlags::BOTTOM_OF_PIPE,
        _ => vk::PipelineStageFlags::TOP_OF_PIPE,
    };
    // SAFETY: the parameters are the same.
    unsafe { cmd_write_buffer_marker(commands, stage, buffer, offset, marker) };
}

unsafe extern "system" fn cmd_set_checkpoint(commands: vk::CommandBuffer, marker: *const c_void) {
    // SAFETY: the handle is live, and its queue executes it.
    let Some(queue) = (unsafe { working_queue(commands) }) else { return };
    let marker = Some(marker.expose_provenance());
    queue.reached.lock().top = marker;
    if scenario::get().before_own(scenario::CHECKPOINT).is_some() {
        queue.set_lost("the scenario wants it");
        return;
    }
    queue.reached.lock().bottom = marker;
}

/// A command that writes the last checkpoints.
macro_rules! query {
    ($name:ident, $data:ident, $stages:ident) => {
        unsafe extern "system" fn $name(queue: vk::Queue, count: *mut u32, out: *mut vk::$data<'_>) {
            // SAFETY: the caller passes a live handle and a counted out-array of structures.
            unsafe {
                let Some(queue) = Queue::<Null>::from_handle(queue) else { return count.write(0) };
                let Reached { top, bottom } = *queue.reached.lock();
                let stages = [(vk::$stages::TOP_OF_PIPE, top), (vk::$stages::BOTTOM_OF_PIPE, bottom)];
                let all = || stages.iter().filter_map(|(stage, marker)| Some((*stage, (*marker)?)));
                let mut written = all().count();
                if !out.is_null() {
                    written = written.min(count.read() as usize);
                    for (index, (stage, marker)) in all().take(written).enumerate() {
                        (*out.add(index)).stage = stage;
                        (*out.add(index)).p_checkpoint_marker = with_exposed_provenance_mut(marker);
                    }
                }
                count.write(written as u32);
            }
        }
    };
}
query! { get_queue_checkpoint_data, CheckpointDataNV, PipelineStageFlags }
query! { get_queue_checkpoint_data_2, CheckpointData2NV, PipelineStageFlags2 }

/// The commands of queues.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        GET_QUEUE_CHECKPOINT_DATA_NV: PFN_vkGetQueueCheckpointDataNV = get_queue_checkpoint_data,
        GET_QUEUE_CHECKPOINT_DATA_2_NV: PFN_vkGetQueueCheckpointData2NV = get_queue_checkpoint_data_2,
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CMD_SET_CHECKPOINT_NV: PFN_vkCmdSetCheckpointNV = cmd_set_checkpoint,
        CMD_WRITE_BUFFER_MARKER_AMD: PFN_vkCmdWriteBufferMarkerAMD = cmd_write_buffer_marker,
        CMD_WRITE_BUFFER_MARKER_2_AMD: PFN_vkCmdWriteBufferMarker2AMD = cmd_write_buffer_marker_2,
    }
};
