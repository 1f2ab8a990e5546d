//! The progress of queues, by checkpoints in their command buffers (`VK_NV_device_diagnostic_checkpoints`), or else by markers that they
//! write to a buffer (`VK_AMD_buffer_marker`).

use core::ffi::{CStr, c_char};
use core::fmt;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use ash::vk::{self, Handle as _};
use vkload_layer_runtime::commands::{
    CmdSetCheckpointNV, CreateDevice, GetPhysicalDeviceMemoryProperties, GetQueueCheckpointDataNV,
};
use vkload_layer_runtime::parameter::{In, Out};
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{Call, Returned, device_of};

use crate::marker_buffer::MarkerBuffer;
use crate::{Recorder, markers};

const CHECKPOINTS: &CStr = c"VK_NV_device_diagnostic_checkpoints";
const MARKERS: &CStr = c"VK_AMD_buffer_marker";

/// The queues of a device that are kept.
const QUEUES: usize = 16;

/// The checkpoints of a queue that are read. A driver has one for each of some stages.
const MOST_CHECKPOINTS: usize = 32;

/// The layer's data of a device.
#[derive(Default)]
pub struct Queues {
    means: AtomicU8,
    markers: MarkerBuffer,
    queues: [Queue; QUEUES],
}

#[derive(Default)]
struct Queue {
    /// 0 for an unused entry.
    handle: AtomicU64,
    family: AtomicU32,
    index: AtomicU32,
}

// The means by which a device shows progress; 0 is none.
const OWN_CHECKPOINTS: u8 = 1;
const CHECKPOINTS_OF_PROGRAM: u8 = 2;
const MARKER_BUFFER: u8 = 3;

pub(crate) struct Progress<'a> {
    pub(crate) queue: u64,
    pub(crate) family: u32,
    pub(crate) index: u32,
    pub(crate) checkpoints: &'a [vk::CheckpointDataNV<'a>],
    /// Whether the checkpoints' markers are this layer's.
    pub(crate) is_own: bool,
}

/// Whether a device has had the layer's checkpoints or markers.
static ARE_SET: AtomicBool = AtomicBool::new(false);

/// Beginnings of the names of commands that make a queue work.
const ACTIONS: &[&[u8]] = &[
    b"vkCmdBlit",
    b"vkCmdBuild",
    b"vkCmdClear",
    b"vkCmdCopy",
    b"vkCmdDecompress",
    b"vkCmdDispatch",
    b"vkCmdDraw",
    // Not vkCmdExecuteCommands, since some render passes allow no other command.
    b"vkCmdExecuteGenerated",
    b"vkCmdFill",
    b"vkCmdResolve",
    b"vkCmdTraceRays",
    b"vkCmdUpdate",
];

/// Returns whether the command gets a checkpoint or marker, or begins a command buffer.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn is_marked(id: CommandId) -> bool {
    let mut next = 0;
    while next < ACTIONS.len() {
        let (start, name) = (ACTIONS[next], id.const_name());
        let mut same = 0;
        while same < start.len() && same < name.len() && start[same] == name[same] {
            same += 1;
        }
        if same == start.len() {
            return true;
        }
        next += 1;
    }
    let index = id.index();
    index == command::BEGIN_COMMAND_BUFFER.index() || index == command::END_COMMAND_BUFFER.index()
}

/// Returns whether command buffers get checkpoints or markers.
#[inline]
pub(crate) fn are_marked() -> bool {
    ARE_SET.load(Ordering::Relaxed)
}

