//! Surfaces and their capabilities.

use std::ptr::null_mut;

use android_simulation::graphics::Graphics;
use android_simulation::hook;
use ash::vk::{self, PresentModeKHR as Mode};
use platform_android::{ApiLevel, wsi};

use super::formats::formats;
use super::world::{INSTANCE, SUCCESS, World, request};

#[test]
fn a_surface_asks_for_the_consumers_usage_and_connects() {
    let world = World::new();
    world.surface();
    assert_eq!(world.window.calls(), ["consumer-usage", "connect-with-listener 1", "present-mode 1"]);
}

#[test]
fn a_window_that_fails_gives_no_surface() {
    let world = World::new();
    world.window.fail(0, -19);
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    // Another producer draws to it.
    world.window.stop_failing();
    world.window.change().reconnect();
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
    world.window.change().disconnect();
    assert!(world.simulation.android.logged().iter().any(|(_, text)| text.contains("draws to the window")));
    world.surface();
    assert_eq!(world.try_surface(), Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR));
}

#[test]
fn destroying_disconnects_and_gives_one_reference_back() {
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
    let result = unsafe {
        hook!(PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(world.physical_device, surface, &mut out)
    };
    if result == SUCCESS { Ok(out) } else { Err(result) }
}

/// Returns the capabilities with a present mode, and whatever is chained to them.
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
    let result = unsafe {
        hook!(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)(world.physical_device, &info, &mut chained)
    };
    (result, chained.surface_capabilities)
}

#[test]
fn numbers_of_the_capabilities() {
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
    world.window.change().size = (300, 6000);
    let found = capabilities(&world, surface).unwrap();
    assert_eq!((found.min_image_count, found.max_image_count), (3, 3));
    assert_eq!((found.max_image_extent.width, found.max_image_extent.height), (4096, 6000));
}

#[test]
fn a_window_that_does_not_answer_is_lost() {
    let world = World::new();
    let surface = world.surface();
    for question in 0..5 {
        world.window.fail(question, -19);
        assert_eq!(capabilities(&world, surface).err(), Some(vk::Result::ERROR_SURFACE_LOST_KHR));
    }
    assert_eq!(world.window.stop_failing(), 5);
}

#[test]
fn counts_by_present_mode() {
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
}

#[test]
fn counts_before_and_since_android_14() {
    for (level, kept, most, expected) in
        [(33, 2, 64, (2, 64)), (34, 2, 64, (4, 64)), (33, 1, 1, (1, 1)), (24, 2, 64, (2, 64))]
    {
        let world = World::with(ApiLevel(level), &INSTANCE[..2]);
        {
            let mut state = world.window.change();
            (state.min_undequeued, state.max_buffers) = (kept, most);
        }
        let surface = world.surface();
        let found = capabilities2(&world, surface, None, vk::SurfaceCapabilities2KHR::default()).1;
        assert_eq!((found.min_image_count, found.max_image_count), expected, "{level} {kept} {most}");
    }
}

#[test]
fn structures_behind_the_capabilities() {
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
        // Not of this surface: it is the only one of its kind.
        (Mode::FIFO_RELAXED, vec![Mode::FIFO_RELAXED]),
    ] {
        let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
        let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
        assert_eq!(capabilities2(&world, surface, Some(mode), out).0, SUCCESS);
        let count = compatible.present_mode_count as usize;
        assert!(modes[..count] == expected[..]);
    }
}

#[test]
fn too_small_an_array_of_compatible_modes_is_incomplete() {
    let world = World::new();
    let surface = world.surface();
    let mut modes = [Mode::IMMEDIATE; 1];
    let mut compatible = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
    let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut compatible);
    let (result, _) = capabilities2(&world, surface, Some(Mode::SHARED_DEMAND_REFRESH), out);
    assert_eq!((result, compatible.present_mode_count), (vk::Result::INCOMPLETE, 1));
}

#[test]
fn protected_images_are_there_if_such_buffers_are() {
    for (level, expected) in [(ApiLevel::ANDROID_14, vk::TRUE), (ApiLevel::ANDROID_17, vk::FALSE)] {
        let world = World::with(level, INSTANCE);
        world.simulation.android.change().buffer_supported = |kind| kind.usage & 1 << 14 == 0;
        world.window.change().consumer_usage = 1 << 11;
        let surface = world.surface();
        let mut protected = vk::SurfaceProtectedCapabilitiesKHR::default();
        let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut protected);
        assert_eq!(capabilities2(&world, surface, None, out).0, SUCCESS);
        assert_eq!(protected.supports_protected, expected);
        // The consumer's usage of its buffers makes no difference.
        world.simulation.android.change().buffer_supported = |kind| kind.usage & 1 << 11 == 0;
        let out = vk::SurfaceCapabilities2KHR::default().push_next(&mut protected);
        assert_eq!(capabilities2(&world, surface, None, out).0, SUCCESS);
        assert_eq!(protected.supports_protected, vk::TRUE);
    }
}

