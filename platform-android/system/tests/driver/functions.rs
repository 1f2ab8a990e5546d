//! How functions are found, and the fallbacks of physical-device commands.

use std::ffi::CStr;
use std::mem::transmute;

use android_simulation::hal::Hal;
use ash::vk;
use platform_android::{ApiLevel, driver};

use super::World;

type Function = vk::PFN_vkVoidFunction;

fn of_instance(instance: vk::Instance, name: &CStr) -> Function {
    // SAFETY: NULL or a valid instance, and a C string.
    unsafe { driver::get_instance_proc_addr(instance, name.as_ptr()) }
}

fn of_device(device: vk::Device, name: &CStr) -> Function {
    // SAFETY: a valid device, and a C string.
    unsafe { driver::get_device_proc_addr(device, name.as_ptr()) }
}

fn address(function: Function) -> usize {
    function.map_or(0, |function| function as usize)
}

#[test]
fn without_an_instance_global_commands_and_device_creation_are_found() {
    let world = World::new(Hal::default());
    let none = vk::Instance::null();
    assert_eq!(
        address(of_instance(none, c"vkCreateInstance")),
        driver::create_instance as *const () as usize
    );
    assert_eq!(address(of_instance(none, c"vkCreateDevice")), driver::create_device as *const () as usize);
    assert!(of_instance(none, c"vkEnumerateInstanceExtensionProperties").is_some());
    assert_eq!(world.errors(), [""; 0]);
    assert!(of_instance(none, c"vkDestroyInstance").is_none());
    assert!(of_instance(none, c"vkGetDeviceQueue").is_none());
    let errors = world.errors();
    assert!(errors.len() == 2 && errors[0].contains("vkDestroyInstance"), "{errors:?}");
}

#[test]
fn with_an_instance_global_commands_are_not_found_and_the_drivers_own_are() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[]);
    assert!(of_instance(instance, c"vkCreateInstance").is_none());
    assert_eq!(
        address(of_instance(instance, c"vkDestroyInstance")),
        driver::destroy_instance as *const () as usize
    );
    assert!(of_instance(instance, c"vkCmdDraw").is_some());
    assert!(of_instance(instance, c"vkUnheardOf").is_none());
}

#[test]
fn native_buffer_is_hidden_from_applications() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[c"VK_KHR_surface"]);
    let device = world.device(instance, &[c"VK_KHR_swapchain"]);
    for hidden in [
        c"vkGetSwapchainGrallocUsageANDROID",
        c"vkGetSwapchainGrallocUsage2ANDROID",
        c"vkGetSwapchainGrallocUsage3ANDROID",
        c"vkGetSwapchainGrallocUsage4ANDROID",
        c"vkAcquireImageANDROID",
        c"vkQueueSignalReleaseImageANDROID",
    ] {
        assert!(of_instance(vk::Instance::null(), hidden).is_none(), "{hidden:?}");
        assert!(of_instance(instance, hidden).is_none(), "{hidden:?}");
        assert!(of_device(device, hidden).is_none(), "{hidden:?}");
    }
}

#[test]
fn commands_that_are_not_enabled_log_an_error_and_succeed() {
    // A device of Vulkan 1.0 under an instance of 1.3 has no vkGetDeviceQueue2.
    let (world, instance, device) =
        World::with_device(Hal { device_version: vk::API_VERSION_1_0, ..Hal::default() });
    let get = of_instance(instance, c"vkGetDeviceQueue2");
    let mut queue = vk::Queue::null();
    // SAFETY: the function has the type of its name; valid handle and structure.
    unsafe {
        let get = transmute::<Function, Option<vk::PFN_vkGetDeviceQueue2>>(get).unwrap();
        get(device, &vk::DeviceQueueInfo2::default(), &mut queue);
    }
    assert_eq!(queue, vk::Queue::null());
    let errors = world.errors();
    assert!(errors.len() == 1 && errors[0].contains("vkGetDeviceQueue2") && errors[0].contains("Vulkan 1.1"));
    assert!(of_device(device, c"vkGetDeviceQueue2").is_none());
}

#[test]
fn commands_of_extensions_that_are_not_enabled_succeed_too() {
    let world = World::new(Hal::default());
    let instance = world.instance(&[c"VK_KHR_surface"]);
    let device = world.device(instance, &[]);
    let get = of_instance(instance, c"vkGetSwapchainImagesKHR");
    let mut count = 7;
    // SAFETY: the function has the type of its name; the swapchain is not dereferenced.
    let result = unsafe {
        let get = transmute::<Function, Option<vk::PFN_vkGetSwapchainImagesKHR>>(get).unwrap();
        get(device, vk::SwapchainKHR::null(), &mut count, std::ptr::null_mut())
    };
    assert_eq!((result, count), (vk::Result::SUCCESS, 7));
    let errors = world.errors();
    assert!(errors.len() == 1 && errors[0].contains("vkGetSwapchainImagesKHR"));
    assert!(errors[0].contains("VK_KHR_swapchain"));
    assert!(of_device(device, c"vkGetSwapchainImagesKHR").is_none());
}

