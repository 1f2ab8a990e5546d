//! Images.

use ash::vk;
use vkload_core::abi::chain;

use crate::format::{self, FormatInfo};

/// The facts of an image.
#[derive(Clone, Copy)]
pub struct ImageInfo {
    /// How it is created.
    pub flags: vk::ImageCreateFlags,
    /// Its number of dimensions.
    pub kind: vk::ImageType,
    /// Its format.
    pub format: &'static FormatInfo,
    /// Width, height and depth, in texels.
    pub extent: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// How texels are arranged.
    pub tiling: vk::ImageTiling,
    /// Its uses, except stencil uses.
    pub usage: vk::ImageUsageFlags,
    /// The uses of its stencil aspect.
    pub stencil_usage: vk::ImageUsageFlags,
}

impl ImageInfo {
    /// Returns the facts in a create structure, or `None` if the registry does not have the format.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain.
    pub unsafe fn new(info: &vk::ImageCreateInfo<'_>) -> Option<Self> {
        // SAFETY: the caller vouches for the chain.
        let stencil = unsafe { chain::find::<vk::ImageStencilUsageCreateInfo<'_>>(info.p_next) };
        let vk::Extent3D { width, height, depth } = info.extent;
        Some(Self {
            flags: info.flags,
            kind: info.image_type,
            format: format::info(info.format)?,
            extent: [width, height, depth],
            levels: info.mip_levels,
            layers: info.array_layers,
            samples: info.samples.as_raw().max(1),
            tiling: info.tiling,
            usage: info.usage,
            stencil_usage: stencil.map_or(info.usage, |stencil| stencil.stencil_usage),
        })
    }

    /// Returns whether it has three dimensions.
    pub fn is_3d(&self) -> bool {
        self.kind == vk::ImageType::TYPE_3D
    }

    /// Returns whether memory is bound to each plane.
    pub fn is_disjoint(&self) -> bool {
        self.flags.contains(vk::ImageCreateFlags::DISJOINT)
    }

    /// Returns the uses of some aspects together.
    pub fn usage_of(&self, aspects: vk::ImageAspectFlags) -> vk::ImageUsageFlags {
        let has_stencil = aspects.contains(vk::ImageAspectFlags::STENCIL);
        match (has_stencil, aspects == vk::ImageAspectFlags::STENCIL) {
            (_, true) => self.stencil_usage,
            (true, false) => self.usage | self.stencil_usage,
            (false, false) => self.usage,
        }
    }

    /// Returns the number of mip levels in a range that may extend to the end.
    pub fn levels_from(&self, first: u32, count: u32) -> u32 {
        if count == vk::REMAINING_MIP_LEVELS { self.levels.saturating_sub(first) } else { count }
    }

    /// Returns the number of array layers in a range that may extend to the end.
    pub fn layers_from(&self, first: u32, count: u32) -> u32 {
        if count == vk::REMAINING_ARRAY_LAYERS { self.layers.saturating_sub(first) } else { count }
    }

    /// Returns width, height and depth of a mip level, in texels of a plane.
    pub fn level_extent(&self, plane: usize, level: u32) -> [u32; 3] {
        let [across, down] = self.format.plane(plane).divisors;
        let [width, height, depth] = self.extent.map(|side| side.checked_shr(level).unwrap_or(0).max(1));
        [width.div_ceil(across.max(1)), height.div_ceil(down.max(1)), depth]
    }

    /// Returns the blocks of a mip level of a plane, in each direction.
    pub fn level_blocks(&self, plane: usize, level: u32) -> [u32; 3] {
        let [width, height, depth] = self.level_extent(plane, level);
        let [across, down, deep] = self.format.block_extent.map(|side| side.max(1));
        [width.div_ceil(across), height.div_ceil(down), depth.div_ceil(deep)]
    }
}
