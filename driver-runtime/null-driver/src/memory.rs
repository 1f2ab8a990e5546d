//! Device memory, which is host memory: from the heap, shared with other processes, or the application's own.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use core::ffi::c_void;
use core::ptr::NonNull;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::registry::extension;
use vkload_driver_runtime::{Device, Object, calls, entry_points, vk};

use crate::description::HEAP_SIZE;
use crate::device::{device, device_objects};
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

device_objects! { Memory = DeviceMemory }

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

fn allocate_memory(call: &calls::AllocateMemory<'_>) -> Result<(), vk::Result> {
    let info = &call.allocate_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = device(call.device);
        let memory = allocate_counted(device, info)?;
        let counted = memory.counted;
        Object::create_command(call.device, call.allocator.as_ptr(), call.memory.as_ptr(), memory)
            .result()
            .inspect_err(|_| forget(device, counted))?;
        let imported = chain::find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next);
        if let Some(imported) = imported.filter(|it| !it.handle_type.is_empty()) {
            // With success, and only then, the descriptor is the driver's, which has another one for the same memory.
            close(imported.fd);
        }
    }
    Ok(())
}

/// # Safety
/// `memory` is a live handle, and `out` is valid.
unsafe fn map(memory: vk::DeviceMemory, offset: u64, out: *mut *mut c_void) -> Result<(), vk::Result> {
    // SAFETY: the caller vouches for handle and pointer.
    unsafe {
        let start = Object::<Memory>::from_handle(memory).and_then(|memory| memory.at(offset));
        out.write(start.ok_or(vk::Result::ERROR_MEMORY_MAP_FAILED)?.as_ptr().cast());
    }
    Ok(())
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        AllocateMemory = allocate_memory,
        FreeMemory = |call| {
            if let Some(memory) = Object::<Memory>::from_handle(call.memory) {
                forget(device(call.device), memory.counted);
            }
            Object::<Memory>::destroy(call.memory, call.allocator.as_ptr());
        },
        MapMemory = |call| map(call.memory, call.offset, call.data),
        MapMemory2KHR = |call| map(call.memory_map_info.memory, call.memory_map_info.offset, call.data),
        // Memory remains mapped.
        UnmapMemory = |_| (),
        UnmapMemory2KHR = |_| vk::Result::SUCCESS,
        // All memory is coherent.
        FlushMappedMemoryRanges = |_| vk::Result::SUCCESS,
        InvalidateMappedMemoryRanges = |_| vk::Result::SUCCESS,
        // No memory is allocated lazily.
        GetDeviceMemoryCommitment = |call| call.committed_memory_in_bytes.write(0),
        // Addresses cannot be requested again, since the feature is not supported.
        GetDeviceMemoryOpaqueCaptureAddress = |_| 0,
        // Every device of a group has the same memory.
        GetDeviceGroupPeerMemoryFeatures = |call| {
            let copies = vk::PeerMemoryFeatureFlags::COPY_SRC | vk::PeerMemoryFeatureFlags::COPY_DST;
            call.peer_memory_features.write(copies);
        },
    }
};
