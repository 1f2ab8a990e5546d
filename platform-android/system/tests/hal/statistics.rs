//! The statistics that the framework gets.

use std::ptr::null;

use android_simulation::Simulation;
use ash::vk;
use platform_android::driver;
use platform_android::system::Statistic;
use platform_android_system::hal::is_stub;

use super::vendor_driver;

#[test]
fn instances_and_devices_are_counted() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    vendor_driver(android, "x", &["-DDEBUG_UTILS=2"]);
    loader.enter();
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
    let extensions = [c"VK_EXT_debug_utils".as_ptr()];
    let info =
        vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&extensions);
    let features = vk::PhysicalDeviceFeatures { full_draw_index_uint32: vk::TRUE, ..Default::default() };
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let device_info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&features);
    let (mut instance, mut physical, mut device) =
        (vk::Instance::null(), vk::PhysicalDevice::null(), vk::Device::null());
    unsafe {
        assert_eq!(driver::create_instance(&info, null(), &mut instance), vk::Result::SUCCESS);
        assert_eq!(driver::enumerate_physical_devices(instance, &mut 1, &mut physical), vk::Result::SUCCESS);
        assert_eq!(driver::create_device(physical, &device_info, null(), &mut device), vk::Result::SUCCESS);
        driver::destroy_device(device, null());
        driver::destroy_instance(instance, null());
    }
    let world = android.change();
    assert!(world.statistics.contains(&Statistic::ApiVersion(vk::API_VERSION_1_2)));
    assert!(world.statistics.contains(&Statistic::Device));
    assert!(world.statistics.contains(&Statistic::CpuInUse));
    assert!(world.statistics.contains(&Statistic::Features(0b10)));
    assert_eq!(world.extensions, [(false, vec!["VK_EXT_debug_utils".to_owned()]), (true, vec![])]);
}

#[test]
fn the_engine_of_an_application_is_reported() {
    let Simulation { android, loader, .. } = &Simulation::new();
    loader.enter();
    let named = vk::ApplicationInfo::default().engine_name(c"an engine");
    let nameless = vk::ApplicationInfo::default();
    for application in [null(), &raw const nameless, &raw const named] {
        let info = vk::InstanceCreateInfo { p_application_info: application, ..Default::default() };
        let mut instance = vk::Instance::null();
        unsafe {
            assert_eq!(driver::create_instance(&info, null(), &mut instance), vk::Result::SUCCESS);
            driver::destroy_instance(instance, null());
        }
    }
    let world = android.change();
    assert_eq!(world.engines, ["an engine"]);
    // An application without an info has no version that could be counted.
    let versions = world.statistics.iter().filter(|it| matches!(it, Statistic::ApiVersion(_)));
    assert_eq!(versions.count(), 2);
}

#[test]
fn loading_the_driver_is_counted() {
    let Simulation { android, loader, .. } = &Simulation::new();
    android.set("ro.hardware.vulkan", "x");
    vendor_driver(android, "x", &[]);
    loader.hal.driver(loader).unwrap();
    let statistics = std::mem::take(&mut android.change().statistics);
    assert_eq!(statistics[0], Statistic::DriverToLoad { updatable: false });
    assert!(matches!(statistics[1], Statistic::DriverLoaded { loaded: true, .. }), "{statistics:?}");
    assert_eq!(statistics.len(), 2);
}

#[test]
fn a_system_without_driver_is_counted_as_such() {
    let Simulation { android, loader, .. } = &Simulation::new();
    assert!(is_stub(&loader.hal.driver(loader).unwrap()));
    let statistics = std::mem::take(&mut android.change().statistics);
    let loaded = |one: &Statistic| match one {
        Statistic::DriverLoaded { loaded, .. } => Some(*loaded),
        _ => None,
    };
    assert_eq!(statistics.iter().filter_map(loaded).collect::<Vec<_>>(), [false]);
}

#[test]
fn at_most_100_extensions_are_reported() {
    let Simulation { android, loader, .. } = &Simulation::new();
    loader.enter();
    let extensions = [c"VK_KHR_surface".as_ptr(); 101];
    let info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
    let mut instance = vk::Instance::null();
    unsafe {
        assert_eq!(driver::create_instance(&info, null(), &mut instance), vk::Result::SUCCESS);
        driver::destroy_instance(instance, null());
    }
    let told: Vec<usize> = android.change().extensions.iter().map(|(_, names)| names.len()).collect();
    assert_eq!(told, [100]);
}
