//! Programs with swapchains: images run out, come back, and are presented in frames.

use std::ffi::CStr;
use std::{env, fs};

use ash::prelude::VkResult;
use ash::{ext, khr, vk};

use super::Context;

/// A swapchain of two images, and how it was created.
struct Presentation<'a> {
    context: &'a Context,
    commands: khr::swapchain::Device,
    swapchain: vk::SwapchainKHR,
    info: vk::SwapchainCreateInfoKHR<'a>,
    queue: vk::Queue,
}

impl Presentation<'_> {
    /// Acquires an image, and waits until it is available.
    unsafe fn acquire(&self, timeout: u64) -> VkResult<(u32, bool)> {
        // SAFETY: as for the next function.
        unsafe { self.acquire_from(self.swapchain, timeout) }
    }

    unsafe fn acquire_from(&self, swapchain: vk::SwapchainKHR, timeout: u64) -> VkResult<(u32, bool)> {
        let device = &self.context.device;
        // SAFETY: the handles are live while the presentation is.
        unsafe {
            let fence = device.create_fence(&Default::default(), None)?;
            let image = self.commands.acquire_next_image(swapchain, timeout, vk::Semaphore::null(), fence);
            if image.is_ok() {
                device.wait_for_fences(&[fence], true, u64::MAX)?;
            }
            device.destroy_fence(fence, None);
            image
        }
    }

    /// Presents an image. `fences` is an empty list, or has the fence of this presentation.
    unsafe fn present(&self, image: u32, fences: &[vk::Fence]) {
        let (swapchains, images) = ([self.swapchain], [image]);
        let mut fences = vk::SwapchainPresentFenceInfoEXT::default().fences(fences);
        let mut info = vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&images);
        if fences.swapchain_count > 0 {
            info = info.push_next(&mut fences);
        }
        // SAFETY: the handles are live while the presentation is.
        assert_eq!(unsafe { self.commands.queue_present(self.queue, &info) }, Ok(false));
    }
}

