//! Instances: the create info that the driver gets, the driver's requirements, and the lists.

use std::ptr::null;

use android_simulation::hal::Hal;
use ash::vk::{self, Handle as _};
use platform_android::objects::instance_of;
use platform_android::{ApiLevel, driver};

use super::{World, list};

const VERSION_1_4: u32 = vk::make_api_version(0, 1, 4, 0);

#[test]
fn loader_structures_are_stripped_only_at_the_front() {
    let world = World::new(Hal::default());
    let loaders = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
    let flags = vk::ValidationFlagsEXT::default();
    let third = vk::BaseInStructure { s_type: loaders, p_next: null(), ..Default::default() };
    let flags = vk::ValidationFlagsEXT { p_next: (&raw const third).cast(), ..flags };
    let second =
        vk::BaseInStructure { s_type: loaders, p_next: (&raw const flags).cast(), ..Default::default() };
    let first = vk::BaseInStructure { s_type: loaders, p_next: &raw const second, ..Default::default() };
    let layer = c"VK_LAYER_something".as_ptr();
    let layers = [layer];
    let mut info = vk::InstanceCreateInfo::default().enabled_layer_names(&layers);
    info.p_next = (&raw const first).cast();
    world.try_instance(&info).unwrap();
    let told = world.hal.received().instances.remove(0);
    assert_eq!(told.chain, [flags.s_type.as_raw(), loaders.as_raw()]);
    assert_eq!(told.layers, 0);
}

#[test]
fn the_loaders_instance_extensions_come_first_and_stay_with_it() {
    let world = World::new(Hal::default());
    let listed = |count: *mut u32, out: *mut vk::ExtensionProperties| unsafe {
        driver::enumerate_instance_extension_properties(null(), count, out)
    };
    let names: Vec<String> = list(listed).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "VK_KHR_surface",
            "VK_KHR_surface_protected_capabilities",
            "VK_KHR_android_surface",
            "VK_EXT_swapchain_colorspace",
            "VK_KHR_get_surface_capabilities2",
            "VK_GOOGLE_surfaceless_query",
            "VK_EXT_surface_maintenance1",
            "VK_KHR_surface_maintenance1",
            "VK_EXT_debug_report",
            "VK_EXT_debug_utils",
            "VK_KHR_get_physical_device_properties2",
            "VK_KHR_external_fence_capabilities",
        ]
    );
    let all: Vec<_> = names.iter().map(|name| std::ffi::CString::new(name.as_str()).unwrap()).collect();
    let all: Vec<_> = all.iter().map(|name| name.as_c_str()).collect();
    world.instance(&all);
    let told = world.hal.received().instances.remove(0);
    assert_eq!(
        told.extensions,
        ["VK_KHR_get_physical_device_properties2", "VK_KHR_external_fence_capabilities"]
    );
}

#[test]
fn android_14_lists_its_own_extensions() {
    let _world = World::at(ApiLevel::ANDROID_14, Hal::default());
    let listed = |count: *mut u32, out: *mut vk::ExtensionProperties| unsafe {
        driver::enumerate_instance_extension_properties(null(), count, out)
    };
    assert!(!list(listed).iter().any(|(name, _)| name == "VK_KHR_surface_maintenance1"));
}

#[test]
fn an_array_that_is_too_small_gets_the_loaders_extensions_first() {
    let _world = World::new(Hal::default());
    let mut two = [vk::ExtensionProperties::default(); 2];
    let mut count = 2;
    let result =
        unsafe { driver::enumerate_instance_extension_properties(null(), &mut count, two.as_mut_ptr()) };
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    assert_eq!(two[1].extension_name_as_c_str(), Ok(c"VK_KHR_surface_protected_capabilities"));
}

#[test]
fn debug_report_is_the_drivers_in_the_older_version_of_both() {
    for (drivers, listed_version) in [(None, 10), (Some(8), 8), (Some(99), 10)] {
        let mut hal = Hal::default();
        hal.instance_extensions.extend(drivers.map(|version| (c"VK_EXT_debug_report", version)));
        let _world = World::new(hal);
        let listed =
            list(|count, out| unsafe { driver::enumerate_instance_extension_properties(null(), count, out) });
        let report: Vec<_> = listed.iter().filter(|(name, _)| name == "VK_EXT_debug_report").collect();
        assert_eq!(report, [&("VK_EXT_debug_report".to_owned(), listed_version)]);
    }
}

#[test]
fn the_driver_gets_its_own_extensions_once() {
    let world = World::new(Hal::default());
    let wishes = [
        c"VK_KHR_get_physical_device_properties2",
        c"VK_EXT_of_a_layer",
        c"VK_KHR_get_physical_device_properties2",
    ];
    world.instance(&wishes);
    assert_eq!(world.hal.received().instances[0].extensions, ["VK_KHR_get_physical_device_properties2"]);
}

#[test]
fn a_driver_of_1_0_gets_what_1_1_made_core() {
    let mut hal = Hal::old();
    hal.instance_extensions.retain(|(name, _)| *name != c"VK_KHR_external_memory_capabilities");
    let world = World::new(hal);
    world.instance(&[c"VK_KHR_get_physical_device_properties2"]);
    assert_eq!(
        world.hal.received().instances[0].extensions,
        [
            "VK_KHR_get_physical_device_properties2",
            "VK_KHR_device_group_creation",
            "VK_KHR_external_fence_capabilities",
            "VK_KHR_external_semaphore_capabilities",
        ]
    );
}

