//! Device memory, which is host memory: from the heap, shared with other processes, or the application's own.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use core::ffi::c_void;
use core::ptr::NonNull;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::registry::extension;
use vkload_driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::description::HEAP_SIZE;
use crate::host::{SharedMemory, close};
use crate::{Null, scenario};

/// The alignment of buffers and images in memory.
pub(crate) const ALIGNMENT: u64 = 64;

/// A block of memory, initially zero unless another process or the application created it.
pub(crate) struct Memory {
    block: NonNull<u8>,
    size: usize,
    source: Source,
    /// The heap that it is counted in, and with which size, if an application has allocated it.
    counted: Option<(usize, u64)>,
}

enum Source {
    Heap(Layout),
    Shared(SharedMemory),
    /// The application, which gets it back when it is no longer in use.
    Application,
}

// SAFETY: the block is bytes; the specification makes applications order their accesses.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Memory {
    type Handle = vk::DeviceMemory;
    type Parent = Device<Null>;
}

impl Memory {
    pub(crate) fn new(size: u64) -> Option<Self> {
        let size = checked(size)?;
        let layout = Layout::from_size_align(size, ALIGNMENT as usize).ok()?;
        // SAFETY: the size is not 0.
        let block = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { block, size, source: Source::Heap(layout), counted: None })
    }

    /// Allocates memory of the kind that the application requests: its own, another process's, memory to be shared,
    /// or any.
    ///
    /// # Safety
    /// `info` is valid, and so is the application's memory or handle in it.
    unsafe fn allocate(info: &vk::MemoryAllocateInfo<'_>) -> Result<Self, vk::Result> {
        const BAD_HANDLE: vk::Result = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
        const FULL: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
        // SAFETY: the caller vouches for the chain.
        let (brought, imported, exported) = unsafe {
            (
                chain::find::<vk::ImportMemoryHostPointerInfoEXT<'_>>(info.p_next),
                chain::find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next),
                chain::find::<vk::ExportMemoryAllocateInfo<'_>>(info.p_next),
            )
        };
        let size = checked(info.allocation_size).ok_or(FULL)?;
        if let Some(brought) = brought.filter(|brought| !brought.handle_type.is_empty()) {
            let _known = external_properties(brought.handle_type).ok_or(BAD_HANDLE)?;
            let block = NonNull::new(brought.p_host_pointer.cast()).ok_or(BAD_HANDLE)?;
            return Ok(Self { block, size, source: Source::Application, counted: None });
        }
        let shared = |memory: SharedMemory| Self {
            block: memory.start(),
            size: memory.size(),
            source: Source::Shared(memory),
            counted: None,
        };
        let opaque = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        if let Some(imported) = imported.filter(|imported| !imported.handle_type.is_empty()) {
            let is_known = imported.handle_type == opaque && external_properties(opaque).is_some();
            let memory = is_known.then(|| SharedMemory::import(imported.fd, size)).flatten();
            return memory.map(shared).ok_or(BAD_HANDLE);
        }
        if exported.is_some_and(|exported| exported.handle_types.contains(opaque)) {
            return SharedMemory::new(size).map(shared).ok_or(FULL);
        }
        Self::new(info.allocation_size).ok_or(FULL)
    }

    /// Returns the memory that other processes can share, if this memory is of that kind.
    pub(crate) fn shared(&self) -> Option<&SharedMemory> {
        match &self.source {
            Source::Shared(memory) => Some(memory),
            _ => None,
        }
    }

    /// Returns the bytes from `offset` on, if `offset` is inside the block.
    pub(crate) fn at(&self, offset: u64) -> Option<NonNull<u8>> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.size)?;
        // SAFETY: the offset lies in the block.
        Some(unsafe { self.block.add(offset) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Source::Heap(layout) = self.source {
            // SAFETY: the block came from the allocator with this layout.
            unsafe { dealloc(self.block.as_ptr(), layout) };
        }
    }
}

/// Returns the driver's abilities with a kind of memory handle, or `None`.
pub(crate) fn external_properties(
    kind: vk::ExternalMemoryHandleTypeFlags,
) -> Option<vk::ExternalMemoryProperties> {
    use vk::ExternalMemoryFeatureFlags as Can;
    let has = |id| scenario::get().device_extensions.contains(id);
    let (features, from_imported) = match kind {
        vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD
            if cfg!(target_os = "linux") && has(extension::KHR_EXTERNAL_MEMORY_FD) =>
        {
            (Can::EXPORTABLE | Can::IMPORTABLE, kind)
        }
        vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT
        | vk::ExternalMemoryHandleTypeFlags::HOST_MAPPED_FOREIGN_MEMORY_EXT
            if has(extension::EXT_EXTERNAL_MEMORY_HOST) =>
        {
            (Can::IMPORTABLE, vk::ExternalMemoryHandleTypeFlags::empty())
        }
        _ => return None,
    };
    Some(vk::ExternalMemoryProperties {
        external_memory_features: features,
        export_from_imported_handle_types: from_imported,
        compatible_handle_types: kind,
    })
}

/// Returns the size, if an allocation may have it.
fn checked(size: u64) -> Option<usize> {
    usize::try_from(size).ok().filter(|_| size > 0 && size <= HEAP_SIZE)
}