fn with_swapchain(test: impl FnOnce(&Presentation<'_>)) {
    with_extensions(&[], &[], test);
}

/// Does the same with more instance and device extensions.
fn with_extensions(of_instance: &[&CStr], of_device: &[&CStr], test: impl FnOnce(&Presentation<'_>)) {
    let context = Context::with(
        vk::API_VERSION_1_3,
        &[&[khr::surface::NAME, ext::headless_surface::NAME], of_instance].concat(),
        &[&[khr::swapchain::NAME], of_device].concat(),
    );
    unsafe {
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
        let commands = khr::swapchain::Device::new(&context.instance, &context.device);
        let swapchain = commands.create_swapchain(&info, None).unwrap();
        let queue = context.device.get_device_queue(0, 0);
        let presentation = Presentation { context: &context, commands, swapchain, info, queue };
        test(&presentation);
        presentation.commands.destroy_swapchain(swapchain, None);
        khr::surface::Instance::new(&context.entry, &context.instance).destroy_surface(surface, None);
        context.end();
    }
}

/// Checks that the image is acquired even if the second call returns `VK_SUBOPTIMAL_KHR`.
#[test]
#[ignore = "run by the other tests"]
fn suboptimal() {
    with_swapchain(|shown| unsafe {
        assert_eq!([shown.acquire(u64::MAX), shown.acquire(u64::MAX)], [Ok((0, false)), Ok((1, true))]);
    });
}

/// Checks that an image becomes available again when it is presented, and not before.
#[test]
#[ignore = "run by the other tests"]
fn two_images() {
    with_swapchain(|shown| unsafe {
        assert_eq!([shown.acquire(0), shown.acquire(0)], [Ok((0, false)), Ok((1, false))]);
        let refused = [Err(vk::Result::NOT_READY), Err(vk::Result::TIMEOUT)];
        assert_eq!([shown.acquire(0), shown.acquire(1)], refused);
        shown.present(1, &[]);
        let again = [shown.acquire(u64::MAX), shown.acquire(0)];
        assert_eq!(again, [Ok((1, false)), Err(vk::Result::NOT_READY)]);
    });
}

/// Checks that an image that was presented is not handed out before the work that draws it is done.
#[test]
#[ignore = "run by the other tests"]
fn image_in_use() {
    with_swapchain(|shown| unsafe {
        assert_eq!([shown.acquire(0), shown.acquire(0)], [Ok((0, false)), Ok((1, false))]);
        // The scenario holds the queue until the pipe is opened.
        shown.present(0, &[]);
        assert_eq!(shown.acquire(0), Err(vk::Result::NOT_READY));
        let scenario = env::var("VKLOAD_NULL_DRIVER").unwrap();
        drop(fs::File::create(scenario.rsplit(':').next().unwrap()).unwrap());
        assert_eq!(shown.acquire(u64::MAX), Ok((0, false)));
    });
}

/// Checks that the fence of a presentation (`VK_EXT_swapchain_maintenance1`) is signalled.
#[test]
#[ignore = "run by the other tests"]
fn present_fence() {
    let of_instance = [khr::get_surface_capabilities2::NAME, ext::surface_maintenance1::NAME];
    with_extensions(&of_instance, &[ext::swapchain_maintenance1::NAME], |shown| unsafe {
        let device = &shown.context.device;
        let presented = device.create_fence(&Default::default(), None).unwrap();
        assert_eq!(shown.acquire(0), Ok((0, false)));
        shown.present(0, &[presented]);
        device.queue_wait_idle(shown.queue).unwrap();
        assert_eq!(device.get_fence_status(presented), Ok(true));
        device.destroy_fence(presented, None);
    });
}

/// Checks that a swapchain that was replaced hands out no images, and that images count as memory of the device.
#[test]
#[ignore = "run by the other tests"]
fn replaced() {
    with_swapchain(|shown| unsafe {
        let Presentation { context, commands, swapchain, info, .. } = shown;
        let used = || {
            let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
            let mut all = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
            context.instance.get_physical_device_memory_properties2(context.physical, &mut all);
            budget.heap_usage[0]
        };
        // 4 by 4 texels of 4 bytes each.
        assert_eq!(used(), 2 * 64);
        let info = info.min_image_count(3).old_swapchain(*swapchain);
        let second = commands.create_swapchain(&info, None).unwrap();
        assert_eq!((used(), commands.get_swapchain_images(second).unwrap().len()), (5 * 64, 3));
        assert_eq!(shown.acquire(0), Err(vk::Result::ERROR_OUT_OF_DATE_KHR));
        assert_eq!(shown.acquire_from(second, 0), Ok((0, false)));
        commands.destroy_swapchain(second, None);
        assert_eq!(used(), 2 * 64);
    });
}

/// Presents three frames, with a fence in the first, an event in the second and a semaphore in the third. Requests a trace in the
/// second.
#[test]
#[ignore = "run by the other tests"]
fn frames() {
    with_swapchain(|shown| unsafe {
        let device = &shown.context.device;
        for frame in 0..3 {
            let (image, _) = shown.acquire(u64::MAX).unwrap();
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
            shown.present(image, &[]);
        }
    });
}

/// Checks that a presentation is over when its number says so, whichever of the two extensions gives the number.
#[test]
#[ignore = "run by the other tests"]
fn present_ids() {
    let of_device =
        [khr::present_id::NAME, khr::present_wait::NAME, c"VK_KHR_present_id2", c"VK_KHR_present_wait2"];
    with_extensions(&[khr::get_surface_capabilities2::NAME], &of_device, |shown| unsafe {
        let wait = khr::present_wait::Device::new(&shown.context.instance, &shown.context.device);
        assert_eq!(wait.wait_for_present(shown.swapchain, 5, 0), Err(vk::Result::TIMEOUT));
        assert_eq!(wait.wait_for_present(shown.swapchain, 5, 1), Err(vk::Result::TIMEOUT));
        for (id, kind) in [(5, 1_000_294_000), (7, 1_000_479_001)] {
            let (image, _) = shown.acquire(u64::MAX).unwrap();
            let (swapchains, images, ids) = ([shown.swapchain], [image], [id]);
            let mut given = vk::PresentIdKHR::default().present_ids(&ids);
            given.s_type = vk::StructureType::from_raw(kind);
            let info = vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&images);
            let presented = shown.commands.queue_present(shown.queue, &info.push_next(&mut given));
            assert_eq!(presented, Ok(false));
            assert_eq!(wait.wait_for_present(shown.swapchain, id - 1, u64::MAX), Ok(()));
            assert_eq!(wait.wait_for_present(shown.swapchain, id, u64::MAX), Ok(()));
            let later = wait.wait_for_present(shown.swapchain, id + 1, 0);
            assert_eq!(later, Err(vk::Result::TIMEOUT));
        }
    });
}

/// Checks that a surface has one swapchain, until that is replaced or destroyed.
#[test]
#[ignore = "run by the other tests"]
fn second_swapchain() {
    with_swapchain(|shown| unsafe {
        let create = |old| shown.commands.create_swapchain(&shown.info.old_swapchain(old), None);
        let (none, in_use) = (vk::SwapchainKHR::null(), vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
        assert_eq!(create(none), Err(in_use));
        let second = create(shown.swapchain).unwrap();
        assert_eq!(create(none), Err(in_use));
        shown.commands.destroy_swapchain(second, None);
        let third = create(none).unwrap();
        shown.commands.destroy_swapchain(third, None);
    });
}
