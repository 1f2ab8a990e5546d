//! The formats and colour spaces of surfaces.

use std::ptr::null_mut;

use android_simulation::Simulation;
use android_simulation::graphics::Graphics;
use android_simulation::hook;
use ash::vk::{self, ColorSpaceKHR as Space, Format};
use platform_android::{ApiLevel, Switch, wsi};

use super::world::{INSTANCE, SUCCESS, World, request};

pub(crate) fn formats(world: &World, surface: vk::SurfaceKHR) -> Result<Vec<(Format, Space)>, vk::Result> {
    let mut count = 0;
    unsafe {
        let get = hook!(PFN_vkGetPhysicalDeviceSurfaceFormatsKHR);
        match get(world.physical_device, surface, &mut count, null_mut()) {
            SUCCESS => {}
            error => return Err(error),
        }
        let mut list = vec![vk::SurfaceFormatKHR::default(); count as usize];
        assert_eq!(get(world.physical_device, surface, &mut count, list.as_mut_ptr()), SUCCESS);
        Ok(list.iter().map(|format| (format.format, format.color_space)).collect())
    }
}

const BUFFERS: [u32; 5] = [4, 0x16, 0x2B, 0x38, 0x3B];

/// Returns the formats that Android 14 lists for these groups, in its order.
fn android_14(there: impl Fn(u32) -> bool, colour_spaces: bool) -> Vec<(Format, Space)> {
    let (pass, p3) = (Space::PASS_THROUGH_EXT, Space::DISPLAY_P3_NONLINEAR_EXT);
    let (unorm, srgb) = (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_SRGB);
    let rows = [
        (1, false, unorm, Space::SRGB_NONLINEAR),
        (1, false, srgb, Space::SRGB_NONLINEAR),
        (1, true, unorm, pass),
        (1, true, srgb, pass),
        (1, true, unorm, Space::BT709_LINEAR_EXT),
        (1, true, unorm, p3),
        (1, true, srgb, p3),
        (4, false, Format::R5G6B5_UNORM_PACK16, Space::SRGB_NONLINEAR),
        (4, true, Format::R5G6B5_UNORM_PACK16, pass),
        (0x16, false, Format::R16G16B16A16_SFLOAT, Space::SRGB_NONLINEAR),
        (0x16, true, Format::R16G16B16A16_SFLOAT, pass),
        (0x16, true, Format::R16G16B16A16_SFLOAT, Space::EXTENDED_SRGB_LINEAR_EXT),
        (0x16, true, Format::R16G16B16A16_SFLOAT, Space::EXTENDED_SRGB_NONLINEAR_EXT),
        (0x2B, false, Format::A2B10G10R10_UNORM_PACK32, Space::SRGB_NONLINEAR),
        (0x2B, true, Format::A2B10G10R10_UNORM_PACK32, pass),
        (0x2B, true, Format::A2B10G10R10_UNORM_PACK32, p3),
        (0x38, true, Format::R8_UNORM, pass),
        (0x3B, false, Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, Space::SRGB_NONLINEAR),
        (0x3B, true, Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, pass),
        (0x3B, true, Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, p3),
    ];
    let listed =
        rows.iter().filter(|(buffer, with, ..)| (*buffer == 1 || there(*buffer)) && (colour_spaces || !with));
    listed.map(|(_, _, format, space)| (*format, *space)).collect()
}

#[test]
fn formats_under_every_mask_of_buffers() {
    for colour_spaces in [false, true] {
        let more = colour_spaces.then_some(c"VK_EXT_swapchain_colorspace");
        let extensions: Vec<_> = INSTANCE.iter().copied().chain(more).collect();
        let world = World::with(ApiLevel::ANDROID_14, &extensions);
        let surface = world.surface();
        for mask in 0..1u32 << BUFFERS.len() {
            MASK.with(|mask_cell| mask_cell.set(mask));
            world.simulation.android.change().buffer_supported = |kind| {
                assert_eq!(kind.usage, 0x900 | 1 << 8 | 1 << 9);
                in_mask(kind.format)
            };
            for rgba10 in [false, true] {
                Graphics::change().extensions = if rgba10 { vec!["VK_EXT_rgba10x6_formats"] } else { vec![] };
                let expected =
                    android_14(|buffer| in_mask(buffer) && (buffer != 0x3B || rgba10), colour_spaces);
                assert!(formats(&world, surface).unwrap() == expected, "{mask:#b} {colour_spaces} {rgba10}");
            }
        }
    }
}

