//! The layout of an image.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use vkload_driver_runtime::resource::ImageInfo;
use vkload_driver_runtime::vk;

use super::format::find;
use super::support::sizes;
use crate::device::device_objects;
use crate::host::Shared;
use crate::memory::{ALIGNMENT, Memory};

/// The most planes that a format has.
const PLANES: usize = 3;

pub(crate) struct Image {
    pub(crate) info: ImageInfo,
    /// The start of each plane. Images that are not disjoint use only the first.
    starts: [AtomicPtr<u8>; PLANES],
    /// Memory of its own, which images have that are made of a window's buffers.
    own: Shared<Option<Memory>>,
}

device_objects! { Image = Image }

/// Blocks of texels somewhere in memory, in rows and slices.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) start: NonNull<u8>,
    /// The number of bytes from the start on.
    pub(crate) left: usize,
    /// Bytes of a block.
    pub(crate) block: usize,
    /// Bytes from a row of blocks to the next.
    pub(crate) row: usize,
    /// Bytes from a slice, or an array layer, to the next.
    pub(crate) slice: usize,
}

// SAFETY: an area is memory that lives as long as the image or buffer that it was made of.
unsafe impl Send for Area {}

impl Image {
    /// Returns the requested image, or `None` if its format is unknown or it is larger than the limits.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain.
    pub(crate) unsafe fn new(info: &vk::ImageCreateInfo<'_>) -> Option<Self> {
        let vk::Extent3D { width, height, depth } = info.extent;
        let [side, deepest, layers] = sizes(info.image_type, info.flags);
        if width.max(height) > side || depth > deepest || info.array_layers > layers {
            return None;
        }
        let _of_a_version = find(info.format)?;
        Some(Self {
            // SAFETY: the caller vouches for the chain.
            info: unsafe { ImageInfo::new(info) }?,
            starts: [const { AtomicPtr::new(null_mut()) }; PLANES],
            own: Shared::new(None),
        })
    }

    /// Gives it memory of its own; whether there was any.
    pub(crate) fn bind_to_own(&self) -> bool {
        let Some(memory) = Memory::new(self.size(vk::ImageAspectFlags::empty())) else { return false };
        if let Some(start) = memory.at(0) {
            self.bind(vk::ImageAspectFlags::empty(), start.as_ptr());
        }
        let before = self.own.lock().replace(memory);
        drop(before);
        true
    }

    /// Returns the bytes of the image, or of one plane of a disjoint image.
    pub(crate) fn size(&self, aspect: vk::ImageAspectFlags) -> u64 {
        if self.info.is_disjoint() && !aspect.is_empty() {
            return self.plane_size(self.info.format.plane_of(aspect));
        }
        (0..self.info.format.plane_count()).map(|plane| self.plane_size(plane)).sum()
    }

    pub(crate) fn bind(&self, aspect: vk::ImageAspectFlags, start: *mut u8) {
        let plane = if self.info.is_disjoint() { self.info.format.plane_of(aspect) } else { 0 };
        self.starts[plane].store(start, Ordering::Release);
    }

    /// Returns the position of an array layer's mip level, in the form of `vkGetImageSubresourceLayout`.
    pub(crate) fn subresource(&self, of: vk::ImageSubresource) -> vk::SubresourceLayout {
        let plane = self.info.format.plane_of(of.aspect_mask);
        let pitches = self.pitches(plane, of.mip_level);
        vk::SubresourceLayout {
            offset: self.offset(plane, of.array_layer, of.mip_level),
            size: self.level_size(plane, of.mip_level),
            row_pitch: pitches[0],
            array_pitch: self.layer_size(plane),
            depth_pitch: pitches[1],
        }
    }

    /// Returns the blocks of a mip level from a layer and an offset on; `None` if no memory is bound.
    pub(crate) fn area(
        &self,
        aspect: vk::ImageAspectFlags,
        level: u32,
        layer: u32,
        offset: vk::Offset3D,
    ) -> Option<Area> {
        let plane = self.info.format.plane_of(aspect);
        let [width, height, depth] = self.info.format.block_extent.map(u64::from);
        let [row, slice] = self.pitches(plane, level);
        let block = u64::from(self.block_bytes(plane));
        let at = [offset.x, offset.y, offset.z].map(|part| u64::from(part.unsigned_abs()));
        let within = at[0] / width * block + at[1] / height * row + at[2] / depth * slice;
        let offset = self.offset(plane, layer, level) + within;
        let (first, whole) = match self.info.is_disjoint() {
            true => (&self.starts[plane], self.plane_size(plane)),
            false => (&self.starts[0], self.size(vk::ImageAspectFlags::empty())),
        };
        let left = usize::try_from(whole.checked_sub(offset)?).ok()?;
        let start = NonNull::new(first.load(Ordering::Acquire))?;
        let slice = if self.info.is_3d() { slice } else { self.layer_size(plane) };
        // SAFETY: the offset lies in the image, whose memory is as large as it required.
        let start = unsafe { start.add(offset as usize) };
        Some(Area { start, left, block: block as usize, row: row as usize, slice: slice as usize })
    }

    fn block_bytes(&self, plane: usize) -> u32 {
        self.info.format.plane(plane).block_size.saturating_mul(self.info.samples)
    }

    /// Returns the bytes of a row and of a slice.
    fn pitches(&self, plane: usize, level: u32) -> [u64; 2] {
        let [width, height, _] = self.info.level_blocks(plane, level).map(u64::from);
        let row = width * u64::from(self.block_bytes(plane));
        [row, row * height]
    }

    fn level_size(&self, plane: usize, level: u32) -> u64 {
        self.pitches(plane, level)[1] * u64::from(self.info.level_blocks(plane, level)[2])
    }

    fn layer_size(&self, plane: usize) -> u64 {
        (0..self.info.levels).map(|level| self.level_size(plane, level)).sum()
    }

    fn plane_size(&self, plane: usize) -> u64 {
        (self.layer_size(plane) * u64::from(self.info.layers)).next_multiple_of(ALIGNMENT)
    }

    /// Returns the offset of a mip level, from the beginning of the image or of its plane's own memory.
    fn offset(&self, plane: usize, layer: u32, level: u32) -> u64 {
        let before =
            if self.info.is_disjoint() { 0 } else { (0..plane).map(|plane| self.plane_size(plane)).sum() };
        let larger: u64 = (0..level).map(|level| self.level_size(plane, level)).sum();
        before + u64::from(layer) * self.layer_size(plane) + larger
    }
}