#[test]
fn instance_extensions_that_are_not_enabled_have_no_commands() {
    let world = World::new(Hal::default());
    let without = world.instance(&[]);
    let names = [
        c"vkCreateAndroidSurfaceKHR",
        c"vkGetPhysicalDeviceSurfaceFormats2KHR",
        c"vkCreateDebugUtilsMessengerEXT",
        c"vkCmdBeginDebugUtilsLabelEXT",
        c"vkGetPhysicalDeviceFeatures2KHR",
    ];
    assert!(names.iter().all(|name| of_instance(without, name).is_none()));
    world.finish();
    let with = world.instance(&[
        c"VK_KHR_surface",
        c"VK_KHR_android_surface",
        c"VK_KHR_get_surface_capabilities2",
        c"VK_EXT_debug_utils",
        c"VK_KHR_get_physical_device_properties2",
    ]);
    assert!(names.iter().all(|name| of_instance(with, name).is_some()));
}

#[test]
fn enabled_commands_also_work_through_the_instance() {
    let (world, instance, device) = World::with_device(Hal::default());
    let get = of_instance(instance, c"vkGetDeviceQueue2");
    assert_ne!(address(get), address(of_device(device, c"vkGetDeviceQueue2")));
    let mut queue = vk::Queue::null();
    // SAFETY: the function has the type of its name; valid handle and structure.
    unsafe {
        let get = transmute::<Function, Option<vk::PFN_vkGetDeviceQueue2>>(get).unwrap();
        get(device, &vk::DeviceQueueInfo2::default(), &mut queue);
    }
    assert_ne!(queue, vk::Queue::null());
    assert_eq!(world.errors(), [""; 0]);
}

#[test]
fn queries_of_an_extension_that_is_not_enabled_are_the_drivers_before_android_17() {
    let queries = [
        c"vkGetPhysicalDeviceFeatures2KHR",
        c"vkGetPhysicalDeviceProperties2KHR",
        c"vkGetPhysicalDeviceFormatProperties2KHR",
        c"vkGetPhysicalDeviceImageFormatProperties2KHR",
        c"vkGetPhysicalDeviceQueueFamilyProperties2KHR",
        c"vkGetPhysicalDeviceMemoryProperties2KHR",
        c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
    ];
    for (level, found) in [(24, true), (35, true), (36, true), (37, false)] {
        let world = World::at(ApiLevel(level), Hal::default());
        let instance = world.instance(&[]);
        for query in queries {
            assert_eq!(of_instance(instance, query).is_some(), found, "{query:?} at level {level}");
        }
        // No Android has these, so that the driver is asked at every level.
        let fence = c"vkGetPhysicalDeviceExternalFencePropertiesKHR";
        assert!(of_instance(instance, fence).is_some(), "{level}");
        let get = of_instance(instance, c"vkGetPhysicalDeviceProperties2KHR");
        if found {
            let mut properties = vk::PhysicalDeviceProperties2::default();
            // SAFETY: the function has the type of its name; valid handle and structure.
            unsafe {
                let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceProperties2>>(get).unwrap();
                get(world.physical_devices(instance)[0], &mut properties);
            }
            assert!(world.hal.received().calls.contains(&c"vkGetPhysicalDeviceProperties2KHR"));
        }
    }
    // A driver that lacks them has none to give.
    let world = World::at(ApiLevel::ANDROID_15, Hal { instance_extensions: Vec::new(), ..Hal::old() });
    let instance = world.instance(&[]);
    assert!(queries.iter().all(|query| of_instance(instance, query).is_none()));
}

