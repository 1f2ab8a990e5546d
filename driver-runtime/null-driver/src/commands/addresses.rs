//! Commands that read and write by device addresses, which are the host's.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::{calls, entry_points, types as vk};

use crate::image::copy::{self, Direction};

/// Returns the commands at these addresses.
///
/// # Safety
/// There are as many.
unsafe fn commands<T: Copy>(range: vk::StridedDeviceAddressRangeKHR, count: u32) -> impl Iterator<Item = T> {
    (0..u64::from(count)).map(move |index| {
        let address = range.address + index * range.stride;
        // SAFETY: the caller vouches for the addresses.
        unsafe { with_exposed_provenance::<T>(address as usize).read_unaligned() }
    })
}

/// # Safety
/// The addresses lead to as many bytes.
unsafe fn copy_bytes(from: u64, to: u64, size: u64) {
    // SAFETY: the caller vouches for the addresses.
    unsafe {
        with_exposed_provenance_mut::<u8>(to as usize)
            .copy_from(with_exposed_provenance(from as usize), size as usize);
    }
}

fn range(address: u64, stride: u32) -> vk::StridedDeviceAddressRangeKHR {
    vk::StridedDeviceAddressRangeKHR { address, size: 0, stride: stride.into() }
}

/// # Safety
/// The addresses lead to as many commands, whose own addresses are valid.
unsafe fn copy_indirect(range: vk::StridedDeviceAddressRangeKHR, count: u32) {
    // SAFETY: the caller vouches for the addresses.
    unsafe {
        for one in commands::<vk::CopyMemoryIndirectCommandNV>(range, count) {
            copy_bytes(one.src_address, one.dst_address, one.size);
        }
    }
}

/// # Safety
/// As for [`copy_indirect`], and the image is live.
unsafe fn copy_to_image_indirect(range: vk::StridedDeviceAddressRangeKHR, count: u32, image: vk::Image) {
    // SAFETY: the caller vouches for the addresses and the image.
    unsafe {
        for one in commands::<vk::CopyMemoryToImageIndirectCommandNV>(range, count) {
            let region = vk::BufferImageCopy2 {
                buffer_row_length: one.buffer_row_length,
                buffer_image_height: one.buffer_image_height,
                image_subresource: one.image_subresource,
                image_offset: one.image_offset,
                image_extent: one.image_extent,
                ..Default::default()
            };
            let memory = with_exposed_provenance_mut(one.src_address as usize);
            copy::host(image, &region, memory, Direction::ToImage);
        }
    }
}

/// # Safety
/// The image is live, and the addresses are valid.
unsafe fn copy_image(info: Option<&vk::CopyDeviceMemoryImageInfoKHR>, direction: fn() -> Direction) {
    let Some(info) = info else { return };
    // SAFETY: the caller vouches for the structure.
    unsafe {
        for one in list(info.p_regions, info.region_count) {
            let region = vk::BufferImageCopy2 {
                buffer_row_length: one.address_row_length,
                buffer_image_height: one.address_image_height,
                image_subresource: one.image_subresource,
                image_offset: one.image_offset,
                image_extent: one.image_extent,
                ..Default::default()
            };
            let memory = with_exposed_provenance_mut(one.address_range.address as usize);
            copy::host(info.image, &region, memory, direction());
        }
    }
}

fn cmd_copy_memory(call: &calls::CmdCopyMemoryKHR<'_>) -> Option<()> {
    let info = call.copy_memory_info.get()?;
    // SAFETY: the call obeys the specification.
    unsafe {
        for region in list(info.p_regions, info.region_count) {
            let size = region.src_range.size.min(region.dst_range.size);
            copy_bytes(region.src_range.address, region.dst_range.address, size);
        }
    }
    Some(())
}

fn cmd_fill_memory(call: &calls::CmdFillMemoryKHR<'_>) {
    let start = with_exposed_provenance_mut::<u32>(call.dst_range.address as usize);
    for index in 0..call.dst_range.size as usize / 4 {
        // SAFETY: the call obeys the specification.
        unsafe { start.add(index).write_unaligned(call.data) };
    }
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(super) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CmdCopyMemoryIndirectNV = |call| {
            copy_indirect(range(call.copy_buffer_address, call.stride), call.copy_count);
        },
        CmdCopyMemoryIndirectKHR = |call| {
            let info = &call.copy_memory_indirect_info;
            copy_indirect(info.copy_address_range, info.copy_count);
        },
        CmdCopyMemoryToImageIndirectNV = |call| {
            let range = range(call.copy_buffer_address, call.stride);
            copy_to_image_indirect(range, call.copy_count, call.dst_image);
        },
        CmdCopyMemoryToImageIndirectKHR = |call| {
            let info = &call.copy_memory_to_image_indirect_info;
            copy_to_image_indirect(info.copy_address_range, info.copy_count, info.dst_image);
        },
        CmdCopyMemoryKHR = cmd_copy_memory,
        CmdFillMemoryKHR = cmd_fill_memory,
        CmdUpdateMemoryKHR = |call| {
            with_exposed_provenance_mut::<u8>(call.dst_range.address as usize)
                .copy_from(call.data.cast(), call.data_size as usize);
        },
        CmdCopyMemoryToImageKHR = |call| copy_image(call.copy_memory_info.get(), || Direction::ToImage),
        CmdCopyImageToMemoryKHR = |call| copy_image(call.copy_memory_info.get(), || Direction::FromImage),
    }
};
