//! Device memory, which is host memory, and the buffers in it.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::resource::BufferInfo;
use vkload_driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Transfer;

/// The alignment of buffer memory, in bytes.
pub(crate) const ALIGNMENT: u64 = 64;

/// The bytes of the only heap.
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

    /// Returns the byte at an offset, which lies in the block.
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

unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe {
        match Memory::new((*info).allocation_size) {
            Some(memory) => Object::create_command(device, callbacks, out, memory),
            None => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        }
    }
}

unsafe extern "system" fn map_memory(
    _: vk::Device,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
    _: vk::DeviceSize,
    _: vk::MemoryMapFlags,
    out: *mut *mut c_void,
) -> vk::Result {
    // SAFETY: the application passes a live handle and a valid pointer.
    unsafe {
        let Some(start) = Object::<Memory>::from_handle(memory).and_then(|memory| memory.at(offset)) else {
            return vk::Result::ERROR_MEMORY_MAP_FAILED;
        };
        out.write(start.as_ptr().cast());
    }
    vk::Result::SUCCESS
}

/// Does nothing: memory remains mapped.
unsafe extern "system" fn unmap_memory(_: vk::Device, _: vk::DeviceMemory) {}

/// Does nothing: all memory is coherent.
unsafe extern "system" fn flush_or_invalidate(
    _: vk::Device,
    _: u32,
    _: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe {
        if (*info).size > HEAP {
            return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
        }
        Object::create_command(
            device,
            callbacks,
            out,
            Buffer { info: BufferInfo::new(&*info), start: AtomicPtr::new(null_mut()) },
        )
    }
}

unsafe extern "system" fn get_buffer_memory_requirements_2(
    _: vk::Device,
    info: *const vk::BufferMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe {
        if let Some(buffer) = Object::<Buffer>::from_handle((*info).buffer) {
            let size = buffer.info.size.next_multiple_of(ALIGNMENT);
            (*out).memory_requirements =
                vk::MemoryRequirements { size, alignment: ALIGNMENT, memory_type_bits: 1 };
        }
    }
}

unsafe extern "system" fn bind_buffer_memory_2(
    _: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo<'_>,
) -> vk::Result {
    for index in 0..count as usize {
        // SAFETY: the application passes live handles in a counted array.
        unsafe {
            let info = &*infos.add(index);
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
        ALLOCATE_MEMORY: PFN_vkAllocateMemory = allocate_memory,
        FREE_MEMORY: PFN_vkFreeMemory = Object::<Memory>::destroy_command,
        MAP_MEMORY: PFN_vkMapMemory = map_memory,
        UNMAP_MEMORY: PFN_vkUnmapMemory = unmap_memory,
        FLUSH_MAPPED_MEMORY_RANGES: PFN_vkFlushMappedMemoryRanges = flush_or_invalidate,
        INVALIDATE_MAPPED_MEMORY_RANGES: PFN_vkInvalidateMappedMemoryRanges = flush_or_invalidate,
        CREATE_BUFFER: PFN_vkCreateBuffer = create_buffer,
        DESTROY_BUFFER: PFN_vkDestroyBuffer = Object::<Buffer>::destroy_command,
        GET_BUFFER_MEMORY_REQUIREMENTS_2: PFN_vkGetBufferMemoryRequirements2 = get_buffer_memory_requirements_2,
        BIND_BUFFER_MEMORY_2: PFN_vkBindBufferMemory2 = bind_buffer_memory_2,
    }
};
