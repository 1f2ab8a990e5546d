//! Programs with swapchains: images run out, come back, and are presented in frames.

use std::ffi::CStr;
use std::{env, fs};

use ash::{ext, khr, vk};

use super::Context;

/// A swapchain of two images.
unsafe fn with_swapchain(
    test: impl FnOnce(&Context, &khr::swapchain::Device, vk::SwapchainKHR, vk::SwapchainCreateInfoKHR<'_>),
) {
    // SAFETY: valid structures and live handles, here and below.
    unsafe { with_extensions(&[], &[], test) }
}

/// Does the same, with more extensions of the instance and the device.
unsafe fn with_extensions(
    of_instance: &[&CStr],
    of_device: &[&CStr],
    test: impl FnOnce(&Context, &khr::swapchain::Device, vk::SwapchainKHR, vk::SwapchainCreateInfoKHR<'_>),
) {
    // SAFETY: as above.
    unsafe {
        let context = Context::with(
            vk::API_VERSION_1_3,
            &[&[khr::surface::NAME, ext::headless_surface::NAME], of_instance].concat(),
            &[&[khr::swapchain::NAME], of_device].concat(),
        );
        let headless = ext::headless_surface::Instance::new(&context.entry, &context.instance);
        let surface = headless.create_headless_surface(&Default::default(), None).unwrap();
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(2)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_extent(vk::Extent2D { width: 4, height: 4 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchains = khr::swapchain::Device::new(&context.instance, &context.device);
        let swapchain = swapchains.create_swapchain(&info, None).unwrap();
        test(&context, &swapchains, swapchain, info);
        swapchains.destroy_swapchain(swapchain, None);
        khr::surface::Instance::new(&context.entry, &context.instance).destroy_surface(surface, None);
        context.end();
    }
}

/// Checks that the image is acquired even if the second call returns `VK_SUBOPTIMAL_KHR`.
#[test]
#[ignore = "run by the other tests"]
fn suboptimal() {
    // SAFETY: as above.
    unsafe {
        with_swapchain(|context, swapchains, swapchain, _| {
            let device = &context.device;
            let fence = device.create_fence(&Default::default(), None).unwrap();
            let none = vk::Semaphore::null();
            let acquire = || {
                let got = swapchains.acquire_next_image(swapchain, u64::MAX, none, fence);
                device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                device.reset_fences(&[fence]).unwrap();
                got
            };
            assert_eq!([acquire(), acquire()], [Ok((0, false)), Ok((1, true))]);
            device.destroy_fence(fence, None);
        });
    }
}

/// Checks that an image becomes available again when it is presented, and not before.
#[test]
#[ignore = "run by the other tests"]
fn two_images() {
    // SAFETY: as above.
    unsafe {
        with_swapchain(|context, swapchains, swapchain, _| {
            let device = &context.device;
            let (queue, fence) =
                (device.get_device_queue(0, 0), device.create_fence(&Default::default(), None).unwrap());
            let acquire = |timeout| {
                let got = swapchains.acquire_next_image(swapchain, timeout, vk::Semaphore::null(), fence);
                if got.is_ok() {
                    device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                    device.reset_fences(&[fence]).unwrap();
                }
                got
            };
            assert_eq!([acquire(0), acquire(0)], [Ok((0, false)), Ok((1, false))]);
            let refused = [Err(vk::Result::NOT_READY), Err(vk::Result::TIMEOUT)];
            assert_eq!([acquire(0), acquire(1)], refused);
            let (shown, numbers) = ([swapchain], [1]);
            let info = vk::PresentInfoKHR::default().swapchains(&shown).image_indices(&numbers);
            assert_eq!(swapchains.queue_present(queue, &info), Ok(false));
            assert_eq!([acquire(u64::MAX), acquire(0)], [Ok((1, false)), Err(vk::Result::NOT_READY)]);
            device.destroy_fence(fence, None);
        });
    }
}

/// Checks that an image that was presented is not handed out before the work that draws it is done.
#[test]
#[ignore = "run by the other tests"]
fn image_in_use() {
    // SAFETY: as above.
    unsafe {
        with_swapchain(|context, swapchains, swapchain, _| {
            let device = &context.device;
            let (queue, fence) =
                (device.get_device_queue(0, 0), device.create_fence(&Default::default(), None).unwrap());
            let acquire = |timeout| {
                let got = swapchains.acquire_next_image(swapchain, timeout, vk::Semaphore::null(), fence);
                if got.is_ok() {
                    device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                    device.reset_fences(&[fence]).unwrap();
                }
                got
            };
            assert_eq!([acquire(0), acquire(0)], [Ok((0, false)), Ok((1, false))]);
            // The scenario holds the queue until the pipe is opened.
            let (shown, numbers) = ([swapchain], [0]);
            let info = vk::PresentInfoKHR::default().swapchains(&shown).image_indices(&numbers);
            assert_eq!(swapchains.queue_present(queue, &info), Ok(false));
            assert_eq!(acquire(0), Err(vk::Result::NOT_READY));
            let scenario = env::var("VKLOAD_NULL_DRIVER").unwrap();
            drop(fs::File::create(scenario.rsplit(':').next().unwrap()).unwrap());
            assert_eq!(acquire(u64::MAX), Ok((0, false)));
            device.destroy_fence(fence, None);
        });
    }
}

/// Checks that the fence of a presentation (`VK_EXT_swapchain_maintenance1`) is signalled.
#[test]
#[ignore = "run by the other tests"]
fn present_fence() {
    let of_instance = [khr::get_surface_capabilities2::NAME, ext::surface_maintenance1::NAME];
    // SAFETY: as above.
    unsafe {
        with_extensions(
            &of_instance,
            &[ext::swapchain_maintenance1::NAME],
            |context, swapchains, swapchain, _| {
                let device = &context.device;
                let queue = device.get_device_queue(0, 0);
                let [acquired, presented] =
                    [(); 2].map(|()| device.create_fence(&Default::default(), None).unwrap());
                let got = swapchains.acquire_next_image(swapchain, 0, vk::Semaphore::null(), acquired);
                assert_eq!(got, Ok((0, false)));
                device.wait_for_fences(&[acquired], true, u64::MAX).unwrap();
                let (shown, numbers, fences) = ([swapchain], [0], [presented]);
                let mut fences = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
                let info = vk::PresentInfoKHR::default().swapchains(&shown).image_indices(&numbers);
                assert_eq!(swapchains.queue_present(queue, &info.push_next(&mut fences)), Ok(false));
                device.queue_wait_idle(queue).unwrap();
                assert_eq!(device.get_fence_status(presented), Ok(true));
                [acquired, presented].into_iter().for_each(|fence| device.destroy_fence(fence, None));
            },
        );
    }
}

/// Checks that a swapchain that was replaced hands out no images, and that images count as memory of the device.
#[test]
#[ignore = "run by the other tests"]
fn replaced() {
    // SAFETY: as above.
    unsafe {
        with_swapchain(|context, swapchains, swapchain, info| {
            let device = &context.device;
            let used = || {
                let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
                let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
                context.instance.get_physical_device_memory_properties2(context.physical, &mut all);
                budget.heap_usage[0]
            };
            // 4 by 4 texels of 4 bytes each.
            assert_eq!(used(), 2 * 64);
            let fence = device.create_fence(&Default::default(), None).unwrap();
            let info = info.min_image_count(3).old_swapchain(swapchain);
            let second = swapchains.create_swapchain(&info, None).unwrap();
            assert_eq!((used(), swapchains.get_swapchain_images(second).unwrap().len()), (5 * 64, 3));
            let acquire = |from| swapchains.acquire_next_image(from, 0, vk::Semaphore::null(), fence);
            assert_eq!(acquire(swapchain), Err(vk::Result::ERROR_OUT_OF_DATE_KHR));
            assert_eq!(acquire(second), Ok((0, false)));
            device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
            swapchains.destroy_swapchain(second, None);
            assert_eq!(used(), 2 * 64);
            device.destroy_fence(fence, None);
        });
    }
}

/// Presents three frames, with a fence in the first, an event in the second and a semaphore in the third. Requests a trace in the
/// second.
#[test]
#[ignore = "run by the other tests"]
fn frames() {
    // SAFETY: as above.
    unsafe {
        with_swapchain(|context, swapchains, swapchain, _| {
            let device = &context.device;
            let queue = device.get_device_queue(0, 0);
            for frame in 0..3 {
                let fence = device.create_fence(&Default::default(), None).unwrap();
                let (number, _) =
                    swapchains.acquire_next_image(swapchain, u64::MAX, vk::Semaphore::null(), fence).unwrap();
                device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
                device.destroy_fence(fence, None);
                match frame {
                    0 => {}
                    1 => {
                        device.destroy_event(device.create_event(&Default::default(), None).unwrap(), None);
                        env::var_os("VKLOAD_DRIVER_TRACE_FILE")
                            .iter()
                            .for_each(|path| fs::write(path, "").unwrap());
                    }
                    _ => device
                        .destroy_semaphore(device.create_semaphore(&Default::default(), None).unwrap(), None),
                }
                let (shown, numbers) = ([swapchain], [number]);
                let info = vk::PresentInfoKHR::default().swapchains(&shown).image_indices(&numbers);
                assert_eq!(swapchains.queue_present(queue, &info), Ok(false));
            }
        });
    }
}
