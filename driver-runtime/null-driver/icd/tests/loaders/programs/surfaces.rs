//! A swapchain on an invisible surface.

use ash::{Device, khr, vk};

use super::{Context, RANGE, record};

#[test]
#[ignore = "run by the other tests"]
fn surfaces() {
    Context::with(
        vk::API_VERSION_1_3,
        &[ash::khr::surface::NAME, ash::ext::headless_surface::NAME],
        &[khr::swapchain::NAME],
    )
    .run(|context, _| unsafe {
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
        present(context, &swapchains, swapchain);
        swapchains.destroy_swapchain(swapchain, None);
        queries.destroy_surface(surface, None);
    });
}

unsafe fn present(context: &Context, swapchains: &khr::swapchain::Device, swapchain: vk::SwapchainKHR) {
    let device = &context.device;
    unsafe {
        let queue = device.get_device_queue(0, 0);
        let semaphore = || [device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).unwrap()];
        let (acquired, drawn) = (semaphore(), semaphore());
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let images = swapchains.get_swapchain_images(swapchain).unwrap();
        for turn in 0..3 {
            let none = vk::Fence::null();
            let (number, _) = swapchains.acquire_next_image(swapchain, u64::MAX, acquired[0], none).unwrap();
            assert_eq!(number, turn % 2);
            let commands = ready(device, pool, images[number as usize]);
            let work = vk::SubmitInfo::default()
                .wait_semaphores(&acquired)
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
                .command_buffers(&commands)
                .signal_semaphores(&drawn);
            device.queue_submit(queue, &[work], none).unwrap();
            let (shown, numbers) = ([swapchain], [number]);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&drawn)
                .swapchains(&shown)
                .image_indices(&numbers);
            assert!(!swapchains.queue_present(queue, &info).unwrap());
            device.queue_wait_idle(queue).unwrap();
        }
        device.destroy_command_pool(pool, None);
        device.destroy_semaphore(acquired[0], None);
        device.destroy_semaphore(drawn[0], None);
    }
}

/// Commands that make an image ready to be presented.
unsafe fn ready(device: &Device, pool: vk::CommandPool, image: vk::Image) -> [vk::CommandBuffer; 1] {
    let barrier = [vk::ImageMemoryBarrier::default()
        .new_layout(vk::ImageLayout::PRESENT_SRC_KHR)
        .image(image)
        .subresource_range(RANGE)];
    let (all, end) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::PipelineStageFlags::BOTTOM_OF_PIPE);
    unsafe {
        record(device, pool, |commands| {
            device.cmd_pipeline_barrier(commands, all, end, Default::default(), &[], &[], &barrier);
        })
    }
}