/// Allocates memory as the application requests, if its heap has enough left.
///
/// # Safety
/// As for [`Memory::allocate`].
unsafe fn allocate_counted(
    device: &Device<Null>,
    info: &vk::MemoryAllocateInfo<'_>,
) -> Result<Memory, vk::Result> {
    let (physical, size) = (device.physical(), info.allocation_size);
    let heap = physical.take(physical.description(), info.memory_type_index, size)?;
    // SAFETY: the caller vouches for the structure.
    match unsafe { Memory::allocate(info) } {
        Ok(mut memory) => {
            memory.counted = Some((heap, size));
            Ok(memory)
        }
        Err(error) => {
            physical.give_back(heap, size);
            Err(error)
        }
    }
}

fn forget(device: &Device<Null>, counted: Option<(usize, u64)>) {
    if let Some((heap, size)) = counted {
        device.physical().give_back(heap, size);
    }
}

unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let info = &*info;
        let result = match allocate_counted(crate::device::device(device), info) {
            Ok(memory) => {
                let counted = memory.counted;
                let result = Object::create_command(device, callbacks, out, memory);
                if result != vk::Result::SUCCESS {
                    forget(crate::device::device(device), counted);
                }
                result
            }
            Err(error) => error,
        };
        let imported = chain::find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next);
        if let Some(imported) =
            imported.filter(|it| !it.handle_type.is_empty() && result == vk::Result::SUCCESS)
        {
            // With success, and only then, the descriptor is the driver's, which has another one for the same memory.
            close(imported.fd);
        }
        result
    }
}

unsafe extern "system" fn free_memory(
    device: vk::Device,
    memory: vk::DeviceMemory,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe {
        if let Some(memory) = Object::<Memory>::from_handle(memory) {
            forget(crate::device::device(device), memory.counted);
        }
        Object::<Memory>::destroy(memory, callbacks);
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
    // SAFETY: the caller passes a live handle and a valid pointer.
    unsafe {
        match Object::<Memory>::from_handle(memory).and_then(|memory| memory.at(offset)) {
            Some(start) => {
                out.write(start.as_ptr().cast());
                vk::Result::SUCCESS
            }
            None => vk::Result::ERROR_MEMORY_MAP_FAILED,
        }
    }
}

unsafe extern "system" fn map_memory_2(
    device: vk::Device,
    info: *const vk::MemoryMapInfoKHR<'_>,
    out: *mut *mut c_void,
) -> vk::Result {
    // SAFETY: the caller passes live handles and valid pointers.
    unsafe { map_memory(device, (*info).memory, (*info).offset, (*info).size, (*info).flags, out) }
}

/// Does nothing: memory remains mapped.
unsafe extern "system" fn unmap_memory(_: vk::Device, _: vk::DeviceMemory) {}

unsafe extern "system" fn unmap_memory_2(_: vk::Device, _: *const vk::MemoryUnmapInfoKHR<'_>) -> vk::Result {
    vk::Result::SUCCESS
}

/// Does nothing: all memory is coherent.
unsafe extern "system" fn flush_mapped_memory_ranges(
    _: vk::Device,
    _: u32,
    _: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    vk::Result::SUCCESS
}

/// Reports 0: no memory is allocated lazily.
unsafe extern "system" fn get_device_memory_commitment(
    _: vk::Device,
    _: vk::DeviceMemory,
    out: *mut vk::DeviceSize,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(0) };
}

/// Returns 0: addresses cannot be requested again, since the feature is not supported.
unsafe extern "system" fn get_device_memory_opaque_capture_address(
    _: vk::Device,
    _: *const vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
) -> u64 {
    0
}

/// Reports that every device of a group has the same memory.
unsafe extern "system" fn get_device_group_peer_memory_features(
    _: vk::Device,
    _: u32,
    _: u32,
    _: u32,
    out: *mut vk::PeerMemoryFeatureFlags,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::PeerMemoryFeatureFlags::COPY_SRC | vk::PeerMemoryFeatureFlags::COPY_DST) };
}

/// The commands of memory.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        ALLOCATE_MEMORY: PFN_vkAllocateMemory = allocate_memory,
        FREE_MEMORY: PFN_vkFreeMemory = free_memory,
        MAP_MEMORY: PFN_vkMapMemory = map_memory,
        MAP_MEMORY_2_KHR: PFN_vkMapMemory2KHR = map_memory_2,
        UNMAP_MEMORY: PFN_vkUnmapMemory = unmap_memory,
        UNMAP_MEMORY_2_KHR: PFN_vkUnmapMemory2KHR = unmap_memory_2,
        FLUSH_MAPPED_MEMORY_RANGES: PFN_vkFlushMappedMemoryRanges = flush_mapped_memory_ranges,
        INVALIDATE_MAPPED_MEMORY_RANGES: PFN_vkInvalidateMappedMemoryRanges = flush_mapped_memory_ranges,
        GET_DEVICE_MEMORY_COMMITMENT: PFN_vkGetDeviceMemoryCommitment = get_device_memory_commitment,
        GET_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS: PFN_vkGetDeviceMemoryOpaqueCaptureAddress
            = get_device_memory_opaque_capture_address,
        GET_DEVICE_GROUP_PEER_MEMORY_FEATURES: PFN_vkGetDeviceGroupPeerMemoryFeatures
            = get_device_group_peer_memory_features,
    }
};
