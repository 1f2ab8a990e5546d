//! Slices of a system trace.

use ash::vk;
use platform_android::wsi::structures::CREATE_PRESENT_WAIT2;

use super::waiting::{frame, wait};
use super::world::{SUCCESS, World, request};

fn life(world: &World) {
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface).flags(CREATE_PRESENT_WAIT2));
    frame(world, swapchain, 1);
    assert_eq!(wait(world, swapchain, 1, 0), SUCCESS);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn a_frame_has_slices_while_a_trace_is_recorded() {
    let world = World::new();
    let android = world.simulation.android;
    life(&world);
    assert_eq!(android.slices(), Vec::<String>::new());
    android.record_slices(true);
    life(&world);
    let expected = [
        "CreateAndroidSurfaceKHR",
        "CreateSwapchainKHR",
        " CreateImage",
        " CreateImage",
        " CreateImage",
        "AcquireNextImageKHR",
        "QueuePresentKHR",
        "WaitForPresent2KHR",
        "DestroySwapchainKHR",
        "DestroySurfaceKHR",
    ];
    assert_eq!(android.slices(), expected);
    android.record_slices(false);
    life(&world);
    assert_eq!(android.slices(), Vec::<String>::new());
}

#[test]
fn a_slice_ends_where_a_call_fails() {
    let world = World::new();
    let android = world.simulation.android;
    let surface = world.surface();
    android.record_slices(true);
    world.window.lose();
    assert_eq!(world.try_swapchain(&request(surface)), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    assert_eq!(android.slices(), ["CreateSwapchainKHR"]);
    android.record_slices(false);
}
