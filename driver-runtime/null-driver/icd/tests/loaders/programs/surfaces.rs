//! A swapchain on a surface that nobody sees.

use ash::{khr, vk};

use super::Context;

#[test]
#[ignore = "run by the other tests"]
fn surfaces() {
    // SAFETY: the loaders and the driver keep the specification's promises, and so does this program.
    unsafe {
        let context = Context::with(
            vk::API_VERSION_1_3,
            &[ash::khr::surface::NAME, ash::ext::headless_surface::NAME],
            &[khr::swapchain::NAME],
        );
        let headless = ash::ext::headless_surface::Instance::new(&context.entry, &context.instance);
        let surface =
            headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None).unwrap();
        let queries = khr::surface::Instance::new(&context.entry, &context.instance);
        let physical = context.physical;
        assert!(queries.get_physical_device_surface_support(physical, 0, surface).unwrap());
        let capabilities = queries.get_physical_device_surface_capabilities(physical, surface).unwrap();
        let formats = queries.get_physical_device_surface_formats(physical, surface).unwrap();
        let modes = queries.get_physical_device_surface_present_modes(physical, surface).unwrap();
        assert!(modes.contains(&vk::PresentModeKHR::FIFO));
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(capabilities.min_image_count)
            .image_format(formats[0].format)
            .image_color_space(formats[0].color_space)
            .image_extent(vk::Extent2D { width: 64, height: 32 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(capabilities.current_transform)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let swapchains = khr::swapchain::Device::new(&context.instance, &context.device);
        let swapchain = swapchains.create_swapchain(&info, None).unwrap();
        assert_eq!(swapchains.get_swapchain_images(swapchain).unwrap().len(), 2);
        present(&context, &swapchains, swapchain);
        swapchains.destroy_swapchain(swapchain, None);
        queries.destroy_surface(surface, None);
        context.end();
    }
}

/// Acquires and presents three times.
unsafe fn present(context: &Context, swapchains: &khr::swapchain::Device, swapchain: vk::SwapchainKHR) {
    let device = &context.device;
    // SAFETY: valid structures and live handles.
    unsafe {
        let queue = device.get_device_queue(0, 0);
        let acquired = [device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).unwrap()];
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        for turn in 0..3 {
            let none = vk::Fence::null();
            let (image, _) = swapchains.acquire_next_image(swapchain, u64::MAX, acquired[0], none).unwrap();
            assert_eq!(image, turn % 2);
            let (shown, images) = ([swapchain], [image]);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&acquired)
                .swapchains(&shown)
                .image_indices(&images);
            assert!(!swapchains.queue_present(queue, &info).unwrap());
            device.queue_submit(queue, &[], fence).unwrap();
            device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
            device.reset_fences(&[fence]).unwrap();
        }
        device.destroy_fence(fence, None);
        device.destroy_semaphore(acquired[0], None);
    }
}