/// Sets a checkpoint or marker before a command that [`is_marked`].
#[cold]
pub(crate) fn mark(id: CommandId, command_buffer: u64) {
    if id == command::BEGIN_COMMAND_BUFFER {
        return markers::begin(command_buffer);
    }
    // The end of a command buffer without actions gets none, since it may be for a queue that has no checkpoints.
    if id == command::END_COMMAND_BUFFER && markers::count(command_buffer) == 0 {
        return;
    }
    // SAFETY: the program passes this command buffer to the command, so it and its device exist.
    let device = unsafe { device_of::<Recorder>(command_buffer) };
    let Some(device) = device else { return };
    match device.data().means.load(Ordering::Relaxed) {
        OWN_CHECKPOINTS => {
            let Some(set) = device.function::<CmdSetCheckpointNV>() else { return };
            let marker = with_exposed_provenance(markers::next(id, command_buffer) as usize);
            // SAFETY: the device has the extension, and the command buffer is recorded. Nothing reads through the marker.
            unsafe { set(vk::CommandBuffer::from_raw(command_buffer), marker) };
        }
        MARKER_BUFFER => device.data().markers.mark(id, command_buffer),
        _ => {}
    }
}

/// Creates a device with an extension that shows progress, if it has one. If the program enables checkpoints itself, they are the program's.
pub(crate) fn create_device<'c>(call: Call<'c, Recorder, CreateDevice>) -> Returned<'c, CreateDevice> {
    // SAFETY: by the specification, the structure has this many names.
    let names = unsafe {
        let info = &call.parameters().create_info;
        slice(info.pp_enabled_extension_names, info.enabled_extension_count)
    };
    // SAFETY: by the specification, these are strings.
    let is_enabled = |extension| names.iter().any(|name| unsafe { CStr::from_ptr(*name) } == extension);
    if is_enabled(CHECKPOINTS) {
        let returned = call.next();
        keep(&returned, CHECKPOINTS_OF_PROGRAM);
        return returned;
    }
    let mut more = Vec::new();
    let has_memory = more.try_reserve_exact(names.len().saturating_add(1)).is_ok();
    let Some((extension, means)) = means(&call).filter(|_| has_memory) else { return call.next() };
    more.extend_from_slice(names);
    if !is_enabled(extension) {
        more.push(extension.as_ptr());
    }
    let mut info = *call.parameters().create_info;
    (info.pp_enabled_extension_names, info.enabled_extension_count) = (more.as_ptr(), more.len() as u32);
    let memory = memory(&call);
    // SAFETY: the structure is the program's, with another extension that the device has, and outlives the call.
    let returned = unsafe { call.next_with(|parameters| parameters.create_info = In::new(&raw const info)) };
    let device = returned.output(|parameters| parameters.device);
    if let Some((device, data)) = device.zip(returned.data::<Recorder>()) {
        let is_ready =
            means != MARKER_BUFFER || data.markers.create(device, memory.memory_types_as_slice()).is_some();
        if is_ready {
            keep(&returned, means);
            ARE_SET.store(true, Ordering::Relaxed);
        }
    }
    returned
}

/// Destroys the marker buffer of a device that is about to be destroyed.
pub(crate) fn destroy_device(device: vk::Device) {
    // SAFETY: the program passes this device to the command.
    if let Some(device_data) = unsafe { device_of::<Recorder>(device.as_raw()) } {
        device_data.data().markers.destroy(device);
    }
}

/// Keeps the means by which the new device shows progress.
fn keep(returned: &Returned<'_, CreateDevice>, means: u8) {
    if let Some(data) = returned.data::<Recorder>() {
        data.means.store(means, Ordering::Relaxed);
    }
}

fn memory(call: &Call<'_, Recorder, CreateDevice>) -> vk::PhysicalDeviceMemoryProperties {
    let mut memory = vk::PhysicalDeviceMemoryProperties::default();
    if let Some(get) = call.function::<GetPhysicalDeviceMemoryProperties>() {
        // SAFETY: the physical device is the call's.
        unsafe { get(call.parameters().physical_device, Out::new(&raw mut memory)) };
    }
    memory
}

