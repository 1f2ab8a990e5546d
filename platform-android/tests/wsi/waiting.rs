//! Waiting until a frame is shown.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use android_simulation::Simulation;
use android_simulation::hal::Hal;
use ash::vk::{self, TaggedStructure};
use platform_android::ApiLevel;
use platform_android::wsi::present_wait::wait_for_present2;
use platform_android::wsi::structures::{
    PresentId2, PresentWait2Info, SurfaceCapabilitiesPresentId2, SurfaceCapabilitiesPresentWait2,
};
use platform_android::wsi::{self};

use crate::world::{INSTANCE, SUCCESS, World, chain, request};

const PENDING: i64 = -2;

/// Presents a frame with this id, which is shown.
fn frame(world: &World, swapchain: vk::SwapchainKHR, id: u64) {
    queue(world, swapchain, id);
    assert!(world.window.show());
}

/// Presents a frame with this id.
fn queue(world: &World, swapchain: vk::SwapchainKHR, id: u64) {
    let image = world.acquire(swapchain);
    present(world, swapchain, image, id);
}

fn present(world: &World, swapchain: vk::SwapchainKHR, image: u32, id: u64) {
    let ids = [id];
    let info = PresentId2 {
        s_type: PresentId2::STRUCTURE_TYPE,
        p_next: null_mut(),
        swapchain_count: 1,
        p_present_ids: ids.as_ptr(),
    };
    assert_eq!(world.present_with(swapchain, image, chain(&info)), SUCCESS);
}

fn wait(world: &World, swapchain: vk::SwapchainKHR, present_id: u64, timeout: u64) -> vk::Result {
    wait_for(world.device, swapchain, present_id, timeout)
}

fn wait_for(device: vk::Device, swapchain: vk::SwapchainKHR, present_id: u64, timeout: u64) -> vk::Result {
    let info = PresentWait2Info {
        s_type: PresentWait2Info::STRUCTURE_TYPE,
        p_next: null_mut(),
        present_id,
        timeout,
    };
    // SAFETY: valid handles and a valid structure.
    unsafe { wait_for_present2(device, swapchain, &info) }
}