#[test]
fn a_newer_driver_gets_none_that_was_not_asked_for() {
    let world = World::new(Hal::default());
    world.instance(&[]);
    assert_eq!(world.hal.received().instances[0].extensions, [""; 0]);
}

#[test]
fn a_driver_is_not_asked_for_versions_that_it_would_refuse() {
    let (v1_0, v1_1, v1_3) = (vk::API_VERSION_1_0, vk::API_VERSION_1_1, vk::API_VERSION_1_3);
    let newest = ApiLevel::NEWEST;
    for (level, drivers, asked, told) in [
        (newest, None, v1_1, v1_0),
        (newest, None, v1_0 | 7, v1_0 | 7),
        (newest, Some(v1_3 | 250), VERSION_1_4, v1_3),
        (newest, Some(v1_3), v1_3 | 9, v1_3 | 9),
        (newest, Some(v1_1), VERSION_1_4, VERSION_1_4),
        (ApiLevel::ANDROID_16, Some(v1_3), VERSION_1_4, v1_3),
        (ApiLevel::ANDROID_14, Some(v1_3), VERSION_1_4, VERSION_1_4),
        (ApiLevel::ANDROID_14, None, v1_3, v1_0),
    ] {
        let world = World::at(level, Hal { version: drivers, ..Hal::default() });
        let application = vk::ApplicationInfo::default().api_version(asked);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        world.try_instance(&info).unwrap();
        assert_eq!(
            world.hal.received().instances[0].api_version,
            Some(told),
            "{level:?} {drivers:?} {asked:x}"
        );
    }
}

#[test]
fn who_says_nothing_of_itself_is_passed_on_as_that() {
    let world = World::new(Hal::old());
    world.instance(&[]);
    assert_eq!(world.hal.received().instances[0].api_version, None);
}

#[test]
fn a_driver_that_cannot_return_its_version_creates_no_instance() {
    let mut hal = Hal::default();
    let error = vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    hal.fails.insert(c"vkEnumerateInstanceVersion", error);
    let world = World::new(hal);
    assert_eq!(world.try_instance(&vk::InstanceCreateInfo::default()), Err(error));
    assert!(world.hal.received().instances.is_empty());
    assert!(world.errors()[0].contains("vkEnumerateInstanceVersion"));
}

#[test]
fn an_instance_without_magic_is_destroyed_and_refused() {
    let world = World::new(Hal { without_magic: vec![vk::ObjectType::INSTANCE], ..Hal::default() });
    let result = world.try_instance(&vk::InstanceCreateInfo::default());
    assert_eq!(result, Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
    assert_eq!(world.hal.alive(vk::ObjectType::INSTANCE), 0);
    assert!(world.errors()[0].contains("HWVULKAN_DISPATCH_MAGIC"));
}

#[test]
fn a_driver_whose_instance_lacks_a_function_is_refused() {
    for lacking in [
        c"vkEnumeratePhysicalDevices",
        c"vkGetInstanceProcAddr",
        c"vkGetPhysicalDeviceProperties",
        c"vkCreateDevice",
        c"vkEnumerateDeviceExtensionProperties",
        c"vkGetDeviceProcAddr",
        // Of extensions that drivers for Vulkan 1.0 get in any case.
        c"vkEnumeratePhysicalDeviceGroupsKHR",
        c"vkGetPhysicalDeviceFeatures2KHR",
        c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
        c"vkGetPhysicalDeviceExternalBufferPropertiesKHR",
        c"vkGetPhysicalDeviceExternalFencePropertiesKHR",
        c"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
    ] {
        let world = World::new(Hal { lacks: vec![lacking], ..Hal::old() });
        let result = world.try_instance(&vk::InstanceCreateInfo::default());
        assert_eq!(result, Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER), "{lacking:?}");
        assert_eq!(world.hal.alive(vk::ObjectType::INSTANCE), 0);
        assert!(world.errors()[0].contains(lacking.to_str().unwrap()));
    }
}

#[test]
fn functions_of_extensions_that_are_not_enabled_may_be_missing() {
    let world = World::new(Hal { lacks: vec![c"vkGetPhysicalDeviceFeatures2KHR"], ..Hal::default() });
    world.instance(&[]);
}

#[test]
fn the_application_gets_the_drivers_error() {
    let mut hal = Hal::default();
    hal.fails.insert(c"vkCreateInstance", vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    let world = World::new(hal);
    let result = world.try_instance(&vk::InstanceCreateInfo::default());
    assert_eq!(result, Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
}

#[test]
fn the_first_word_of_physical_devices_leads_to_their_instance() {
    let world = World::new(Hal { devices: 3, ..Hal::default() });
    let instance = world.instance(&[]);
    // Some of them, then all: adopted handles stay.
    let mut some = [vk::PhysicalDevice::null(); 2];
    let mut count = 2;
    // SAFETY: a valid instance and a counted out-array.
    unsafe {
        let result = driver::enumerate_physical_devices(instance, &mut count, some.as_mut_ptr());
        assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
        let ours = instance_of(instance.as_raw());
        for device in world.physical_devices(instance) {
            assert!(std::ptr::eq(instance_of(device.as_raw()), ours));
        }
    }
    assert_eq!(world.errors(), [""; 0]);
}

#[test]
fn nothing_is_done_to_null() {
    // SAFETY: NULL may be destroyed.
    unsafe {
        driver::destroy_instance(vk::Instance::null(), null());
        driver::destroy_device(vk::Device::null(), null());
    }
}