/// Returns the extension of a physical device that shows progress, and the means that it is.
fn means(call: &Call<'_, Recorder, CreateDevice>) -> Option<(&'static CStr, u8)> {
    // SAFETY: the physical device is the call's.
    let all = unsafe { call.device_extensions(call.parameters().physical_device) }.ok()?;
    let has = |extension| all.iter().any(|one| one.extension_name_as_c_str() == Ok(extension));
    // A checkpoint's marker does not fit into a shorter pointer.
    if size_of::<usize>() >= size_of::<u64>() && has(CHECKPOINTS) {
        return Some((CHECKPOINTS, OWN_CHECKPOINTS));
    }
    has(MARKERS).then_some((MARKERS, MARKER_BUFFER))
}

/// Keeps a queue of a device that has checkpoints.
pub(crate) fn add(device: vk::Device, queue: vk::Queue, family: u32, index: u32) {
    // SAFETY: the program passes this device to the command.
    let Some(device) = (unsafe { device_of::<Recorder>(device.as_raw()) }) else { return };
    let data = device.data();
    if ![OWN_CHECKPOINTS, CHECKPOINTS_OF_PROGRAM].contains(&data.means.load(Ordering::Relaxed)) {
        return;
    }
    for slot in &data.queues {
        let handle = slot.handle.compare_exchange(0, queue.as_raw(), Ordering::Relaxed, Ordering::Relaxed);
        if handle.is_ok() {
            slot.family.store(family, Ordering::Relaxed);
            slot.index.store(index, Ordering::Relaxed);
        }
        if handle.map_or_else(|other| other == queue.as_raw(), |_| true) {
            return;
        }
    }
}

/// Passes the progress of each queue of a lost device, of which `handle` is one or a queue's.
pub(crate) fn progress(handle: u64, mut each: impl FnMut(&Progress<'_>) -> fmt::Result) -> fmt::Result {
    // SAFETY: the program has just passed this handle to a command.
    let Some(device) = (unsafe { device_of::<Recorder>(handle) }) else { return Ok(()) };
    let means = device.data().means.load(Ordering::Relaxed);
    let has_checkpoints = [OWN_CHECKPOINTS, CHECKPOINTS_OF_PROGRAM].contains(&means);
    let Some(get) = device.function::<GetQueueCheckpointDataNV>().filter(|_| has_checkpoints) else {
        return Ok(());
    };
    for slot in &device.data().queues {
        let queue = slot.handle.load(Ordering::Relaxed);
        if queue == 0 {
            break;
        }
        let mut count = MOST_CHECKPOINTS as u32;
        let mut checkpoints = [vk::CheckpointDataNV::default(); MOST_CHECKPOINTS];
        // SAFETY: the queue is the device's, which has the extension and is lost. The array has this many elements.
        unsafe { get(vk::Queue::from_raw(queue), Out::new(&raw mut count), checkpoints.as_mut_ptr()) };
        each(&Progress {
            queue,
            family: slot.family.load(Ordering::Relaxed),
            index: slot.index.load(Ordering::Relaxed),
            checkpoints: checkpoints.get(..count as usize).unwrap_or_default(),
            is_own: means == OWN_CHECKPOINTS,
        })?;
    }
    Ok(())
}

/// # Safety
/// `first` leads to this number of elements, which live for `'a`, unless that is 0.
unsafe fn slice<'a>(first: *const *const c_char, count: u32) -> &'a [*const c_char] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the array.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_make_a_queue_work_get_checkpoints() {
        let names = CommandId::all().filter(|id| is_marked(*id)).map(|id| id.name().to_str().unwrap());
        let names: Vec<_> = names.collect();
        for name in
            ["vkCmdDraw", "vkCmdDispatchBase", "vkCmdCopyImage2", "vkCmdTraceRaysKHR", "vkEndCommandBuffer"]
        {
            assert!(names.contains(&name), "{name}");
        }
        for name in [
            "vkCmdSetCheckpointNV",
            "vkCmdExecuteCommands",
            "vkCmdBindPipeline",
            "vkCmdBeginRendering",
            "vkCmdDecodeVideoKHR",
        ] {
            assert!(!names.contains(&name), "{name}");
        }
    }
}
