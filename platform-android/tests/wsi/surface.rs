//! Surfaces and what they can do.

use std::ptr::null_mut;

use android_simulation::graphics::Graphics;
use ash::vk::{self, ColorSpaceKHR as Space, Format, PresentModeKHR as Mode};
use platform_android::{ApiLevel, wsi};

use crate::world::{INSTANCE, SUCCESS, World, request};

#[test]
fn r88_a_surface_asks_for_the_consumers_usage_and_connects() {
    let world = World::new();
    let surface = world.surface();
    assert_eq!(world.window.calls(), ["consumer-usage", "connect 1"]);
    world.destroy_surface(surface);
}

#[test]
fn r88_a_window_that_fails_gives_no_surface() {
    let world = World::new();
    world.window.fail(0, -19);
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    world.window.fail(1, -22);
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
    assert!(world.simulation.android.logged().iter().any(|(_, text)| text.contains("draws to the window")));
    world.window.stop_failing();
    let first = world.surface();
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
    world.destroy_surface(first);
}

#[test]
fn r89_destroying_disconnects_and_gives_one_reference_back() {
    let world = World::new();
    let surface = world.surface();
    assert_eq!(world.window.leaks(), ["1 references to the window", "somebody is connected"]);
    let _ = world.window.calls();
    world.destroy_surface(surface);
    assert_eq!(world.window.calls(), ["disconnect 1"]);
    world.destroy_surface(vk::SurfaceKHR::null());
    // The window can be used again.
    world.destroy_surface(world.surface());
}

fn capabilities(world: &World, surface: vk::SurfaceKHR) -> Result<vk::SurfaceCapabilitiesKHR, vk::Result> {
    let mut out = vk::SurfaceCapabilitiesKHR::default();
    // SAFETY: valid handles and a place for the result.
    let result =
        unsafe { wsi::capabilities::get_surface_capabilities(world.physical_device, surface, &mut out) };
    if result == SUCCESS { Ok(out) } else { Err(result) }
}

/// The capabilities with a present mode, and whatever is chained to them.
fn capabilities2(
    world: &World,
    surface: vk::SurfaceKHR,
    mode: Option<Mode>,
    mut chained: vk::SurfaceCapabilities2KHR<'_>,
) -> (vk::Result, vk::SurfaceCapabilitiesKHR) {
    let mut of_mode = vk::SurfacePresentModeEXT::default().present_mode(mode.unwrap_or_default());
    let mut info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    if mode.is_some() {
        info = info.push_next(&mut of_mode);
    }
    // SAFETY: valid handles and chains.
    let result =
        unsafe { wsi::capabilities::get_surface_capabilities2(world.physical_device, &info, &mut chained) };
    (result, chained.surface_capabilities)
}

#[test]
fn r90_numbers_of_the_capabilities() {
    let world = World::new();
    let surface = world.surface();
    {
        let mut state = world.window.change();
        (state.min_undequeued, state.max_buffers, state.transform_hint) = (2, 10, 4);
        state.size = (5000, 300);
    }
    let found = capabilities(&world, surface).unwrap();
    assert_eq!((found.min_image_count, found.max_image_count), (4, 10));
    assert_eq!((found.current_extent.width, found.current_extent.height), (5000, 300));
    assert_eq!((found.min_image_extent.width, found.min_image_extent.height), (1, 1));
    assert_eq!((found.max_image_extent.width, found.max_image_extent.height), (5000, 4096));
    assert_eq!(found.max_image_array_layers, 1);
    assert_eq!(found.supported_transforms.as_raw(), 0x1FF);
    assert!(found.current_transform == vk::SurfaceTransformFlagsKHR::ROTATE_90);
    assert!(found.supported_composite_alpha == vk::CompositeAlphaFlagsKHR::INHERIT);
    assert_eq!(found.supported_usage_flags.as_raw(), 0x9F);

    world.window.change().max_buffers = 3;
    let found = capabilities(&world, surface).unwrap();
    assert_eq!((found.min_image_count, found.max_image_count), (3, 3));
    world.destroy_surface(surface);
}

#[test]
fn r90_a_window_that_does_not_answer_is_lost() {
    let world = World::new();
    let surface = world.surface();
    for question in 0..5 {
        world.window.fail(question, -19);
        assert_eq!(capabilities(&world, surface).err(), Some(vk::Result::ERROR_SURFACE_LOST_KHR));
    }
    assert_eq!(world.window.stop_failing(), 5);
    world.destroy_surface(surface);
}

