//! Formats: the layout of a texel in memory, and the abilities that a device must have with it.

mod formats_1_gen;
mod formats_2_gen;
mod required;
mod rows;
#[cfg(test)]
mod tests;

use ash::vk;

pub use required::{RequiredFeatures, required_features};
pub use rows::{Chroma, Component, Compression, FormatInfo, NumericFormat, PlaneInfo};

/// A part of an image that is stored apart from the others: a plane of a format with planes, or depth and stencil.
#[derive(Clone, Copy)]
pub struct Plane {
    /// The format's aspects.
    pub aspect: vk::ImageAspectFlags,
    /// Bytes of a block.
    pub block_size: u32,
    /// By how much width and height are divided.
    pub divisors: [u32; 2],
}

/// Returns a format's description; `None` for `VK_FORMAT_UNDEFINED` and for formats that the registry does not have.
pub fn info(format: vk::Format) -> Option<&'static FormatInfo> {
    [formats_1_gen::ROWS, formats_2_gen::ROWS].into_iter().find_map(|rows| {
        let index = rows.binary_search_by_key(&format.as_raw(), |row| row.format.as_raw()).ok()?;
        rows.get(index)
    })
}

impl FormatInfo {
    /// Returns the number of planes in an image of the format: colour has one, depth and stencil one each.
    pub fn plane_count(&self) -> usize {
        match (self.planes.len(), self.has(b'D') && self.has(b'S')) {
            (0, true) => 2,
            (0, false) => 1,
            (planes, _) => planes,
        }
    }

    /// Returns a plane. 24-bit depth has four bytes, as in copies.
    pub fn plane(&self, number: usize) -> Plane {
        const ASPECTS: [vk::ImageAspectFlags; 3] =
            [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1, vk::ImageAspectFlags::PLANE_2];
        if let (Some(plane), Some(aspect)) = (self.planes.get(number), ASPECTS.get(number)) {
            let block_size = info(plane.compatible).map_or(0, |info| info.block_size);
            return Plane { aspect: *aspect, block_size, divisors: plane.divisors };
        }
        let depth = self.components.iter().find(|it| it.name == b'D');
        let (aspect, block_size) = match (depth, self.has(b'S'), number) {
            (None, true, _) | (Some(_), true, 1) => (vk::ImageAspectFlags::STENCIL, 1),
            (Some(depth), ..) if depth.bits > 16 => (vk::ImageAspectFlags::DEPTH, 4),
            (Some(_), ..) => (vk::ImageAspectFlags::DEPTH, 2),
            (None, false, _) => (vk::ImageAspectFlags::COLOR, self.block_size),
        };
        Plane { aspect, block_size, divisors: [1, 1] }
    }

    /// Returns the plane number of an aspect; 0 for colour.
    pub fn plane_of(&self, aspect: vk::ImageAspectFlags) -> usize {
        (0..self.plane_count()).find(|number| aspect.contains(self.plane(*number).aspect)).unwrap_or(0)
    }

    /// Returns the aspects of images of the format: of colour with planes, the planes.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        (0..self.plane_count())
            .fold(vk::ImageAspectFlags::empty(), |all, plane| all | self.plane(plane).aspect)
    }

    /// Returns the aspects of a part of an image; colour includes every plane of a format with planes.
    pub fn expanded(&self, aspects: vk::ImageAspectFlags) -> vk::ImageAspectFlags {
        let is_all = aspects == vk::ImageAspectFlags::COLOR && !self.planes.is_empty();
        if is_all { self.aspects() } else { aspects }
    }

    /// Returns whether the format has several colour planes, or two texels share colour values: formats that a
    /// sampler converts.
    pub fn is_subsampled(&self) -> bool {
        !self.planes.is_empty() || self.block_extent == [2, 1, 1]
    }

    /// Returns whether it has depth or stencil.
    pub fn is_depth_or_stencil(&self) -> bool {
        self.has(b'D') || self.has(b'S')
    }

    /// Returns whether shaders read integers.
    pub fn is_integer(&self) -> bool {
        self.has_kind(&[NumericFormat::Uint, NumericFormat::Sint])
    }

    /// Returns whether the format is for vertices only: integers that shaders read as floats.
    pub fn is_scaled(&self) -> bool {
        self.has_kind(&[NumericFormat::Uscaled, NumericFormat::Sscaled])
    }

    /// Returns whether it has a component: `R`, `G`, `B`, `A`, `D` or `S`.
    pub fn has(&self, component: u8) -> bool {
        self.components.iter().any(|it| it.name == component)
    }

    fn has_kind(&self, kinds: &[NumericFormat]) -> bool {
        self.components.first().is_some_and(|first| kinds.contains(&first.kind))
    }
}
