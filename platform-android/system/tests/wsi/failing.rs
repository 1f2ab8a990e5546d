//! Every call to the window and to the driver fails once, and nothing is leaked.

use android_simulation::graphics::{Graphics, Releases};
use android_simulation::hook;
use ash::vk::{self, Handle, PresentModeKHR as Mode};
use platform_android::wsi::structures::CREATE_DEFERRED;

use super::world::{World, chain, request};

const CONNECT: &str = "connect-with-listener 1";

const LOST: vk::Result = vk::Result::ERROR_SURFACE_LOST_KHR;

#[test]
fn every_call_of_the_window_fails_once_while_a_swapchain_is_made() {
    for mode in [Mode::FIFO, Mode::MAILBOX, Mode::SHARED_DEMAND_REFRESH, Mode::SHARED_CONTINUOUS_REFRESH] {
        let world = World::new();
        let surface = world.surface();
        // The second one makes the window forget the buffers of the first.
        let first = world.swapchain(&request(surface));
        world.destroy_swapchain(first);
        for call in 0.. {
            let _ = world.window.calls();
            world.window.fail(call, -19);
            let made = world.try_swapchain(&request(surface).present_mode(mode));
            let calls = world.window.stop_failing();
            let failed = world.window.calls().get(call).cloned();
            match made {
                Ok(swapchain) => world.destroy_swapchain(swapchain),
                Err(error) => assert_eq!(error, LOST, "{failed:?}"),
            }
            // These cause warnings, and a buffer that cannot be put back is noticed when it is
            // needed.
            let harmless = failed.as_deref().is_none_or(|call| {
                call.starts_with("disconnect") || call.starts_with("connect") || call == "cancel"
            });
            // Without a connection the window has no buffers.
            let harmless = harmless && failed.as_deref() != Some(CONNECT);
            assert_eq!(made.is_ok(), harmless, "{failed:?}");
            assert_eq!(Graphics::change().images.len(), 0);
            if call >= calls {
                break;
            }
            if failed.as_deref() == Some("disconnect 1") || failed.as_deref() == Some(CONNECT) {
                world.window.change().reconnect();
            }
        }
    }
}

#[test]
fn a_window_without_memory_says_so() {
    let world = World::new();
    let surface = world.surface();
    let _ = world.window.calls();
    world.destroy_swapchain(world.swapchain(&request(surface)));
    let dequeue = world.window.calls().iter().position(|call| call == "dequeue").unwrap();
    world.window.fail(dequeue + 3, -12);
    let made = world.try_swapchain(&request(surface));
    assert_eq!(made, Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    world.window.stop_failing();
}

#[test]
fn every_image_that_the_driver_cannot_make_ends_the_creation() {
    let world = World::new();
    let surface = world.surface();
    for flags in [vk::SwapchainCreateFlagsKHR::empty(), CREATE_DEFERRED] {
        for image in 0..3 {
            let failure = vk::Result::ERROR_COMPRESSION_EXHAUSTED_EXT;
            Graphics::change().fail_at("create-image", image, failure);
            let _ = world.window.calls();
            assert_eq!(world.try_swapchain(&request(surface).flags(flags)), Err(failure));
            assert_eq!(Graphics::change().images.len(), 0);
            // Every dequeued buffer went back.
            let calls = world.window.calls();
            let count = |name: &str| calls.iter().filter(|call| *call == name).count();
            let taken = if flags.is_empty() { image + 1 } else { 0 };
            assert_eq!((count("dequeue"), count("cancel")), (taken, taken));
        }
    }
}

/// Draws some frames with everything that can be chained, whatever the outcome.
fn frames(world: &World, surface: vk::SurfaceKHR, mode: Mode) {
    let Ok(swapchain) = world.try_swapchain(&request(surface).present_mode(mode)) else { return };
    let fences = [vk::Fence::from_raw(0xF1)];
    let modes = [mode];
    let times = [vk::PresentTimeGOOGLE { present_id: 1, desired_present_time: 77 }];
    let rectangle = vk::RectLayerKHR {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D { width: 1, height: 1 },
        layer: 0,
    };
    let rectangles = [rectangle];
    let regions = [vk::PresentRegionKHR::default().rectangles(&rectangles)];
    let regions = vk::PresentRegionsKHR::default().regions(&regions);
    let times = vk::PresentTimesInfoGOOGLE {
        p_next: chain(&regions),
        ..vk::PresentTimesInfoGOOGLE::default().times(&times)
    };
    let mode = vk::SwapchainPresentModeInfoEXT {
        p_next: chain(&times).cast_mut(),
        ..vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes)
    };
    let fence = vk::SwapchainPresentFenceInfoEXT {
        p_next: chain(&mode).cast_mut(),
        ..vk::SwapchainPresentFenceInfoEXT::default().fences(&fences)
    };
    for round in 0..4 {
        let Ok(image) = world.acquire_for(swapchain, 0) else { continue };
        if round == 1 {
            let indices = [image];
            let info =
                vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(swapchain).image_indices(&indices);
            let _ = unsafe { hook!(PFN_vkReleaseSwapchainImagesEXT)(world.device, &info) };
            continue;
        }
        let _ = world.present_with(swapchain, image, chain(&fence));
        world.window.show();
        let mut count = 0;
        let _ = unsafe {
            hook!(PFN_vkGetPastPresentationTimingGOOGLE)(
                world.device,
                swapchain,
                &mut count,
                std::ptr::null_mut(),
            )
        };
    }
    // One stays with the application.
    let _ = world.acquire_for(swapchain, 0);
    Graphics::change().finish();
    world.destroy_swapchain(swapchain);
}

