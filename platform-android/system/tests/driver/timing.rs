//! The extension and the features that report when frames were shown.

use std::ptr::null_mut;

use android_simulation::hal::Hal;
use ash::vk;
use platform_android::{ApiLevel, driver};

use super::World;
use super::devices::names;

#[test]
fn frames_are_timed_if_the_system_reports_present_times_and_the_driver_has_clocks() {
    let timing = "VK_EXT_present_timing".to_owned();
    for (timestamps, clocks) in [(None, true), (Some("0"), true), (Some("1"), false), (Some("1"), true)] {
        let mut hal = Hal::default();
        if clocks {
            hal.device_extensions.push((c"VK_KHR_calibrated_timestamps", 1));
        }
        let world = World::new(hal);
        if let Some(value) = timestamps {
            world.simulation.android.set("service.sf.present_timestamp", value);
        }
        let expected = timestamps == Some("1") && clocks;
        assert_eq!(names(&world).contains(&timing), expected, "{timestamps:?} {clocks}");
    }
    let mutable = "VK_KHR_swapchain_mutable_format".to_owned();
    for (version, listed) in [(vk::API_VERSION_1_1, false), (vk::API_VERSION_1_2, true)] {
        let world = World::new(Hal { device_version: version, ..Hal::default() });
        assert_eq!(names(&world).contains(&mutable), listed);
    }
}

/// `VkPhysicalDevicePresentTimingFeaturesEXT`
#[repr(C)]
struct PresentTiming {
    s_type: vk::StructureType,
    p_next: *mut std::ffi::c_void,
    values: [vk::Bool32; 3],
}

impl PresentTiming {
    fn new(values: [vk::Bool32; 3]) -> Self {
        Self { s_type: vk::StructureType::from_raw(1_000_208_000), p_next: null_mut(), values }
    }
}

fn timing_features(world: &World, instance: vk::Instance) -> [vk::Bool32; 3] {
    let physical_device = world.physical_devices(instance)[0];
    let mut timing = PresentTiming::new([9; 3]);
    let mut features = vk::PhysicalDeviceFeatures2 { p_next: (&raw mut timing).cast(), ..Default::default() };
    // SAFETY: the function has the type of its name; valid handle and structures.
    unsafe {
        let name = c"vkGetPhysicalDeviceFeatures2";
        let get = driver::get_instance_proc_addr(instance, name.as_ptr());
        let get =
            std::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkGetPhysicalDeviceFeatures2>>(get);
        get.unwrap()(physical_device, &mut features);
    }
    timing.values
}

#[test]
fn frames_are_timed_only_if_the_system_reports_present_times() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    assert_eq!(timing_features(&world, instance), [vk::FALSE; 3]);
    world.simulation.android.set("service.sf.present_timestamp", "1");
    assert_eq!(timing_features(&world, instance), [vk::TRUE, vk::TRUE, vk::FALSE]);
    drop(world);
    // The structure is the driver's if the loader does not have the extension.
    let world = World::at(ApiLevel::ANDROID_16, Hal::default());
    world.simulation.android.set("service.sf.present_timestamp", "1");
    let instance = world.instance(&[]);
    assert_eq!(timing_features(&world, instance), [9; 3]);
}

#[test]
fn frames_are_not_timed_by_the_frame_before() {
    let world = World::new(Hal::default());
    world.simulation.android.set("service.sf.present_timestamp", "1");
    let instance = world.instance(&[]);
    let physical_device = world.physical_devices(instance)[0];
    assert_eq!(timing_features(&world, instance), [vk::TRUE, vk::TRUE, vk::FALSE]);
    for (values, result) in [([1, 1, 0], Ok(())), ([1, 0, 1], Err(vk::Result::ERROR_FEATURE_NOT_PRESENT))] {
        let timing = PresentTiming::new(values);
        let info = vk::DeviceCreateInfo { p_next: (&raw const timing).cast(), ..Default::default() };
        let device = world.try_device(physical_device, &info);
        assert_eq!(device.map(|_| ()), result);
    }
}
