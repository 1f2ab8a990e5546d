//! Presenting.

use std::ptr::null;

use android_simulation::graphics::{Graphics, Releases};
use android_simulation::hook;
use android_simulation::{FakeWindow, Simulation};
use ash::vk::{self, Handle};
use platform_android::wsi::native_window::Rectangle;
use platform_android::wsi::present::worse;
use platform_android::{ApiLevel, Switch};

use super::world::{INSTANCE, SUCCESS, World, chain, request};

const LOST: vk::Result = vk::Result::ERROR_SURFACE_LOST_KHR;
const OUT_OF_DATE: vk::Result = vk::Result::ERROR_OUT_OF_DATE_KHR;

fn frame(world: &World, swapchain: vk::SwapchainKHR, chained: *const std::ffi::c_void) -> vk::Result {
    let image = world.acquire(swapchain);
    world.present_with(swapchain, image, chained)
}

#[test]
fn the_window_gets_the_fence_of_the_drawing() {
    let (world, _, swapchain) = World::shown();
    Graphics::change().releases = Releases::Later;
    let _ = world.window.calls();
    assert_eq!(frame(&world, swapchain, null()), SUCCESS);
    assert_eq!(world.window.calls(), ["dequeue", "queue", "query transform-hint"]);
    assert_eq!(Graphics::change().released, [(1, 1)]);
    // One in the window, and one for whichever call destroys the image.
    assert_eq!(world.simulation.android.open_fences(), 2);
    Graphics::change().finish();
    assert!(world.window.show());
    assert_eq!(world.window.change().shown.len(), 1);
}

#[test]
fn the_fence_of_the_application_is_signalled_by_the_drawing() {
    let (world, _, swapchain) = World::shown();
    let fences = [vk::Fence::from_raw(0xF1)];
    let info = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
    assert_eq!(frame(&world, swapchain, chain(&info)), SUCCESS);
    Graphics::change().releases = Releases::Idle;
    assert!(world.window.show());
    assert_eq!(frame(&world, swapchain, chain(&info)), SUCCESS);
    assert_eq!(Graphics::change().imported, [(0xF1, true), (0xF1, false)]);
    // No fence, no import.
    let none = [vk::Fence::null()];
    let info = vk::SwapchainPresentFenceInfoEXT::default().fences(&none);
    assert!(world.window.show());
    assert_eq!(frame(&world, swapchain, chain(&info)), SUCCESS);
    assert_eq!(Graphics::change().imported.len(), 2);
}

#[test]
fn a_fence_that_cannot_be_imported_is_closed() {
    let (world, _, swapchain) = World::shown();
    let fences = [vk::Fence::from_raw(0xF1)];
    let info = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
    let failure = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
    Graphics::change().fail_at("import-fence", 0, failure);
    assert_eq!(frame(&world, swapchain, chain(&info)), failure);
    assert_eq!(world.status(swapchain), OUT_OF_DATE);
}

#[test]
fn the_fence_of_the_application_is_signalled_for_a_retired_swapchain_too() {
    let (world, surface, old) = World::shown();
    let image = world.acquire(old);
    world.swapchain(&request(surface).old_swapchain(old));
    let fences = [vk::Fence::from_raw(0xF1)];
    let info = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
    assert_eq!(world.present_with(old, image, chain(&info)), OUT_OF_DATE);
    assert_eq!(Graphics::change().imported, [(0xF1, true)]);
}

#[test]
fn changes_are_reported_unless_frames_are_left_out() {
    let rectangles = [
        vk::RectLayerKHR {
            offset: vk::Offset2D { x: 1, y: 2 },
            extent: vk::Extent2D { width: 30, height: 40 },
            layer: 0,
        },
        vk::RectLayerKHR {
            offset: vk::Offset2D { x: 5, y: 6 },
            extent: vk::Extent2D { width: 7, height: 8 },
            layer: 3,
        },
    ];
    let regions = [vk::PresentRegionKHR::default().rectangles(&rectangles)];
    let info = vk::PresentRegionsKHR::default().regions(&regions);
    let damage = vec![
        Rectangle { left: 1, bottom: 2, right: 31, top: 42 },
        Rectangle { left: 5, bottom: 6, right: 12, top: 14 },
    ];
    for (mode, expected) in [(vk::PresentModeKHR::FIFO, damage), (vk::PresentModeKHR::MAILBOX, Vec::new())] {
        let (world, _, swapchain) = World::shown_by(|surface| request(surface).present_mode(mode));
        assert_eq!(frame(&world, swapchain, chain(&info)), SUCCESS);
        assert!(world.window.show());
        assert_eq!(world.window.change().shown[0].damage, expected);
        // No damage means everything.
        assert_eq!(frame(&world, swapchain, null()), SUCCESS);
        assert!(world.window.show());
        assert_eq!(world.window.change().shown[1].damage, []);
    }
}

