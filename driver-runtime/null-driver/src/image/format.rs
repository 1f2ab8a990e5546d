//! What the texels of a format look like in memory.

use driver_runtime::vk;

use super::formats_gen::ROWS;

/// A format.
pub(crate) struct Format {
    /// The value of the enumeration.
    pub(super) number: i32,
    /// Bytes of a block; of all planes together where there are several.
    pub(crate) bytes: u32,
    /// Whether the components are counted from the highest bit of a word, instead of byte by byte.
    pub(crate) packed: bool,
    /// Texels of a block.
    pub(crate) block: [u32; 3],
    pub(crate) components: &'static [Component],
    /// Bytes of a block, and by how much width and height are divided, of each plane where there are several.
    pub(super) planes: &'static [(u32, u32, u32)],
}

/// A component of a texel.
pub(crate) struct Component {
    /// `R`, `G`, `B`, `A`, `D` or `S`.
    pub(crate) name: u8,
    /// 0 where it is compressed.
    pub(crate) bits: u32,
    pub(crate) kind: Kind,
}

/// What the bits of a component mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Ufloat,
    Sfloat,
    Srgb,
}

/// A part of an image that is stored apart from the others: the planes of a format with planes, or depth and stencil.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub(crate) aspect: vk::ImageAspectFlags,
    /// Bytes of a block.
    pub(crate) bytes: u32,
    /// By how much width and height are divided.
    pub(crate) divisors: [u32; 2],
}

impl Format {
    /// The format of this value, unless it is undefined or of an extension.
    pub(crate) fn find(format: vk::Format) -> Option<&'static Self> {
        let place = ROWS.binary_search_by_key(&format.as_raw(), |row| row.number).ok()?;
        ROWS.get(place)
    }

    pub(crate) fn plane_count(&self) -> usize {
        match (self.planes.len(), self.has(b'D') && self.has(b'S')) {
            (0, true) => 2,
            (0, false) => 1,
            (planes, _) => planes,
        }
    }

    pub(crate) fn plane(&self, number: usize) -> Plane {
        let planes =
            [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1, vk::ImageAspectFlags::PLANE_2];
        if let Some((bytes, width, height)) = self.planes.get(number) {
            return Plane { aspect: planes[number], bytes: *bytes, divisors: [*width, *height] };
        }
        let (aspect, bytes) = match (self.has(b'D'), self.has(b'S'), number) {
            (false, true, _) | (true, true, 1) => (vk::ImageAspectFlags::STENCIL, 1),
            (true, _, _) if self.components[0].bits > 16 => (vk::ImageAspectFlags::DEPTH, 4),
            (true, ..) => (vk::ImageAspectFlags::DEPTH, 2),
            _ => (vk::ImageAspectFlags::COLOR, self.bytes),
        };
        Plane { aspect, bytes, divisors: [1, 1] }
    }

    /// The number of the plane that an aspect is.
    pub(crate) fn plane_of(&self, aspect: vk::ImageAspectFlags) -> usize {
        (0..self.plane_count()).find(|number| aspect.contains(self.plane(*number).aspect)).unwrap_or(0)
    }

    pub(crate) fn is_compressed(&self) -> bool {
        self.components[0].bits == 0 || self.block[1] > 1
    }

    /// Whether there are several planes of colour, or two texels share theirs.
    pub(crate) fn has_planes(&self) -> bool {
        !self.planes.is_empty() || self.block == [2, 1, 1]
    }

    pub(crate) fn is_depth_or_stencil(&self) -> bool {
        self.has(b'D') || self.has(b'S')
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.components[0].kind, Kind::Uint | Kind::Sint)
    }

    /// Whether the format is there to read vertices with only.
    pub(crate) fn is_scaled(&self) -> bool {
        matches!(self.components[0].kind, Kind::Uscaled | Kind::Sscaled)
    }

    fn has(&self, component: u8) -> bool {
        self.components.iter().any(|it| it.name == component)
    }
}

/// The form of the generated file.
macro_rules! rows {
    ($(
        $number:literal $bytes:literal $($packed:ident)? [$width:literal $height:literal $depth:literal]
        [$($name:ident $bits:literal $kind:ident),*] [$($plane:literal $across:literal $down:literal),*];
    )*) => {
        pub(super) static ROWS: &[crate::image::format::Format] = &[$(
            crate::image::format::Format {
                number: $number,
                bytes: $bytes,
                packed: !stringify!($($packed)?).is_empty(),
                block: [$width, $height, $depth],
                components: &[$(crate::image::format::Component {
                    name: stringify!($name).as_bytes()[0],
                    bits: $bits,
                    kind: crate::image::format::Kind::$kind,
                }),*],
                planes: &[$(($plane, $across, $down)),*],
            },
        )*];
    };
}
pub(super) use rows;
