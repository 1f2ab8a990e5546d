//! The formats and colour spaces of windows, and their names there.
#![forbid(unsafe_code)]

use core::ffi::c_int;

use ash::vk::{self, ColorSpaceKHR as Space, Format};
use vkload_core::registry::{ExtensionId, extension as e};

use crate::level::ApiLevel;

/// Formats of graphics buffers (`HAL_PIXEL_FORMAT_*`, equal to `AHARDWAREBUFFER_FORMAT_*`).
pub mod native {
    use core::ffi::c_int;

    /// 32 bits
    pub const RGBA_8888: c_int = 1;
    /// 24 bits
    pub const RGB_888: c_int = 3;
    /// 16 bits
    pub const RGB_565: c_int = 4;
    /// 64 bits
    pub const RGBA_FP16: c_int = 0x16;
    /// 32 bits
    pub const RGBA_1010102: c_int = 0x2B;
    /// 8 bits
    pub const R_8: c_int = 0x38;
    /// 64 bits, 40 of which are used
    pub const RGBA_10101010: c_int = 0x3B;
}

/// Formats of the same buffers, with their possible combinations.
pub struct Group {
    /// The formats, listed for each colour space in this order.
    pub formats: &'static [Format],
    pub native: c_int,
    pub gate: Gate,
    /// Whether sRGB is available without `VK_EXT_swapchain_colorspace`.
    pub plain: bool,
    /// The colour spaces that the extension adds, with the number of formats that each applies to.
    pub spaces: &'static [(Space, usize)],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Always,
    Buffer,
    /// Such buffers can be allocated, and the driver has the extension.
    BufferAndDriver(ExtensionId),
    /// Such buffers can be allocated, and the driver has images of the group's one format with the
    /// usual usage of swapchains.
    BufferAndImages,
}

const RGBA8: &[Format] = &[Format::R8G8B8A8_UNORM, Format::R8G8B8A8_SRGB];
const RGB565: &[Format] = &[Format::R5G6B5_UNORM_PACK16];
const FP16: &[Format] = &[Format::R16G16B16A16_SFLOAT];
const RGB10: &[Format] = &[Format::A2B10G10R10_UNORM_PACK32];
const R8: &[Format] = &[Format::R8_UNORM];
const RGBA10: &[Format] = &[Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16];

const fn group(
    formats: &'static [Format],
    native: c_int,
    gate: Gate,
    spaces: &'static [(Space, usize)],
) -> Group {
    Group { formats, native, gate, plain: true, spaces }
}

/// Single channels have no colour: they are passed through, and available with the extension only.
const SINGLE_CHANNEL: Group = Group {
    formats: R8,
    native: native::R_8,
    gate: Gate::Buffer,
    plain: false,
    spaces: &[(Space::PASS_THROUGH_EXT, 1)],
};

const RGBA10_GATE: Gate = Gate::BufferAndDriver(e::EXT_RGBA10X6_FORMATS);

/// Up to Android 14.
const ANDROID_14: &[Group] = &[
    group(
        RGBA8,
        native::RGBA_8888,
        Gate::Always,
        &[(Space::PASS_THROUGH_EXT, 2), (Space::BT709_LINEAR_EXT, 1), (Space::DISPLAY_P3_NONLINEAR_EXT, 2)],
    ),
    group(RGB565, native::RGB_565, Gate::Buffer, &[(Space::PASS_THROUGH_EXT, 1)]),
    group(
        FP16,
        native::RGBA_FP16,
        Gate::Buffer,
        &[
            (Space::PASS_THROUGH_EXT, 1),
            (Space::EXTENDED_SRGB_LINEAR_EXT, 1),
            (Space::EXTENDED_SRGB_NONLINEAR_EXT, 1),
        ],
    ),
    group(
        RGB10,
        native::RGBA_1010102,
        Gate::Buffer,
        &[(Space::PASS_THROUGH_EXT, 1), (Space::DISPLAY_P3_NONLINEAR_EXT, 1)],
    ),
    SINGLE_CHANNEL,
    group(
        RGBA10,
        native::RGBA_10101010,
        RGBA10_GATE,
        &[(Space::PASS_THROUGH_EXT, 1), (Space::DISPLAY_P3_NONLINEAR_EXT, 1)],
    ),
];

/// Since Android 15, for a group with this many formats. `DISPLAY_P3_LINEAR` and `DCI_P3_LINEAR`
/// are one number, at the position of the second.
macro_rules! wide {
    ($formats:literal) => { wide!($formats,) };
    ($formats:literal, $($more:expr),*) => {
        &[
            (Space::DISPLAY_P3_NONLINEAR_EXT, $formats),
            (Space::DCI_P3_NONLINEAR_EXT, $formats),
            (Space::BT709_LINEAR_EXT, $formats),
            (Space::BT709_NONLINEAR_EXT, $formats),
            (Space::BT2020_LINEAR_EXT, $formats),
            (Space::HDR10_ST2084_EXT, $formats),
            (Space::HDR10_HLG_EXT, $formats),
            (Space::ADOBERGB_LINEAR_EXT, $formats),
            (Space::ADOBERGB_NONLINEAR_EXT, $formats),
            (Space::PASS_THROUGH_EXT, $formats),
            (Space::DISPLAY_P3_LINEAR_EXT, $formats),
            $(($more, $formats),)*
        ]
    };
}