#[test]
fn r90_counts_by_present_mode() {
    let world = World::new();
    let surface = world.surface();
    let counts = |mode| {
        let (min_image_count, max_image_count) = (77, 78);
        let before = vk::SurfaceCapabilities2KHR {
            surface_capabilities: vk::SurfaceCapabilitiesKHR {
                min_image_count,
                max_image_count,
                ..Default::default()
            },
            ..Default::default()
        };
        let (result, found) = capabilities2(&world, surface, Some(mode), before);
        assert_eq!(result, SUCCESS);
        (found.min_image_count, found.max_image_count)
    };
    assert_eq!(counts(Mode::FIFO), (3, 64));
    assert_eq!(counts(Mode::MAILBOX), (3, 64));
    assert_eq!(counts(Mode::SHARED_DEMAND_REFRESH), (1, 1));
    assert_eq!(counts(Mode::SHARED_CONTINUOUS_REFRESH), (1, 1));
    assert_eq!(counts(Mode::IMMEDIATE), (77, 78));
    world.destroy_surface(surface);
}

#[test]
fn r90_structures_behind_the_capabilities() {
    let world = World::new();
    let surface = world.surface();
    let mut shared = vk::SharedPresentSurfaceCapabilitiesKHR::default();
    let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default();
    let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT::default();
    let out = vk::SurfaceCapabilities2KHR::default()
        .push_next(&mut shared)
        .push_next(&mut protected)
        .push_next(&mut scaling);
    assert_eq!(capabilities2(&world, surface, None, out).0, SUCCESS);
    assert_eq!(shared.shared_present_supported_usage_flags.as_raw(), 0x9F);
    assert_eq!(protected.supports_protected, vk::TRUE);
    assert!(scaling.supported_present_scaling == vk::PresentScalingFlagsEXT::STRETCH);
    assert!(scaling.supported_present_gravity_x.is_empty() && scaling.supported_present_gravity_y.is_empty());
    assert_eq!(scaling.max_scaled_image_extent.width, 4096);

    let mut modes = [Mode::IMMEDIATE; 2];
    for (mode, expected) in [
        (Mode::FIFO, vec![Mode::FIFO]),
        (Mode::MAILBOX, vec![Mode::MAILBOX]),
        (Mode::SHARED_DEMAND_REFRESH, vec![Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH]),
        (Mode::SHARED_CONTINUOUS_REFRESH, vec![Mode::SHARED_CONTINUOUS_REFRESH, Mode::SHARED_DEMAND_REFRESH]),
    ] {
        let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
        let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
        assert_eq!(capabilities2(&world, surface, Some(mode), out).0, SUCCESS);
        let count = compatible.present_mode_count as usize;
        assert!(modes[..count] == expected[..]);
    }
    world.destroy_surface(surface);
}

#[test]
fn r90_too_small_an_array_of_compatible_modes_is_incomplete() {
    let world = World::new();
    let surface = world.surface();
    let mut modes = [Mode::IMMEDIATE; 1];
    let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
    let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
    let (result, _) = capabilities2(&world, surface, Some(Mode::SHARED_DEMAND_REFRESH), out);
    assert_eq!((result, compatible.present_mode_count), (vk::Result::INCOMPLETE, 1));
    world.destroy_surface(surface);
}

#[test]
fn r90_protected_images_are_there_if_such_buffers_are() {
    for (level, expected) in [(ApiLevel::ANDROID_14, vk::TRUE), (ApiLevel::ANDROID_17, vk::FALSE)] {
        let world = World::with(level, INSTANCE);
        world.simulation.android.change().buffer_supported = |kind| kind.usage & 1 << 14 == 0;
        let surface = world.surface();
        let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default();
        let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut protected);
        assert_eq!(capabilities2(&world, surface, None, out).0, SUCCESS);
        assert_eq!(protected.supports_protected, expected);
        world.destroy_surface(surface);
    }
}

fn formats(world: &World, surface: vk::SurfaceKHR) -> Result<Vec<(Format, Space)>, vk::Result> {
    let mut count = 0;
    // SAFETY: valid handles and a counted out-array.
    unsafe {
        let get = wsi::queries::get_surface_formats;
        match get(world.physical_device, surface, &mut count, null_mut()) {
            SUCCESS => {}
            error => return Err(error),
        }
        let mut list = vec![vk::SurfaceFormatKHR::default(); count as usize];
        assert_eq!(get(world.physical_device, surface, &mut count, list.as_mut_ptr()), SUCCESS);
        Ok(list.iter().map(|format| (format.format, format.color_space)).collect())
    }
}

