//! Acquiring images, and releasing them.

use android_simulation::graphics::{Graphics, Releases};
use android_simulation::hook;
use android_simulation::{NextBuffer, WithoutBuffers};
use ash::vk::{self, Handle};
use platform_android::native_buffer::structure;
use platform_android::wsi::structures::CREATE_DEFERRED;

use super::world::{SUCCESS, World, request};

const OUT_OF_DATE: vk::Result = vk::Result::ERROR_OUT_OF_DATE_KHR;

#[test]
fn deferred_images_get_their_buffer_when_they_are_acquired_first() {
    let world = World::new();
    let surface = world.surface();
    let _ = world.window.calls();
    let swapchain = world.swapchain(&request(surface).flags(CREATE_DEFERRED));
    assert!(!world.window.calls().contains(&"dequeue".to_owned()));
    let image = Graphics::change().images[&1].clone();
    assert_eq!(image.chain, [vk::StructureType::IMAGE_SWAPCHAIN_CREATE_INFO_KHR.as_raw()]);
    assert_eq!((image.info.extent.width, image.info.extent.height), (640, 480));
    assert!(Graphics::change().bound.is_empty());

    assert_eq!(world.acquire(swapchain), 0);
    let bound = std::mem::take(&mut Graphics::change().bound);
    let chain = vec![
        structure::NATIVE_BUFFER.as_raw(),
        vk::StructureType::BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR.as_raw(),
    ];
    assert_eq!(bound, [(1, chain, 0x1000)]);
    assert_eq!(world.acquire(swapchain), 1);
    Graphics::change().bound.clear();
    // The first image has its buffer.
    assert_eq!(world.present(swapchain, 0), SUCCESS);
    assert!(world.window.show());
    assert_eq!(world.acquire(swapchain), 2);
    assert_eq!(world.present(swapchain, 1), SUCCESS);
    assert!(world.window.show());
    Graphics::change().bound.clear();
    assert_eq!(world.acquire(swapchain), 0);
    assert!(Graphics::change().bound.is_empty());
}