#[test]
fn r114_a_frame_is_waited_for_until_it_is_shown() {
    let world = World::new();
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    // No id at all.
    assert_eq!(wait(&world, swapchain, 0, 0), SUCCESS);
    for id in [5, 7] {
        frame(&world, swapchain, id);
    }
    assert!(world.window.change().told.remembers);
    world.window.change().timestamps.insert(0, [1000; 9]);
    world.window.change().timestamps.insert(1, [PENDING; 9]);
    for (id, expected) in [
        // Any id that is not later.
        (4, SUCCESS),
        (5, SUCCESS),
        (6, vk::Result::TIMEOUT),
        (7, vk::Result::TIMEOUT),
        // It was never presented.
        (8, vk::Result::TIMEOUT),
    ] {
        assert_eq!(wait(&world, swapchain, id, 0), expected, "{id}");
    }
    std::thread::scope(|scope| {
        let window = &world.window;
        let asked = window.change().calls.len();
        scope.spawn(move || {
            // Until somebody waits for it.
            while window.change().calls.len() == asked {
                std::thread::yield_now();
            }
            window.change().timestamps.insert(1, [2000; 9]);
        });
        assert_eq!(wait(&world, swapchain, 7, u64::MAX), SUCCESS);
    });
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn r114_frames_that_the_window_forgot_or_never_shows_are_over() {
    let world = World::new();
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    for id in 1..=100 {
        frame(&world, swapchain, id);
    }
    // The window knows none of them.
    for id in [1, 50, 100] {
        assert_eq!(wait(&world, swapchain, id, 0), SUCCESS);
    }
    world.window.change().timestamps.insert(99, [-1; 9]);
    assert_eq!(wait(&world, swapchain, 100, 0), SUCCESS);
    // The latest ones are remembered.
    world.window.change().timestamps.insert(69, [1000; 9]);
    world.window.change().timestamps.insert(99, [PENDING; 9]);
    assert_eq!(wait(&world, swapchain, 70, 0), SUCCESS);
    assert_eq!(wait(&world, swapchain, 101, 0), vk::Result::TIMEOUT);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn r146_a_frame_that_was_replaced_is_over_when_a_later_one_is_shown() {
    let world = World::new();
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface).present_mode(vk::PresentModeKHR::MAILBOX));
    for id in [1, 2, 3] {
        queue(&world, swapchain, id);
    }
    assert_eq!(world.window.change().dropped, 2);
    // The window reports replaced frames as pending for ever.
    for frame in 0..3 {
        world.window.change().timestamps.insert(frame, [PENDING; 9]);
    }
    assert_eq!(wait(&world, swapchain, 1, 0), vk::Result::TIMEOUT);
    world.window.change().timestamps.insert(2, [1000; 9]);
    for id in [1, 2, 3] {
        assert_eq!(wait(&world, swapchain, id, 0), SUCCESS, "{id}");
    }
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn r146_a_frame_is_not_over_before_the_window_has_it() {
    let world = World::new();
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    let device = world.device;
    let (sender, waited) = std::sync::mpsc::channel();
    // Another thread waits meanwhile. The window does not know the frame yet.
    world.window.change().while_queueing =
        Some(Box::new(move || sender.send(wait_for(device, swapchain, 1, 0)).unwrap()));
    queue(&world, swapchain, 1);
    assert_eq!(waited.recv(), Ok(vk::Result::TIMEOUT));
    assert_eq!(wait(&world, swapchain, 1, 0), SUCCESS);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn r146_a_frame_without_a_number_of_the_windows_is_not_waited_for() {
    let world = World::new();
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    let image = world.acquire(swapchain);
    // The call after the one that enables timestamps fails.
    world.window.fail(1, -22);
    present(&world, swapchain, image, 1);
    world.window.stop_failing();
    assert!(world.window.calls().contains(&"next-frame".to_owned()));
    assert_eq!(wait(&world, swapchain, 1, 0), SUCCESS);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
}

#[test]
fn r114_waiting_ends_with_the_swapchain() {
    let world = World::new();
    let surface = world.surface();
    let old = world.swapchain(&request(surface));
    frame(&world, old, 1);
    world.window.fail(0, -19);
    assert_eq!(wait(&world, old, 1, u64::MAX), vk::Result::ERROR_SURFACE_LOST_KHR);
    world.window.stop_failing();
    let new = world.swapchain(&request(surface).old_swapchain(old));
    assert_eq!(wait(&world, old, 1, u64::MAX), vk::Result::ERROR_OUT_OF_DATE_KHR);
    world.destroy_swapchain(old);
    world.destroy_swapchain(new);
    world.destroy_surface(surface);
}

#[test]
fn r114_surfaces_can_since_android_17() {
    for (level, expected) in [(ApiLevel::ANDROID_16, 4711), (ApiLevel::ANDROID_17, vk::TRUE)] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        let mut waits = SurfaceCapabilitiesPresentWait2 {
            s_type: SurfaceCapabilitiesPresentWait2::STRUCTURE_TYPE,
            p_next: null_mut(),
            present_wait2_supported: 4711,
        };
        let mut ids = SurfaceCapabilitiesPresentId2 {
            s_type: SurfaceCapabilitiesPresentId2::STRUCTURE_TYPE,
            p_next: (&raw mut waits).cast(),
            present_id2_supported: 4711,
        };
        let mut out = vk::SurfaceCapabilities2KHR { p_next: (&raw mut ids).cast(), ..Default::default() };
        let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
        // SAFETY: valid handles and chains.
        let result =
            unsafe { wsi::capabilities::get_surface_capabilities2(world.physical_device, &info, &mut out) };
        assert_eq!(result, SUCCESS);
        assert_eq!((ids.present_id2_supported, waits.present_wait2_supported), (expected, expected));
        world.destroy_surface(surface);
    }
}

/// `VkPhysicalDevicePresentTimingFeaturesEXT`
#[repr(C)]
struct PresentTimingFeatures {
    s_type: vk::StructureType,
    p_next: *const c_void,
    values: [vk::Bool32; 3],
}

#[test]
fn r114_devices_have_the_extensions_since_android_17() {
    const OURS: [&CStr; 5] = [
        c"VK_EXT_present_timing",
        c"VK_KHR_present_id",
        c"VK_KHR_present_id2",
        c"VK_KHR_present_wait2",
        c"VK_KHR_swapchain_mutable_format",
    ];
    for (level, clocks, expected) in
        [(ApiLevel::ANDROID_15, true, 0), (ApiLevel::ANDROID_17, false, 4), (ApiLevel::ANDROID_17, true, 5)]
    {
        let simulation = Simulation::at(level);
        let mut hal = Hal::default();
        if clocks {
            hal.device_extensions.push((c"VK_KHR_calibrated_timestamps", 1));
        }
        simulation.android.install(hal);
        simulation.android.set("service.sf.present_timestamp", "1");
        let vulkan = simulation.vulkan();
        // SAFETY: valid structures and handles; everything is destroyed in the end.
        unsafe {
            let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let listed = instance.enumerate_device_extension_properties(physical).unwrap();
            let is_listed = |name: &&CStr| {
                listed.iter().any(|extension| extension.extension_name_as_c_str() == Ok(*name))
            };
            assert_eq!(OURS.iter().filter(|name| is_listed(name)).count(), expected);
            if expected == OURS.len() {
                let swapchain = c"VK_KHR_swapchain";
                let names: Vec<_> = OURS.iter().chain([&swapchain]).map(|name| name.as_ptr()).collect();
                let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
                // Three features: the extension's, absolute times, and times relative to the
                // previous frame, which is missing.
                let relative = [vk::FALSE, vk::FALSE, vk::TRUE];
                let s_type = vk::StructureType::from_raw(1_000_208_000);
                let features = PresentTimingFeatures { s_type, p_next: null(), values: relative };
                let refused = vk::DeviceCreateInfo { p_next: chain(&features), ..info };
                let refused = instance.create_device(physical, &refused, None).err();
                assert_eq!(refused, Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
                let device = instance.create_device(physical, &info, None).unwrap();
                for command in [
                    c"vkWaitForPresent2KHR",
                    c"vkSetSwapchainPresentTimingQueueSizeEXT",
                    c"vkGetSwapchainTimingPropertiesEXT",
                    c"vkGetSwapchainTimeDomainPropertiesEXT",
                    c"vkGetPastPresentationTimingEXT",
                ] {
                    assert!(instance.get_device_proc_addr(device.handle(), command.as_ptr()).is_some());
                }
                device.destroy_device(None);
            }
            instance.destroy_instance(None);
        }
    }
}
