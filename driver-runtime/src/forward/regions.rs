//! Copies, blits and resolves, by their second form, whose structures have members named like the first form's parameters.

use ash::vk;

use super::calls::{Chunk, call};
use crate::calls;
use crate::dispatch::{Forward, forwards};

/// A command with a list of regions, handed over in chunks.
macro_rules! with_regions {
    ($(
        $name:ident($first:ident => $second:ident, $info:ident { $($same:ident),* })
            $region:ident { $($member:ident),* };
    )*) => {$(
        fn $name(call: &calls::$first<'_>) {
            let mut left = call.regions();
            while !left.is_empty() {
                let chunk = Chunk::take(&mut left, |region| vk::$region {
                    $($member: region.$member,)*
                    ..Default::default()
                });
                let info = vk::$info { $($same: call.$same,)* ..Default::default() }.regions(chunk.as_slice());
                // SAFETY: the second form has the same handles.
                unsafe { call!(call.command_buffer, $second(&info)) };
            }
        }
    )*};
}

with_regions! {
    copy_buffer(CmdCopyBuffer => CmdCopyBuffer2,
        CopyBufferInfo2 { src_buffer, dst_buffer })
        BufferCopy2 { src_offset, dst_offset, size };
    copy_image(CmdCopyImage => CmdCopyImage2,
        CopyImageInfo2 { src_image, src_image_layout, dst_image, dst_image_layout })
        ImageCopy2 { src_subresource, src_offset, dst_subresource, dst_offset, extent };
    blit_image(CmdBlitImage => CmdBlitImage2,
        BlitImageInfo2 { src_image, src_image_layout, dst_image, dst_image_layout, filter })
        ImageBlit2 { src_subresource, src_offsets, dst_subresource, dst_offsets };
    resolve_image(CmdResolveImage => CmdResolveImage2,
        ResolveImageInfo2 { src_image, src_image_layout, dst_image, dst_image_layout })
        ImageResolve2 { src_subresource, src_offset, dst_subresource, dst_offset, extent };
    copy_buffer_to_image(CmdCopyBufferToImage => CmdCopyBufferToImage2,
        CopyBufferToImageInfo2 { src_buffer, dst_image, dst_image_layout })
        BufferImageCopy2 {
            buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
        };
    copy_image_to_buffer(CmdCopyImageToBuffer => CmdCopyImageToBuffer2,
        CopyImageToBufferInfo2 { src_image, src_image_layout, dst_buffer })
        BufferImageCopy2 {
            buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
        };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CmdCopyBuffer = copy_buffer => CMD_COPY_BUFFER_2;
    CmdCopyImage = copy_image => CMD_COPY_IMAGE_2;
    CmdBlitImage = blit_image => CMD_BLIT_IMAGE_2;
    CmdResolveImage = resolve_image => CMD_RESOLVE_IMAGE_2;
    CmdCopyBufferToImage = copy_buffer_to_image => CMD_COPY_BUFFER_TO_IMAGE_2;
    CmdCopyImageToBuffer = copy_image_to_buffer => CMD_COPY_IMAGE_TO_BUFFER_2;
};
