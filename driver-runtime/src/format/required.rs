//! A device's required abilities with formats (specification, section "Required Format Support").
//!
//! If the specification requires one of several formats, as for depth with stencil, this module requires none of
//! them.

use ash::vk::{Format, FormatFeatureFlags as Can};

use super::{Compression, info};
use crate::features::{Feature, Features, name};

/// A device's required abilities with a format.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct RequiredFeatures {
    /// With images of optimal tiling.
    pub optimal: Can,
    /// With images of linear tiling: nothing.
    pub linear: Can,
    /// With buffers.
    pub buffer: Can,
}

/// Returns the required abilities with a format on a device of Vulkan 1.1 or newer with these features.
pub fn required_features(format: Format, features: &Features) -> RequiredFeatures {
    let mut all = of(TABLE, format);
    let with = |row: &&(Feature, &[Format], Can)| features.contains(row.0) && row.1.contains(&format);
    all |= WITH.iter().filter(with).fold(Can::empty(), |all, row| all | row.2);
    let compression = info(format).and_then(|info| info.compression).and_then(feature_of);
    if compression.is_some_and(|feature| features.contains(feature)) {
        all |= FILTERED;
    }
    let optimal = all & !BUFFER;
    // Whatever has an image can be copied, since Vulkan 1.1.
    let copies = if optimal.is_empty() { optimal } else { Can::TRANSFER_SRC | Can::TRANSFER_DST };
    RequiredFeatures { optimal: optimal | copies, linear: Can::empty(), buffer: all & BUFFER }
}

fn of(table: &[(Can, &[Format])], format: Format) -> Can {
    let rows = table.iter().filter(|(_, formats)| formats.contains(&format));
    rows.fold(Can::empty(), |all, (can, _)| all | *can)
}

fn feature_of(compression: Compression) -> Option<Feature> {
    match compression {
        Compression::Bc => Some(name::TEXTURE_COMPRESSION_BC),
        Compression::Etc2 | Compression::Eac => Some(name::TEXTURE_COMPRESSION_ETC2),
        Compression::AstcLdr => Some(name::TEXTURE_COMPRESSION_ASTC_LDR),
        Compression::AstcHdr => Some(name::TEXTURE_COMPRESSION_ASTC_HDR),
        Compression::Pvrtc => None,
    }
}

const fn all(of: &[Can]) -> Can {
    let (mut bits, mut rest) = (0, of);
    while let [first, behind @ ..] = rest {
        bits |= first.as_raw();
        rest = behind;
    }
    Can::from_raw(bits)
}

const BUFFER: Can = all(&[
    Can::VERTEX_BUFFER,
    Can::UNIFORM_TEXEL_BUFFER,
    Can::STORAGE_TEXEL_BUFFER,
    Can::STORAGE_TEXEL_BUFFER_ATOMIC,
]);
const SAMPLED: Can = all(&[Can::SAMPLED_IMAGE, Can::BLIT_SRC]);
const FILTERED: Can = all(&[SAMPLED, Can::SAMPLED_IMAGE_FILTER_LINEAR]);
const DRAWN: Can = all(&[Can::COLOR_ATTACHMENT, Can::BLIT_DST]);
const BLENDED: Can = all(&[DRAWN, Can::COLOR_ATTACHMENT_BLEND]);
const STORED: Can = all(&[Can::STORAGE_IMAGE, Can::STORAGE_TEXEL_BUFFER]);
const ATOMIC: Can = all(&[Can::STORAGE_IMAGE_ATOMIC, Can::STORAGE_TEXEL_BUFFER_ATOMIC]);

macro_rules! formats {
    ($($format:ident)*) => {
        &[$(Format::$format),*]
    };
}

/// Each use, and the formats that must have it.
const TABLE: &[(Can, &[Format])] = &[
    (FILTERED, FILTERED_FORMATS),
    (all(&[SAMPLED, DRAWN]), INTEGERS_AND_FLOATS),
    (SAMPLED, &[Format::D16_UNORM, Format::D32_SFLOAT]),
    (BLENDED, BLENDED_FORMATS),
    (STORED, STORED_FORMATS),
    (ATOMIC, &[Format::R32_UINT, Format::R32_SINT]),
    (Can::STORAGE_TEXEL_BUFFER, PACKED_8),
    (all(&[Can::VERTEX_BUFFER, Can::UNIFORM_TEXEL_BUFFER]), VERTEX_AND_TEXEL),
    (Can::VERTEX_BUFFER, VERTEX_ONLY),
    (Can::UNIFORM_TEXEL_BUFFER, &[Format::A2B10G10R10_UINT_PACK32, Format::B10G11R11_UFLOAT_PACK32]),
    (Can::DEPTH_STENCIL_ATTACHMENT, &[Format::D16_UNORM]),
];