fn modes(world: &World, surface: vk::SurfaceKHR) -> Result<Vec<Mode>, vk::Result> {
    let mut count = 0;
    // SAFETY: valid handles and a counted out-array.
    unsafe {
        let get = wsi::queries::get_surface_present_modes;
        match get(world.physical_device, surface, &mut count, null_mut()) {
            SUCCESS => {}
            error => return Err(error),
        }
        let mut list = vec![Mode::default(); count as usize];
        assert_eq!(get(world.physical_device, surface, &mut count, list.as_mut_ptr()), SUCCESS);
        Ok(list)
    }
}

#[test]
fn r91_without_a_surface_and_without_the_extension_it_is_lost() {
    let world = World::new();
    let none = vk::SurfaceKHR::null();
    let lost = vk::Result::ERROR_SURFACE_LOST_KHR;
    assert_eq!(capabilities(&world, none).err(), Some(lost));
    assert!(formats(&world, none).err() == Some(lost));
    assert!(modes(&world, none).err() == Some(lost));
}

#[test]
fn r91_without_a_surface_and_with_the_extension_there_are_answers() {
    let extensions: Vec<_> = INSTANCE.iter().copied().chain([c"VK_GOOGLE_surfaceless_query"]).collect();
    let world = World::with(ApiLevel::ANDROID_14, &extensions);
    let none = vk::SurfaceKHR::null();
    let found = capabilities(&world, none).unwrap();
    let unknown = u32::MAX;
    assert_eq!((found.min_image_count, found.max_image_count), (unknown, unknown));
    assert_eq!((found.current_extent.width, found.current_extent.height), (unknown, unknown));
    assert!(found.current_transform == vk::SurfaceTransformFlagsKHR::INHERIT);
    // Buffers that can be composed, and drawn to.
    world.simulation.android.change().buffer_supported = |kind| kind.usage == (1 << 11 | 1 << 8 | 1 << 9);
    assert_eq!(formats(&world, none).unwrap().len(), 5);
    assert!(modes(&world, none).unwrap() == [Mode::FIFO]);
    Graphics::change().shared_image = true;
    let shared = [Mode::FIFO, Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH];
    assert!(modes(&world, none).unwrap() == shared);
}

#[test]
fn r92_present_modes_of_a_surface() {
    for level in [ApiLevel::ANDROID_14, ApiLevel::ANDROID_17] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let latest = (level == ApiLevel::ANDROID_17).then_some(wsi::present_modes::FIFO_LATEST_READY);
        let expected = |mailbox: bool, shared: &[Mode]| -> Vec<Mode> {
            let first = mailbox.then_some(Mode::MAILBOX).into_iter().chain([Mode::FIFO]);
            first.chain(latest).chain(shared.iter().copied()).collect()
        };
        assert!(modes(&world, surface).unwrap() == expected(true, &[]));
        // A mailbox needs a buffer more than both sides have.
        world.window.change().max_buffers = 3;
        world.window.change().min_undequeued = 2;
        assert!(modes(&world, surface).unwrap() == expected(false, &[]));
        Graphics::change().shared_image = true;
        let shared = [Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH];
        assert!(modes(&world, surface).unwrap() == expected(false, &shared));
        world.window.fail(0, -19);
        assert!(modes(&world, surface).err() == Some(vk::Result::ERROR_SURFACE_LOST_KHR));
        world.window.stop_failing();
        world.destroy_surface(surface);
    }
}

const BUFFERS: [u32; 5] = [4, 0x16, 0x2B, 0x38, 0x3B];

/// What Android 14 lists for these groups of formats, in its order.
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
fn r93_formats_under_every_mask_of_buffers() {
    for colour_spaces in [false, true] {
        let more = colour_spaces.then_some(c"VK_EXT_swapchain_colorspace");
        let extensions: Vec<_> = INSTANCE.iter().copied().chain(more).collect();
        let world = World::with(ApiLevel::ANDROID_14, &extensions);
        let surface = world.surface();
        for mask in 0..1u32 << BUFFERS.len() {
            MASK.with(|place| place.set(mask));
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
        world.destroy_surface(surface);
    }
}

std::thread_local!(static MASK: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });

