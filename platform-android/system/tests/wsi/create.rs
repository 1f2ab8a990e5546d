//! Creating swapchains.

use std::ffi::CStr;

use android_simulation::graphics::Graphics;
use android_simulation::hook;
use ash::vk::{self, Handle, SurfaceTransformFlagsKHR as Transform};
use platform_android::native_buffer::{Usage2, structure};
use platform_android::objects::device_of;
use platform_android::system::Statistic;
use platform_android::{ApiLevel, driver, wsi};

use super::world::{INSTANCE, SUCCESS, World, chain, request};

const IN_USE: vk::Result = vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR;

#[test]
fn the_window_is_configured_in_this_order() {
    let world = World::new();
    let surface = world.surface();
    let _ = world.window.calls();
    let swapchain = world.swapchain(&request(surface));
    let prepared = [
        "dequeue-timeout -1",
        "swap-interval 1",
        "present-mode 1",
        "shared 0",
        "auto-refresh 0",
        "format 1",
        "dataspace 142671872",
        "dimensions 640 480",
        "transform 0",
        "scaling 1",
        "query min-undequeued",
        "query width",
        "query height",
        "query min-undequeued",
        "query max-buffers",
        "buffer-count 3",
        "usage 0xb00",
        "query transform-hint",
        "refresh-duration",
    ];
    let buffers = ["dequeue", "dequeue", "dequeue", "cancel", "cancel", "cancel"];
    assert_eq!(world.window.calls(), [&prepared[..], &buffers[..]].concat());

    // Once buffers were dequeued, the window must forget them first.
    world.destroy_swapchain(swapchain);
    let _ = world.window.calls();
    let swapchain = world.swapchain(&request(surface).present_mode(vk::PresentModeKHR::MAILBOX));
    let calls = world.window.calls();
    assert_eq!(
        calls[..4],
        ["disconnect 1", "connect-with-listener 1", "dequeue-timeout -1", "swap-interval 0"]
    );
    world.destroy_swapchain(swapchain);

    let _ = world.window.calls();
    let continuous = request(surface).present_mode(vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH);
    world.swapchain(&continuous);
    let calls = world.window.calls();
    assert_eq!(calls[11..14], ["scaling 1", "shared 1", "auto-refresh 1"]);
}

#[test]
fn a_surface_has_one_swapchain() {
    let world = World::new();
    let surface = world.surface();
    let first = world.swapchain(&request(surface));
    assert_eq!(world.try_swapchain(&request(surface)), Err(IN_USE));
    assert_eq!(world.status(first), SUCCESS);
    let second = world.swapchain(&request(surface).old_swapchain(first));
    let out_of_date = vk::Result::ERROR_OUT_OF_DATE_KHR;
    assert_eq!((world.status(first), world.status(second)), (out_of_date, SUCCESS));
    assert_eq!(world.acquire_for(first, 0), Err(out_of_date));
    // The images of the first are gone, since the application had acquired none of them.
    assert!(world.images(first).iter().all(|image| image.is_null()));
    assert_eq!(Graphics::change().images.len(), 3);
    assert_eq!(world.acquire(second), 0);
    world.destroy_swapchain(first);
    assert_eq!(world.status(second), SUCCESS);
}

#[test]
fn images_that_the_application_has_outlive_their_swapchain() {
    let world = World::new();
    let surface = world.surface();
    let first = world.swapchain(&request(surface));
    let image = world.acquire(first);
    world.swapchain(&request(surface).old_swapchain(first));
    let kept: Vec<_> = world.images(first).iter().map(|image| !image.is_null()).collect();
    assert_eq!(kept, [true, false, false]);
    assert_eq!(world.present(first, image), vk::Result::ERROR_OUT_OF_DATE_KHR);
    assert!(world.images(first)[0].is_null());
}

