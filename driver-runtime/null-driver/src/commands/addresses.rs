//! Commands that read and write by device addresses, which are the host's.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::{entry_points, types as vk};

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
            let region = copy::region!(one, buffer_row_length, buffer_image_height);
            let memory = with_exposed_provenance_mut(one.src_address as usize);
            copy::host(image, &region, memory, Direction::ToImage);
        }
    }
}

/// # Safety
/// The image is live, and the addresses are valid.
unsafe fn copy_image(info: Option<&vk::CopyDeviceMemoryImageInfoKHR>, direction: Direction) {
    let Some(info) = info else { return };
    // SAFETY: the caller vouches for the structure.
    unsafe {
        for one in list(info.p_regions, info.region_count) {
            let region = copy::region!(one, address_row_length, address_image_height);
            let memory = with_exposed_provenance_mut(one.address_range.address as usize);
            copy::host(info.image, &region, memory, direction);
        }
    }
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
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
        CmdCopyMemoryKHR = |call| {
            let info = call.copy_memory_info.get()?;
            for region in list(info.p_regions, info.region_count) {
                let size = region.src_range.size.min(region.dst_range.size);
                copy_bytes(region.src_range.address, region.dst_range.address, size);
            }
            Some(())
        },
        CmdFillMemoryKHR = |call| {
            let start = with_exposed_provenance_mut::<u32>(call.dst_range.address as usize);
            for index in 0..call.dst_range.size as usize / 4 {
                start.add(index).write_unaligned(call.data);
            }
        },
        CmdUpdateMemoryKHR = |call| {
            with_exposed_provenance_mut::<u8>(call.dst_range.address as usize)
                .copy_from(call.data.cast(), call.data_size as usize);
        },
        CmdCopyMemoryToImageKHR = |call| copy_image(call.copy_memory_info.get(), Direction::ToImage),
        CmdCopyImageToMemoryKHR = |call| copy_image(call.copy_memory_info.get(), Direction::FromImage),
    }
};
