//! Images that are shown while being drawn to.

use android_simulation::NextBuffer;
use android_simulation::graphics::Graphics;
use android_simulation::hook;
use ash::vk::{self, PresentModeKHR as Mode};
use platform_android::wsi::structures::CREATE_DEFERRED;

use super::world::{SUCCESS, World, chain, request};

#[test]
fn the_image_never_leaves_the_application() {
    let world = World::new();
    let surface = world.surface();
    let _ = world.window.calls();
    let swapchain = world.swapchain(&request(surface).present_mode(Mode::SHARED_DEMAND_REFRESH));
    let calls = world.window.calls();
    assert_eq!(calls.iter().filter(|call| *call == "dequeue").count(), 1);
    assert!(!calls.contains(&"cancel".to_owned()));
    let image = Graphics::change().images[&1].clone();
    assert_eq!(image.swapchain_usage, Some(1));

    for _ in 0..3 {
        assert_eq!(world.acquire(swapchain), 0);
        assert_eq!(world.window.calls(), Vec::<String>::new());
        assert_eq!(world.present(swapchain, 0), SUCCESS);
        assert_eq!(world.window.calls()[..2], ["queue", "dequeue"]);
        assert!(world.window.show());
    }
    assert!(Graphics::change().acquired.iter().all(|acquired| !acquired.1));
    let info = vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(swapchain).image_indices(&[0]);
    let released = unsafe { hook!(PFN_vkReleaseSwapchainImagesEXT)(world.device, &info) };
    assert_eq!((released, world.window.calls()), (SUCCESS, vec![]));
    world.destroy_swapchain(swapchain);
    assert!(!world.window.calls().contains(&"cancel".to_owned()));
}

#[test]
fn another_buffer_than_before_loses_the_surface() {
    let (world, surface, swapchain) =
        World::shown_by(|surface| request(surface).present_mode(Mode::SHARED_DEMAND_REFRESH));
    world.acquire(swapchain);
    // The call after the one that queues fails.
    world.window.fail(1, -12);
    assert_eq!(world.present(swapchain, 0), vk::Result::ERROR_SURFACE_LOST_KHR);
    world.window.stop_failing();
    assert_eq!(world.status(swapchain), vk::Result::ERROR_OUT_OF_DATE_KHR);
    world.destroy_swapchain(swapchain);

    let swapchain = world.swapchain(&request(surface).present_mode(Mode::SHARED_DEMAND_REFRESH));
    world.acquire(swapchain);
    world.window.change().next_buffer = NextBuffer::New;
    let _ = world.window.calls();
    assert_eq!(world.present(swapchain, 0), vk::Result::ERROR_SURFACE_LOST_KHR);
    assert_eq!(world.window.calls(), ["queue", "dequeue", "cancel"]);
}

#[test]
fn the_present_mode_changes_between_the_shared_ones() {
    let (world, surface, swapchain) =
        World::shown_by(|surface| request(surface).present_mode(Mode::SHARED_DEMAND_REFRESH));
    let present = |mode: Mode| {
        let modes = [mode];
        let info = vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes);
        let _ = world.window.calls();
        assert_eq!(world.present_with(swapchain, 0, chain(&info)), SUCCESS);
        world.window.calls().into_iter().find(|call| call.starts_with("auto-refresh"))
    };
    assert_eq!(present(Mode::SHARED_CONTINUOUS_REFRESH), Some("auto-refresh 1".into()));
    assert_eq!(present(Mode::SHARED_CONTINUOUS_REFRESH), None);
    assert_eq!(present(Mode::SHARED_DEMAND_REFRESH), Some("auto-refresh 0".into()));
    world.destroy_swapchain(swapchain);

    let continuous = world.swapchain(&request(surface).present_mode(Mode::SHARED_CONTINUOUS_REFRESH));
    let modes = [Mode::SHARED_DEMAND_REFRESH];
    let info = vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes);
    let _ = world.window.calls();
    assert_eq!(world.present_with(continuous, 0, chain(&info)), SUCCESS);
    assert_eq!(world.window.calls()[0], "auto-refresh 0");
    world.destroy_swapchain(continuous);

    // No other mode can be changed.
    let fifo = world.swapchain(&request(surface));
    let modes = [Mode::SHARED_CONTINUOUS_REFRESH];
    let info = vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes);
    let image = world.acquire(fifo);
    let _ = world.window.calls();
    assert_eq!(world.present_with(fifo, image, chain(&info)), SUCCESS);
    assert_eq!(world.window.calls()[0], "queue");
}

#[test]
fn the_one_image_has_its_buffer_from_the_beginning() {
    let world = World::new();
    let surface = world.surface();
    let shared = request(surface).present_mode(Mode::SHARED_DEMAND_REFRESH);
    world.swapchain(&shared.flags(CREATE_DEFERRED));
    assert!(Graphics::change().images[&1].buffer.is_some());
}