/// The commands that the loader has from a level on, for a driver that lacks them all: earlier ones
/// are the driver's.
#[test]
fn a_command_is_found_through_an_instance_from_its_level_on() {
    for (since, names) in [
        (24, &[c"vkCreateSwapchainKHR", c"vkQueuePresentKHR"][..]),
        (26, &[c"vkGetRefreshCycleDurationGOOGLE", c"vkGetSwapchainStatusKHR"]),
        (
            28,
            &[
                c"vkSetHdrMetadataEXT",
                c"vkBindImageMemory2",
                c"vkGetDeviceQueue2",
                c"vkAcquireNextImage2KHR",
                c"vkGetDeviceGroupPresentCapabilitiesKHR",
                c"vkGetPhysicalDevicePresentRectanglesKHR",
            ],
        ),
        (34, &[c"vkReleaseSwapchainImagesEXT"]),
        (
            37,
            &[
                c"vkWaitForPresent2KHR",
                c"vkGetPastPresentationTimingEXT",
                c"vkGetSwapchainTimingPropertiesEXT",
                c"vkGetSwapchainTimeDomainPropertiesEXT",
                c"vkSetSwapchainPresentTimingQueueSizeEXT",
                c"vkReleaseSwapchainImagesKHR",
                c"vkCreatePrivateDataSlotEXT",
                c"vkDestroyPrivateDataSlotEXT",
                c"vkSetPrivateDataEXT",
                c"vkGetPrivateDataEXT",
            ],
        ),
    ] {
        for level in ApiLevel::OLDEST.0..=ApiLevel::NEWEST.0 {
            let world = World::at(ApiLevel(level), Hal { lacks: names.to_vec(), ..Hal::default() });
            let instance = world.instance(&[]);
            for name in names {
                let found = of_instance(instance, name).is_some();
                assert_eq!(found, level >= since, "{name:?} at level {level}");
            }
        }
    }
}

#[test]
fn private_data_are_found_all_or_not_at_all() {
    const NAMES: [&CStr; 4] =
        [c"vkCreatePrivateDataSlot", c"vkDestroyPrivateDataSlot", c"vkSetPrivateData", c"vkGetPrivateData"];
    // A driver that finds commands of 1.3 on a device of 1.2.
    for (level, found) in [(ApiLevel::ANDROID_15, true), (ApiLevel::ANDROID_17, false)] {
        let world = World::at(level, Hal { early: NAMES.to_vec(), ..Hal::new_under_an_older_device() });
        let instance = world.instance(&[]);
        let device = world.device(instance, &[]);
        let all = NAMES.map(|name| of_device(device, name).is_some());
        assert_eq!(all, [found; 4], "{level:?}");
        // Looking them up through the instance gives the same functions.
        let set = of_instance(instance, c"vkSetPrivateData");
        let _ = world.hal.received();
        // SAFETY: the function has the type of its name; the driver ignores all parameters.
        unsafe {
            let set = transmute::<Function, Option<vk::PFN_vkSetPrivateData>>(set).unwrap();
            let _ = set(device, vk::ObjectType::IMAGE, 1, vk::PrivateDataSlot::null(), 1);
        }
        assert_eq!(world.hal.received().calls.contains(&c"vkSetPrivateData"), found, "{level:?}");
    }
}

#[test]
fn commands_that_are_not_of_devices_are_refused_on_devices() {
    let (world, _, device) = World::with_device(Hal::default());
    assert!(of_device(device, c"vkDestroyInstance").is_none());
    assert!(world.errors()[0].contains("vkDestroyInstance"));
    assert!(of_device(vk::Device::null(), c"vkCmdDraw").is_none());
    assert_eq!(address(of_device(device, c"vkDestroyDevice")), driver::destroy_device as *const () as usize);
}

#[test]
fn a_core_command_that_the_driver_lacks_is_not_found_since_android_15() {
    for (level, found) in [(ApiLevel::ANDROID_14, true), (ApiLevel::ANDROID_15, false)] {
        let world = World::at(level, Hal { lacks: vec![c"vkGetDeviceQueue2"], ..Hal::default() });
        let instance = world.instance(&[]);
        let device = world.device(instance, &[]);
        assert_eq!(of_device(device, c"vkGetDeviceQueue2").is_some(), found, "{level:?}");
    }
}

/// Returns the commands that the driver receives when `call` calls one, which it looks up itself.
fn heard(hal: Hal, call: impl FnOnce(&dyn Fn(&CStr) -> Function, vk::PhysicalDevice)) -> Vec<&'static CStr> {
    let world = World::new(hal);
    let instance = world.instance(&[
        c"VK_KHR_get_physical_device_properties2",
        c"VK_KHR_external_memory_capabilities",
        c"VK_KHR_external_fence_capabilities",
        c"VK_KHR_external_semaphore_capabilities",
    ]);
    let device = world.physical_devices(instance)[0];
    let _ = world.hal.received();
    call(&|name| of_instance(instance, name), device);
    let calls = world.hal.received().calls;
    world.finish();
    calls
}

