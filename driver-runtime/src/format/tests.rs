//! Format queries as drivers make them.

use ash::vk;

use super::*;
use crate::features::{Features, name};

#[test]
fn formats_agree_with_the_registry() {
    let known = info(vk::Format::R5G6B5_UNORM_PACK16).unwrap();
    assert_eq!((known.class, known.block_size, known.packed, known.core), ("16-bit", 2, Some(16), Some(0)));
    let bits: std::vec::Vec<_> = known.components.iter().map(|it| (it.name, it.bits)).collect();
    assert_eq!(bits, [(b'R', 5), (b'G', 6), (b'B', 5)]);
    let known = info(vk::Format::ASTC_10X8_SRGB_BLOCK).unwrap();
    assert_eq!((known.block_extent, known.block_size), ([10, 8, 1], 16));
    assert_eq!(
        (known.compression, known.components[0].kind),
        (Some(Compression::AstcLdr), NumericFormat::Srgb)
    );
    let known = info(vk::Format::PVRTC1_2BPP_UNORM_BLOCK_IMG).unwrap();
    assert_eq!((known.core, known.compression), (None, Some(Compression::Pvrtc)));
    assert!(info(vk::Format::UNDEFINED).is_none() && info(vk::Format::from_raw(185)).is_none());
}

#[test]
fn planes_are_counted_and_sized() {
    let known = info(vk::Format::G8_B8R8_2PLANE_420_UNORM).unwrap();
    assert_eq!((known.plane_count(), known.chroma, known.is_subsampled()), (2, Some(Chroma::C420), true));
    assert!(known.planes[1].compatible == vk::Format::R8G8_UNORM);
    let second = known.plane(known.plane_of(vk::ImageAspectFlags::PLANE_1));
    assert_eq!((second.block_size, second.divisors), (2, [2, 2]));
    let known = info(vk::Format::D24_UNORM_S8_UINT).unwrap();
    assert_eq!((known.plane_count(), known.plane(0).block_size, known.plane(1).block_size), (2, 4, 1));
    assert!(known.plane(1).aspect == vk::ImageAspectFlags::STENCIL);
}

#[test]
fn features_that_are_required_of_formats() {
    use vk::FormatFeatureFlags as Can;
    let none = Features::NONE;
    let copies = Can::TRANSFER_SRC | Can::TRANSFER_DST;
    let of = |format, features: &Features| required_features(format, features);
    let red = of(vk::Format::R32_UINT, &none);
    assert!(red.buffer.contains(Can::VERTEX_BUFFER | Can::STORAGE_TEXEL_BUFFER_ATOMIC));
    assert!(red.optimal.contains(Can::STORAGE_IMAGE_ATOMIC | Can::COLOR_ATTACHMENT | copies));
    assert!(!red.optimal.contains(Can::SAMPLED_IMAGE_FILTER_LINEAR) && red.linear.is_empty());
    assert!(of(vk::Format::R16_UNORM, &none).optimal.is_empty());
    assert!(of(vk::Format::R16_UNORM, &none).buffer == Can::VERTEX_BUFFER);
    let extended = Features::NONE.with(name::SHADER_STORAGE_IMAGE_EXTENDED_FORMATS);
    assert!(of(vk::Format::R16_UNORM, &extended).optimal == Can::STORAGE_IMAGE | copies);
    let compressed = Features::NONE.with(name::TEXTURE_COMPRESSION_BC);
    assert!(of(vk::Format::BC7_SRGB_BLOCK, &compressed).optimal.contains(Can::SAMPLED_IMAGE_FILTER_LINEAR));
    assert!(of(vk::Format::BC7_SRGB_BLOCK, &none) == RequiredFeatures::default());
    assert!(of(vk::Format::D16_UNORM, &none).optimal.contains(Can::DEPTH_STENCIL_ATTACHMENT));
}