std::thread_local!(static MASK: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

fn in_mask(format: u32) -> bool {
    let index = BUFFERS.iter().position(|known| *known == format).unwrap();
    MASK.with(|mask| mask.get() & 1 << index != 0)
}

#[test]
fn android_15_lists_every_colour_space() {
    let extensions: Vec<_> = INSTANCE.iter().copied().chain([c"VK_EXT_swapchain_colorspace"]).collect();
    let world = World::with(ApiLevel::ANDROID_15, &extensions);
    let surface = world.surface();
    Graphics::change().extensions = vec!["VK_EXT_rgba10x6_formats"];
    let listed = formats(&world, surface).unwrap();
    let spaces = |format: Format| -> Vec<Space> {
        listed.iter().filter(|(known, _)| *known == format).map(|(_, space)| *space).collect()
    };
    let mut expected = vec![
        Space::SRGB_NONLINEAR,
        Space::DISPLAY_P3_NONLINEAR_EXT,
        Space::DCI_P3_NONLINEAR_EXT,
        Space::BT709_LINEAR_EXT,
        Space::BT709_NONLINEAR_EXT,
        Space::BT2020_LINEAR_EXT,
        Space::HDR10_ST2084_EXT,
        Space::HDR10_HLG_EXT,
        Space::ADOBERGB_LINEAR_EXT,
        Space::ADOBERGB_NONLINEAR_EXT,
        Space::PASS_THROUGH_EXT,
        Space::DISPLAY_P3_LINEAR_EXT,
    ];
    for format in [
        Format::R8G8B8A8_UNORM,
        Format::R8G8B8A8_SRGB,
        Format::R5G6B5_UNORM_PACK16,
        Format::A2B10G10R10_UNORM_PACK32,
        Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16,
    ] {
        assert!(spaces(format) == expected, "{}", format.as_raw());
    }
    expected.extend([Space::EXTENDED_SRGB_LINEAR_EXT, Space::EXTENDED_SRGB_NONLINEAR_EXT]);
    assert!(spaces(Format::R16G16B16A16_SFLOAT) == expected);
    assert!(spaces(Format::R8_UNORM) == [Space::PASS_THROUGH_EXT]);
    // Colour space by colour space, each with both formats.
    assert!(listed[2..4].iter().all(|(_, space)| *space == Space::DISPLAY_P3_NONLINEAR_EXT));
}

#[test]
fn formats_of_24_bits_are_there_if_the_switch_is_on_and_the_driver_has_such_images() {
    let rgb = |world: &World| -> Vec<Format> {
        let surface = world.surface();
        let all = formats(world, surface).unwrap();
        world.destroy_surface(surface);
        // After all others.
        let first = all.iter().position(|(format, _)| is_rgb888(*format)).unwrap_or(all.len());
        assert!(all[first..].iter().all(|(format, _)| is_rgb888(*format)));
        all[first..].iter().map(|(format, _)| *format).collect()
    };
    let both = vec![Format::R8G8B8_UNORM, Format::R8G8B8_SRGB];
    for level in [ApiLevel::ANDROID_14, ApiLevel::ANDROID_16] {
        assert!(rgb(&World::with(level, INSTANCE)).is_empty(), "{level:?}");
        let on = Simulation::of(level, |switches| switches.with(Switch::Rgb888));
        assert!(rgb(&World::on(on, INSTANCE)) == both, "{level:?}");
    }
    let world = World::with(ApiLevel::ANDROID_17, INSTANCE);
    assert!(rgb(&world) == both);
    let asked = Graphics::change().asked.pop().unwrap();
    assert!(asked.0 == Format::R8G8B8_SRGB && asked.1.as_raw() == 0x97, "{:x}", asked.1.as_raw());
    world.instance_commands().get_physical_device_image_format_properties2 = Some(none_of_srgb);
    assert!(rgb(&world) == [Format::R8G8B8_UNORM]);
    world.simulation.android.change().buffer_supported = |kind| kind.format != 3;
    assert!(rgb(&world).is_empty());
    drop(world);
    let off = Simulation::of(ApiLevel::ANDROID_17, |switches| switches.without(Switch::Rgb888));
    assert!(rgb(&World::on(off, INSTANCE)).is_empty());
}

unsafe extern "system" fn none_of_srgb(
    _: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    _: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    // SAFETY: the loader passes a valid structure.
    match unsafe { (*info).format } {
        Format::R8G8B8_SRGB => vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
        _ => SUCCESS,
    }
}

fn is_rgb888(format: Format) -> bool {
    matches!(format, Format::R8G8B8_UNORM | Format::R8G8B8_SRGB)
}

#[test]
fn too_small_an_array_of_formats_is_incomplete() {
    let world = World::new();
    let surface = world.surface();
    let mut one = [vk::SurfaceFormat2KHR::default()];
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    let mut count = 1;
    let result = unsafe {
        hook!(PFN_vkGetPhysicalDeviceSurfaceFormats2KHR)(
            world.physical_device,
            &info,
            &mut count,
            one.as_mut_ptr(),
        )
    };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 1));
    assert!(one[0].surface_format.format == Format::R8G8B8A8_UNORM);
}

