//! vkCreateInstance and vkCreateDevice. Rows 11, 43, 44, 56, 57, 77, 78 and 86.

use std::sync::atomic::{AtomicU32, Ordering};

use android_simulation::hal::Hal;
use ash::vk::{self, Handle as _};
use vkload_core::log::Level;

use super::{System, destroy, device, physical_device};

#[test]
fn without_layers_the_drivers_functions_are_called() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let properties = unsafe { instance.get_physical_device_properties(physical_device(&instance)) };
    assert_ne!(properties.api_version, 0);
    let device = device(&instance, &[]).unwrap();
    unsafe { device.device_wait_idle() }.unwrap();
    destroy(instance, Some(device));
    assert_eq!(system.errors(), [""; 0]);
}

#[test]
fn a_driver_that_does_not_open_makes_creation_fail_and_enumeration_run_out_of_memory() {
    let system = System::new();
    let driver = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/driver.c");
    let android = system.simulation.android;
    android.compile("/vendor/lib64/hw/vulkan.null.so", driver.as_ref(), &["-DOPEN_RESULT=-5"]);
    assert_eq!(system.instance(&[], &[]).err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
    // SAFETY: the commands are given memory for their results.
    unsafe {
        let memory = Some(vk::Result::ERROR_OUT_OF_HOST_MEMORY);
        assert_eq!(system.vulkan.enumerate_instance_layer_properties().err(), memory);
        assert_eq!(system.vulkan.enumerate_instance_extension_properties(None).err(), memory);
        assert_eq!(system.vulkan.try_enumerate_instance_version().err(), memory);
    }
}

#[test]
fn a_layer_that_is_not_there_or_has_no_look_up_fails_the_creation() {
    let system = System::new();
    system.layer("VK_LAYER_mute", &["-DNO_LOOK_UP"]);
    for name in [c"VK_LAYER_absent", c"VK_LAYER_mute"] {
        assert_eq!(system.instance(&[name], &[]).err(), Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
        assert_eq!(system.errors().len(), 1);
    }
    assert_eq!(system.simulation.android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
}

#[test]
fn layers_of_a_device_are_ignored_with_a_warning_if_they_are_others() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let physical_device = physical_device(&instance);
    for (name, warnings) in [(c"VK_LAYER_one", 0), (c"VK_LAYER_absent", 1)] {
        system.noted();
        system.complaints();
        let names = [name.as_ptr()];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        #[expect(deprecated, reason = "applications still do so")]
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_layer_names(&names);
        let device = unsafe { instance.create_device(physical_device, &info, None) }.unwrap();
        let complaints = system.complaints();
        assert_eq!(complaints.len(), warnings, "{complaints:?}");
        assert!(complaints.iter().all(|(level, text)| {
            *level == Level::Warning && text.contains("ppEnabledLayerNames is ignored")
        }));
        // SAFETY: nothing else uses the device.
        unsafe { device.destroy_device(None) };
    }
    destroy(instance, None);
}

#[test]
fn an_instance_extension_must_be_the_drivers_or_an_active_layers() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DINSTANCE_EXTENSION=\"VK_TEST_one\""]);
    let missing = Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    assert_eq!(system.instance(&[], &[c"VK_KHR_surface", c"VK_TEST_one"]).err(), missing);
    let errors = system.errors();
    assert!(errors.len() == 1 && errors[0].contains("VK_TEST_one"), "{errors:?}");
    let instance = system.instance(&[c"VK_LAYER_one"], &[c"VK_KHR_surface", c"VK_TEST_one"]).unwrap();
    assert!(system.noted().contains(&"VK_LAYER_one extensions VK_KHR_surface VK_TEST_one".to_owned()));
    destroy(instance, None);
}

#[test]
fn a_device_extension_must_be_the_chains_or_an_active_layers() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DDEVICE_EXTENSION=\"VK_TEST_one\""]);
    system.layer("VK_LAYER_two", &["-DADD=\"VK_TEST_two\""]);
    let instance = system.instance(&[], &[]).unwrap();
    for name in [c"VK_TEST_one", c"VK_TEST_two"] {
        assert_eq!(device(&instance, &[name]).err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        let errors = system.errors();
        assert!(errors.len() == 1 && errors[0].contains(name.to_str().unwrap()), "{errors:?}");
    }
    destroy(instance, None);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    let device = device(&instance, &[c"VK_TEST_one", c"VK_TEST_two", c"VK_KHR_incremental_present"]).unwrap();
    destroy(instance, Some(device));
}

