//! Copying texels: between images, between images and buffers or host memory, and clearing.
//!
//! A region that does not fit is truncated at the end of memory.

use core::ffi::c_void;
use core::ptr::NonNull;

use vkload_driver_runtime::format::FormatInfo;
use vkload_driver_runtime::{Object, vk};

use super::colour;
use super::layout::{Area, Image};
use crate::resource::Buffer;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    ToImage,
    FromImage,
}

/// Copies this many blocks, rows and slices.
fn copy(from: Area, to: Area, blocks: [usize; 3]) {
    let bytes = blocks[0] * from.block.min(to.block);
    // Blocks of the same size are adjacent; a resolve takes the first sample of each texel.
    let alike = from.block == to.block;
    for slice in 0..blocks[2] {
        for row in 0..blocks[1] {
            let source = slice * from.slice + row * from.row;
            let target = slice * to.slice + row * to.row;
            if alike {
                move_bytes((from, source), (to, target), bytes);
                continue;
            }
            for column in 0..blocks[0] {
                let (source, target) = (source + column * from.block, target + column * to.block);
                move_bytes((from, source), (to, target), from.block.min(to.block));
            }
        }
    }
}

fn move_bytes(from: (Area, usize), to: (Area, usize), bytes: usize) {
    let fits =
        |(area, offset): (Area, usize)| area.left.checked_sub(offset).is_some_and(|left| left >= bytes);
    if fits(from) && fits(to) {
        // SAFETY: both areas have this many bytes from their offsets on.
        unsafe { to.0.start.as_ptr().add(to.1).copy_from(from.0.start.as_ptr().add(from.1), bytes) };
    }
}

/// Returns an extent in blocks of a format; its slices are array layers or depth, whichever the image has.
fn blocks(image: &Image, extent: vk::Extent3D, layers: u32) -> [usize; 3] {
    let [width, height, depth] = image.info.format.block_extent;
    [
        extent.width.div_ceil(width) as usize,
        extent.height.div_ceil(height) as usize,
        extent.depth.div_ceil(depth).max(layers) as usize,
    ]
}

fn area(image: &Image, of: &vk::ImageSubresourceLayers, offset: vk::Offset3D) -> Option<Area> {
    image.area(of.aspect_mask, of.mip_level, of.base_array_layer, offset)
}

/// Copies from image to image.
///
/// # Safety
/// The handles are live.
pub(crate) unsafe fn images(source: vk::Image, target: vk::Image, region: &vk::ImageCopy2<'_>) {
    // SAFETY: the caller vouches for the handles.
    let images = unsafe { (Object::<Image>::from_handle(source), Object::<Image>::from_handle(target)) };
    let (Some(source), Some(target)) = images else { return };
    let layers =
        source.info.layers_from(region.src_subresource.base_array_layer, region.src_subresource.layer_count);
    let blocks = blocks(source, region.extent, layers);
    let (from, to) = (&region.src_subresource, &region.dst_subresource);
    let copy_aspect = |read, written| {
        let from = vk::ImageSubresourceLayers { aspect_mask: read, ..*from };
        let to = vk::ImageSubresourceLayers { aspect_mask: written, ..*to };
        let (from, to) = (area(source, &from, region.src_offset), area(target, &to, region.dst_offset));
        from.zip(to).map(|(from, to)| copy(from, to, blocks))
    };
    if from.aspect_mask != to.aspect_mask {
        copy_aspect(from.aspect_mask, to.aspect_mask);
        return;
    }
    // Depth and stencil are stored separately: a region with both is two copies.
    for bit in 0..u32::BITS {
        let aspect = vk::ImageAspectFlags::from_raw(1 << bit);
        if from.aspect_mask.contains(aspect) {
            copy_aspect(aspect, aspect);
        }
    }
}