fn modes(world: &World, surface: vk::SurfaceKHR) -> Result<Vec<Mode>, vk::Result> {
    let mut count = 0;
    unsafe {
        let get = hook!(PFN_vkGetPhysicalDeviceSurfacePresentModesKHR);
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
fn without_a_surface_and_without_the_extension_it_is_lost() {
    let world = World::new();
    let none = vk::SurfaceKHR::null();
    let lost = vk::Result::ERROR_SURFACE_LOST_KHR;
    assert_eq!(capabilities(&world, none).err(), Some(lost));
    assert!(formats(&world, none).err() == Some(lost));
    assert!(modes(&world, none).err() == Some(lost));
}

#[test]
fn without_a_surface_and_with_the_extension_there_are_answers() {
    let extensions: Vec<_> = INSTANCE.iter().copied().chain([c"VK_GOOGLE_surfaceless_query"]).collect();
    let world = World::with(ApiLevel::ANDROID_17, &extensions);
    let none = vk::SurfaceKHR::null();
    let found = capabilities(&world, none).unwrap();
    let unknown = u32::MAX;
    assert_eq!((found.min_image_count, found.max_image_count), (unknown, unknown));
    assert_eq!((found.current_extent.width, found.current_extent.height), (unknown, unknown));
    assert_eq!((found.max_image_extent.width, found.max_image_extent.height), (unknown, unknown));
    assert!(found.current_transform == vk::SurfaceTransformFlagsKHR::IDENTITY);
    // Buffers that can be composed, and drawn to.
    world.simulation.android.change().buffer_supported = |kind| kind.usage == (1 << 11 | 1 << 8 | 1 << 9);
    assert_eq!(formats(&world, none).unwrap().len(), 7);
    assert!(modes(&world, none).unwrap() == [Mode::FIFO]);
    Graphics::change().shared_image = true;
    let shared = [Mode::FIFO, Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH];
    assert!(modes(&world, none).unwrap() == shared);
}

#[test]
fn present_modes_of_a_surface() {
    for level in [ApiLevel::ANDROID_14, ApiLevel::ANDROID_17] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let latest = (level == ApiLevel::ANDROID_17).then_some(wsi::present_modes::FIFO_LATEST_READY);
        let expected = |mailbox: bool, shared: &[Mode]| -> Vec<Mode> {
            let first = mailbox.then_some(Mode::MAILBOX).into_iter().chain([Mode::FIFO]);
            first.chain(latest).chain(shared.iter().copied()).collect()
        };
        assert!(modes(&world, surface).unwrap() == expected(true, &[]));
        // Mailbox mode needs one buffer more than both sides have.
        world.window.change().max_buffers = 3;
        world.window.change().min_undequeued = 2;
        assert!(modes(&world, surface).unwrap() == expected(false, &[]));
        Graphics::change().shared_image = true;
        let shared = [Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH];
        assert!(modes(&world, surface).unwrap() == expected(false, &shared));
        let driver = world.instance_commands();
        driver.get_physical_device_properties2_khr = driver.get_physical_device_properties2.take();
        assert!(modes(&world, surface).unwrap() == expected(false, &shared));
        driver.get_physical_device_properties2_khr = None;
        assert!(modes(&world, surface).unwrap() == expected(false, &[]));
        world.window.fail(0, -19);
        assert!(modes(&world, surface).err() == Some(vk::Result::ERROR_SURFACE_LOST_KHR));
        world.window.stop_failing();
    }
}

#[test]
fn a_mode_is_listed_if_the_window_can_be_set_to_it() {
    let world = World::new();
    world.window.change().knows_present_modes = false;
    let surface = world.surface();
    assert!(modes(&world, surface).unwrap() == [Mode::MAILBOX, Mode::FIFO]);
    let latest = request(surface).present_mode(wsi::present_modes::FIFO_LATEST_READY);
    assert_eq!(world.try_swapchain(&latest), Err(vk::Result::ERROR_INITIALIZATION_FAILED));
    let logged = world.simulation.android.logged();
    assert!(logged.iter().any(|(_, text)| text.contains("cannot show the latest frame first")));
    // Other modes need no telling.
    world.destroy_swapchain(world.swapchain(&request(surface)));
}

#[test]
fn every_queue_presents_to_every_surface() {
    let world = World::new();
    let surface = world.surface();
    let mut supported = vk::FALSE;
    let (mut mode, mut group) = Default::default();
    let mut rectangle = vk::Rect2D::default();
    let mut count = 1;
    unsafe {
        let result = hook!(PFN_vkGetPhysicalDeviceSurfaceSupportKHR)(
            world.physical_device,
            7,
            surface,
            &mut supported,
        );
        assert_eq!((result, supported), (SUCCESS, vk::TRUE));
        let result = hook!(PFN_vkGetDeviceGroupPresentCapabilitiesKHR)(world.device, &mut group);
        let group: vk::DeviceGroupPresentCapabilitiesKHR<'_> = group;
        assert_eq!((result, group.present_mask[0], group.present_mask[1]), (SUCCESS, 1, 0));
        assert!(group.modes == vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        let _ = hook!(PFN_vkGetDeviceGroupSurfacePresentModesKHR)(world.device, surface, &mut mode);
        assert!(mode == vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        let get = hook!(PFN_vkGetPhysicalDevicePresentRectanglesKHR);
        assert_eq!(get(world.physical_device, surface, &mut count, null_mut()), SUCCESS);
        assert_eq!(count, 1);
        assert_eq!(get(world.physical_device, surface, &mut count, &mut rectangle), SUCCESS);
        assert_eq!((rectangle.extent.width, rectangle.extent.height, rectangle.offset.x), (640, 480, 0));
        world.window.fail(0, -19);
        let lost = get(world.physical_device, surface, &mut count, &mut rectangle);
        assert_eq!(lost, vk::Result::ERROR_SURFACE_LOST_KHR);
        world.window.stop_failing();
    }
}