/// Since Android 15.
const ANDROID_15: &[Group] = &[
    group(RGBA8, native::RGBA_8888, Gate::Always, wide!(2)),
    group(RGB565, native::RGB_565, Gate::Buffer, wide!(1)),
    group(
        FP16,
        native::RGBA_FP16,
        Gate::Buffer,
        wide!(1, Space::EXTENDED_SRGB_LINEAR_EXT, Space::EXTENDED_SRGB_NONLINEAR_EXT),
    ),
    group(RGB10, native::RGBA_1010102, Gate::Buffer, wide!(1)),
    SINGLE_CHANNEL,
    group(RGBA10, native::RGBA_10101010, RGBA10_GATE, wide!(1)),
];

/// Formats of 24 bits, after all others.
const RGB888: &[Group] = &[
    group(&[Format::R8G8B8_UNORM], native::RGB_888, Gate::BufferAndImages, wide!(1)),
    group(&[Format::R8G8B8_SRGB], native::RGB_888, Gate::BufferAndImages, wide!(1)),
];

/// Returns the groups of an Android release, with or without the 24-bit ones, in the order of
/// listing.
pub fn groups(level: ApiLevel, rgb888: bool) -> impl Iterator<Item = &'static Group> {
    let first = if level >= ApiLevel::ANDROID_15 { ANDROID_15 } else { ANDROID_14 };
    first.iter().chain(if rgb888 { RGB888 } else { &[] })
}

/// Returns the formats of a surface: the formats in these groups, with or without
/// `VK_EXT_swapchain_colorspace`.
pub fn surface_formats(
    groups: impl Iterator<Item = &'static Group>,
    colour_spaces: bool,
) -> impl Iterator<Item = vk::SurfaceFormatKHR> {
    groups.flat_map(move |group| {
        let plain = group.plain.then_some((Space::SRGB_NONLINEAR, group.formats.len()));
        let more = if colour_spaces { group.spaces } else { &[] };
        plain.into_iter().chain(more.iter().copied()).flat_map(|(color_space, formats)| {
            let formats = group.formats.iter().take(formats);
            formats.map(move |format| vk::SurfaceFormatKHR { format: *format, color_space })
        })
    })
}

/// Returns the buffer format for a Vulkan format. A format that no surface lists gets the most
/// common one.
pub fn native_format(format: Format) -> c_int {
    let group = groups(ApiLevel::NEWEST, true).find(|group| group.formats.contains(&format));
    group.map_or(native::RGBA_8888, |group| group.native)
}

/// Returns the format without a curve: usage is queried with that.
pub fn without_curve(format: Format) -> Format {
    match format {
        Format::R8G8B8A8_SRGB => Format::R8G8B8A8_UNORM,
        Format::R8G8B8_SRGB => Format::R8G8B8_UNORM,
        _ => format,
    }
}

/// The window's name for a colour space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataspace {
    AsItIs,
    Is(c_int),
}

/// Colour spaces with their names in the system: a standard, a curve and a range.
const DATASPACES: &[(Space, c_int)] = &[
    (Space::SRGB_NONLINEAR, 142_671_872),
    (Space::BT709_NONLINEAR_EXT, 142_671_872),
    (Space::DISPLAY_P3_NONLINEAR_EXT, 143_261_696),
    (Space::EXTENDED_SRGB_LINEAR_EXT, 406_913_024),
    (Space::EXTENDED_SRGB_NONLINEAR_EXT, 411_107_328),
    (Space::DISPLAY_P3_LINEAR_EXT, 139_067_392),
    (Space::DCI_P3_NONLINEAR_EXT, 155_844_608),
    (Space::BT709_LINEAR_EXT, 138_477_568),
    (Space::BT2020_LINEAR_EXT, 138_805_248),
    (Space::HDR10_ST2084_EXT, 163_971_072),
    (Space::DOLBYVISION_EXT, 163_971_072),
    (Space::HDR10_HLG_EXT, 168_165_376),
    (Space::ADOBERGB_LINEAR_EXT, 139_132_928),
    (Space::ADOBERGB_NONLINEAR_EXT, 151_715_840),
];

/// `BT2020_LINEAR` with floating-point numbers, which exceed 1.
const BT2020_LINEAR_EXTENDED: c_int = 407_240_704;

/// Returns the dataspace of a colour space for buffers of this format, `None` if it cannot be
/// shown.
pub fn dataspace(space: Space, native_format: c_int) -> Option<Dataspace> {
    if space == Space::PASS_THROUGH_EXT {
        return Some(Dataspace::AsItIs);
    }
    if (space, native_format) == (Space::BT2020_LINEAR_EXT, native::RGBA_FP16) {
        return Some(Dataspace::Is(BT2020_LINEAR_EXTENDED));
    }
    DATASPACES.iter().find(|(known, _)| *known == space).map(|(_, dataspace)| Dataspace::Is(*dataspace))
}
