//! Waiting until a frame is shown.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use android_simulation::hal::Hal;
use android_simulation::hook;
use android_simulation::{FakeWindow, Simulation};
use ash::vk::{self, TaggedStructure};
use platform_android::ApiLevel;
use platform_android::wsi::present_modes::FIFO_LATEST_READY;
use platform_android::wsi::structures::{
    CREATE_PRESENT_WAIT2, PresentId2, SurfaceCapabilitiesPresentId2, SurfaceCapabilitiesPresentWait2,
};

use vkload_core::registry::types::PresentWait2InfoKHR;

use super::world::{INSTANCE, SUCCESS, World, chain, request};

const PENDING: i64 = -2;

/// Presents a frame with this id, which is shown.
pub(crate) fn frame(world: &World, swapchain: vk::SwapchainKHR, id: u64) {
    queue(world, swapchain, id);
    assert!(world.window.show());
}

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

pub(crate) fn wait(world: &World, swapchain: vk::SwapchainKHR, present_id: u64, timeout: u64) -> vk::Result {
    wait_for(world.device, swapchain, present_id, timeout)
}

fn wait_for(device: vk::Device, swapchain: vk::SwapchainKHR, present_id: u64, timeout: u64) -> vk::Result {
    let info = PresentWait2InfoKHR {
        s_type: PresentWait2InfoKHR::STRUCTURE_TYPE,
        p_next: null(),
        present_id,
        timeout,
    };
    unsafe { hook!(PFN_vkWaitForPresent2KHR)(device, swapchain, &info) }
}

/// Returns a swapchain whose frames are waited for.
fn waited_for(surface: vk::SurfaceKHR) -> vk::SwapchainCreateInfoKHR<'static> {
    request(surface).flags(CREATE_PRESENT_WAIT2)
}

/// Lets `happen` happen once another thread waits for this frame without end, and returns the other
/// thread's result.
fn meanwhile(world: &World, swapchain: vk::SwapchainKHR, id: u64, happen: impl FnOnce()) -> vk::Result {
    let (device, android) = (world.device, world.simulation.android);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || wait_for(device, swapchain, id, u64::MAX));
        while android.asleep() == 0 {
            std::thread::yield_now();
        }
        happen();
        waiting.join().unwrap()
    })
}

#[test]
fn a_frame_is_waited_for_until_it_is_shown() {
    let (world, _, swapchain) = World::shown_by(waited_for);
    // No id at all.
    assert_eq!(wait(&world, swapchain, 0, 0), SUCCESS);
    frame(&world, swapchain, 5);
    queue(&world, swapchain, 7);
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
    assert_eq!(wait(&world, swapchain, 7, 1), vk::Result::TIMEOUT);
    let shown = meanwhile(&world, swapchain, 7, || assert!(world.window.show()));
    assert_eq!(shown, SUCCESS);
    // The frame may also be presented while it is waited for.
    let shown = meanwhile(&world, swapchain, 8, || frame(&world, swapchain, 8));
    assert_eq!(shown, SUCCESS);
}

#[test]
fn a_consumer_that_gives_no_times_is_waited_for_without_asking_it() {
    let (world, _, swapchain) = World::shown_by(waited_for);
    queue(&world, swapchain, 1);
    // A display would give a time now; others never do.
    world.window.change().timestamps.insert(0, [PENDING; 9]);
    let _ = world.window.calls();
    let shown = meanwhile(&world, swapchain, 1, || assert!(world.window.show()));
    assert_eq!(shown, SUCCESS);
    assert_eq!(world.window.calls(), Vec::<String>::new());
    assert!(!world.window.change().told.remembers);
}

#[test]
fn a_frame_that_was_replaced_is_over() {
    let (world, _, swapchain) =
        World::shown_by(|surface| waited_for(surface).present_mode(vk::PresentModeKHR::MAILBOX));
    for id in [1, 2, 3] {
        queue(&world, swapchain, id);
    }
    assert_eq!(world.window.change().dropped, 2);
    for (id, expected) in [(1, SUCCESS), (2, SUCCESS), (3, vk::Result::TIMEOUT)] {
        assert_eq!(wait(&world, swapchain, id, 0), expected, "{id}");
    }
}

#[test]
fn a_frame_that_the_other_side_drops_is_over() {
    let (world, _, swapchain) =
        World::shown_by(|surface| waited_for(surface).present_mode(FIFO_LATEST_READY));
    let told = world.window.change().told.clone();
    assert_eq!((told.present_mode, told.listens), (2, [true; 2]));
    queue(&world, swapchain, 1);
    queue(&world, swapchain, 2);
    let dropped = meanwhile(&world, swapchain, 1, || assert!(world.window.drop_first()));
    assert_eq!(dropped, SUCCESS);
    assert_eq!(wait(&world, swapchain, 2, 0), vk::Result::TIMEOUT);
    assert!(world.window.show());
    assert_eq!(wait(&world, swapchain, 2, 0), SUCCESS);
}

