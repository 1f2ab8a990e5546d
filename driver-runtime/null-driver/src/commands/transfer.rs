//! Filling, updating, copying, clearing.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::{Object, entry_points, vk};

use crate::image::copy::{self, Clear, Direction};
use crate::resource::Buffer;

/// Returns the bytes of a buffer.
///
/// # Safety
/// `buffer` is a live handle.
unsafe fn bytes(buffer: vk::Buffer, offset: u64, size: u64) -> Option<(core::ptr::NonNull<u8>, usize)> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::<Buffer>::from_handle(buffer) }.and_then(|buffer| buffer.bytes(offset, size))
}

/// Copies a region of buffers.
///
/// # Safety
/// The handles are live.
unsafe fn copy_buffer(source: vk::Buffer, target: vk::Buffer, region: &vk::BufferCopy2<'_>) {
    // SAFETY: the caller vouches for the handles; only bytes of the buffers are touched.
    unsafe {
        let from = bytes(source, region.src_offset, region.size);
        let to = bytes(target, region.dst_offset, region.size);
        if let (Some((from, available)), Some((to, room))) = (from, to) {
            to.as_ptr().copy_from(from.as_ptr(), available.min(room));
        }
    }
}

/// Returns the shape of a resolve as a copy, which takes the first sample of each texel.
fn resolved<'a>(region: &vk::ImageResolve2<'_>) -> vk::ImageCopy2<'a> {
    vk::ImageCopy2 {
        src_subresource: region.src_subresource,
        src_offset: region.src_offset,
        dst_subresource: region.dst_subresource,
        dst_offset: region.dst_offset,
        extent: region.extent,
        ..Default::default()
    }
}

/// Clears ranges.
///
/// # Safety
/// The handles are live.
unsafe fn clear(image: vk::Image, value: Clear, ranges: &[vk::ImageSubresourceRange]) {
    for &range in ranges {
        // SAFETY: the caller vouches for the handles.
        unsafe { copy::clear(image, value, &range) };
    }
}

/// A function for a command that handles each region of its structure.
macro_rules! each {
    ($field:ident: |$info:ident, $region:ident| $copy:expr) => {
        |call| {
            let $info = &call.$field;
            list($info.p_regions, $info.region_count).iter().for_each(|$region| $copy)
        }
    };
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(super) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CmdFillBuffer = |call| {
            let (start, size) = bytes(call.dst_buffer, call.dst_offset, call.size)?;
            for index in 0..size / 4 {
                start.cast::<u32>().add(index).write_unaligned(call.data);
            }
            Some(())
        },
        CmdUpdateBuffer = |call| {
            let (start, size) = bytes(call.dst_buffer, call.dst_offset, call.data_size)?;
            start.as_ptr().copy_from(call.data.cast(), size);
            Some(())
        },
        CmdCopyBuffer2 = each!(copy_buffer_info: |info, region| {
            copy_buffer(info.src_buffer, info.dst_buffer, region)
        }),
        CmdCopyImage2 = each!(copy_image_info: |info, region| {
            copy::images(info.src_image, info.dst_image, region)
        }),
        CmdBlitImage2 = each!(blit_image_info: |info, region| {
            copy::blit(info.src_image, info.dst_image, region)
        }),
        CmdResolveImage2 = each!(resolve_image_info: |info, region| {
            copy::images(info.src_image, info.dst_image, &resolved(region))
        }),
        CmdCopyBufferToImage2 = each!(copy_buffer_to_image_info: |info, region| {
            copy::buffer(info.src_buffer, info.dst_image, region, Direction::ToImage)
        }),
        CmdCopyImageToBuffer2 = each!(copy_image_to_buffer_info: |info, region| {
            copy::buffer(info.dst_buffer, info.src_image, region, Direction::FromImage)
        }),
        CmdClearColorImage = |call| clear(call.image, Clear::Colour(*call.color), call.ranges()),
        CmdClearDepthStencilImage = |call| {
            clear(call.image, Clear::DepthStencil(*call.depth_stencil), call.ranges());
        },
    }
};
