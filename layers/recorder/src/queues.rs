//! The progress of queues, by checkpoints in their command buffers (`VK_NV_device_diagnostic_checkpoints`).

use core::ffi::{CStr, c_char};
use core::fmt;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use ash::vk::{self, Handle as _};
use vkload_layer_runtime::commands::{
    CmdSetCheckpointNV, CreateDevice, EnumerateDeviceExtensionProperties, GetQueueCheckpointDataNV,
};
use vkload_layer_runtime::parameter::{In, Out};
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{Call, Returned, device_of};

use crate::{Recorder, markers};

const EXTENSION: &CStr = c"VK_NV_device_diagnostic_checkpoints";

/// The queues of a device that are kept.
const QUEUES: usize = 16;

/// The checkpoints of a queue that are read. A driver has one for each of some stages.
const CHECKPOINTS: usize = 32;

/// The layer's data of a device.
#[derive(Default)]
pub struct Queues {
    checkpoints: AtomicU8,
    queues: [Queue; QUEUES],
}

#[derive(Default)]
struct Queue {
    /// 0 if there is none.
    handle: AtomicU64,
    family: AtomicU32,
    index: AtomicU32,
}

// Whose checkpoints a device has.
const OWN: u8 = 1;
const PROGRAMS: u8 = 2;

/// A queue's progress.
pub(crate) struct Progress<'a> {
    pub(crate) queue: u64,
    pub(crate) family: u32,
    pub(crate) index: u32,
    pub(crate) checkpoints: &'a [vk::CheckpointDataNV<'a>],
    /// Whether the checkpoints' markers are this layer's.
    pub(crate) is_own: bool,
}

/// Whether a device has had the layer's checkpoints.
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
    b"vkCmdExecute",
    b"vkCmdFill",
    b"vkCmdResolve",
    b"vkCmdTraceRays",
    b"vkCmdUpdate",
];

/// Returns whether the command gets a checkpoint, or begins a command buffer.
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

/// Returns whether command buffers get checkpoints.
#[inline]
pub(crate) fn are_marked() -> bool {
    ARE_SET.load(Ordering::Relaxed)
}

/// Sets a checkpoint before a command that [`is_marked`].
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
    let is_own = |device: &vkload_layer_runtime::Device<'_, Recorder>| {
        device.data().checkpoints.load(Ordering::Relaxed) == OWN
    };
    let Some(device) = device.filter(is_own) else { return };
    let Some(set) = device.function::<CmdSetCheckpointNV>() else { return };
    let marker = with_exposed_provenance(markers::next(id, command_buffer) as usize);
    // SAFETY: the device has the extension, and the command buffer is recorded. Nothing reads through the marker.
    unsafe { set(vk::CommandBuffer::from_raw(command_buffer), marker) };
}

/// Creates a device with the extension, if it has it. If the program enables the extension itself, the checkpoints are the program's.
pub(crate) fn create_device<'c>(call: Call<'c, Recorder, CreateDevice>) -> Returned<'c, CreateDevice> {
    // SAFETY: by the specification, the structure has this many names.
    let names = unsafe {
        let info = &call.parameters().create_info;
        slice(info.pp_enabled_extension_names, info.enabled_extension_count)
    };
    // SAFETY: by the specification, these are strings.
    let is_programs = names.iter().any(|name| unsafe { CStr::from_ptr(*name) } == EXTENSION);
    let mut more = Vec::new();
    let has_memory = more.try_reserve_exact(names.len().saturating_add(1)).is_ok();
    // A marker does not fit into a shorter pointer.
    if is_programs || !has_memory || size_of::<usize>() < size_of::<u64>() || !has_extension(&call) {
        let returned = call.next();
        if is_programs {
            keep(&returned, PROGRAMS);
        }
        return returned;
    }
    more.extend_from_slice(names);
    more.push(EXTENSION.as_ptr());
    let mut info = *call.parameters().create_info;
    (info.pp_enabled_extension_names, info.enabled_extension_count) = (more.as_ptr(), more.len() as u32);
    // SAFETY: the structure is the program's, with another extension that the device has, and outlives the call.
    let returned = unsafe { call.next_with(|parameters| parameters.create_info = In::new(&raw const info)) };
    if keep(&returned, OWN) {
        ARE_SET.store(true, Ordering::Relaxed);
    }
    returned
}

/// Keeps whose checkpoints the new device has. Returns whether there is a device.
fn keep(returned: &Returned<'_, CreateDevice>, whose: u8) -> bool {
    let data = returned.data::<Recorder>();
    data.inspect(|data| data.checkpoints.store(whose, Ordering::Relaxed)).is_some()
}

/// Returns whether the device has the extension.
fn has_extension(call: &Call<'_, Recorder, CreateDevice>) -> bool {
    let Some(enumerate) = call.function::<EnumerateDeviceExtensionProperties>() else { return false };
    let (of, nothing) = (call.parameters().physical_device, core::ptr::null());
    let mut count = 0;
    let mut all = Vec::<vk::ExtensionProperties>::new();
    // SAFETY: the physical device is the call's, and the array has this many elements.
    let is_read = unsafe {
        if enumerate(of, nothing, Out::new(&raw mut count), core::ptr::null_mut()) != vk::Result::SUCCESS
            || all.try_reserve_exact(count as usize).is_err()
        {
            return false;
        }
        all.resize(count as usize, vk::ExtensionProperties::default());
        enumerate(of, nothing, Out::new(&raw mut count), all.as_mut_ptr()) == vk::Result::SUCCESS
    };
    let is_it = |one: &vk::ExtensionProperties| one.extension_name_as_c_str() == Ok(EXTENSION);
    is_read && all.iter().take(count as usize).any(is_it)
}

/// Keeps a queue of a device that has checkpoints.
pub(crate) fn add(device: vk::Device, queue: vk::Queue, family: u32, index: u32) {
    // SAFETY: the program passes this device to the command.
    let Some(device) = (unsafe { device_of::<Recorder>(device.as_raw()) }) else { return };
    let data = device.data();
    if data.checkpoints.load(Ordering::Relaxed) == 0 {
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
    let whose = device.data().checkpoints.load(Ordering::Relaxed);
    let Some(get) = device.function::<GetQueueCheckpointDataNV>().filter(|_| whose != 0) else {
        return Ok(());
    };
    for slot in &device.data().queues {
        let queue = slot.handle.load(Ordering::Relaxed);
        if queue == 0 {
            break;
        }
        let mut count = CHECKPOINTS as u32;
        let mut checkpoints = [vk::CheckpointDataNV::default(); CHECKPOINTS];
        // SAFETY: the queue is the device's, which has the extension and is lost. The array has this many elements.
        unsafe { get(vk::Queue::from_raw(queue), Out::new(&raw mut count), checkpoints.as_mut_ptr()) };
        each(&Progress {
            queue,
            family: slot.family.load(Ordering::Relaxed),
            index: slot.index.load(Ordering::Relaxed),
            checkpoints: checkpoints.get(..count as usize).unwrap_or_default(),
            is_own: whose == OWN,
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
        for name in
            ["vkCmdSetCheckpointNV", "vkCmdBindPipeline", "vkCmdBeginRendering", "vkCmdDecodeVideoKHR"]
        {
            assert!(!names.contains(&name), "{name}");
        }
    }
}