#[test]
fn a_driver_that_cannot_bind_puts_the_swapchain_out_of_date() {
    let (world, _, swapchain) = World::shown_by(|surface| request(surface).flags(CREATE_DEFERRED));
    Graphics::change().fail_at("bind", 0, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let _ = world.window.calls();
    assert_eq!(world.acquire_for(swapchain, 0), Err(OUT_OF_DATE));
    assert_eq!(world.window.calls(), ["dequeue-timeout 0", "dequeue", "cancel"]);
    // The next time it is tried again.
    assert_eq!(world.acquire(swapchain), 0);
    assert_eq!(Graphics::change().bound.len(), 2);
}

#[test]
fn the_timeout_is_set_when_it_changes() {
    let (world, _, swapchain) = World::shown();
    let _ = world.window.calls();
    world.acquire(swapchain);
    assert_eq!(world.window.calls(), ["dequeue"]);
    assert_eq!(world.acquire_for(swapchain, 5), Ok(1));
    assert_eq!(world.acquire_for(swapchain, 5), Ok(2));
    assert_eq!(world.window.calls(), ["dequeue-timeout 5", "dequeue", "dequeue"]);
    // No buffer is left.
    assert_eq!(world.acquire_for(swapchain, 5), Err(vk::Result::TIMEOUT));
    assert_eq!(world.acquire_for(swapchain, 0), Err(vk::Result::NOT_READY));
    // More than a clock can count means for ever.
    let _ = world.window.calls();
    assert_eq!(world.acquire_for(swapchain, 1 << 63), Err(vk::Result::TIMEOUT));
    assert_eq!(world.window.calls(), ["dequeue-timeout -1", "dequeue"]);
}

#[test]
fn the_application_gets_the_windows_result() {
    let (world, _, swapchain) = World::shown();
    for (error, timeout, expected) in [
        (-110, u64::MAX, vk::Result::TIMEOUT),
        (-38, u64::MAX, vk::Result::TIMEOUT),
        (-19, u64::MAX, vk::Result::ERROR_SURFACE_LOST_KHR),
        (-12, u64::MAX, vk::Result::ERROR_SURFACE_LOST_KHR),
    ] {
        world.window.fail(0, error);
        assert_eq!(world.acquire_for(swapchain, timeout), Err(expected), "{error}");
    }
    for (error, expected) in [(-110, vk::Result::NOT_READY), (-38, vk::Result::NOT_READY)] {
        world.window.stop_failing();
        assert!(world.acquire_for(swapchain, 0).is_ok());
        world.window.fail(0, error);
        assert_eq!(world.acquire_for(swapchain, 0), Err(expected), "{error}");
    }
    world.window.change().next_buffer = NextBuffer::Null;
    assert_eq!(world.acquire_for(swapchain, u64::MAX), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    world.window.change().next_buffer = NextBuffer::AnyFree;
    world.window.fail(0, -19);
    // The timeout cannot be set.
    assert_eq!(world.acquire_for(swapchain, 7), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    world.window.stop_failing();
    let _ = world.window.calls();
    assert!(world.acquire_for(swapchain, 7).is_ok());
    assert_eq!(world.window.calls(), ["dequeue-timeout 7", "dequeue"]);
}

#[test]
fn a_window_that_does_not_wait_is_asked_again_until_there_is_a_buffer() {
    let (world, _, swapchain) = World::shown();
    world.window.change().without_buffers = WithoutBuffers::WaitsIfTold;
    // All buffers are waiting to be shown.
    for _ in 0..3 {
        let image = world.acquire(swapchain);
        assert_eq!(world.present(swapchain, image), SUCCESS);
    }
    let _ = world.window.calls();
    let told = "dequeue-timeout 1000000000".to_owned();
    std::thread::scope(|scope| {
        let window = &world.window;
        scope.spawn(|| {
            while !window.change().calls.contains(&told) {
                std::thread::yield_now();
            }
            // The second frame replaces the first, whose buffer comes back.
            assert!(window.show() && window.show());
        });
        assert_eq!(world.acquire_for(swapchain, u64::MAX), Ok(0));
    });
    assert_eq!(world.window.calls()[..2], ["dequeue", &told]);
    // It is set to wait for ever again.
    world.window.change().without_buffers = WithoutBuffers::Waits;
    assert_eq!(world.acquire_for(swapchain, u64::MAX), Err(vk::Result::TIMEOUT));
    assert_eq!(world.window.calls(), ["dequeue-timeout -1", "dequeue"]);
}

#[test]
fn a_window_that_never_waits_has_its_surface_still() {
    let (world, _, swapchain) = World::shown();
    world.window.change().without_buffers = WithoutBuffers::Fails;
    for _ in 0..3 {
        let image = world.acquire(swapchain);
        assert_eq!(world.present(swapchain, image), SUCCESS);
    }
    let _ = world.window.calls();
    assert_eq!(world.acquire_for(swapchain, 0), Err(vk::Result::NOT_READY));
    assert_eq!(world.window.calls(), ["dequeue-timeout 0", "dequeue"]);
    assert_eq!(world.acquire_for(swapchain, 1), Err(vk::Result::TIMEOUT));
    assert_eq!(world.status(swapchain), SUCCESS);
    // It is polled until the timeout.
    assert!(world.window.show() && world.window.show());
    assert_eq!(world.acquire_for(swapchain, 1 << 40), Ok(0));
    assert_eq!(world.present(swapchain, 0), SUCCESS);
    let _ = world.window.calls();
    world.window.fail(0, -11);
    assert!(world.window.show());
    assert_eq!(world.acquire_for(swapchain, 1 << 40), Ok(1));
    assert_eq!(world.window.calls(), ["dequeue", "dequeue"]);
    // A window that is lost meanwhile is not polled again.
    world.window.stop_failing();
    world.window.lose_at(3);
    assert_eq!(world.acquire_for(swapchain, u64::MAX), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
}

#[test]
fn the_second_form_acquires_as_the_first_does() {
    let (world, _, swapchain) = World::shown();
    let info = vk::AcquireNextImageInfoKHR::default()
        .swapchain(swapchain)
        .timeout(u64::MAX)
        .semaphore(vk::Semaphore::from_raw(8))
        .fence(vk::Fence::from_raw(9))
        .device_mask(1);
    let mut index = 9;
    let result = unsafe { hook!(PFN_vkAcquireNextImage2KHR)(world.device, &info, &mut index) };
    assert_eq!((result, index), (SUCCESS, 0));
    assert_eq!(Graphics::change().acquired, [(1, false, 8, 9)]);
}

/// Presents frames until a buffer comes back with a fence that is signalled later.
fn until_there_is_a_fence(world: &World, swapchain: vk::SwapchainKHR) {
    world.window.change().late_fences = true;
    for _ in 0..4 {
        let image = world.acquire(swapchain);
        assert_eq!(world.present(swapchain, image), SUCCESS);
        assert!(world.window.show());
    }
    Graphics::change().acquired.clear();
}

#[test]
fn the_driver_gets_another_descriptor_of_the_windows_fence() {
    let (world, _, swapchain) = World::shown();
    until_there_is_a_fence(&world, swapchain);
    let mut open = world.simulation.android.open_fences();
    while Graphics::change().acquired.last().is_none_or(|acquired| !acquired.1) {
        open = world.simulation.android.open_fences();
        let image = world.acquire(swapchain);
        let _ = image;
    }
    // The driver has closed its own; the loader still has the window's.
    assert_eq!(world.simulation.android.open_fences(), open);
}

#[test]
fn without_descriptors_the_loader_waits() {
    let (world, _, swapchain) = World::shown();
    until_there_is_a_fence(&world, swapchain);
    world.window.change().late_fences = false;
    let image = world.acquire(swapchain);
    assert_eq!(world.present(swapchain, image), SUCCESS);
    assert!(world.window.show());
    {
        let mut system = world.simulation.android.change();
        system.no_more_descriptors = true;
        system.fence_waits.clear();
    }
    Graphics::change().acquired.clear();
    while world.acquire_for(swapchain, 0).is_ok() {}
    assert!(Graphics::change().acquired.iter().all(|acquired| !acquired.1));
    // For ever, for the one buffer that came with a fence.
    assert_eq!(world.simulation.android.change().fence_waits, [-1]);
}

#[test]
fn the_windows_fence_is_waited_for_before_its_image_is_destroyed() {
    let (world, surface, old) = World::shown();
    // The driver has no fence to wait for.
    Graphics::change().releases = Releases::Idle;
    until_there_is_a_fence(&world, old);
    while world.acquire_for(old, 0).is_ok() {}
    assert!(Graphics::change().acquired.iter().any(|acquired| acquired.1));
    // The window does not get these buffers back.
    world.swapchain(&request(surface).old_swapchain(old));
    world.simulation.android.change().fence_waits.clear();
    world.destroy_swapchain(old);
    assert_eq!(world.simulation.android.change().fence_waits, [-1]);
}

#[test]
fn a_driver_that_fails_has_closed_its_fence_and_the_buffer_goes_back() {
    let (world, _, swapchain) = World::shown();
    until_there_is_a_fence(&world, swapchain);
    Graphics::change().fail_at("acquire-image", 0, vk::Result::ERROR_DEVICE_LOST);
    let open = world.simulation.android.open_fences();
    let _ = world.window.calls();
    assert_eq!(world.acquire_for(swapchain, u64::MAX), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(world.window.calls(), ["dequeue", "cancel"]);
    assert_eq!(world.simulation.android.open_fences(), open);
    assert!(world.acquire_for(swapchain, u64::MAX).is_ok());
}

#[test]
fn an_unknown_buffer_goes_back() {
    let (world, _, swapchain) = World::shown();
    // As when the window has thrown its buffers away.
    world.window.forget();
    let _ = world.window.calls();
    assert_eq!(world.acquire_for(swapchain, u64::MAX), Err(OUT_OF_DATE));
    assert_eq!(world.window.calls(), ["dequeue", "cancel"]);
}

fn release(world: &World, swapchain: vk::SwapchainKHR, images: &[u32]) -> vk::Result {
    let info = vk::ReleaseSwapchainImagesInfoEXT::default().swapchain(swapchain).image_indices(images);
    unsafe { hook!(PFN_vkReleaseSwapchainImagesEXT)(world.device, &info) }
}

#[test]
fn released_images_go_back_with_their_fence() {
    let (world, _, swapchain) = World::shown();
    until_there_is_a_fence(&world, swapchain);
    let (first, second) = (world.acquire(swapchain), world.acquire(swapchain));
    assert_eq!(world.acquire_for(swapchain, 0), Err(vk::Result::NOT_READY));
    let _ = world.window.calls();
    assert_eq!(release(&world, swapchain, &[first, second]), SUCCESS);
    assert_eq!(world.window.calls(), ["cancel", "cancel"]);
    // Images that the application has not acquired are left alone.
    assert_eq!(release(&world, swapchain, &[first]), SUCCESS);
    assert_eq!(world.window.calls(), Vec::<String>::new());
    assert!([first, second].contains(&world.acquire(swapchain)));
    world.window.fail(0, -19);
    let lost = vk::Result::ERROR_SURFACE_LOST_KHR;
    assert_eq!(release(&world, swapchain, &[first, second]), lost);
    world.window.stop_failing();
}

#[test]
fn images_of_a_retired_swapchain_are_released_without_the_window() {
    let (world, surface, old) = World::shown();
    let image = world.acquire(old);
    world.swapchain(&request(surface).old_swapchain(old));
    let _ = world.window.calls();
    assert_eq!(release(&world, old, &[image]), SUCCESS);
    assert_eq!(world.window.calls(), Vec::<String>::new());
    assert!(world.images(old).iter().all(|image| image.is_null()));
}

fn bind(world: &World, infos: &[vk::BindImageMemoryInfo<'_>]) -> vk::Result {
    // SAFETY: valid handles, and a counted array of valid chains.
    unsafe { hook!(PFN_vkBindImageMemory2)(world.device, infos.len() as u32, infos.as_ptr()) }
}

#[test]
fn no_image_is_bound_to_one_without_a_buffer() {
    let (world, _, swapchain) = World::shown();
    let bind_to = |to: vk::BindImageMemorySwapchainInfoKHR<'_>| {
        let mut info = vk::BindImageMemoryInfo::default().image(vk::Image::from_raw(101));
        info.p_next = (&raw const to).cast();
        bind(&world, &[info])
    };
    let there = vk::BindImageMemorySwapchainInfoKHR::default().swapchain(swapchain);
    assert_eq!(bind_to(there.image_index(3)), vk::Result::ERROR_VALIDATION_FAILED_EXT);
    assert!(world.simulation.android.logged().iter().any(|(_, text)| text.contains("has no memory")));
    assert_eq!(Graphics::change().bound, []);
    // An image bound to no swapchain is left to the driver.
    assert_eq!(bind_to(vk::BindImageMemorySwapchainInfoKHR::default()), SUCCESS);
    let chain = vec![vk::StructureType::BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR.as_raw()];
    assert_eq!(Graphics::change().bound, [(101, chain, 0)]);
}

#[test]
fn an_image_that_is_bound_to_a_swapchains_gets_its_buffer() {
    let (world, _, swapchain) = World::shown();
    let of_swapchain = vk::BindImageMemorySwapchainInfoKHR::default().swapchain(swapchain).image_index(1);
    let plain = vk::BindImageMemoryInfo::default().image(vk::Image::from_raw(100));
    let mut bound = vk::BindImageMemoryInfo::default().image(vk::Image::from_raw(101));
    bound.p_next = (&raw const of_swapchain).cast();
    let bind = |infos: &[vk::BindImageMemoryInfo<'_>]| bind(&world, infos);
    assert_eq!(bind(&[plain, bound]), SUCCESS);
    let chain = [structure::NATIVE_BUFFER, vk::StructureType::BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR];
    let expected = [(100, vec![], 0), (101, chain.map(vk::StructureType::as_raw).to_vec(), 0x1010)];
    assert_eq!(std::mem::take(&mut Graphics::change().bound), expected);
    assert_eq!(bind(&[plain]), SUCCESS);
    Graphics::change().fail_at("bind", 0, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(bind(&[bound]), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let commands = unsafe { Graphics::commands(world.loaders_device()) };
    commands.bind_image_memory2_khr = commands.bind_image_memory2.take();
    assert_eq!(bind(&[bound]), SUCCESS);
}