/// Copies with nearest texels, if both formats have blocks of one size: other formats would have to be converted.
///
/// # Safety
/// The handles are live.
pub(crate) unsafe fn blit(source: vk::Image, target: vk::Image, region: &vk::ImageBlit2<'_>) {
    // SAFETY: the caller vouches for the handles.
    let images = unsafe { (Object::<Image>::from_handle(source), Object::<Image>::from_handle(target)) };
    let (Some(source), Some(target)) = images else { return };
    if !core::ptr::eq(source.info.format, target.info.format) {
        return;
    }
    let (from, to) = (&region.src_subresource, &region.dst_subresource);
    let origin = vk::Offset3D::default();
    let (Some(pixels), Some(out)) = (area(source, from, origin), area(target, to, origin)) else { return };
    let (across, down, into) = (
        Side::new(region, |offset| offset.x),
        Side::new(region, |offset| offset.y),
        Side::new(region, |offset| offset.z),
    );
    let layers = source.info.layers_from(from.base_array_layer, from.layer_count) as usize;
    let slices = if target.info.is_3d() { into.to.len() } else { layers };
    for slice in 0..slices {
        let (z, w) = if target.info.is_3d() { into.at(slice) } else { (slice, slice) };
        for row in 0..down.to.len() {
            let (y, v) = down.at(row);
            for column in 0..across.to.len() {
                let (x, u) = across.at(column);
                let source = z * pixels.slice + y * pixels.row + x * pixels.block;
                let target = w * out.slice + v * out.row + u * out.block;
                move_bytes((pixels, source), (out, target), out.block);
            }
        }
    }
}

/// One dimension of a blit. Either range may run backwards.
struct Side {
    from: [i32; 2],
    to: core::ops::Range<i32>,
    mirrored: bool,
}

impl Side {
    fn new(region: &vk::ImageBlit2<'_>, of: impl Fn(&vk::Offset3D) -> i32) -> Self {
        let (from, to) = (region.src_offsets, region.dst_offsets);
        let (from, to) = ([of(&from[0]), of(&from[1])], [of(&to[0]), of(&to[1])]);
        let mirrored = (from[0] > from[1]) != (to[0] > to[1]);
        let sorted = |range: [i32; 2]| [range[0].min(range[1]), range[0].max(range[1])];
        let (from, to) = (sorted(from), sorted(to));
        Self { from, to: to[0]..to[1], mirrored }
    }

    /// Returns the source and the target of the texel with this number.
    fn at(&self, number: usize) -> (usize, usize) {
        let (size, count) = (i64::from(self.from[1] - self.from[0]), self.to.len() as i64);
        let step = if self.mirrored { count - 1 - number as i64 } else { number as i64 };
        let source = i64::from(self.from[0]) + (2 * step + 1) * size / (2 * count);
        (source.max(0) as usize, (i64::from(self.to.start) + number as i64).max(0) as usize)
    }
}

/// Copies between a buffer and an image.
///
/// # Safety
/// The handles are live.
pub(crate) unsafe fn buffer(
    buffer: vk::Buffer,
    image: vk::Image,
    region: &vk::BufferImageCopy2<'_>,
    direction: Direction,
) {
    // SAFETY: the caller vouches for the handles.
    let found = unsafe { (Object::<Buffer>::from_handle(buffer), Object::<Image>::from_handle(image)) };
    let (Some(buffer), Some(image)) = found else { return };
    if let Some((start, left)) = buffer.bytes(region.buffer_offset, u64::MAX) {
        linear(image, region, (start, left), direction);
    }
}

/// Copies between host memory and an image.
///
/// # Safety
/// The handle is live, and the memory is as large as the region says.
pub(crate) unsafe fn host(
    image: vk::Image,
    region: &vk::BufferImageCopy2<'_>,
    memory: *mut c_void,
    direction: Direction,
) {
    // SAFETY: the caller vouches for the handle.
    let image = unsafe { Object::<Image>::from_handle(image) };
    if let (Some(image), Some(start)) = (image, NonNull::new(memory.cast::<u8>())) {
        linear(image, region, (start, isize::MAX as usize), direction);
    }
}