fn in_mask(format: u32) -> bool {
    let place = BUFFERS.iter().position(|known| *known == format).unwrap();
    MASK.with(|mask| mask.get() & 1 << place != 0)
}

#[test]
fn r93_android_15_lists_every_colour_space() {
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
    // Space by space, each with both formats.
    assert!(listed[2..4].iter().all(|(_, space)| *space == Space::DISPLAY_P3_NONLINEAR_EXT));
    world.destroy_surface(surface);
}

#[test]
fn r93_too_small_an_array_of_formats_is_incomplete() {
    let world = World::new();
    let surface = world.surface();
    let mut one = [vk::SurfaceFormat2KHR::default()];
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    let mut count = 1;
    // SAFETY: valid handles and a counted out-array.
    let result = unsafe {
        wsi::queries::get_surface_formats2(world.physical_device, &info, &mut count, one.as_mut_ptr())
    };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 1));
    assert!(one[0].surface_format.format == Format::R8G8B8A8_UNORM);
    world.destroy_surface(surface);
}

#[test]
fn r93_compression_of_formats_is_the_drivers() {
    for (level, expected) in
        [(ApiLevel::ANDROID_15, vk::Result::ERROR_FORMAT_NOT_SUPPORTED), (ApiLevel::ANDROID_17, SUCCESS)]
    {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        let mut compression = [vk::ImageCompressionPropertiesEXT::default(); 2];
        let mut out = [vk::SurfaceFormat2KHR::default(); 2];
        for (out, compression) in out.iter_mut().zip(&mut compression) {
            out.p_next = std::ptr::from_mut(compression).cast();
        }
        let mut count = 2;
        let mut get = || {
            // SAFETY: valid handles and a counted out-array.
            unsafe {
                wsi::queries::get_surface_formats2(world.physical_device, &info, &mut count, out.as_mut_ptr())
            }
        };
        assert_eq!(get(), vk::Result::INCOMPLETE);
        Graphics::change().fail_at("format-properties", 0, vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        let result = get();
        let result = if result == vk::Result::INCOMPLETE { SUCCESS } else { result };
        assert_eq!(result, expected);
        let fixed = vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT;
        assert!(compression[1].image_compression_flags == fixed);
        world.destroy_surface(surface);
    }
}

#[test]
fn r94_colour_spaces_are_dataspaces_of_the_window() {
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
    // The window keeps what it has.
    let _ = world.window.calls();
    let pass_through = request(surface).image_color_space(Space::PASS_THROUGH_EXT);
    let swapchain = world.swapchain(&pass_through);
    assert!(!world.window.calls().iter().any(|call| call.starts_with("dataspace")));
    world.destroy_swapchain(swapchain);
    let unknown = request(surface).image_color_space(Space::from_raw(4711));
    assert_eq!(world.try_swapchain(&unknown), Err(vk::Result::ERROR_INITIALIZATION_FAILED));
    assert_eq!(world.window.calls(), Vec::<String>::new());
    world.destroy_surface(surface);
}

#[test]
fn r92_every_queue_presents_to_every_surface() {
    let world = World::new();
    let surface = world.surface();
    let mut supported = vk::FALSE;
    let (mut mode, mut group) = Default::default();
    let mut rectangle = vk::Rect2D::default();
    let mut count = 1;
    // SAFETY: valid handles and places for the results.
    unsafe {
        let result = wsi::surface::get_surface_support(world.physical_device, 7, surface, &mut supported);
        assert_eq!((result, supported), (SUCCESS, vk::TRUE));
        let result = wsi::group::get_device_group_present_capabilities(world.device, &mut group);
        let group: vk::DeviceGroupPresentCapabilitiesKHR<'_> = group;
        assert_eq!((result, group.present_mask[0], group.present_mask[1]), (SUCCESS, 1, 0));
        assert!(group.modes == vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        let _ = wsi::group::get_device_group_surface_present_modes(world.device, surface, &mut mode);
        assert!(mode == vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        let get = wsi::group::get_physical_device_present_rectangles;
        assert_eq!(get(world.physical_device, surface, &mut count, &mut rectangle), SUCCESS);
        assert_eq!((rectangle.extent.width, rectangle.extent.height, rectangle.offset.x), (640, 480, 0));
        world.window.fail(0, -19);
        let lost = get(world.physical_device, surface, &mut count, &mut rectangle);
        assert_eq!(lost, vk::Result::ERROR_SURFACE_LOST_KHR);
        world.window.stop_failing();
    }
    world.destroy_surface(surface);
}
