//! Samplers.

use ash::vk;
use vkload_core::abi::chain;

/// The colour outside of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BorderColour {
    /// Red, green, blue and alpha, as the bits of floating-point numbers.
    Float([u32; 4]),
    /// Red, green, blue and alpha of integer formats.
    Integer([u32; 4]),
}

/// The facts of a sampler that its create structure does not state directly.
#[derive(Clone, Copy)]
pub struct SamplerInfo {
    /// The colour outside of the image, including the application's own colours.
    pub border: BorderColour,
    /// The format for which the application's own colour is meant, if it names one.
    pub border_format: vk::Format,
    /// How texels become one value.
    pub reduction: vk::SamplerReductionMode,
    /// The conversion from other colour models, or null.
    pub conversion: vk::SamplerYcbcrConversion,
    /// The largest anisotropy, if it is used.
    pub anisotropy: Option<f32>,
    /// The comparison, if one is made.
    pub compare: Option<vk::CompareOp>,
}

impl SamplerInfo {
    /// Returns the facts in a create structure.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain.
    #[must_use]
    pub unsafe fn new(info: &vk::SamplerCreateInfo<'_>) -> Self {
        // SAFETY: the caller vouches for the chain.
        let (custom, reduction, conversion) = unsafe {
            (
                chain::find::<vk::SamplerCustomBorderColorCreateInfoEXT<'_>>(info.p_next),
                chain::find::<vk::SamplerReductionModeCreateInfo<'_>>(info.p_next),
                chain::find::<vk::SamplerYcbcrConversionInfo<'_>>(info.p_next),
            )
        };
        Self {
            border: border(info.border_color, custom),
            border_format: custom.map_or(vk::Format::UNDEFINED, |custom| custom.format),
            reduction: reduction.map_or(vk::SamplerReductionMode::WEIGHTED_AVERAGE, |it| it.reduction_mode),
            conversion: conversion.map_or_else(vk::SamplerYcbcrConversion::null, |it| it.conversion),
            anisotropy: (info.anisotropy_enable != vk::FALSE).then_some(info.max_anisotropy),
            compare: (info.compare_enable != vk::FALSE).then_some(info.compare_op),
        }
    }
}

fn border(
    colour: vk::BorderColor,
    custom: Option<&vk::SamplerCustomBorderColorCreateInfoEXT<'_>>,
) -> BorderColour {
    const ONE: u32 = 1.0f32.to_bits();
    // SAFETY: all members of the union are four words.
    let own = custom.map_or([0; 4], |custom| unsafe { custom.custom_border_color.uint32 });
    match colour {
        vk::BorderColor::FLOAT_OPAQUE_BLACK => BorderColour::Float([0, 0, 0, ONE]),
        vk::BorderColor::FLOAT_OPAQUE_WHITE => BorderColour::Float([ONE; 4]),
        vk::BorderColor::INT_TRANSPARENT_BLACK => BorderColour::Integer([0; 4]),
        vk::BorderColor::INT_OPAQUE_BLACK => BorderColour::Integer([0, 0, 0, 1]),
        vk::BorderColor::INT_OPAQUE_WHITE => BorderColour::Integer([1; 4]),
        vk::BorderColor::FLOAT_CUSTOM_EXT => BorderColour::Float(own),
        vk::BorderColor::INT_CUSTOM_EXT => BorderColour::Integer(own),
        _ => BorderColour::Float([0; 4]),
    }
}
