//! The bytes of a colour in a format.

use alloc::vec::Vec;

use vkload_driver_runtime::vk;

use super::copy::Clear;
use vkload_driver_runtime::format::{Component, FormatInfo, NumericFormat as Kind, Plane};

const SHARED_EXPONENT_BITS: u32 = 27;

pub(crate) fn texel(format: &FormatInfo, plane: Plane, value: Clear) -> Vec<u8> {
    let mut bytes = match value {
        Clear::DepthStencil(value) => depth_or_stencil(format, plane, value),
        Clear::Colour(value) => colour(format, value),
    };
    bytes.resize(plane.block_size.max(1) as usize, 0);
    bytes
}

fn depth_or_stencil(format: &FormatInfo, plane: Plane, value: vk::ClearDepthStencilValue) -> Vec<u8> {
    if plane.aspect == vk::ImageAspectFlags::STENCIL {
        return [value.stencil as u8].into();
    }
    let depth = &format.components[0];
    bits(depth, Number { float: value.depth, word: 0 }).to_le_bytes()[..plane.block_size as usize].into()
}

fn colour(format: &FormatInfo, value: vk::ClearColorValue) -> Vec<u8> {
    // SAFETY: all members of the union are four words of 32 bits.
    let (floats, words) = unsafe { (value.float32, value.uint32) };
    let number = |component: &Component| {
        let channel = b"RGBA".iter().position(|name| *name == component.name).unwrap_or(0);
        Number { float: floats[channel], word: words[channel] }
    };
    let total: u32 = format.components.iter().map(|component| component.bits).sum();
    if format.packed.is_some() && total == SHARED_EXPONENT_BITS {
        return shared_exponent(floats).to_le_bytes().into();
    }
    if format.packed.is_some() {
        let word = format.components.iter().fold(0u64, |word, component| {
            word.checked_shl(component.bits).unwrap_or(0) | bits(component, number(component))
        });
        return word.to_le_bytes()[..format.block_size as usize].into();
    }
    let mut bytes = Vec::new();
    for component in format.components {
        let size = component.bits.div_ceil(8) as usize;
        bytes.extend_from_slice(&bits(component, number(component)).to_le_bytes()[..size]);
    }
    bytes
}

/// A component of a clear value: a float or an integer, depending on the format.
#[derive(Clone, Copy)]
struct Number {
    float: f32,
    word: u32,
}

fn bits(component: &Component, value: Number) -> u64 {
    let wide = |bits: u32| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
    let largest = wide(component.bits);
    let half_range = (largest >> 1) as f64;
    match component.kind {
        Kind::Unorm => nearest(f64::from(value.float.clamp(0.0, 1.0)) * largest as f64) as u64,
        Kind::Snorm => (nearest(f64::from(value.float.clamp(-1.0, 1.0)) * half_range) as u64) & largest,
        Kind::Srgb => nearest(f64::from(srgb(value.float)) * largest as f64) as u64,
        Kind::Uscaled => (nearest(f64::from(value.float)) as u64).min(largest),
        Kind::Sscaled => (nearest(f64::from(value.float)) as u64) & largest,
        Kind::Bool => u64::from(value.word != 0),
        // Five bits behind the point.
        Kind::Sfixed5 => (nearest(f64::from(value.float) * 32.0) as u64) & largest,
        Kind::Uint => u64::from(value.word).min(largest),
        Kind::Sint => (i64::from(value.word.cast_signed()).cast_unsigned()) & largest,
        Kind::Sfloat if component.bits == 64 => f64::from(value.float).to_bits(),
        Kind::Sfloat if component.bits == 32 => value.float.to_bits().into(),
        Kind::Sfloat => half(value.float).into(),
        // The upper bits of a half, without its sign.
        Kind::Ufloat => u64::from(half(value.float.max(0.0))) >> (15 - component.bits),
    }
}

fn nearest(value: f64) -> i64 {
    (value + if value < 0.0 { -0.5 } else { 0.5 }) as i64
}

/// Returns a number of 16 bits with 5 bits of exponent, rounded.
fn half(value: f32) -> u16 {
    let word = value.to_bits();
    let sign = ((word >> 16) & 0x8000) as u16;
    let exponent = ((word >> 23) & 0xFF) as i32 - 127 + 15;
    let fraction = word & 0x007F_FFFF;
    if value.is_nan() {
        return sign | 0x7E00;
    }
    let rounded = |bits: u32, shift: u32| ((bits + (1 << (shift - 1))) >> shift) as u16;
    match exponent {
        31.. => sign | 0x7C00,
        1.. => sign | (((exponent as u16) << 10) + rounded(fraction, 13)),
        -10.. => sign | rounded(fraction | 0x0080_0000, (14 - exponent) as u32),
        _ => sign,
    }
}

