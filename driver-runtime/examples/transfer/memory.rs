//! Device memory, which is host memory, and the buffers in it.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::resource::BufferInfo;
use vkload_driver_runtime::{Device, Object, VkObject, calls, entry_points, vk};

use crate::Transfer;

/// The alignment of buffer memory, in bytes.
pub(crate) const ALIGNMENT: u64 = 64;

pub(crate) const HEAP: u64 = 1 << 32;

/// A block of memory, zero at first.
struct Memory {
    block: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block is bytes; applications order their accesses.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Memory {
    type Handle = vk::DeviceMemory;
    type Parent = Device<Transfer>;
}

impl Memory {
    fn new(size: u64) -> Option<Self> {
        let size = usize::try_from(size).ok().filter(|size| (1..=HEAP as usize).contains(size))?;
        let layout = Layout::from_size_align(size, ALIGNMENT as usize).ok()?;
        // SAFETY: the size is not 0.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { block, layout })
    }

    /// Returns the byte at an offset, if it lies in the block.
    fn at(&self, offset: u64) -> Option<NonNull<u8>> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.layout.size())?;
        // SAFETY: the offset lies in the block.
        Some(unsafe { self.block.add(offset) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the block came from the allocator with this layout.
        unsafe { dealloc(self.block.as_ptr(), self.layout) };
    }
}

/// A buffer: NULL until memory is bound to it.
pub(crate) struct Buffer {
    info: BufferInfo,
    start: AtomicPtr<u8>,
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Buffer {
    type Handle = vk::Buffer;
    type Parent = Device<Transfer>;
}

/// A part of a buffer. Accesses outside of it are impossible.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    start: NonNull<u8>,
    /// In bytes.
    size: u64,
}

// SAFETY: as for `Memory`.
unsafe impl Send for Range {}

impl Buffer {
    /// Returns the `size` bytes from `offset` on, truncated at the end of the buffer: `VK_WHOLE_SIZE` selects the
    /// rest of it. `None` if no memory is bound, or the offset lies behind the end.
    ///
    /// # Safety
    /// `buffer` is a live handle, and stays so, with its memory, while the range is used.
    pub(crate) unsafe fn range(buffer: vk::Buffer, offset: u64, size: u64) -> Option<Range> {
        // SAFETY: the caller vouches for the handle.
        let buffer = unsafe { Object::<Self>::from_handle(buffer) }?;
        let start = NonNull::new(buffer.start.load(Ordering::Acquire))?;
        let size = buffer.info.range(offset, size)?;
        // SAFETY: the offset lies in the buffer, whose memory is as large as it required.
        Some(Range { start: unsafe { start.add(offset as usize) }, size })
    }
}

impl Range {
    /// Fills the range with a word, as far as whole words fit.
    pub(crate) fn fill(self, word: u32) {
        let words = self.start.cast::<u32>();
        for index in 0..self.size as usize / 4 {
            // SAFETY: the word lies in the range, whose memory the owner of the handle keeps.
            unsafe { words.add(index).write_unaligned(word) };
        }
    }

    /// Writes `bytes` to the beginning, as far as they fit.
    pub(crate) fn write(self, bytes: &[u8]) {
        // SAFETY: both are as long as the count; command parameters are not device memory.
        unsafe {
            self.start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(self.size as usize))
        };
    }

    /// Returns the word at an offset, if it lies in the range.
    pub(crate) fn word(self, offset: u32) -> Option<u32> {
        // SAFETY: the word lies in the range.
        self.at(offset).map(|word| unsafe { word.read_unaligned() })
    }

    /// Writes the word at an offset, if it lies in the range.
    pub(crate) fn set_word(self, offset: u32, value: u32) {
        // SAFETY: as above.
        self.at(offset).into_iter().for_each(|word| unsafe { word.write_unaligned(value) });
    }

    fn at(self, offset: u32) -> Option<NonNull<u32>> {
        let is_inside = u64::from(offset) + 4 <= self.size;
        // SAFETY: the offset lies in the range.
        is_inside.then(|| unsafe { self.start.add(offset as usize).cast() })
    }

    /// Copies the beginning of `from`, as far as it fits.
    pub(crate) fn copy(self, from: Self) {
        // SAFETY: both ranges have as many bytes; they may be of one buffer.
        unsafe { self.start.as_ptr().copy_from(from.start.as_ptr(), self.size.min(from.size) as usize) };
    }
}

fn allocate_memory(call: &calls::AllocateMemory<'_>) -> vk::Result {
    let Some(memory) = Memory::new(call.allocate_info.allocation_size) else {
        return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
    };
    // SAFETY: the call obeys the specification, here and below.
    unsafe { Object::create_command(call.device, call.allocator.as_ptr(), call.memory.as_ptr(), memory) }
}

fn map_memory(call: &calls::MapMemory<'_>) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let memory = Object::<Memory>::from_handle(call.memory);
        let Some(start) = memory.and_then(|memory| memory.at(call.offset)) else {
            return vk::Result::ERROR_MEMORY_MAP_FAILED;
        };
        call.data.write(start.as_ptr().cast());
    }
    vk::Result::SUCCESS
}

fn create_buffer(call: &calls::CreateBuffer<'_>) -> vk::Result {
    if call.create_info.size > HEAP {
        return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
    }
    // SAFETY: as above.
    unsafe {
        let buffer = Buffer { info: BufferInfo::new(&call.create_info), start: AtomicPtr::new(null_mut()) };
        Object::create_command(call.device, call.allocator.as_ptr(), call.buffer.as_ptr(), buffer)
    }
}

fn get_buffer_memory_requirements_2(call: &calls::GetBufferMemoryRequirements2<'_>) -> Option<()> {
    // SAFETY: as above.
    unsafe {
        let size = Object::<Buffer>::from_handle(call.info.buffer)?.info.size.next_multiple_of(ALIGNMENT);
        call.memory_requirements.as_mut().memory_requirements =
            vk::MemoryRequirements { size, alignment: ALIGNMENT, memory_type_bits: 1 };
    }
    Some(())
}

fn bind_buffer_memory_2(call: &calls::BindBufferMemory2<'_>) -> vk::Result {
    for info in call.bind_infos() {
        // SAFETY: as above.
        unsafe {
            let memory = Object::<Memory>::from_handle(info.memory);
            let start = memory.and_then(|memory| memory.at(info.memory_offset));
            let (Some(buffer), Some(start)) = (Object::<Buffer>::from_handle(info.buffer), start) else {
                return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
            };
            buffer.start.store(start.as_ptr(), Ordering::Release);
        }
    }
    vk::Result::SUCCESS
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        AllocateMemory = allocate_memory,
        FreeMemory = |call| Object::<Memory>::destroy(call.memory, call.allocator.as_ptr()),
        MapMemory = map_memory,
        // Memory remains mapped, and all of it is coherent.
        UnmapMemory = |_| (),
        FlushMappedMemoryRanges = |_| vk::Result::SUCCESS,
        InvalidateMappedMemoryRanges = |_| vk::Result::SUCCESS,
        CreateBuffer = create_buffer,
        DestroyBuffer = |call| Object::<Buffer>::destroy(call.buffer, call.allocator.as_ptr()),
        GetBufferMemoryRequirements2 = get_buffer_memory_requirements_2,
        BindBufferMemory2 = bind_buffer_memory_2,
    }
};
