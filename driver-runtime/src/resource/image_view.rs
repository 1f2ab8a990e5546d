//! Image views.

use ash::vk;
use vkload_core::abi::chain;

use super::ImageInfo;
use crate::format::{self, FormatInfo};

/// The facts of an image view.
#[derive(Clone, Copy)]
pub struct ImageViewInfo {
    /// What shaders take it for.
    pub kind: vk::ImageViewType,
    /// The format in which texels are read, which may differ from the image's.
    pub format: &'static FormatInfo,
    /// The aspects. Colour of an image with planes is all planes.
    pub aspects: vk::ImageAspectFlags,
    /// The first mip level, and how many follow.
    pub levels: (u32, u32),
    /// The first array layer, and how many follow: slices, for a view of an image with three dimensions as an array.
    pub layers: (u32, u32),
    /// Width, height and depth of the first mip level, in texels of the view's format.
    pub extent: [u32; 3],
    /// The source of red, green, blue and alpha; never `IDENTITY`.
    pub components: [vk::ComponentSwizzle; 4],
    /// Its uses: the image's, unless the view has fewer.
    pub usage: vk::ImageUsageFlags,
}

impl ImageViewInfo {
    /// Returns the facts of a view of `image`, or `None` if the registry does not have the format.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain.
    pub unsafe fn new(image: &ImageInfo, info: &vk::ImageViewCreateInfo<'_>) -> Option<Self> {
        // SAFETY: the caller vouches for the chain.
        let fewer = unsafe { chain::find::<vk::ImageViewUsageCreateInfo<'_>>(info.p_next) };
        let range = info.subresource_range;
        let format = format::info(info.format)?;
        let plane = image.format.plane_of(range.aspect_mask);
        // A view of blocks as texels has one texel for each block.
        let is_of_blocks = image.format.compression.is_some() && format.compression.is_none();
        let [width, height, depth] = match is_of_blocks {
            true => image.level_blocks(plane, range.base_mip_level),
            false => image.level_extent(plane, range.base_mip_level),
        };
        let is_3d = info.view_type == vk::ImageViewType::TYPE_3D;
        let layers = match range.layer_count {
            vk::REMAINING_ARRAY_LAYERS if image.is_3d() && !is_3d => {
                depth.saturating_sub(range.base_array_layer)
            }
            count => image.layers_from(range.base_array_layer, count),
        };
        Some(Self {
            kind: info.view_type,
            format,
            aspects: image.format.expanded(range.aspect_mask),
            levels: (range.base_mip_level, image.levels_from(range.base_mip_level, range.level_count)),
            layers: (range.base_array_layer, layers),
            extent: [width, height, if is_3d { depth } else { 1 }],
            components: components(info.components),
            usage: fewer.map_or_else(|| image.usage_of(range.aspect_mask), |fewer| fewer.usage),
        })
    }
}

fn components(of: vk::ComponentMapping) -> [vk::ComponentSwizzle; 4] {
    use vk::ComponentSwizzle as From;
    let or = |component, own| if component == From::IDENTITY { own } else { component };
    [or(of.r, From::R), or(of.g, From::G), or(of.b, From::B), or(of.a, From::A)]
}
