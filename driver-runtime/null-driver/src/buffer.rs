//! Buffers and images: a size, and the memory that they are bound to.

use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use driver_runtime::{Device, Object, VkObject, vk};

use crate::Null;
use crate::device::create;
use crate::memory::{ALIGNMENT, Memory};

/// A buffer.
pub(crate) struct Buffer(Bound);

/// An image. Its memory is as large as the largest format needs, and nothing knows the layout of its texels.
pub(crate) struct Image(Bound);

/// So many bytes somewhere in memory.
struct Bound {
    size: u64,
    start: AtomicPtr<u8>,
}

impl VkObject for Buffer {
    type Handle = vk::Buffer;
    type Parent = Device<Null>;
}

impl VkObject for Image {
    type Handle = vk::Image;
    type Parent = Device<Null>;
}

impl Bound {
    fn new(size: u64) -> Self {
        Self { size, start: AtomicPtr::new(null_mut()) }
    }

    fn requirements(&self) -> vk::MemoryRequirements {
        vk::MemoryRequirements {
            size: self.size.next_multiple_of(ALIGNMENT),
            alignment: ALIGNMENT,
            memory_type_bits: 1,
        }
    }

    /// # Safety
    /// `memory` is a live handle.
    unsafe fn bind(&self, memory: vk::DeviceMemory, offset: u64) -> vk::Result {
        // SAFETY: the caller vouches for the handle.
        let start = unsafe { Object::<Memory>::from_handle(memory) }.and_then(|memory| memory.at(offset));
        self.start.store(start.map_or(null_mut(), NonNull::as_ptr), Ordering::Release);
        if start.is_some() { vk::Result::SUCCESS } else { vk::Result::ERROR_OUT_OF_DEVICE_MEMORY }
    }
}

impl Buffer {
    /// The `size` bytes from `offset` on, cut at the end of the buffer: where they are and how many.
    pub(crate) fn bytes(&self, offset: u64, size: u64) -> Option<(NonNull<u8>, usize)> {
        let start = NonNull::new(self.0.start.load(Ordering::Acquire))?;
        let left = self.0.size.checked_sub(offset)?;
        // SAFETY: the offset lies in the buffer, whose memory is as large as it required.
        Some((unsafe { start.add(offset as usize) }, size.min(left) as usize))
    }
}

pub(crate) unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create(device, callbacks, out, Buffer(Bound::new((*info).size))) }
}

pub(crate) unsafe extern "system" fn create_image(
    device: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    /// The largest texel, of four 64-bit numbers.
    const TEXEL: u64 = 32;
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let vk::Extent3D { width, height, depth } = (*info).extent;
        let texels =
            u64::from(width) * u64::from(height) * u64::from(depth) * u64::from((*info).array_layers);
        let with_mip_levels = if (*info).mip_levels > 1 { texels * 2 } else { texels };
        create(device, callbacks, out, Image(Bound::new(with_mip_levels * TEXEL)))
    }
}

macro_rules! resource {
    ($(
        $type:ident $handle:ident: $destroy:ident, $requirements:ident, $requirements_2:ident($info:ident),
        $bind:ident, $bind_2:ident($bind_info:ident), $member:ident;
    )*) => {$(
        pub(crate) unsafe extern "system" fn $destroy(
            _: vk::Device,
            handle: vk::$handle,
            callbacks: *const vk::AllocationCallbacks<'_>,
        ) {
            // SAFETY: the caller passes a live or null handle.
            unsafe { Object::<$type>::destroy(handle, callbacks) };
        }

        pub(crate) unsafe extern "system" fn $requirements(
            _: vk::Device,
            handle: vk::$handle,
            out: *mut vk::MemoryRequirements,
        ) {
            // SAFETY: the caller passes a live handle and a valid pointer.
            unsafe {
                if let Some(resource) = Object::<$type>::from_handle(handle) {
                    out.write(resource.0.requirements());
                }
            }
        }

        pub(crate) unsafe extern "system" fn $requirements_2(
            device: vk::Device,
            info: *const vk::$info<'_>,
            out: *mut vk::MemoryRequirements2<'_>,
        ) {
            // SAFETY: the caller passes a live handle and valid pointers.
            unsafe { $requirements(device, (*info).$member, &raw mut (*out).memory_requirements) };
        }

        pub(crate) unsafe extern "system" fn $bind(
            _: vk::Device,
            handle: vk::$handle,
            memory: vk::DeviceMemory,
            offset: vk::DeviceSize,
        ) -> vk::Result {
            // SAFETY: the caller passes live handles.
            unsafe {
                Object::<$type>::from_handle(handle)
                    .map_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, |resource| resource.0.bind(memory, offset))
            }
        }

        pub(crate) unsafe extern "system" fn $bind_2(
            device: vk::Device,
            count: u32,
            infos: *const vk::$bind_info<'_>,
        ) -> vk::Result {
            // SAFETY: the caller passes a counted array of live handles.
            unsafe {
                for info in std::slice::from_raw_parts(infos, count as usize) {
                    let result = $bind(device, info.$member, info.memory, info.memory_offset);
                    if result != vk::Result::SUCCESS {
                        return result;
                    }
                }
            }
            vk::Result::SUCCESS
        }
    )*};
}

resource! {
    Buffer Buffer: destroy_buffer, get_buffer_memory_requirements,
        get_buffer_memory_requirements_2(BufferMemoryRequirementsInfo2),
        bind_buffer_memory, bind_buffer_memory_2(BindBufferMemoryInfo), buffer;
    Image Image: destroy_image, get_image_memory_requirements,
        get_image_memory_requirements_2(ImageMemoryRequirementsInfo2),
        bind_image_memory, bind_image_memory_2(BindImageMemoryInfo), image;
}

/// A device address is the host's.
pub(crate) unsafe extern "system" fn get_buffer_device_address(
    _: vk::Device,
    info: *const vk::BufferDeviceAddressInfo<'_>,
) -> vk::DeviceAddress {
    // SAFETY: the caller passes a live handle.
    unsafe {
        let buffer = Object::<Buffer>::from_handle((*info).buffer);
        buffer.and_then(|buffer| buffer.bytes(0, 0)).map_or(0, |(start, _)| start.addr().get() as u64)
    }
}