#[test]
fn a_creation_that_fails_leaves_the_old_swapchain_retired() {
    let (world, surface, old) = World::shown();
    Graphics::change().fail_at("create-image", 1, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let next = request(surface).old_swapchain(old);
    assert_eq!(world.try_swapchain(&next), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    assert_eq!(world.status(old), vk::Result::ERROR_OUT_OF_DATE_KHR);
    // It can still be passed: the application does not know.
    world.swapchain(&next);
}

#[test]
fn the_old_swapchain_must_be_of_this_surface() {
    let (world, other) = (World::new(), ());
    let surface = world.surface();
    let elsewhere = android_simulation::FakeWindow::new(world.simulation.android);
    let info = vk::AndroidSurfaceCreateInfoKHR::default().window(elsewhere.pointer().cast());
    let mut another = vk::SurfaceKHR::null();
    let made =
        unsafe { hook!(PFN_vkCreateAndroidSurfaceKHR)(world.instance, &info, world.callbacks, &mut another) };
    assert_eq!((made, other), (SUCCESS, ()));
    let old = world.swapchain(&request(another));
    assert_eq!(world.try_swapchain(&request(surface).old_swapchain(old)), Err(IN_USE));
    assert_eq!(world.status(old), SUCCESS);
    world.destroy_swapchain(old);
    world.destroy_surface(another);
    world.destroy_surface(surface);
    assert_eq!(elsewhere.leaks(), Vec::<String>::new());
    elsewhere.forget();
}

#[test]
fn the_old_swapchain_may_be_another_devices() {
    let (mut world, surface, old) = World::shown();
    let first = world.device;
    world.device = world.another_device();
    // Each device destroys its own objects. SAFETY: no other code uses the device.
    unsafe { Graphics::commands(world.loaders_device()).destroy_image = None };
    let new = world.try_swapchain(&request(surface).old_swapchain(old)).unwrap();
    assert_eq!(Graphics::change().images.len(), 3);
    unsafe {
        let commands = Graphics::commands(world.loaders_device());
        commands.destroy_image = Graphics::commands(device_of(first.as_raw())).destroy_image;
    }
    world.destroy_swapchain(new);
    unsafe { driver::destroy_device(world.device, std::ptr::null()) };
    world.device = first;
}

#[test]
fn how_many_images_and_buffers_there_are() {
    let world = World::new();
    let surface = world.surface();
    // The requested number, the window's own and permitted numbers, the images, and the buffers.
    for (asked, kept, most, images, buffers) in [
        (1, 1, 64, 3, 3),
        (3, 1, 64, 3, 3),
        (5, 1, 64, 5, 5),
        (5, 1, 4, 4, 4),
        (2, 2, 64, 4, 4),
        (2, 3, 3, 3, 4),
        (100, 1, 100, 64, 64),
    ] {
        {
            let mut state = world.window.change();
            (state.min_undequeued, state.max_buffers) = (kept, most);
        }
        let swapchain = world.swapchain(&request(surface).min_image_count(asked));
        assert_eq!(world.images(swapchain).len(), images, "{asked} {kept} {most}");
        assert_eq!(world.window.change().told.buffers, buffers);
        world.destroy_swapchain(swapchain);
    }
    world.window.change().min_undequeued = 1;
    let shared = request(surface).present_mode(vk::PresentModeKHR::SHARED_DEMAND_REFRESH);
    let swapchain = world.swapchain(&shared);
    assert_eq!(world.images(swapchain).len(), 1);
    assert_eq!(world.window.change().told.buffers, 2);
}

#[test]
fn before_android_14_the_windows_own_images_come_on_top() {
    use vk::PresentModeKHR as Mode;
    // The level, the mode, the requested number, the window's own number, the images, and the
    // buffers.
    for (level, mode, asked, kept, images, buffers) in [
        (33, Mode::FIFO, 2, 1, 2, 2),
        (34, Mode::FIFO, 2, 1, 3, 3),
        (33, Mode::FIFO, 3, 2, 4, 4),
        (34, Mode::FIFO, 3, 2, 4, 4),
        (33, Mode::FIFO, 4, 2, 5, 5),
        (34, Mode::FIFO, 4, 2, 4, 4),
        (33, Mode::MAILBOX, 2, 2, 4, 4),
        (24, Mode::MAILBOX, 2, 1, 3, 3),
        (33, Mode::SHARED_DEMAND_REFRESH, 1, 1, 1, 2),
        (34, Mode::SHARED_DEMAND_REFRESH, 1, 1, 1, 2),
        (33, Mode::FIFO, 64, 2, 64, 64),
    ] {
        let world = World::with(ApiLevel(level), &INSTANCE[..2]);
        world.window.change().min_undequeued = kept;
        let surface = world.surface();
        let swapchain = world.swapchain(&request(surface).present_mode(mode).min_image_count(asked));
        let told = world.window.change().told.buffers;
        assert_eq!(
            (world.images(swapchain).len(), told),
            (images, buffers),
            "{level} {} {asked} {kept}",
            mode.as_raw()
        );
    }
}

#[test]
fn too_small_an_array_of_images_is_incomplete() {
    let (world, _, swapchain) = World::shown();
    let (mut count, mut image) = (1, vk::Image::null());
    let result =
        unsafe { hook!(PFN_vkGetSwapchainImagesKHR)(world.device, swapchain, &mut count, &mut image) };
    assert_eq!((result, count, image.is_null()), (vk::Result::INCOMPLETE, 1, false));
}

#[test]
fn structures_that_describe_a_buffer_to_the_driver() {
    let world = World::new();
    let surface = world.surface();
    world.window.change().consumer_usage = 1 << 11 | 3;
    world.destroy_surface(surface);
    let surface = world.surface();
    Graphics::change().hardware_buffer_usage = 1 << 9 | 1 << 40;
    let control = vk::ImageCompressionControlEXT::default();
    let families = [0, 1];
    let mut info = request(surface)
        .image_format(vk::Format::A2B10G10R10_UNORM_PACK32)
        .image_sharing_mode(vk::SharingMode::CONCURRENT)
        .queue_family_indices(&families)
        .flags(vk::SwapchainCreateFlagsKHR::PROTECTED);
    info.p_next = (&raw const control).cast();
    world.swapchain(&info);
    let usage = 1 << 9 | 1 << 40 | 1 << 11 | 3 | 1 << 14;
    let image = Graphics::change().images.values().next().unwrap().clone();
    let compression = vk::StructureType::IMAGE_COMPRESSION_CONTROL_EXT.as_raw();
    let native = structure::NATIVE_BUFFER.as_raw();
    assert_eq!(image.chain, [native, structure::SWAPCHAIN_IMAGE_CREATE_INFO.as_raw(), compression]);
    assert_eq!(image.swapchain_usage, Some(0));
    let buffer = image.buffer.unwrap();
    assert_eq!((buffer.handle.addr(), buffer.stride, buffer.format), (0x1000, 640, 0x2B));
    // The older the field, the less of the usage fits.
    assert_eq!((i64::from(buffer.usage), buffer.usage3), (0x4A03, usage));
    let usage2 = Usage2 { consumer: 1 << 11 | 2 | 4, producer: 1 << 9 | 1 << 14 | 2 | 4 };
    assert_eq!(buffer.usage2, usage2);
    assert!(!buffer.ahb.is_null());

    let made = image.info;
    assert!(made.flags == vk::ImageCreateFlags::PROTECTED && made.image_type == vk::ImageType::TYPE_2D);
    assert!(made.format == vk::Format::A2B10G10R10_UNORM_PACK32);
    assert_eq!((made.extent.width, made.extent.height, made.extent.depth), (640, 480, 1));
    assert_eq!((made.mip_levels, made.array_layers, made.queue_family_index_count), (1, 1, 2));
    assert!(made.samples == vk::SampleCountFlags::TYPE_1 && made.tiling == vk::ImageTiling::OPTIMAL);
    assert!(made.sharing_mode == vk::SharingMode::CONCURRENT);
    assert!(made.usage == vk::ImageUsageFlags::COLOR_ATTACHMENT);
}

#[test]
fn an_image_is_as_large_as_its_buffer() {
    let world = World::new();
    let surface = world.surface();
    world.window.change().buffer_size = Some((672, 512));
    world.swapchain(&request(surface));
    let extent = Graphics::change().images[&1].info.extent;
    assert_eq!((extent.width, extent.height), (672, 512));
}

#[test]
fn images_that_can_be_looked_at_in_other_formats() {
    let world = World::new();
    let surface = world.surface();
    let formats = [vk::Format::R8G8B8A8_UNORM, vk::Format::R8G8B8A8_SRGB];
    let list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
    let mut info = request(surface);
    info.p_next = (&raw const list).cast();
    let list = vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO.as_raw();
    for (flags, listed) in
        [(vk::SwapchainCreateFlagsKHR::empty(), false), (vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT, true)]
    {
        let swapchain = world.swapchain(&info.flags(flags));
        let image = Graphics::change().images.values().next().unwrap().clone();
        assert_eq!(image.chain.contains(&list), listed);
        let both = vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        assert!(image.info.flags == if listed { both } else { vk::ImageCreateFlags::empty() });
        world.destroy_swapchain(swapchain);
    }
}

#[test]
fn pictures_that_are_turned_are_turned_back() {
    let rows = [
        (Transform::IDENTITY, 0),
        (Transform::ROTATE_90, 7),
        (Transform::ROTATE_180, 3),
        (Transform::ROTATE_270, 4),
        (Transform::HORIZONTAL_MIRROR, 1),
        (Transform::HORIZONTAL_MIRROR_ROTATE_90, 5),
        (Transform::HORIZONTAL_MIRROR_ROTATE_180, 2),
        (Transform::HORIZONTAL_MIRROR_ROTATE_270, 6),
        (Transform::INHERIT, 0),
    ];
    let world = World::new();
    let surface = world.surface();
    for (transform, expected) in rows {
        let swapchain = world.swapchain(&request(surface).pre_transform(transform));
        assert_eq!(world.window.change().told.transform, expected);
        world.destroy_swapchain(swapchain);
    }
}

#[test]
fn every_hint_of_the_window_has_a_name() {
    let rows = [
        (0, Transform::IDENTITY),
        (1, Transform::HORIZONTAL_MIRROR),
        (2, Transform::HORIZONTAL_MIRROR_ROTATE_180),
        (3, Transform::ROTATE_180),
        (4, Transform::ROTATE_90),
        (5, Transform::HORIZONTAL_MIRROR_ROTATE_90),
        (6, Transform::HORIZONTAL_MIRROR_ROTATE_270),
        (7, Transform::ROTATE_270),
        (8, Transform::IDENTITY),
    ];
    for (native, expected) in rows {
        assert!(wsi::transform::from_native(native) == expected, "{native}");
    }
}

#[test]
fn swapchains_are_counted_and_those_that_leave_turning_to_the_display() {
    let world = World::new();
    world.window.change().transform_hint = 4;
    let surface = world.surface();
    let counted = |info: &vk::SwapchainCreateInfoKHR<'_>| {
        world.simulation.android.change().statistics.clear();
        if let Ok(swapchain) = world.try_swapchain(info) {
            world.destroy_swapchain(swapchain);
        }
        world.simulation.android.change().statistics.clone()
    };
    let both = [Statistic::Swapchain, Statistic::FalsePrerotation];
    let turned = request(surface).pre_transform(Transform::ROTATE_90);
    assert_eq!(counted(&turned), [Statistic::Swapchain]);
    assert_eq!(counted(&request(surface)), both);
    assert_eq!(counted(&request(surface).pre_transform(Transform::ROTATE_180)), both);
    world.window.change().transform_hint = 0;
    assert_eq!(counted(&request(surface)), [Statistic::Swapchain]);
    assert_eq!(counted(&turned), both);
    // A swapchain that does not come about is not counted.
    Graphics::change().fail_at("create-image", 0, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(counted(&turned), []);
}

#[test]
fn a_list_of_view_formats_has_some() {
    let empty = vk::ImageFormatListCreateInfo::default();
    for (level, flags, refused) in [
        (ApiLevel::ANDROID_17, vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT, true),
        (ApiLevel::ANDROID_17, vk::SwapchainCreateFlagsKHR::empty(), false),
        (ApiLevel::ANDROID_15, vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT, false),
    ] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let mut info = request(surface).flags(flags);
        info.p_next = chain(&empty);
        let made = world.try_swapchain(&info);
        assert_eq!(made.err(), refused.then_some(vk::Result::ERROR_INITIALIZATION_FAILED), "{level:?}");
        if let Ok(swapchain) = made {
            world.destroy_swapchain(swapchain);
        }
    }
}

#[test]
fn private_data_of_a_swapchain_end_with_it() {
    let (world, _, swapchain) = World::shown();
    let (object, slot) = (vk::ObjectType::SWAPCHAIN_KHR, vk::PrivateDataSlot::from_raw(1));
    let find = |name: &CStr| unsafe { driver::get_device_proc_addr(world.device, name.as_ptr()) };
    // SAFETY: functions have the types of their names.
    let (set, get) = unsafe {
        use std::mem::transmute;
        type Function = vk::PFN_vkVoidFunction;
        (
            transmute::<Function, Option<vk::PFN_vkSetPrivateData>>(find(c"vkSetPrivateData")).unwrap(),
            transmute::<Function, Option<vk::PFN_vkGetPrivateData>>(find(c"vkGetPrivateData")).unwrap(),
        )
    };
    let data = || {
        let mut data = 99;
        // SAFETY: valid handles; the swapchain's is only a number here.
        unsafe { get(world.device, object, swapchain.as_raw(), slot, &mut data) };
        data
    };
    assert_eq!(unsafe { set(world.device, object, swapchain.as_raw(), slot, 7) }, SUCCESS);
    assert_eq!(data(), 7);
    world.destroy_swapchain(swapchain);
    // Another one may get the same address.
    assert_eq!(data(), 0);
}
