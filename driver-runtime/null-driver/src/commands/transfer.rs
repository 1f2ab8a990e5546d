//! Filling, updating, copying, clearing.

use core::ffi::c_void;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Object, entry_points, vk};

use crate::device::list;
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

unsafe extern "system" fn cmd_fill_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    word: u32,
) {
    // SAFETY: the buffer is live, and only bytes of its own are written.
    unsafe {
        let Some((start, size)) = bytes(buffer, offset, size) else { return };
        for index in 0..size / 4 {
            start.cast::<u32>().add(index).write_unaligned(word);
        }
    }
}

unsafe extern "system" fn cmd_update_buffer(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    data: *const c_void,
) {
    // SAFETY: the caller passes live handles and this many bytes.
    unsafe {
        if let Some((start, size)) = bytes(buffer, offset, size) {
            start.as_ptr().copy_from(data.cast(), size);
        }
    }
}

unsafe extern "system" fn cmd_copy_buffer_2(_: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array; only bytes of the buffers are touched.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            let from = bytes(info.src_buffer, region.src_offset, region.size);
            let to = bytes(info.dst_buffer, region.dst_offset, region.size);
            if let (Some((from, available)), Some((to, room))) = (from, to) {
                to.as_ptr().copy_from(from.as_ptr(), available.min(room));
            }
        }
    }
}

unsafe extern "system" fn cmd_copy_image_2(_: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            copy::images(info.src_image, info.dst_image, region);
        }
    }
}

/// Takes the first sample of each texel.
unsafe extern "system" fn cmd_resolve_image_2(_: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            let region = vk::ImageCopy2 {
                src_subresource: region.src_subresource,
                src_offset: region.src_offset,
                dst_subresource: region.dst_subresource,
                dst_offset: region.dst_offset,
                extent: region.extent,
                ..Default::default()
            };
            copy::images(info.src_image, info.dst_image, &region);
        }
    }
}

unsafe extern "system" fn cmd_blit_image_2(_: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            copy::blit(info.src_image, info.dst_image, region);
        }
    }
}

unsafe extern "system" fn cmd_copy_buffer_to_image_2(
    _: vk::CommandBuffer,
    info: *const vk::CopyBufferToImageInfo2<'_>,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            copy::buffer(info.src_buffer, info.dst_image, region, Direction::ToImage);
        }
    }
}

unsafe extern "system" fn cmd_copy_image_to_buffer_2(
    _: vk::CommandBuffer,
    info: *const vk::CopyImageToBufferInfo2<'_>,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            copy::buffer(info.dst_buffer, info.src_image, region, Direction::FromImage);
        }
    }
}

unsafe extern "system" fn cmd_clear_color_image(
    _: vk::CommandBuffer,
    image: vk::Image,
    _: vk::ImageLayout,
    value: *const vk::ClearColorValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    // SAFETY: the caller passes live handles, a value and a counted array.
    unsafe { clear(image, Clear::Colour(*value), list(ranges, count)) };
}

unsafe extern "system" fn cmd_clear_depth_stencil_image(
    _: vk::CommandBuffer,
    image: vk::Image,
    _: vk::ImageLayout,
    value: *const vk::ClearDepthStencilValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    // SAFETY: the caller passes live handles, a value and a counted array.
    unsafe { clear(image, Clear::DepthStencil(*value), list(ranges, count)) };
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

/// The commands that move bytes.
// SAFETY: each function implements its command, with the objects of this driver.
pub(super) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        CMD_FILL_BUFFER: PFN_vkCmdFillBuffer = cmd_fill_buffer,
        CMD_UPDATE_BUFFER: PFN_vkCmdUpdateBuffer = cmd_update_buffer,
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = cmd_copy_buffer_2,
        CMD_COPY_IMAGE_2: PFN_vkCmdCopyImage2 = cmd_copy_image_2,
        CMD_BLIT_IMAGE_2: PFN_vkCmdBlitImage2 = cmd_blit_image_2,
        CMD_RESOLVE_IMAGE_2: PFN_vkCmdResolveImage2 = cmd_resolve_image_2,
        CMD_COPY_BUFFER_TO_IMAGE_2: PFN_vkCmdCopyBufferToImage2 = cmd_copy_buffer_to_image_2,
        CMD_COPY_IMAGE_TO_BUFFER_2: PFN_vkCmdCopyImageToBuffer2 = cmd_copy_image_to_buffer_2,
        CMD_CLEAR_COLOR_IMAGE: PFN_vkCmdClearColorImage = cmd_clear_color_image,
        CMD_CLEAR_DEPTH_STENCIL_IMAGE: PFN_vkCmdClearDepthStencilImage = cmd_clear_depth_stencil_image,
    }
};