#[test]
fn queries_go_to_the_core_command_or_else_to_its_alias() {
    type Query = unsafe extern "system" fn(vk::PhysicalDevice, *mut u64);
    for name in [
        "vkGetPhysicalDeviceFeatures2",
        "vkGetPhysicalDeviceProperties2",
        "vkGetPhysicalDeviceMemoryProperties2",
    ] {
        let core = std::ffi::CString::new(name).unwrap();
        let alias = std::ffi::CString::new(format!("{name}KHR")).unwrap();
        let ask = |called: &CStr, hal| {
            heard(hal, |find, device| {
                // Zeros are a valid empty structure of any of these types, and large enough for
                // each.
                let mut room = [0u64; 512];
                // SAFETY: the command takes a device and a structure.
                unsafe {
                    let query = transmute::<Function, Option<Query>>(find(called)).unwrap();
                    query(device, room.as_mut_ptr());
                }
            })
        };
        for called in [&core, &alias] {
            assert_eq!(ask(called, Hal::default()), [core.as_c_str()], "{called:?}");
            assert_eq!(ask(called, Hal::old()), [alias.as_c_str()], "{called:?}");
        }
    }
}

#[test]
fn external_properties_are_zero_where_the_driver_knows_none() {
    let mut hal = Hal::old();
    hal.instance_extensions.clear();
    let mut fence = vk::ExternalFenceProperties {
        external_fence_features: vk::ExternalFenceFeatureFlags::IMPORTABLE,
        ..Default::default()
    };
    let mut semaphore = vk::ExternalSemaphoreProperties {
        external_semaphore_features: vk::ExternalSemaphoreFeatureFlags::IMPORTABLE,
        ..Default::default()
    };
    let mut buffer = vk::ExternalBufferProperties::default();
    buffer.external_memory_properties.external_memory_features = vk::ExternalMemoryFeatureFlags::IMPORTABLE;
    let calls = heard(hal, |find, device| {
        // SAFETY: functions have the type of their names; valid handle and structures.
        unsafe {
            let name = c"vkGetPhysicalDeviceExternalFenceProperties";
            let get =
                transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceExternalFenceProperties>>(find(name));
            get.unwrap()(device, &Default::default(), &mut fence);
            let name = c"vkGetPhysicalDeviceExternalSemaphoreProperties";
            let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties>>(
                find(name),
            );
            get.unwrap()(device, &Default::default(), &mut semaphore);
            let name = c"vkGetPhysicalDeviceExternalBufferProperties";
            let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceExternalBufferProperties>>(
                find(name),
            );
            get.unwrap()(device, &Default::default(), &mut buffer);
        }
    });
    assert!(calls.is_empty());
    assert!(fence.external_fence_features.is_empty() && semaphore.external_semaphore_features.is_empty());
    assert!(buffer.external_memory_properties.external_memory_features.is_empty());
}

#[test]
fn a_driver_with_neither_is_asked_as_vulkan_1_0_was() {
    let mut hal = Hal::old();
    hal.instance_extensions.clear();
    let mut features = vk::PhysicalDeviceFeatures2::default();
    let mut families = [vk::QueueFamilyProperties2::default(); 3];
    let mut count = 0;
    let calls = heard(hal, |find, device| {
        // SAFETY: functions have the type of their names; valid handle, structures and a counted out-array.
        unsafe {
            let get = find(c"vkGetPhysicalDeviceFeatures2");
            let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceFeatures2>>(get);
            get.unwrap()(device, &mut features);
            let get = find(c"vkGetPhysicalDeviceQueueFamilyProperties2");
            let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2>>(get);
            get.unwrap()(device, &mut count, std::ptr::null_mut());
            assert_eq!(count, 2);
            count = 3;
            get.unwrap()(device, &mut count, families.as_mut_ptr());
        }
    });
    assert_eq!(calls, [c"vkGetPhysicalDeviceFeatures"]);
    assert_eq!(features.features.robust_buffer_access, vk::TRUE);
    assert_eq!(count, 2);
    assert_eq!(families.map(|family| family.queue_family_properties.queue_count), [1, 2, 0]);
}

#[test]
fn features_of_the_loaders_own_extensions_are_put_in() {
    for compresses in [true, false] {
        for name in [c"vkGetPhysicalDeviceFeatures2", c"vkGetPhysicalDeviceFeatures2KHR"] {
            let hal = Hal { image_compression_control: compresses, ..Hal::default() };
            let mut compression = vk::PhysicalDeviceImageCompressionControlSwapchainFeaturesEXT::default();
            let mut maintenance = vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default();
            let mut untouched = vk::PhysicalDeviceMaintenance4Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default()
                .push_next(&mut compression)
                .push_next(&mut maintenance)
                .push_next(&mut untouched);
            heard(hal, |find, device| {
                // SAFETY: the function has the type of its name; valid handle and structures.
                unsafe {
                    let get = transmute::<Function, Option<vk::PFN_vkGetPhysicalDeviceFeatures2>>(find(name));
                    get.unwrap()(device, &mut features);
                }
            });
            assert_eq!(compression.image_compression_control_swapchain, u32::from(compresses));
            assert_eq!(maintenance.swapchain_maintenance1, vk::TRUE);
            assert_eq!(untouched.maintenance4, vk::FALSE);
        }
    }
}
