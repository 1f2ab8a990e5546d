//! Buffers, and the memory requirements of buffers and images.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::resource::BufferInfo;
use vkload_driver_runtime::{Object, calls, entry_points, vk};

use crate::Null;
use crate::description::HEAP_SIZE;
use crate::device::device_objects;
use crate::memory::{ALIGNMENT, Memory};
use crate::scenario;

pub(crate) struct Buffer {
    info: BufferInfo,
    start: AtomicPtr<u8>,
}

device_objects! { Buffer = Buffer }

impl Buffer {
    /// Returns the `size` bytes from `offset` on, truncated at the end of the buffer: their address and number.
    pub(crate) fn bytes(&self, offset: u64, size: u64) -> Option<(NonNull<u8>, usize)> {
        let start = NonNull::new(self.start.load(Ordering::Acquire))?;
        let size = self.info.range(offset, size)?;
        // SAFETY: the offset lies in the buffer, whose memory is as large as it required.
        Some((unsafe { start.add(offset as usize) }, size as usize))
    }
}

fn requirements(size: u64) -> vk::MemoryRequirements {
    let size = size.max(1).next_multiple_of(ALIGNMENT);
    vk::MemoryRequirements { size, alignment: ALIGNMENT, memory_type_bits: scenario::get().memory_types() }
}

/// Writes the requirements, and reports that no resource needs dedicated memory.
///
/// # Safety
/// `out` is valid.
pub(crate) unsafe fn write_requirements(size: u64, out: *mut vk::MemoryRequirements2<'_>) {
    // SAFETY: the caller vouches for the pointer; each structure has the type in its `sType`.
    unsafe {
        (*out).memory_requirements = requirements(size);
        for structure in chain::pointers((*out).p_next) {
            if (*structure).s_type == vk::StructureType::MEMORY_DEDICATED_REQUIREMENTS {
                let dedicated = structure.cast::<vk::MemoryDedicatedRequirements<'_>>();
                (*dedicated).prefers_dedicated_allocation = vk::FALSE;
                (*dedicated).requires_dedicated_allocation = vk::FALSE;
            }
        }
    }
}

/// Returns the memory address that a resource is bound to.
///
/// # Safety
/// `memory` is a live handle.
pub(crate) unsafe fn address(memory: vk::DeviceMemory, offset: u64) -> Option<*mut u8> {
    // SAFETY: the caller vouches for the handle.
    let memory = unsafe { Object::<Memory>::from_handle(memory) }?;
    memory.at(offset).map(NonNull::as_ptr)
}

/// Writes the result to each binding's status structure (`VkBindMemoryStatus`), if it has one.
///
/// # Safety
/// `next` begins a pNext chain.
pub(crate) unsafe fn report_binding(next: *const core::ffi::c_void, result: vk::Result) -> vk::Result {
    // SAFETY: the caller vouches for the chain.
    unsafe {
        if let Some(status) = chain::find::<vk::BindMemoryStatusKHR<'_>>(next) {
            status.p_result.write(result);
        }
    }
    result
}

fn bind_buffer_memory_2(call: &calls::BindBufferMemory2<'_>) -> vk::Result {
    let mut last = vk::Result::SUCCESS;
    // SAFETY: the call obeys the specification.
    unsafe {
        for info in call.bind_infos() {
            let buffer = Object::<Buffer>::from_handle(info.buffer);
            let result = match (buffer, address(info.memory, info.memory_offset)) {
                (Some(buffer), Some(start)) => {
                    buffer.start.store(start, Ordering::Release);
                    vk::Result::SUCCESS
                }
                _ => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            };
            if report_binding(info.p_next, result) != vk::Result::SUCCESS {
                last = result;
            }
        }
    }
    last
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateBuffer = |call| {
            if call.create_info.size > HEAP_SIZE {
                return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
            }
            let info = BufferInfo::new(&call.create_info);
            let buffer = Buffer { info, start: AtomicPtr::new(null_mut()) };
            Object::create_command(call.device, call.allocator.as_ptr(), call.buffer.as_ptr(), buffer)
        },
        DestroyBuffer = |call| Object::<Buffer>::destroy(call.buffer, call.allocator.as_ptr()),
        GetBufferMemoryRequirements2 = |call| {
            let buffer = Object::<Buffer>::from_handle(call.info.buffer)?;
            write_requirements(buffer.info.size, call.memory_requirements.as_ptr());
            Some(())
        },
        GetDeviceBufferMemoryRequirements = |call| {
            write_requirements((*call.info.p_create_info).size, call.memory_requirements.as_ptr());
        },
        BindBufferMemory2 = bind_buffer_memory_2,
        // Returns the host's address as the device address.
        GetBufferDeviceAddress = |call| {
            let buffer = Object::<Buffer>::from_handle(call.info.buffer);
            buffer
                .and_then(|buffer| buffer.bytes(0, 0))
                .map_or(0, |(start, _)| start.as_ptr().expose_provenance() as u64)
        },
        // Addresses cannot be requested again, since the feature is not supported.
        GetBufferOpaqueCaptureAddress = |_| 0,
    }
};
