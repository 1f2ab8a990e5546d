//! A buffer into which queues write the progress of command buffers (`VK_AMD_buffer_marker`). A signal handler can read it.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use ash::vk::{self, Handle as _};
use vkload_layer_runtime::commands::{
    AllocateMemory, BindBufferMemory, CmdWriteBufferMarkerAMD, CreateBuffer, DestroyBuffer, FreeMemory,
    GetBufferMemoryRequirements, MapMemory,
};
use vkload_layer_runtime::device_of;
use vkload_layer_runtime::parameter::{In, InOptional, Out};
use vkload_layer_runtime::registry::{CommandId, command};

use crate::Recorder;
use crate::markers::{self, Marker, PLACES};

/// A command buffer has two words, for the top and the bottom of the pipe.
const WORDS: usize = 2 * PLACES;
const SIZE: u64 = WORDS as u64 * 4;

/// The most devices whose buffers are read.
const DEVICES: usize = 16;

/// The words of each device, or NULL.
static MAPPED: [AtomicPtr<AtomicU32>; DEVICES] = [const { AtomicPtr::new(null_mut()) }; DEVICES];

/// How many threads read them.
static READERS: AtomicU32 = AtomicU32::new(0);

#[derive(Default)]
pub(crate) struct MarkerBuffer {
    buffer: AtomicU64,
    memory: AtomicU64,
    words: AtomicPtr<AtomicU32>,
}

pub(crate) struct Progress {
    pub(crate) top: Marker,
    pub(crate) bottom: Option<Marker>,
}

impl MarkerBuffer {
    /// Creates the buffer of a new device, and maps it. Returns `None` if the device has no memory for it.
    pub(crate) fn create(&self, device: vk::Device, types: &[vk::MemoryType]) -> Option<()> {
        // SAFETY: the device was just created, and the application has not got it yet. All structures live until the end of the call.
        unsafe {
            let functions = device_of::<Recorder>(device.as_raw())?;
            let callbacks = InOptional::new(null());
            let (mut buffer, mut memory) = (vk::Buffer::null(), vk::DeviceMemory::null());
            let info = vk::BufferCreateInfo::default().size(SIZE).usage(vk::BufferUsageFlags::TRANSFER_DST);
            let create = functions.function::<CreateBuffer>()?;
            create(device, In::new(&raw const info), callbacks, Out::new(&raw mut buffer)).result().ok()?;
            self.buffer.store(buffer.as_raw(), Ordering::Relaxed);
            let mut needs = vk::MemoryRequirements::default();
            functions.function::<GetBufferMemoryRequirements>()?(device, buffer, Out::new(&raw mut needs));
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let is_good = |(index, of_type): (usize, &vk::MemoryType)| {
                needs.memory_type_bits >> index & 1 == 1 && of_type.property_flags.contains(wanted)
            };
            let index = types.iter().enumerate().position(is_good)?;
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index as u32);
            let allocate = functions.function::<AllocateMemory>()?;
            allocate(device, In::new(&raw const info), callbacks, Out::new(&raw mut memory)).result().ok()?;
            self.memory.store(memory.as_raw(), Ordering::Relaxed);
            functions.function::<BindBufferMemory>()?(device, buffer, memory, 0).result().ok()?;
            let mut words = null_mut::<c_void>();
            let map = functions.function::<MapMemory>()?;
            map(device, memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty(), &raw mut words)
                .result()
                .ok()?;
            let words = words.cast::<AtomicU32>();
            words.write_bytes(0, WORDS);
            self.words.store(words, Ordering::Release);
            let is_free = |slot: &&AtomicPtr<AtomicU32>| {
                slot.compare_exchange(null_mut(), words, Ordering::SeqCst, Ordering::Relaxed).is_ok()
            };
            MAPPED.iter().find(is_free).map(|_| ())
        }
    }

    pub(crate) fn mark(&self, id: CommandId, command_buffer: u64) {
        let (place, word) = markers::next_word(id, command_buffer);
        let buffer = vk::Buffer::from_raw(self.buffer.load(Ordering::Relaxed));
        let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::BOTTOM_OF_PIPE];
        // SAFETY: the program passes this command buffer to the command, so it and its device exist, which has the extension.
        unsafe {
            let device = device_of::<Recorder>(command_buffer);
            let Some(write) = device.and_then(|device| device.function::<CmdWriteBufferMarkerAMD>()) else {
                return;
            };
            for (offset, stage) in (place.saturating_mul(8) as u64..).step_by(4).zip(stages) {
                write(vk::CommandBuffer::from_raw(command_buffer), stage, buffer, offset, word);
            }
        }
    }

    /// Destroys the buffer, before its device is destroyed.
    pub(crate) fn destroy(&self, device: vk::Device) {
        let words = self.words.swap(null_mut(), Ordering::Relaxed);
        for slot in MAPPED.iter().filter(|_| !words.is_null()) {
            let _ = slot.compare_exchange(words, null_mut(), Ordering::SeqCst, Ordering::Relaxed);
        }
        while READERS.load(Ordering::SeqCst) != 0 {
            core::hint::spin_loop();
        }
        let buffer = vk::Buffer::from_raw(self.buffer.swap(0, Ordering::Relaxed));
        let memory = vk::DeviceMemory::from_raw(self.memory.swap(0, Ordering::Relaxed));
        // SAFETY: the device exists, and the program uses it no longer. NULL can be destroyed.
        unsafe {
            let Some(functions) = device_of::<Recorder>(device.as_raw()) else { return };
            let callbacks = InOptional::new(null());
            if let Some(destroy) = functions.function::<DestroyBuffer>().filter(|_| !buffer.is_null()) {
                destroy(device, buffer, callbacks);
            }
            if let Some(free) = functions.function::<FreeMemory>().filter(|_| !memory.is_null()) {
                free(device, memory, callbacks);
            }
        }
    }
}

/// Passes the progress of each command buffer that is not complete. Safe in a signal handler.
pub(crate) fn unfinished(mut each: impl FnMut(&Progress) -> core::fmt::Result) -> core::fmt::Result {
    READERS.fetch_add(1, Ordering::SeqCst);
    let mut result = Ok(());
    for words in MAPPED.iter().map(|slot| slot.load(Ordering::SeqCst)).filter(|words| !words.is_null()) {
        // SAFETY: a buffer that is in the list has so many words, and is freed only when nothing reads.
        let words = unsafe { core::slice::from_raw_parts(words, WORDS) };
        for (place, pair) in words.as_chunks::<2>().0.iter().enumerate() {
            let [top, bottom] = pair.each_ref().map(|word| word.load(Ordering::Relaxed));
            let Some(top) = markers::read_word(place, top) else { continue };
            let bottom = markers::read_word(place, bottom);
            let is_complete = top.command == command::END_COMMAND_BUFFER && bottom == Some(top);
            if !is_complete && result.is_ok() {
                result = each(&Progress { top, bottom });
            }
        }
    }
    READERS.fetch_sub(1, Ordering::SeqCst);
    result
}