#[test]
fn the_latest_frame_is_shown_if_the_window_is_set_to_it() {
    let world = World::new();
    let surface = world.surface();
    for (mode, expected) in [(vk::PresentModeKHR::FIFO, vec![0, 1]), (FIFO_LATEST_READY, vec![3])] {
        world.window.change().shown.clear();
        let swapchain = world.swapchain(&request(surface).present_mode(mode));
        queue(&world, swapchain, 0);
        queue(&world, swapchain, 0);
        while world.window.show() {}
        let shown: Vec<u64> = world.window.change().shown.iter().map(|shown| shown.frame).collect();
        assert_eq!(shown, expected, "mode {}", mode.as_raw());
        world.destroy_swapchain(swapchain);
    }
}

#[test]
fn a_frame_is_not_over_before_the_window_has_it() {
    let (world, _, swapchain) = World::shown_by(waited_for);
    let device = world.device;
    let (sender, waited) = std::sync::mpsc::channel();
    // Another thread waits meanwhile. The window does not know the frame yet.
    world.window.change().while_queueing =
        Some(Box::new(move || sender.send(wait_for(device, swapchain, 1, 0)).unwrap()));
    queue(&world, swapchain, 1);
    assert_eq!(waited.recv(), Ok(vk::Result::TIMEOUT));
    assert!(world.window.show());
    assert_eq!(wait(&world, swapchain, 1, 0), SUCCESS);
}

#[test]
fn a_frame_without_a_number_of_the_windows_is_not_waited_for() {
    let (world, _, swapchain) = World::shown_by(waited_for);
    let image = world.acquire(swapchain);
    let _ = world.window.calls();
    // Querying the number fails.
    world.window.fail(0, -22);
    present(&world, swapchain, image, 1);
    world.window.stop_failing();
    assert_eq!(world.window.calls()[0], "next-frame");
    assert_eq!(wait(&world, swapchain, 1, 0), SUCCESS);
}

#[test]
fn waiting_ends_with_the_swapchain() {
    let (world, surface, old) = World::shown_by(waited_for);
    queue(&world, old, 1);
    let mut new = vk::SwapchainKHR::null();
    let ended = meanwhile(&world, old, 1, || {
        new = world.swapchain(&waited_for(surface).old_swapchain(old));
    });
    assert_eq!(ended, vk::Result::ERROR_OUT_OF_DATE_KHR);
    // The window is lost, which presenting notices.
    let image = world.acquire(new);
    let ended = meanwhile(&world, new, 1, || {
        world.window.fail(0, -19);
        let _ = world.present(new, image);
        world.window.stop_failing();
    });
    assert_eq!(ended, vk::Result::ERROR_OUT_OF_DATE_KHR);
}

#[test]
fn a_late_callback_affects_its_own_surface_alone() {
    let (mut world, surface, swapchain) = World::shown_by(waited_for);
    frame(&world, swapchain, 1);
    // The window's frames have other numbers now, and none of them has been shown.
    world.destroy_swapchain(swapchain);
    let swapchain = world.swapchain(&waited_for(surface));
    queue(&world, swapchain, 1);
    assert_eq!(wait(&world, swapchain, 1, 0), vk::Result::TIMEOUT);
    world.destroy_swapchain(swapchain);
    world.destroy_surface(surface);
    world.window.tell_late(9);

    let listening = world.window.change().listeners();
    world.renew();
    let surface = world.surface();
    let swapchain = world.swapchain(&waited_for(surface));
    queue(&world, swapchain, 1);
    // The first surface is gone, and other code may have its memory.
    world.window.change().listen(listening);
    world.window.tell_late(9);
    assert_eq!(wait(&world, swapchain, 1, 0), vk::Result::TIMEOUT);
}

#[test]
fn frames_of_another_window_are_not_meant() {
    let mut world = World::new();
    let first = world.surface();
    let first_swapchain = world.swapchain(&waited_for(first));
    let another = FakeWindow::new(world.simulation.android);
    let before = std::mem::replace(&mut world.window, another);
    let second = world.surface();
    let second_swapchain = world.swapchain(&waited_for(second));
    queue(&world, first_swapchain, 1);
    queue(&world, second_swapchain, 1);
    // Both frames have the same number.
    assert!(before.show());
    assert_eq!(wait(&world, first_swapchain, 1, 0), SUCCESS);
    assert_eq!(wait(&world, second_swapchain, 1, 0), vk::Result::TIMEOUT);
    assert!(world.window.show());
    frame(&world, second_swapchain, 2);
    for (swapchain, id) in [(first_swapchain, 1), (second_swapchain, 1), (second_swapchain, 2)] {
        assert_eq!(wait(&world, swapchain, id, 0), SUCCESS);
    }
    for (surface, swapchain) in [(first, first_swapchain), (second, second_swapchain)] {
        world.destroy_swapchain(swapchain);
        world.destroy_surface(surface);
    }
    assert_eq!(before.leaks(), Vec::<String>::new());
    before.forget();
}

