//! The driver's usage of buffers.

use android_simulation::graphics::Graphics;
use ash::vk;
use platform_android::ApiLevel;
use platform_android::native_buffer::Usage2;
use platform_android::wsi::usage::{from_gralloc1, to_gralloc1};

use super::world::{INSTANCE, World, chain, request};

/// Returns the usage that is set on the window, without the consumer's, or the error.
fn usage(world: &World, surface: vk::SurfaceKHR, mode: vk::PresentModeKHR) -> Result<u64, vk::Result> {
    let info = request(surface).present_mode(mode).image_format(vk::Format::R8G8B8A8_SRGB);
    let swapchain = world.try_swapchain(&info)?;
    let usage = world.window.change().told.usage & !0x900;
    world.destroy_swapchain(swapchain);
    Ok(usage)
}

const FIFO: vk::PresentModeKHR = vk::PresentModeKHR::FIFO;
const SHARED: vk::PresentModeKHR = vk::PresentModeKHR::SHARED_DEMAND_REFRESH;
const LOST: vk::Result = vk::Result::ERROR_SURFACE_LOST_KHR;

#[test]
fn hardware_buffers_are_asked_about_first() {
    let world = World::with(ApiLevel::ANDROID_14, INSTANCE);
    let surface = world.surface();
    Graphics::change().hardware_buffer_usage = 0x7000;
    assert_eq!(usage(&world, surface, FIFO), Ok(0x7000));
    assert_eq!(usage(&world, surface, SHARED), Ok(0x7000));
    let asked = Graphics::change().asked.remove(0);
    // The curve makes no difference to a buffer.
    assert!(asked.0 == vk::Format::R8G8B8A8_UNORM && asked.1 == vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let external = vk::StructureType::PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO.as_raw();
    assert_eq!(asked.2, [external]);
    // With either name of the command.
    let driver = world.instance_commands();
    driver.get_physical_device_image_format_properties2_khr =
        driver.get_physical_device_image_format_properties2.take();
    assert_eq!(usage(&world, surface, FIFO), Ok(0x7000));
    assert!(!Graphics::change().calls.iter().any(|call| call.starts_with("usage")));
}

#[test]
fn the_driver_is_asked_about_the_images_as_they_are_made() {
    let world = World::new();
    let surface = world.surface();
    let control = vk::ImageCompressionControlEXT::default();
    let mut info = request(surface).flags(vk::SwapchainCreateFlagsKHR::PROTECTED);
    info.p_next = chain(&control);
    world.destroy_swapchain(world.swapchain(&info));
    let asked = Graphics::change().asked.remove(0);
    assert!(asked.3 == vk::ImageCreateFlags::PROTECTED);
    assert!(asked.2.contains(&vk::StructureType::IMAGE_COMPRESSION_CONTROL_EXT.as_raw()));
}

#[test]
fn front_buffers_since_android_15() {
    let world = World::with(ApiLevel::ANDROID_15, INSTANCE);
    let surface = world.surface();
    Graphics::change().hardware_buffer_usage = 0x7000;
    assert_eq!(usage(&world, surface, FIFO), Ok(0x7000));
    assert_eq!(usage(&world, surface, SHARED), Ok(0x7000 | 1 << 32));
    world.simulation.android.change().buffer_supported = |kind| kind.usage & 1 << 32 == 0;
    assert_eq!(usage(&world, surface, SHARED), Ok(0x4001));
}

#[test]
fn a_driver_that_fails_is_asked_otherwise_since_android_16() {
    for (level, expected) in [
        (ApiLevel::ANDROID_14, Err(LOST)),
        (ApiLevel::ANDROID_15, Err(LOST)),
        (ApiLevel::ANDROID_16, Ok(0x4000)),
        (ApiLevel::ANDROID_17, Ok(0x4000)),
    ] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        Graphics::change().fail_at("format-properties", 0, vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        assert_eq!(usage(&world, surface, FIFO), expected);
    }
}

#[test]
fn before_android_14_only_the_loaders_functions_are_asked() {
    for (level, expected) in [(ApiLevel::OLDEST, 0x200), (ApiLevel::ANDROID_13, 0x200)] {
        let world = World::with(level, &INSTANCE[..2]);
        let surface = world.surface();
        Graphics::change().fail_at("format-properties", 0, vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        assert_eq!(usage(&world, surface, FIFO), Ok(expected));
        assert!(Graphics::change().asked.is_empty());
        let driver = unsafe { Graphics::commands(world.loaders_device()) };
        driver.get_swapchain_gralloc_usage2 = None;
        assert_eq!(usage(&world, surface, FIFO), Ok(0x1000));
        // A newer driver may have only the newer ones.
        driver.get_swapchain_gralloc_usage = None;
        assert_eq!(usage(&world, surface, FIFO), Ok(0x4000));
    }
}

#[test]
fn buffers_have_the_compression_of_the_images() {
    let world = World::new();
    let surface = world.surface();
    // The driver cannot answer for hardware buffers.
    world.instance_commands().get_physical_device_image_format_properties2 = None;
    let control =
        vk::ImageCompressionControlEXT::default().flags(vk::ImageCompressionFlagsEXT::FIXED_RATE_DEFAULT);
    let mut info = request(surface);
    info.p_next = chain(&control);
    let expected = [vk::StructureType::IMAGE_COMPRESSION_CONTROL_EXT.as_raw()];
    for newest in ["usage4", "usage3"] {
        world.destroy_swapchain(world.swapchain(&info));
        let mut graphics = Graphics::change();
        assert!(graphics.calls.iter().any(|call| *call == newest));
        assert_eq!(std::mem::take(&mut graphics.usage_chain), expected, "{newest}");
        drop(graphics);
        unsafe { Graphics::commands(world.loaders_device()) }.get_swapchain_gralloc_usage4 = None;
    }
    world.destroy_swapchain(world.swapchain(&request(surface)));
    assert!(Graphics::change().usage_chain.is_empty());
}

#[test]
fn of_the_other_functions_the_newest_counts() {
    let world = World::new();
    let surface = world.surface();
    // The driver cannot answer for hardware buffers.
    world.instance_commands().get_physical_device_image_format_properties2 = None;
    let driver = || unsafe { Graphics::commands(world.loaders_device()) };
    assert_eq!(usage(&world, surface, FIFO), Ok(0x4000));
    assert_eq!(usage(&world, surface, SHARED), Ok(0x4001));
    driver().get_swapchain_gralloc_usage4 = None;
    assert_eq!(usage(&world, surface, FIFO), Ok(0x3000));
    driver().get_swapchain_gralloc_usage3 = None;
    assert_eq!(usage(&world, surface, FIFO), Ok(0x200));
    driver().get_swapchain_gralloc_usage2 = None;
    assert_eq!(usage(&world, surface, FIFO), Ok(0x1000));
    Graphics::change().fail_at("usage", 0, vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(usage(&world, surface, FIFO), Err(LOST));
    driver().get_swapchain_gralloc_usage = None;
    assert_eq!(usage(&world, surface, FIFO), Err(LOST));
}

#[test]
fn usage_in_older_terms() {
    let often = Usage2 { consumer: 2 | 4, producer: 2 | 4 | 0x20 | 0x40 };
    assert_eq!(to_gralloc1(0x33), often);
    assert_eq!(from_gralloc1(often), 0x33);
    let seldom = Usage2 { consumer: 2, producer: 2 | 0x20 };
    assert_eq!(to_gralloc1(0x22), seldom);
    assert_eq!(from_gralloc1(seldom), 0x22);
    assert_eq!(to_gralloc1(0x100 | 0x200), Usage2 { consumer: 0x100, producer: 0x200 });
    assert_eq!(from_gralloc1(Usage2 { consumer: 1 << 40, producer: 1 << 9 }), 1 << 40 | 1 << 9);
}
