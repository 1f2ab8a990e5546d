//! Copies, blits and resolves.

use std::vec::Vec;

use ash::vk;

use super::{Made, all, equal, first, handle, saw, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::forward::calls::CHUNK;

/// Stores what every call has, members of its own, and the members of the only region as their first form has them.
macro_rules! see_region {
    ($info:expr, [$($own:ident),+], $first:ident { $($member:ident),+ }) => {{
        let info = &$info;
        let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
        see((info.s_type, $(info.$own,)+ bytes(&vk::$first { $($member: one.$member),+ })));
    }};
}

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CmdCopyBuffer2 = |call| {
            let info = &call.copy_buffer_info;
            let regions = all(info.p_regions, info.region_count);
            let regions: Vec<_> =
                regions.iter().map(|one| (one.s_type, one.src_offset, one.dst_offset, one.size)).collect();
            see((info.s_type, info.src_buffer, info.dst_buffer, regions));
        },
        CmdCopyImage2 = |call| see_region!(
            call.copy_image_info,
            [src_image, src_image_layout, dst_image, dst_image_layout],
            ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent }
        ),
        CmdResolveImage2 = |call| see_region!(
            call.resolve_image_info,
            [src_image, src_image_layout, dst_image, dst_image_layout],
            ImageResolve { src_subresource, src_offset, dst_subresource, dst_offset, extent }
        ),
        CmdBlitImage2 = |call| see_region!(
            call.blit_image_info,
            [src_image, src_image_layout, dst_image, dst_image_layout, filter],
            ImageBlit { src_subresource, src_offsets, dst_subresource, dst_offsets }
        ),
        CmdCopyBufferToImage2 = |call| see_region!(
            call.copy_buffer_to_image_info,
            [src_buffer, dst_image, dst_image_layout],
            BufferImageCopy {
                buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
            }
        ),
        CmdCopyImageToBuffer2 = |call| see_region!(
            call.copy_image_to_buffer_info,
            [dst_buffer, src_image, src_image_layout],
            BufferImageCopy {
                buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent
            }
        ),
    }
};

/// Returns a structure of 32-bit numbers, or of larger ones without gaps, as bytes.
fn bytes<T: Copy>(value: &T) -> Vec<u8> {
    // SAFETY: the tests use structures without padding.
    unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }.to_vec()
}

/// Returns a structure whose bytes are all different, for fewer than 256 bytes.
fn numbered<T: Copy + Default>() -> T {
    let mut value = T::default();
    for index in 0..size_of::<T>() {
        // SAFETY: the tests use structures of numbers, for which every pattern of bits is one.
        unsafe { core::ptr::from_mut(&mut value).cast::<u8>().add(index).write(index as u8 + 1) };
    }
    value
}

#[test]
fn regions_of_buffers_arrive_in_order_and_all_of_them() {
    let made = Made::new();
    let regions: Vec<_> = (0..2 * CHUNK as u64 + 3)
        .map(|n| vk::BufferCopy { src_offset: n, dst_offset: n + 100, size: n + 1000 })
        .collect();
    let copy = |count: usize| {
        unsafe {
            first!(CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer)(
                made.commands,
                handle(1),
                handle(2),
                count as u32,
                regions.as_ptr(),
            );
        }
        seen::<(vk::StructureType, vk::Buffer, vk::Buffer, Vec<(vk::StructureType, u64, u64, u64)>)>()
    };
    for count in [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3] {
        let calls = copy(count);
        equal!(calls.len(), count.div_ceil(CHUNK), "{count}");
        assert!(calls.iter().all(|(kind, from, to, regions)| {
            *kind == vk::StructureType::COPY_BUFFER_INFO_2
                && (*from, *to) == (handle(1), handle(2))
                && regions.len() <= CHUNK
        }));
        let received: Vec<_> = calls.into_iter().flat_map(|call| call.3).collect();
        let kind = vk::StructureType::BUFFER_COPY_2;
        let sent: Vec<_> =
            regions[..count].iter().map(|one| (kind, one.src_offset, one.dst_offset, one.size)).collect();
        equal!(received, sent);
    }
}

const LAYOUTS: (vk::ImageLayout, vk::ImageLayout) =
    (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);

#[test]
fn regions_of_images_arrive_with_images_and_layouts() {
    let made = Made::new();
    let (from, to, (read, written)) = (handle::<vk::Image>(1), handle::<vk::Image>(2), LAYOUTS);
    let buffer = handle::<vk::Buffer>(3);
    unsafe {
        let region = numbered::<vk::ImageCopy>();
        let copy = first!(CMD_COPY_IMAGE: PFN_vkCmdCopyImage);
        copy(made.commands, from, read, to, written, 1, &region);
        assert!(saw([(vk::StructureType::COPY_IMAGE_INFO_2, from, read, to, written, bytes(&region))]));
        let region = numbered::<vk::ImageResolve>();
        let resolve = first!(CMD_RESOLVE_IMAGE: PFN_vkCmdResolveImage);
        resolve(made.commands, from, read, to, written, 1, &region);
        assert!(saw([(vk::StructureType::RESOLVE_IMAGE_INFO_2, from, read, to, written, bytes(&region))]));
        let (region, filter) = (numbered::<vk::ImageBlit>(), vk::Filter::LINEAR);
        let blit = first!(CMD_BLIT_IMAGE: PFN_vkCmdBlitImage);
        blit(made.commands, from, read, to, written, 1, &region, filter);
        let kind = vk::StructureType::BLIT_IMAGE_INFO_2;
        assert!(saw([(kind, from, read, to, written, filter, bytes(&region))]));
        let region = numbered::<vk::BufferImageCopy>();
        let copy = first!(CMD_COPY_BUFFER_TO_IMAGE: PFN_vkCmdCopyBufferToImage);
        copy(made.commands, buffer, to, written, 1, &region);
        let kind = vk::StructureType::COPY_BUFFER_TO_IMAGE_INFO_2;
        assert!(saw([(kind, buffer, to, written, bytes(&region))]));
        let copy = first!(CMD_COPY_IMAGE_TO_BUFFER: PFN_vkCmdCopyImageToBuffer);
        copy(made.commands, from, read, buffer, 1, &region);
        let kind = vk::StructureType::COPY_IMAGE_TO_BUFFER_INFO_2;
        assert!(saw([(kind, buffer, from, read, bytes(&region))]));
    }
}