fn linear(
    image: &Image,
    region: &vk::BufferImageCopy2<'_>,
    (start, left): (NonNull<u8>, usize),
    direction: Direction,
) {
    let of = &region.image_subresource;
    let Some(texels) = area(image, of, region.image_offset) else { return };
    let layers = image.info.layers_from(of.base_array_layer, of.layer_count);
    let or = |given: u32, extent: u32| if given == 0 { extent } else { given };
    let pitches = vk::Extent3D {
        width: or(region.buffer_row_length, region.image_extent.width),
        height: or(region.buffer_image_height, region.image_extent.height),
        depth: 1,
    };
    let [columns, rows, _] = blocks(image, pitches, 1);
    let row = columns * texels.block;
    let bytes = Area { start, left, block: texels.block, row, slice: row * rows };
    let blocks = blocks(image, region.image_extent, layers);
    match direction {
        Direction::ToImage => copy(bytes, texels, blocks),
        Direction::FromImage => copy(texels, bytes, blocks),
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Clear {
    Colour(vk::ClearColorValue),
    DepthStencil(vk::ClearDepthStencilValue),
}

/// Clears a range of an image.
///
/// # Safety
/// The handle is live.
pub(crate) unsafe fn clear(image: vk::Image, value: Clear, range: &vk::ImageSubresourceRange) {
    // SAFETY: the caller vouches for the handle.
    let Some(image) = (unsafe { Object::<Image>::from_handle(image) }) else { return };
    let levels = image.info.levels_from(range.base_mip_level, range.level_count);
    let layers = image.info.layers_from(range.base_array_layer, range.layer_count);
    for number in 0..image.info.format.plane_count() {
        let plane = image.info.format.plane(number);
        if !range.aspect_mask.contains(plane.aspect) {
            continue;
        }
        let texel = colour::texel(image.info.format, plane, value);
        for level in range.base_mip_level..range.base_mip_level + levels {
            let origin = vk::Offset3D::default();
            let Some(out) = image.area(plane.aspect, level, range.base_array_layer, origin) else { continue };
            let [width, height, depth] = image.info.level_extent(number, level).map(|it| it as usize);
            let slices = if image.info.is_3d() { depth } else { layers as usize };
            fill(out, [width * out.block / texel.len(), height, slices], &texel);
        }
    }
}

/// Clears a rectangle of a mip level and an array layer through a view of this format.
///
/// # Safety
/// The handle is live.
pub(crate) unsafe fn clear_rectangle(
    image: vk::Image,
    format: &FormatInfo,
    aspect: vk::ImageAspectFlags,
    value: Clear,
    (level, layer): (u32, u32),
    area: vk::Rect2D,
) {
    // SAFETY: the caller vouches for the handle.
    let Some(image) = (unsafe { Object::<Image>::from_handle(image) }) else { return };
    let vk::Offset2D { x, y } = area.offset;
    let (layer, z) = if image.info.is_3d() { (0, layer.cast_signed()) } else { (layer, 0) };
    for number in 0..image.info.format.plane_count() {
        let plane = image.info.format.plane(number);
        if !aspect.contains(plane.aspect) {
            continue;
        }
        let texel = colour::texel(format, format.plane(format.plane_of(plane.aspect)), value);
        let [width, height, _] = image.info.level_extent(number, level);
        let sides = [(width, x, area.extent.width), (height, y, area.extent.height)];
        let [columns, rows] =
            sides.map(|(all, first, count)| all.saturating_sub(first.unsigned_abs()).min(count) as usize);
        let origin = vk::Offset3D { x, y, z };
        let Some(out) = image.area(plane.aspect, level, layer, origin) else { continue };
        fill(out, [columns * out.block / texel.len(), rows, 1], &texel);
    }
}

/// Writes one texel over and over.
fn fill(out: Area, [columns, rows, slices]: [usize; 3], texel: &[u8]) {
    let Some(start) = NonNull::new(texel.as_ptr().cast_mut()) else { return };
    let texel = Area { start, left: texel.len(), block: texel.len(), row: 0, slice: 0 };
    for slice in 0..slices {
        for row in 0..rows {
            for column in 0..columns {
                let target = slice * out.slice + row * out.row + column * texel.block;
                move_bytes((texel, 0), (out, target), texel.block);
            }
        }
    }
}

/// Returns the shape of a copy between memory and an image, from a structure with these members.
macro_rules! region {
    ($region:expr, $row_length:ident, $image_height:ident) => {
        vk::BufferImageCopy2 {
            buffer_row_length: $region.$row_length,
            buffer_image_height: $region.$image_height,
            image_subresource: $region.image_subresource,
            image_offset: $region.image_offset,
            image_extent: $region.image_extent,
            ..Default::default()
        }
    };
}
pub(crate) use region;