#[test]
fn without_waiting_no_callback_is_registered() {
    let (world, _, swapchain) = World::shown();
    frame(&world, swapchain, 1);
    let calls = world.window.calls();
    for call in ["on-acquired", "on-dropped", "next-frame", "last-replaced"] {
        assert!(!calls.contains(&call.to_owned()), "{call}");
    }
}

/// Returns a surface's support for ids and waiting, or 4711 if it writes none.
fn capabilities(world: &World, surface: vk::SurfaceKHR) -> (vk::Bool32, vk::Bool32) {
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
    let result = unsafe {
        hook!(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)(world.physical_device, &info, &mut out)
    };
    assert_eq!(result, SUCCESS);
    (ids.present_id2_supported, waits.present_wait2_supported)
}

#[test]
fn surfaces_can_since_android_17() {
    for (level, expected) in [(ApiLevel::ANDROID_16, 4711), (ApiLevel::ANDROID_17, vk::TRUE)] {
        let world = World::with(level, INSTANCE);
        let surface = world.surface();
        assert_eq!(capabilities(&world, surface), (expected, expected));
    }
}

#[test]
fn a_window_without_callbacks_is_drawn_to_and_not_waited_for() {
    let world = World::new();
    world.window.change().knows_listeners = false;
    let surface = world.surface();
    assert_eq!(capabilities(&world, surface), (vk::FALSE, vk::FALSE));
    // An application that does not ask does no harm.
    let swapchain = world.swapchain(&waited_for(surface));
    frame(&world, swapchain, 1);
    assert_eq!(wait(&world, swapchain, 1, u64::MAX), SUCCESS);
    let calls = world.window.calls();
    assert!(calls.contains(&"connect 1".to_owned()) && !calls.contains(&"on-acquired".to_owned()));
}

#[test]
fn a_loader_that_is_newer_than_the_system_asks_nothing_of_its_windows() {
    let world = World::new();
    world.simulation.android.set("ro.build.version.sdk", "36");
    let surface = world.surface();
    assert_eq!(world.window.calls(), ["consumer-usage", "connect 1"]);
    assert_eq!(capabilities(&world, surface), (vk::FALSE, vk::FALSE));
}

/// `VkPhysicalDevicePresentTimingFeaturesEXT`, or one with fewer members.
#[repr(C)]
struct PresentTimingFeatures {
    s_type: vk::StructureType,
    p_next: *const c_void,
    values: [vk::Bool32; 3],
}

#[test]
fn devices_have_the_extensions_since_android_17() {
    const OURS: [&CStr; 5] = [
        c"VK_EXT_present_timing",
        c"VK_KHR_present_id",
        c"VK_KHR_present_id2",
        c"VK_KHR_present_wait2",
        c"VK_KHR_swapchain_mutable_format",
    ];
    const LATEST_READY: &CStr = c"VK_EXT_present_mode_fifo_latest_ready";
    let (older, newer) = (ApiLevel::ANDROID_15, ApiLevel::ANDROID_17);
    for (level, system, clocks, expected) in [
        (older, "36", true, 0),
        (newer, "37", false, 4),
        (newer, "37", true, 5),
        // On an older system windows do not report frames: VK_KHR_present_id does without.
        (newer, "36", true, 2),
        (newer, "", true, 2),
    ] {
        let simulation = Simulation::at(level);
        simulation.android.set("ro.build.version.sdk", system);
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
            if level == newer {
                for (s_type, name) in
                    [(1_000_479_002, OURS[2]), (1_000_480_001, OURS[3]), (1_000_361_000, LATEST_READY)]
                {
                    let s_type = vk::StructureType::from_raw(s_type);
                    let mut feature = PresentTimingFeatures { s_type, p_next: null(), values: [9; 3] };
                    let mut features = vk::PhysicalDeviceFeatures2 {
                        p_next: (&raw mut feature).cast(),
                        ..Default::default()
                    };
                    instance.get_physical_device_features2(physical, &mut features);
                    assert_eq!(feature.values, [is_listed(&name).into(), 9, 9], "{name:?}");
                }
            }
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