#[test]
fn suboptimal_when_the_window_is_turned() {
    suboptimal(&World::new(), SUCCESS);
}

#[test]
fn suboptimal_when_the_window_has_another_size_if_the_switch_says_so() {
    let simulation = Simulation::of(ApiLevel::NEWEST, |switches| switches.with(Switch::SuboptimalBySize));
    suboptimal(&World::on(simulation, INSTANCE), vk::Result::SUBOPTIMAL_KHR);
}

/// Turns the window, then gives it another size, which has the result `resized`.
fn suboptimal(world: &World, resized: vk::Result) {
    let surface = world.surface();
    // Deliberately smaller than the window.
    let small = request(surface).image_extent(vk::Extent2D { width: 320, height: 240 });
    let swapchain = world.swapchain(&small);
    assert_eq!(frame(world, swapchain, null()), SUCCESS);
    world.window.change().transform_hint = 4;
    assert!(world.window.show());
    assert_eq!(frame(world, swapchain, null()), vk::Result::SUBOPTIMAL_KHR);
    world.window.change().transform_hint = 0;
    world.window.change().size = (480, 640);
    assert!(world.window.show());
    assert_eq!(frame(world, swapchain, null()), resized);
    assert_eq!(world.status(swapchain), SUCCESS);
    let turned = request(surface).old_swapchain(swapchain);
    world.window.change().transform_hint = 7;
    let next = world.swapchain(&turned.pre_transform(vk::SurfaceTransformFlagsKHR::ROTATE_270));
    assert_eq!(frame(world, next, null()), SUCCESS);
    world.destroy_swapchain(swapchain);
    world.destroy_swapchain(next);
    world.destroy_surface(surface);
}

#[test]
fn the_worst_result_is_returned() {
    let ranking = [
        vk::Result::ERROR_DEVICE_LOST,
        LOST,
        OUT_OF_DATE,
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        vk::Result::ERROR_OUT_OF_HOST_MEMORY,
        // Any other error is also an error.
        vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
        vk::Result::SUBOPTIMAL_KHR,
        SUCCESS,
    ];
    for (index, one) in ranking.iter().enumerate() {
        for other in &ranking[index..] {
            assert_eq!(worse(*one, *other), *one);
            assert_eq!(worse(*other, *one), *one);
        }
    }
}

fn another(world: &World) -> (FakeWindow, vk::SurfaceKHR) {
    let window = FakeWindow::new(world.simulation.android);
    let info = vk::AndroidSurfaceCreateInfoKHR::default().window(window.pointer().cast());
    let mut surface = vk::SurfaceKHR::null();
    let result =
        unsafe { hook!(PFN_vkCreateAndroidSurfaceKHR)(world.instance, &info, world.callbacks, &mut surface) };
    assert_eq!(result, SUCCESS);
    (window, surface)
}

#[test]
fn each_swapchain_has_its_result_and_the_semaphores_are_waited_for_once() {
    let world = World::new();
    let surface = world.surface();
    let (window, second_surface) = another(&world);
    let (first, second) = (world.swapchain(&request(surface)), world.swapchain(&request(second_surface)));
    let images = [world.acquire(first), world.acquire(second)];
    window.change().transform_hint = 3;
    // A driver may find that an image that waits for nothing is idle.
    Graphics::change().idle_without_semaphores = true;
    Graphics::change().releases = Releases::Later;
    let (result, results) = world.present_all(&[first, second], &images, null());
    assert_eq!((result, results), (vk::Result::SUBOPTIMAL_KHR, vec![SUCCESS, vk::Result::SUBOPTIMAL_KHR]));
    assert_eq!(Graphics::change().released, [(1, 1), (0, 4)]);
    // Both windows wait for the drawing: two fences each, one of them the loader's; the one for the
    // call itself is closed.
    assert_eq!(world.simulation.android.open_fences(), 4);
    Graphics::change().finish();
    assert!(world.window.show() && window.show());

    let images = [world.acquire(first), world.acquire(second)];
    window.change().transform_hint = 0;
    world.window.lose();
    let (result, results) = world.present_all(&[first, second], &images, null());
    assert_eq!((result, results), (LOST, vec![LOST, SUCCESS]));
    assert_eq!((world.status(first), world.status(second)), (OUT_OF_DATE, SUCCESS));
    Graphics::change().finish();
    world.destroy_swapchain(first);
    world.destroy_swapchain(second);
    world.destroy_surface(surface);
    world.destroy_surface(second_surface);
    assert_eq!(window.leaks(), Vec::<String>::new());
    window.forget();
}