#[test]
fn compression_of_formats_is_the_drivers() {
    let unsupported = vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
    let unknown = vk::Result::ERROR_UNKNOWN;
    let memory = vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    for (level, error, expected) in [
        (ApiLevel::ANDROID_15, unsupported, unsupported),
        (ApiLevel::ANDROID_15, unknown, unknown),
        (ApiLevel::ANDROID_17, unsupported, SUCCESS),
        (ApiLevel::ANDROID_17, unknown, SUCCESS),
        (ApiLevel::ANDROID_17, memory, memory),
    ] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        let mut compression = [vk::ImageCompressionPropertiesEXT::default(); 2];
        let mut out = [vk::SurfaceFormat2KHR::default(); 2];
        for (out, compression) in out.iter_mut().zip(&mut compression) {
            out.p_next = std::ptr::from_mut(compression).cast();
        }
        let mut count = 2;
        let mut get = || unsafe {
            hook!(PFN_vkGetPhysicalDeviceSurfaceFormats2KHR)(
                world.physical_device,
                &info,
                &mut count,
                out.as_mut_ptr(),
            )
        };
        assert_eq!(get(), vk::Result::INCOMPLETE);
        Graphics::change().fail_at("format-properties", 0, error);
        let result = get();
        let result = if result == vk::Result::INCOMPLETE { SUCCESS } else { result };
        assert_eq!(result, expected);
        let fixed = vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT;
        assert!(compression[1].image_compression_flags == fixed);
        if expected == SUCCESS {
            assert!(compression[0].image_compression_flags == vk::ImageCompressionFlagsEXT::DEFAULT);
        }
    }
}

#[test]
fn each_format_has_its_buffers() {
    for (format, buffers) in [
        (Format::R8G8B8A8_UNORM, 1),
        (Format::R8G8B8A8_SRGB, 1),
        (Format::R8G8B8_UNORM, 3),
        (Format::R8G8B8_SRGB, 3),
        (Format::R5G6B5_UNORM_PACK16, 4),
        (Format::R16G16B16A16_SFLOAT, 0x16),
        (Format::A2B10G10R10_UNORM_PACK32, 0x2B),
        (Format::R8_UNORM, 0x38),
        (Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, 0x3B),
        // A format that no surface has.
        (Format::B8G8R8A8_UNORM, 1),
    ] {
        assert_eq!(wsi::formats::native_format(format), buffers, "{}", format.as_raw());
    }
}

#[test]
fn colour_spaces_are_dataspaces_of_the_window() {
    let rows = [
        (Space::SRGB_NONLINEAR, Format::R8G8B8A8_UNORM, 142_671_872),
        (Space::BT709_NONLINEAR_EXT, Format::R8G8B8A8_UNORM, 142_671_872),
        (Space::DISPLAY_P3_NONLINEAR_EXT, Format::R8G8B8A8_UNORM, 143_261_696),
        (Space::EXTENDED_SRGB_LINEAR_EXT, Format::R16G16B16A16_SFLOAT, 406_913_024),
        (Space::EXTENDED_SRGB_NONLINEAR_EXT, Format::R16G16B16A16_SFLOAT, 411_107_328),
        (Space::DISPLAY_P3_LINEAR_EXT, Format::R8G8B8A8_UNORM, 139_067_392),
        (Space::DCI_P3_NONLINEAR_EXT, Format::R8G8B8A8_UNORM, 155_844_608),
        (Space::BT709_LINEAR_EXT, Format::R8G8B8A8_UNORM, 138_477_568),
        (Space::BT2020_LINEAR_EXT, Format::R8G8B8A8_UNORM, 138_805_248),
        (Space::BT2020_LINEAR_EXT, Format::R16G16B16A16_SFLOAT, 407_240_704),
        (Space::HDR10_ST2084_EXT, Format::A2B10G10R10_UNORM_PACK32, 163_971_072),
        (Space::DOLBYVISION_EXT, Format::A2B10G10R10_UNORM_PACK32, 163_971_072),
        (Space::HDR10_HLG_EXT, Format::A2B10G10R10_UNORM_PACK32, 168_165_376),
        (Space::ADOBERGB_LINEAR_EXT, Format::R8G8B8A8_UNORM, 139_132_928),
        (Space::ADOBERGB_NONLINEAR_EXT, Format::R8G8B8A8_UNORM, 151_715_840),
    ];
    let world = World::new();
    let surface = world.surface();
    for (space, format, dataspace) in rows {
        let swapchain = world.swapchain(&request(surface).image_color_space(space).image_format(format));
        assert_eq!(world.window.change().told.dataspace, dataspace);
        world.destroy_swapchain(swapchain);
    }
    // The window keeps its setting.
    let _ = world.window.calls();
    let pass_through = request(surface).image_color_space(Space::PASS_THROUGH_EXT);
    let swapchain = world.swapchain(&pass_through);
    assert!(!world.window.calls().iter().any(|call| call.starts_with("dataspace")));
    world.destroy_swapchain(swapchain);
    let unknown = request(surface).image_color_space(Space::from_raw(4711));
    assert_eq!(world.try_swapchain(&unknown), Err(vk::Result::ERROR_INITIALIZATION_FAILED));
    assert_eq!(world.window.calls(), Vec::<String>::new());
}