/// Returns the word of a format with a shared exponent, by the formula of the specification (section "Shared Exponent
/// to RGB").
fn shared_exponent(colour: [f32; 4]) -> u32 {
    const FRACTION: i32 = 9;
    const BIAS: i32 = 15;
    const LARGEST: f32 = 65408.0;
    let [red, green, blue, _] = colour.map(|part| part.clamp(0.0, LARGEST));
    let largest = red.max(green).max(blue);
    let unbiased = ((largest.to_bits() >> 23) & 0xFF) as i32 - 127;
    let mut exponent = unbiased.max(-BIAS - 1) + 1 + BIAS;
    let scaled =
        |part: f32, exponent: i32| nearest(f64::from(part) / power_of_two(exponent - BIAS - FRACTION));
    if scaled(largest, exponent) == 1 << FRACTION {
        exponent += 1;
    }
    let part = |part: f32| scaled(part, exponent) as u32;
    ((exponent as u32) << 27) | (part(blue) << 18) | (part(green) << 9) | part(red)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Returns the transfer function of sRGB (Khronos Data Format Specification), from linear values.
fn srgb(linear: f32) -> f32 {
    let linear = linear.clamp(0.0, 1.0);
    if linear <= 0.003_130_8 {
        return linear * 12.92;
    }
    // The power 5/12 is the twelfth root of the fifth power.
    let fifth =
        f64::from(linear) * f64::from(linear) * f64::from(linear) * f64::from(linear) * f64::from(linear);
    (1.055 * twelfth_root(fifth) - 0.055) as f32
}

/// Computes the root by Newton's method, from above.
fn twelfth_root(value: f64) -> f64 {
    let mut root = 1.0f64;
    for _ in 0..64 {
        let squared = root * root;
        let eleventh = squared * squared * squared * squared * squared * root;
        root -= (eleventh * root - value) / (12.0 * eleventh);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::format::find;

    fn bytes(format: vk::Format, colour: [f32; 4]) -> Vec<u8> {
        let format = find(format).unwrap();
        texel(format, format.plane(0), Clear::Colour(vk::ClearColorValue { float32: colour }))
    }

    #[test]
    fn colours_become_the_bytes_of_their_format() {
        let colour = [1.0, 0.5, 0.0, 0.25];
        assert_eq!(bytes(vk::Format::R8G8B8A8_UNORM, colour), [255, 128, 0, 64]);
        assert_eq!(bytes(vk::Format::B8G8R8A8_UNORM, colour), [0, 128, 255, 64]);
        assert_eq!(bytes(vk::Format::R8G8B8A8_SRGB, colour), [255, 188, 0, 64]);
        assert_eq!(bytes(vk::Format::R5G6B5_UNORM_PACK16, colour), 0xFC00u16.to_le_bytes());
        assert_eq!(bytes(vk::Format::R16_SFLOAT, [1.5; 4]), 0x3E00u16.to_le_bytes());
        assert_eq!(bytes(vk::Format::R32G32_SFLOAT, colour), [0, 0, 128, 63, 0, 0, 0, 63]);
        assert_eq!(bytes(vk::Format::R64_SFLOAT, colour), 1.0f64.to_bits().to_le_bytes());
        assert_eq!(bytes(vk::Format::R8_SNORM, [-1.0; 4]), [0x81]);
        assert_eq!(bytes(vk::Format::B10G11R11_UFLOAT_PACK32, [1.0; 4]), 0x781E_03C0u32.to_le_bytes());
        assert_eq!(bytes(vk::Format::E5B9G9R9_UFLOAT_PACK32, [1.0; 4]), 0x8402_0100u32.to_le_bytes());
    }

    #[test]
    fn halves_are_rounded_and_end_at_infinity() {
        let rows = [(0.0, 0), (-2.0, 0xC000), (65504.0, 0x7BFF), (1e6, 0x7C00), (6e-8, 1), (1e-9, 0)];
        for (value, expected) in rows {
            assert_eq!(half(value), expected, "{value}");
        }
        assert_eq!(half(1.0 + 1.0 / 1024.0), 0x3C01);
    }

    #[test]
    fn depth_and_stencil_are_separate() {
        let format = find(vk::Format::D24_UNORM_S8_UINT).unwrap();
        let value = Clear::DepthStencil(vk::ClearDepthStencilValue { depth: 1.0, stencil: 7 });
        assert_eq!(format.plane_count(), 2);
        assert_eq!(texel(format, format.plane(0), value), [255, 255, 255, 0]);
        assert_eq!(texel(format, format.plane(1), value), [7]);
    }
}
