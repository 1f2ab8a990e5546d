//! Copies, blits and resolves.

use std::vec::Vec;

use ash::vk;

use super::{Made, all, equal, first, handle, saw, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::forward::calls::CHUNK;

unsafe extern "system" fn copy_buffer(_: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    // SAFETY: forwarders hand over valid structures, here and below.
    let info = unsafe { &*info };
    let regions = all(info.p_regions, info.region_count);
    let regions: Vec<_> =
        regions.iter().map(|one| (one.s_type, one.src_offset, one.dst_offset, one.size)).collect();
    see((info.s_type, info.src_buffer, info.dst_buffer, regions));
}

type Images = (vk::Image, vk::ImageLayout, vk::Image, vk::ImageLayout);

unsafe extern "system" fn copy_image(_: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let images: Images = (info.src_image, info.src_image_layout, info.dst_image, info.dst_image_layout);
    let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
    let plain = vk::ImageCopy {
        src_subresource: one.src_subresource,
        src_offset: one.src_offset,
        dst_subresource: one.dst_subresource,
        dst_offset: one.dst_offset,
        extent: one.extent,
    };
    see((info.s_type, images, bytes(&plain)));
}

unsafe extern "system" fn resolve_image(_: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let images: Images = (info.src_image, info.src_image_layout, info.dst_image, info.dst_image_layout);
    let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
    let plain = vk::ImageResolve {
        src_subresource: one.src_subresource,
        src_offset: one.src_offset,
        dst_subresource: one.dst_subresource,
        dst_offset: one.dst_offset,
        extent: one.extent,
    };
    see((info.s_type, images, bytes(&plain)));
}

unsafe extern "system" fn blit_image(_: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let images: Images = (info.src_image, info.src_image_layout, info.dst_image, info.dst_image_layout);
    let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
    let plain = vk::ImageBlit {
        src_subresource: one.src_subresource,
        src_offsets: one.src_offsets,
        dst_subresource: one.dst_subresource,
        dst_offsets: one.dst_offsets,
    };
    see((info.s_type, images, info.filter, bytes(&plain)));
}

fn plain(one: &vk::BufferImageCopy2<'_>) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: one.buffer_offset,
        buffer_row_length: one.buffer_row_length,
        buffer_image_height: one.buffer_image_height,
        image_subresource: one.image_subresource,
        image_offset: one.image_offset,
        image_extent: one.image_extent,
    }
}

unsafe extern "system" fn copy_in(_: vk::CommandBuffer, info: *const vk::CopyBufferToImageInfo2<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
    see((info.src_buffer, info.dst_image, info.dst_image_layout, bytes(&plain(&one))));
}

unsafe extern "system" fn copy_out(_: vk::CommandBuffer, info: *const vk::CopyImageToBufferInfo2<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let [one] = all(info.p_regions, info.region_count)[..] else { panic!("one region") };
    see((info.dst_buffer, info.src_image, info.src_image_layout, bytes(&plain(&one))));
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CMD_COPY_BUFFER_2: PFN_vkCmdCopyBuffer2 = copy_buffer,
        CMD_COPY_IMAGE_2: PFN_vkCmdCopyImage2 = copy_image,
        CMD_RESOLVE_IMAGE_2: PFN_vkCmdResolveImage2 = resolve_image,
        CMD_BLIT_IMAGE_2: PFN_vkCmdBlitImage2 = blit_image,
        CMD_COPY_BUFFER_TO_IMAGE_2: PFN_vkCmdCopyBufferToImage2 = copy_in,
        CMD_COPY_IMAGE_TO_BUFFER_2: PFN_vkCmdCopyImageToBuffer2 = copy_out,
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
        // SAFETY: a live command buffer and an array of at least this many.
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
    let images: Images = (handle(1), LAYOUTS.0, handle(2), LAYOUTS.1);
    // SAFETY: a live command buffer and one valid region each.
    unsafe {
        let region = numbered::<vk::ImageCopy>();
        first!(CMD_COPY_IMAGE: PFN_vkCmdCopyImage)(
            made.commands,
            images.0,
            images.1,
            images.2,
            images.3,
            1,
            &region,
        );
        assert!(saw([(vk::StructureType::COPY_IMAGE_INFO_2, images, bytes(&region))]));
        let region = numbered::<vk::ImageResolve>();
        first!(CMD_RESOLVE_IMAGE: PFN_vkCmdResolveImage)(
            made.commands,
            images.0,
            images.1,
            images.2,
            images.3,
            1,
            &region,
        );
        assert!(saw([(vk::StructureType::RESOLVE_IMAGE_INFO_2, images, bytes(&region))]));
        let region = numbered::<vk::ImageBlit>();
        let filter = vk::Filter::LINEAR;
        first!(CMD_BLIT_IMAGE: PFN_vkCmdBlitImage)(
            made.commands,
            images.0,
            images.1,
            images.2,
            images.3,
            1,
            &region,
            filter,
        );
        assert!(saw([(vk::StructureType::BLIT_IMAGE_INFO_2, images, filter, bytes(&region))]));
    }
}

#[test]
fn regions_between_buffers_and_images_arrive() {
    let made = Made::new();
    let (buffer, image) = (handle::<vk::Buffer>(1), handle::<vk::Image>(2));
    let region = numbered::<vk::BufferImageCopy>();
    // SAFETY: a live command buffer and one valid region each.
    unsafe {
        let copy = first!(CMD_COPY_BUFFER_TO_IMAGE: PFN_vkCmdCopyBufferToImage);
        copy(made.commands, buffer, image, LAYOUTS.1, 1, &region);
        assert!(saw([(buffer, image, LAYOUTS.1, bytes(&region))]));
        let copy = first!(CMD_COPY_IMAGE_TO_BUFFER: PFN_vkCmdCopyImageToBuffer);
        copy(made.commands, image, LAYOUTS.0, buffer, 1, &region);
        assert!(saw([(buffer, image, LAYOUTS.0, bytes(&region))]));
    }
}
