//! Copies, blits and resolves, by their second form.

use ash::vk;

use super::calls::{Chunk, call, list};
use crate::dispatch::{Forward, forwards};

/// A command with a list of regions, handed over in chunks.
macro_rules! with_regions {
    ($(
        $name:ident($($parameter:ident: $parameter_type:ty),*; $region:ident: $plain:ty => $chained:ident {
            $($member:ident),*
        } $(; $last:ident: $last_type:ty)?) = $info:ident.$($set:ident = $value:ident),*;
            $command:ident: $pointer_type:ident
    )*) => {$(
        /// # Safety
        /// As specified for the command.
        unsafe extern "system" fn $name(
            commands: vk::CommandBuffer,
            $($parameter: $parameter_type,)*
            count: u32,
            regions: *const $plain,
            $($last: $last_type,)?
        ) {
            // SAFETY: the caller vouches for handle and array; the function's requirements are met.
            unsafe {
                let mut left = list(regions, count);
                while !left.is_empty() {
                    let chunk = Chunk::take(&mut left, |$region| vk::$chained {
                        $($member: $region.$member,)*
                        ..Default::default()
                    });
                    let info = vk::$info { $($set: $value,)* ..Default::default() }.regions(chunk.as_slice());
                    call!(commands, $command: $pointer_type(&info));
                }
            }
        }
    )*};
}

with_regions! {
    copy_buffer(source: vk::Buffer, target: vk::Buffer; region: vk::BufferCopy => BufferCopy2 {
        src_offset, dst_offset, size
    }) = CopyBufferInfo2.src_buffer = source, dst_buffer = target;
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2
    copy_image(source: vk::Image, source_layout: vk::ImageLayout, target: vk::Image, target_layout: vk::ImageLayout;
    region: vk::ImageCopy => ImageCopy2 {
        src_subresource, src_offset, dst_subresource, dst_offset, extent
    }) = CopyImageInfo2.src_image = source, src_image_layout = source_layout, dst_image = target,
        dst_image_layout = target_layout;
        CMD_COPY_IMAGE_2: PFN_vkCmdCopyImage2
    blit_image(source: vk::Image, source_layout: vk::ImageLayout, target: vk::Image, target_layout: vk::ImageLayout;
    region: vk::ImageBlit => ImageBlit2 {
        src_subresource, src_offsets, dst_subresource, dst_offsets
    }; filter: vk::Filter) = BlitImageInfo2.src_image = source, src_image_layout = source_layout, dst_image = target,
        dst_image_layout = target_layout, filter = filter;
        CMD_BLIT_IMAGE_2: PFN_vkCmdBlitImage2
    resolve_image(source: vk::Image, source_layout: vk::ImageLayout, target: vk::Image, target_layout: vk::ImageLayout;
    region: vk::ImageResolve => ImageResolve2 {
        src_subresource, src_offset, dst_subresource, dst_offset, extent
    }) = ResolveImageInfo2.src_image = source, src_image_layout = source_layout, dst_image = target,
        dst_image_layout = target_layout;
        CMD_RESOLVE_IMAGE_2: PFN_vkCmdResolveImage2
    copy_buffer_to_image(source: vk::Buffer, target: vk::Image, layout: vk::ImageLayout;
    region: vk::BufferImageCopy => BufferImageCopy2 {
        buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
    }) = CopyBufferToImageInfo2.src_buffer = source, dst_image = target, dst_image_layout = layout;
        CMD_COPY_BUFFER_TO_IMAGE_2: PFN_vkCmdCopyBufferToImage2
    copy_image_to_buffer(source: vk::Image, layout: vk::ImageLayout, target: vk::Buffer;
    region: vk::BufferImageCopy => BufferImageCopy2 {
        buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
    }) = CopyImageToBufferInfo2.src_image = source, src_image_layout = layout, dst_buffer = target;
        CMD_COPY_IMAGE_TO_BUFFER_2: PFN_vkCmdCopyImageToBuffer2
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer = copy_buffer => CMD_COPY_BUFFER_2;
    CMD_COPY_IMAGE: PFN_vkCmdCopyImage = copy_image => CMD_COPY_IMAGE_2;
    CMD_BLIT_IMAGE: PFN_vkCmdBlitImage = blit_image => CMD_BLIT_IMAGE_2;
    CMD_RESOLVE_IMAGE: PFN_vkCmdResolveImage = resolve_image => CMD_RESOLVE_IMAGE_2;
    CMD_COPY_BUFFER_TO_IMAGE: PFN_vkCmdCopyBufferToImage = copy_buffer_to_image => CMD_COPY_BUFFER_TO_IMAGE_2;
    CMD_COPY_IMAGE_TO_BUFFER: PFN_vkCmdCopyImageToBuffer = copy_image_to_buffer => CMD_COPY_IMAGE_TO_BUFFER_2;
};