const FILTERED_FORMATS: &[Format] = formats! {
    B4G4R4A4_UNORM_PACK16 R5G6B5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16 R8_UNORM R8_SNORM R8G8_UNORM R8G8_SNORM
    R8G8B8A8_UNORM R8G8B8A8_SNORM R8G8B8A8_SRGB B8G8R8A8_UNORM B8G8R8A8_SRGB A8B8G8R8_UNORM_PACK32
    A8B8G8R8_SNORM_PACK32 A8B8G8R8_SRGB_PACK32 A2B10G10R10_UNORM_PACK32 R16_SFLOAT R16G16_SFLOAT
    R16G16B16A16_SFLOAT B10G11R11_UFLOAT_PACK32 E5B9G9R9_UFLOAT_PACK32
};

const BLENDED_FORMATS: &[Format] = formats! {
    R5G6B5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16 R8_UNORM R8G8_UNORM R8G8B8A8_UNORM R8G8B8A8_SRGB B8G8R8A8_UNORM
    B8G8R8A8_SRGB A8B8G8R8_UNORM_PACK32 A8B8G8R8_SRGB_PACK32 A2B10G10R10_UNORM_PACK32 R16_SFLOAT R16G16_SFLOAT
    R16G16B16A16_SFLOAT
};

/// Formats that are sampled without a filter and drawn without blending.
const INTEGERS_AND_FLOATS: &[Format] = formats! {
    R8_UINT R8_SINT R8G8_UINT R8G8_SINT R8G8B8A8_UINT R8G8B8A8_SINT A8B8G8R8_UINT_PACK32 A8B8G8R8_SINT_PACK32
    A2B10G10R10_UINT_PACK32 R16_UINT R16_SINT R16G16_UINT R16G16_SINT R16G16B16A16_UINT R16G16B16A16_SINT
    R32_UINT R32_SINT R32_SFLOAT R32G32_UINT R32G32_SINT R32G32_SFLOAT R32G32B32A32_UINT R32G32B32A32_SINT
    R32G32B32A32_SFLOAT
};

const STORED_FORMATS: &[Format] = formats! {
    R8G8B8A8_UNORM R8G8B8A8_SNORM R8G8B8A8_UINT R8G8B8A8_SINT R16G16B16A16_UINT R16G16B16A16_SINT
    R16G16B16A16_SFLOAT R32_UINT R32_SINT R32_SFLOAT R32G32_UINT R32G32_SINT R32G32_SFLOAT R32G32B32A32_UINT
    R32G32B32A32_SINT R32G32B32A32_SFLOAT
};

/// The same bytes as R8G8B8A8, on processors that store the low byte first.
const PACKED_8: &[Format] = formats! {
    A8B8G8R8_UNORM_PACK32 A8B8G8R8_SNORM_PACK32 A8B8G8R8_UINT_PACK32 A8B8G8R8_SINT_PACK32
};

/// Formats for vertices and texel buffers.
const VERTEX_AND_TEXEL: &[Format] = formats! {
    R8_UNORM R8_SNORM R8_UINT R8_SINT R8G8_UNORM R8G8_SNORM R8G8_UINT R8G8_SINT R8G8B8A8_UNORM R8G8B8A8_SNORM
    R8G8B8A8_UINT R8G8B8A8_SINT B8G8R8A8_UNORM A8B8G8R8_UNORM_PACK32 A8B8G8R8_SNORM_PACK32
    A8B8G8R8_UINT_PACK32 A8B8G8R8_SINT_PACK32 A2B10G10R10_UNORM_PACK32 R16_UINT R16_SINT R16_SFLOAT
    R16G16_UINT R16G16_SINT R16G16_SFLOAT R16G16B16A16_UINT R16G16B16A16_SINT R16G16B16A16_SFLOAT R32_UINT
    R32_SINT R32_SFLOAT R32G32_UINT R32G32_SINT R32G32_SFLOAT R32G32B32A32_UINT R32G32B32A32_SINT
    R32G32B32A32_SFLOAT
};

const VERTEX_ONLY: &[Format] = formats! {
    R16_UNORM R16_SNORM R16G16_UNORM R16G16_SNORM R16G16B16A16_UNORM R16G16B16A16_SNORM R32G32B32_UINT
    R32G32B32_SINT R32G32B32_SFLOAT
};

/// Each feature, with formats and the abilities that it requires of them.
const WITH: &[(Feature, &[Format], Can)] = &[
    (name::SHADER_STORAGE_IMAGE_EXTENDED_FORMATS, EXTENDED, Can::STORAGE_IMAGE),
    (
        name::SAMPLER_YCBCR_CONVERSION,
        &[Format::G8_B8R8_2PLANE_420_UNORM, Format::G8_B8_R8_3PLANE_420_UNORM],
        Can::SAMPLED_IMAGE,
    ),
];

const EXTENDED: &[Format] = formats! {
    R16G16_SFLOAT B10G11R11_UFLOAT_PACK32 R16_SFLOAT R16G16B16A16_UNORM A2B10G10R10_UNORM_PACK32 R16G16_UNORM
    R8G8_UNORM R16_UNORM R8_UNORM R16G16B16A16_SNORM R16G16_SNORM R8G8_SNORM R16_SNORM R8_SNORM R16G16_SINT
    R8G8_SINT R16_SINT R8_SINT A2B10G10R10_UINT_PACK32 R16G16_UINT R8G8_UINT R16_UINT R8_UINT
};