#[test]
fn a_list_of_device_extensions_that_grows_between_two_calls_is_asked_for_again() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGROW"]);
    system.layer("VK_LAYER_two", &["-DADD=\"VK_TEST_two\""]);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    // The first query for the number leaves out the last one.
    let device = device(&instance, &[c"VK_TEST_two"]).unwrap();
    destroy(instance, Some(device));
    let asked = "VK_LAYER_one vkEnumerateDeviceExtensionProperties";
    assert_eq!(system.noted().iter().filter(|line| line.starts_with(asked)).count(), 4);
}

#[test]
fn a_failing_layer_fails_the_call_and_leaves_nothing() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DFAIL_INSTANCE=-2"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL", "-DFAIL_DEVICE=-4"]);
    let result = system.instance(&[c"VK_LAYER_two", c"VK_LAYER_one"], &[]).err();
    assert_eq!(result, Some(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    assert_eq!(system.simulation.android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
    let instance = system.instance(&[c"VK_LAYER_two"], &[]).unwrap();
    assert_eq!(device(&instance, &[]).err(), Some(vk::Result::ERROR_DEVICE_LOST));
    destroy(instance, None);
}

#[test]
fn a_layer_that_creates_nothing_fails_the_call() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DSWALLOW_INSTANCE"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL", "-DSWALLOW_DEVICE"]);
    let failed = Some(vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(system.instance(&[c"VK_LAYER_one"], &[]).err(), failed);
    let told = "vkCreateInstance: a layer reports success without an instance: disable the layers one by one to find it";
    assert_eq!(system.errors(), [told]);
    assert_eq!(system.simulation.android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
    let instance = system.instance(&[c"VK_LAYER_two"], &[]).unwrap();
    assert_eq!(device(&instance, &[]).err(), failed);
    let told =
        "vkCreateDevice: a layer reports success without a device: disable the layers one by one to find it";
    assert_eq!(system.errors(), [told]);
    destroy(instance, None);
}

#[test]
fn a_chain_without_a_command_of_vulkan_1_0_is_destroyed_again() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DHIDE=\"vkGetPhysicalDeviceFeatures\""]);
    system.layer("VK_LAYER_two", &["-DGLOBAL", "-DHIDE=\"vkCmdDraw\""]);
    let failed = Some(vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(system.instance(&[c"VK_LAYER_one"], &[]).err(), failed);
    assert!(system.noted().contains(&"VK_LAYER_one vkDestroyInstance callbacks=0".to_owned()));
    assert!(system.errors()[0].contains("vkGetPhysicalDeviceFeatures"));
    let instance = system.instance(&[c"VK_LAYER_two"], &[]).unwrap();
    assert_eq!(device(&instance, &[]).err(), failed);
    assert!(system.noted().contains(&"VK_LAYER_two vkDestroyDevice callbacks=0".to_owned()));
    assert!(system.errors()[0].contains("vkCmdDraw"));
    destroy(instance, None);
}

fn word(handle: u64) -> usize {
    // SAFETY: the tests pass dispatchable handles, which begin with a word.
    unsafe { *std::ptr::with_exposed_provenance::<usize>(usize::try_from(handle).unwrap()) }
}

#[test]
fn physical_devices_lead_to_their_instance_queues_and_command_buffers_to_their_device() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let physical_device = physical_device(&instance);
    assert_eq!(word(physical_device.as_raw()), word(instance.handle().as_raw()));
    let device = device(&instance, &[]).unwrap();
    assert_ne!(word(device.handle().as_raw()), word(physical_device.as_raw()));
    unsafe {
        let queue = device.get_device_queue(0, 0);
        assert_eq!(word(queue.as_raw()), word(device.handle().as_raw()));
        let queue = device.get_device_queue2(&vk::DeviceQueueInfo2::default());
        assert_eq!(word(queue.as_raw()), word(device.handle().as_raw()));
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(3);
        for buffer in device.allocate_command_buffers(&info).unwrap() {
            assert_eq!(word(buffer.as_raw()), word(device.handle().as_raw()));
        }
        device.destroy_command_pool(pool, None);
    }
    destroy(instance, Some(device));
}