/// Makes every call fail in its turn; `fail` makes the one with a number fail, and returns the
/// total in the end.
fn each_in_turn(
    mode: Mode,
    releases: Releases,
    fail: impl Fn(&World, usize) -> Box<dyn Fn(&World) -> usize>,
) {
    let mut world = World::new();
    for call in 0.. {
        world.renew();
        Graphics::change().releases = releases;
        world.window.change().late_fences = releases == Releases::Later;
        let surface = world.surface();
        let count = fail(&world, call);
        frames(&world, surface, mode);
        let calls = count(&world);
        world.destroy_surface(surface);
        if call >= calls {
            return;
        }
    }
}

const MODES: [Mode; 3] = [Mode::FIFO, Mode::MAILBOX, Mode::SHARED_DEMAND_REFRESH];

#[test]
fn every_call_of_the_window_fails_once_and_no_fence_is_left() {
    for mode in MODES {
        for releases in [Releases::Signalled, Releases::Idle] {
            for error in [-19, -110] {
                each_in_turn(mode, releases, |world, call| {
                    world.window.fail(call, error);
                    Box::new(|world| world.window.stop_failing())
                });
            }
        }
    }
}

#[test]
fn the_window_is_lost_at_every_call_and_no_fence_is_left() {
    for mode in MODES {
        each_in_turn(mode, Releases::Signalled, |world, call| {
            world.window.lose_at(call);
            Box::new(|world| world.window.stop_failing())
        });
    }
}

#[test]
fn every_call_of_the_driver_fails_once_and_no_fence_is_left() {
    const CALLS: [&str; 5] = ["create-image", "acquire-image", "release-image", "import-fence", "bind"];
    for mode in MODES {
        for name in CALLS {
            for releases in [Releases::Signalled, Releases::Idle] {
                each_in_turn(mode, releases, |_, call| {
                    Graphics::change().fail_at(name, call, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
                    Box::new(move |_| Graphics::change().calls.iter().filter(|call| *call == name).count())
                });
            }
        }
    }
}

#[test]
fn without_descriptors_no_fence_is_left() {
    for mode in MODES {
        let world = World::new();
        world.simulation.android.change().no_more_descriptors = true;
        let surface = world.surface();
        frames(&world, surface, mode);
    }
}