#[test]
fn each_swapchain_has_its_own_part_of_chained_structures() {
    let world = World::new();
    let surface = world.surface();
    let (window, second_surface) = another(&world);
    let swapchains = [world.swapchain(&request(surface)), world.swapchain(&request(second_surface))];
    let images = swapchains.map(|swapchain| world.acquire(swapchain));
    let fences = [0xF1, 0xF2].map(vk::Fence::from_raw);
    let info = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
    assert_eq!(world.present_all(&swapchains, &images, chain(&info)).0, SUCCESS);
    assert_eq!(Graphics::change().imported, [(0xF1, true), (0xF2, true)]);
    assert!(world.window.show() && window.show());
    for swapchain in swapchains {
        world.destroy_swapchain(swapchain);
    }
    world.destroy_surface(surface);
    world.destroy_surface(second_surface);
    window.forget();
}

#[test]
fn a_driver_that_fails_retires_the_swapchain() {
    let (world, surface, swapchain) = World::shown();
    Graphics::change().fail_at("release-image", 0, vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(frame(&world, swapchain, null()), vk::Result::ERROR_DEVICE_LOST);
    assert_eq!(world.status(swapchain), OUT_OF_DATE);
    // A swapchain retired by an error can be passed as the old one.
    world.swapchain(&request(surface).old_swapchain(swapchain));
}

#[test]
fn an_image_that_was_not_acquired_is_not_presented() {
    let (world, surface, swapchain) = World::shown();
    let image = world.acquire(swapchain);
    for wrong in [image + 1, 3, u32::MAX] {
        assert_eq!(world.present(swapchain, wrong), vk::Result::ERROR_VALIDATION_FAILED_EXT);
    }
    assert!(world.simulation.android.logged().iter().any(|(_, text)| text.contains("was not acquired")));
    // That lost nothing.
    assert_eq!(Graphics::change().released, []);
    assert_eq!(world.present(swapchain, image), SUCCESS);
    assert!(world.window.show());
    world.swapchain(&request(surface).old_swapchain(swapchain));
    assert_eq!(world.present(swapchain, 1), OUT_OF_DATE);
    assert_eq!(Graphics::change().released.len(), 1);
}

#[test]
fn images_with_which_the_driver_is_busy_are_destroyed_with_their_swapchain() {
    let (world, surface, old) = World::shown();
    Graphics::change().releases = Releases::Later;
    assert_eq!(frame(&world, old, null()), SUCCESS);
    world.swapchain(&request(surface).old_swapchain(old));
    let there: Vec<_> = world.images(old).iter().map(|image| !image.is_null()).collect();
    assert_eq!(there, [true, false, false]);
    Graphics::change().finish();
    world.destroy_swapchain(old);
    assert_eq!(Graphics::change().images.len(), 3);
}

#[test]
fn hdr_metadata_reach_the_window() {
    let (world, surface, old) = World::shown();
    let new = world.swapchain(&request(surface).old_swapchain(old));
    let xy = |x, y| vk::XYColorEXT { x, y };
    let metadata = |first: f32| {
        vk::HdrMetadataEXT::default()
            .display_primary_red(xy(first, 2.0))
            .display_primary_green(xy(3.0, 4.0))
            .display_primary_blue(xy(5.0, 6.0))
            .white_point(xy(7.0, 8.0))
            .max_luminance(9.0)
            .min_luminance(10.0)
            .max_content_light_level(11.0)
            .max_frame_average_light_level(12.0)
    };
    let _ = world.window.calls();
    let (swapchains, metadata) = ([new, old], [metadata(1.0), metadata(99.0)]);
    // SAFETY: valid handles, and two arrays of two elements.
    unsafe {
        hook!(PFN_vkSetHdrMetadataEXT)(world.device, 2, swapchains.as_ptr(), metadata.as_ptr());
    }
    assert_eq!(world.window.calls(), ["smpte2086", "cta861.3"]);
    let told = world.window.change().told.clone();
    assert_eq!(told.smpte2086, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    assert_eq!(told.cta861_3, [11.0, 12.0]);
}

#[test]
fn a_window_without_a_rotation_has_the_frame_and_keeps_its_swapchain() {
    let (world, _, swapchain) = World::shown();
    let image = world.acquire(swapchain);
    let _ = world.window.calls();
    // Queueing comes before.
    assert_eq!(world.present(swapchain, image), SUCCESS);
    let calls = world.window.calls();
    let number = calls.iter().position(|call| call.starts_with("query transform-hint")).unwrap();
    assert_eq!(calls[number - 1], "queue", "{calls:?}");
    let image = world.acquire(swapchain);
    world.window.fail(number, -19);
    assert_eq!(world.present(swapchain, image), LOST);
    world.window.stop_failing();
    let image = world.acquire(swapchain);
    assert_eq!(world.present(swapchain, image), SUCCESS);
}