#[test]
fn a_drivers_missing_queue_is_passed_on() {
    let (system, hal) = System::with(Hal { no_queue: true, ..Hal::default() });
    let instance = system.instance(&[], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    let queue = unsafe { device.get_device_queue2(&vk::DeviceQueueInfo2::default()) };
    assert!(queue.is_null() && hal.received().calls.contains(&c"vkGetDeviceQueue2"));
    destroy(instance, Some(device));
}

#[test]
fn messages_of_layers_are_logged_if_a_property_asks_for_it() {
    let system = System::new();
    system.layer("VK_LAYER_one", &[]);
    for (wanted, extensions) in [("false", ""), ("true", " VK_EXT_debug_report")] {
        system.simulation.android.set("debug.vulkan.enable_callback", wanted);
        let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
        assert!(system.noted().contains(&format!("VK_LAYER_one extensions{extensions}")));
        system.complaints();
        // Sent as by a layer: through the chain.
        // SAFETY: the functions have the types of the commands with these names.
        unsafe {
            let name = c"vkDebugReportMessageEXT".as_ptr();
            let find = system.vulkan.get_instance_proc_addr(instance.handle(), name);
            assert_eq!(find.is_some(), wanted == "true");
            if let Some(report) = find {
                let report = std::mem::transmute::<
                    unsafe extern "system" fn(),
                    vk::PFN_vkDebugReportMessageEXT,
                >(report);
                let (kind, error) = (vk::DebugReportObjectTypeEXT::UNKNOWN, vk::DebugReportFlagsEXT::ERROR);
                let (layer, text) = (c"one".as_ptr(), c"something is wrong".as_ptr());
                report(instance.handle(), error, kind, 0, 0, 7, layer, text);
                let complaints = system.complaints();
                let expected = (Level::Error, "[one] Code 7 : something is wrong".to_owned());
                assert_eq!(complaints, [expected]);
            }
        }
        destroy(instance, None);
    }
}

#[test]
fn nothing_is_destroyed_without_complaint() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let name = |name: &std::ffi::CStr| android_simulation::exported(name).unwrap();
    // SAFETY: NULL is not dereferenced; the types are the commands' types.
    unsafe {
        let destroy_instance: vk::PFN_vkDestroyInstance = std::mem::transmute(name(c"vkDestroyInstance"));
        let destroy_device: vk::PFN_vkDestroyDevice = std::mem::transmute(name(c"vkDestroyDevice"));
        destroy_instance(vk::Instance::null(), std::ptr::null());
        destroy_device(vk::Device::null(), std::ptr::null());
    }
    assert_eq!(system.complaints(), []);
    destroy(instance, None);
}

static CALLED_BACK: AtomicU32 = AtomicU32::new(0);

/// Uses the library from within one of its calls, as layers do that link to it.
extern "C" fn call_back() {
    let name = c"vkGetInstanceProcAddr";
    // SAFETY: the function is the command; all parameters are valid, and no code uses the destroyed
    // objects.
    unsafe {
        let find = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetInstanceProcAddr>(
            android_simulation::exported(name).unwrap(),
        );
        let vulkan = ash::Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: find });
        vulkan.enumerate_instance_layer_properties().unwrap();
        vulkan.enumerate_instance_extension_properties(None).unwrap();
        vulkan.try_enumerate_instance_version().unwrap();
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
        let device = device(&instance, &[]).unwrap();
        destroy(instance, Some(device));
    }
    CALLED_BACK.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn layers_may_use_the_library_while_they_are_called() {
    let system = System::new();
    let address = format!("-DCALLBACK={:#x}", call_back as *const () as usize);
    system.layer("VK_LAYER_one", &["-DGLOBAL", &address]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    destroy(instance, Some(device));
    assert_eq!(CALLED_BACK.load(Ordering::Relaxed), 3);
    assert_eq!(system.complaints(), []);
}

#[test]
fn threads_create_and_destroy_at_once() {
    let system = System::new();
    let create_and_destroy = || {
        for _ in 0..20 {
            let instance = system.instance(&[], &[c"VK_KHR_surface"]).unwrap();
            let device = device(&instance, &[c"VK_KHR_incremental_present"]).unwrap();
            unsafe { device.device_wait_idle() }.unwrap();
            destroy(instance, Some(device));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(create_and_destroy);
        }
    });
    assert_eq!(system.complaints(), []);
}
