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

/// Copies between buffers.
///
/// # Safety
/// The handles are live.
unsafe fn copy_buffer((source, target): (vk::Buffer, vk::Buffer), region: vk::BufferCopy) {
    // SAFETY: the buffers are live, and only bytes of their own are touched.
    unsafe {
        let from = bytes(source, region.src_offset, region.size);
        let to = bytes(target, region.dst_offset, region.size);
        if let (Some((from, available)), Some((to, room))) = (from, to) {
            to.as_ptr().copy_from(from.as_ptr(), available.min(room));
        }
    }
}

unsafe extern "system" fn cmd_copy_buffer(
    _: vk::CommandBuffer,
    source: vk::Buffer,
    target: vk::Buffer,
    count: u32,
    regions: *const vk::BufferCopy,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe { list(regions, count).iter().for_each(|region| copy_buffer((source, target), *region)) };
}

unsafe extern "system" fn cmd_copy_buffer_2(_: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        for region in list(info.p_regions, info.region_count) {
            let (src_offset, dst_offset, size) = (region.src_offset, region.dst_offset, region.size);
            let region = vk::BufferCopy { src_offset, dst_offset, size };
            copy_buffer((info.src_buffer, info.dst_buffer), region);
        }
    }
}

/// Copies between images, or resolves, region by region.
///
/// # Safety
/// The handles are live.
unsafe fn between((source, target): (vk::Image, vk::Image), regions: impl Iterator<Item = vk::ImageCopy>) {
    for region in regions {
        // SAFETY: the caller vouches for the handles.
        unsafe { copy::images(source, target, &region) };
    }
}

unsafe extern "system" fn cmd_copy_image(
    _: vk::CommandBuffer,
    source: vk::Image,
    _: vk::ImageLayout,
    target: vk::Image,
    _: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageCopy,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe { between((source, target), list(regions, count).iter().copied()) };
}

unsafe extern "system" fn cmd_copy_image_2(_: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        let regions = list(info.p_regions, info.region_count).iter().map(copy::of_image_copy_2);
        between((info.src_image, info.dst_image), regions);
    }
}

/// The first sample of each texel is taken.
unsafe extern "system" fn cmd_resolve_image(
    _: vk::CommandBuffer,
    source: vk::Image,
    _: vk::ImageLayout,
    target: vk::Image,
    _: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageResolve,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let regions = list(regions, count).iter().map(|region| vk::ImageCopy {
            src_subresource: region.src_subresource,
            src_offset: region.src_offset,
            dst_subresource: region.dst_subresource,
            dst_offset: region.dst_offset,
            extent: region.extent,
        });
        between((source, target), regions);
    }
}

unsafe extern "system" fn cmd_resolve_image_2(_: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        let regions = list(info.p_regions, info.region_count).iter().map(|region| vk::ImageCopy {
            src_subresource: region.src_subresource,
            src_offset: region.src_offset,
            dst_subresource: region.dst_subresource,
            dst_offset: region.dst_offset,
            extent: region.extent,
        });
        between((info.src_image, info.dst_image), regions);
    }
}

unsafe extern "system" fn cmd_blit_image(
    _: vk::CommandBuffer,
    source: vk::Image,
    _: vk::ImageLayout,
    target: vk::Image,
    _: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageBlit,
    _: vk::Filter,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        for &region in list(regions, count) {
            copy::blit(source, target, &region);
        }
    }
}

unsafe extern "system" fn cmd_blit_image_2(_: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let (source, target) = ((*info).src_image, (*info).dst_image);
        for region in list((*info).p_regions, (*info).region_count) {
            let region = vk::ImageBlit {
                src_subresource: region.src_subresource,
                src_offsets: region.src_offsets,
                dst_subresource: region.dst_subresource,
                dst_offsets: region.dst_offsets,
            };
            copy::blit(source, target, &region);
        }
    }
}

/// Copies between a buffer and an image.
///
/// # Safety
/// The handles are live.
unsafe fn with_buffer(
    (buffer, image): (vk::Buffer, vk::Image),
    regions: impl Iterator<Item = vk::BufferImageCopy>,
    direction: Direction,
) {
    for region in regions {
        // SAFETY: the caller vouches for the handles.
        unsafe { copy::buffer(buffer, image, &region, direction) };
    }
}

unsafe extern "system" fn cmd_copy_buffer_to_image(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    _: vk::ImageLayout,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        with_buffer((buffer, image), list(regions, count).iter().copied(), Direction::ToImage);
    }
}

unsafe extern "system" fn cmd_copy_buffer_to_image_2(
    _: vk::CommandBuffer,
    info: *const vk::CopyBufferToImageInfo2<'_>,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        let regions = list(info.p_regions, info.region_count).iter().map(of_buffer_image_copy_2);
        with_buffer((info.src_buffer, info.dst_image), regions, Direction::ToImage);
    }
}

unsafe extern "system" fn cmd_copy_image_to_buffer(
    _: vk::CommandBuffer,
    image: vk::Image,
    _: vk::ImageLayout,
    buffer: vk::Buffer,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        with_buffer((buffer, image), list(regions, count).iter().copied(), Direction::FromImage);
    }
}

unsafe extern "system" fn cmd_copy_image_to_buffer_2(
    _: vk::CommandBuffer,
    info: *const vk::CopyImageToBufferInfo2<'_>,
) {
    // SAFETY: the caller passes live handles and a counted array.
    unsafe {
        let info = &*info;
        let regions = list(info.p_regions, info.region_count).iter().map(of_buffer_image_copy_2);
        with_buffer((info.dst_buffer, info.src_image), regions, Direction::FromImage);
    }
}

fn of_buffer_image_copy_2(region: &vk::BufferImageCopy2<'_>) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: region.buffer_offset,
        buffer_row_length: region.buffer_row_length,
        buffer_image_height: region.buffer_image_height,
        image_subresource: region.image_subresource,
        image_offset: region.image_offset,
        image_extent: region.image_extent,
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
        CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer = cmd_copy_buffer,
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = cmd_copy_buffer_2,
        CMD_COPY_IMAGE: PFN_vkCmdCopyImage = cmd_copy_image,
        CMD_COPY_IMAGE_2: PFN_vkCmdCopyImage2 = cmd_copy_image_2,
        CMD_BLIT_IMAGE: PFN_vkCmdBlitImage = cmd_blit_image,
        CMD_BLIT_IMAGE_2: PFN_vkCmdBlitImage2 = cmd_blit_image_2,
        CMD_RESOLVE_IMAGE: PFN_vkCmdResolveImage = cmd_resolve_image,
        CMD_RESOLVE_IMAGE_2: PFN_vkCmdResolveImage2 = cmd_resolve_image_2,
        CMD_COPY_BUFFER_TO_IMAGE: PFN_vkCmdCopyBufferToImage = cmd_copy_buffer_to_image,
        CMD_COPY_BUFFER_TO_IMAGE_2: PFN_vkCmdCopyBufferToImage2 = cmd_copy_buffer_to_image_2,
        CMD_COPY_IMAGE_TO_BUFFER: PFN_vkCmdCopyImageToBuffer = cmd_copy_image_to_buffer,
        CMD_COPY_IMAGE_TO_BUFFER_2: PFN_vkCmdCopyImageToBuffer2 = cmd_copy_image_to_buffer_2,
        CMD_CLEAR_COLOR_IMAGE: PFN_vkCmdClearColorImage = cmd_clear_color_image,
        CMD_CLEAR_DEPTH_STENCIL_IMAGE: PFN_vkCmdClearDepthStencilImage = cmd_clear_depth_stencil_image,
    }
};
