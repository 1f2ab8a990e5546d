//! Chains: the links that layers get, and how they call one another. Rows 50 to 54.

use android_simulation::hal::Hal;
use ash::vk;
use platform_android::ApiLevel;
use vkload_tests::{create_full_device, create_full_instance};

use super::{System, destroy, device, physical_device};

#[test]
fn layers_are_handed_the_callback_then_the_links_and_call_one_another() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    // 1 is the callback for data, 0 the links; -1 marks the chain's last link.
    let noted = system.noted();
    let told = |line: &str| noted.iter().position(|noted| noted == line).expect(line);
    assert!(
        told("VK_LAYER_one vkCreateInstance callbacks=0") < told("VK_LAYER_two vkCreateInstance callbacks=0")
    );
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        told(&format!("{layer} structures 1 0 then -1"));
    }
    let device = device(&instance, &[]).unwrap();
    let noted = system.noted();
    let told = |line: &str| noted.iter().position(|noted| noted == line).expect(line);
    assert!(
        told("VK_LAYER_one vkCreateDevice callbacks=0") < told("VK_LAYER_two vkCreateDevice callbacks=0")
    );
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        told(&format!("{layer} structures of device 1 0 then -1"));
    }
    // SAFETY: both are valid.
    unsafe {
        device.device_wait_idle().unwrap();
        let _ = instance.get_physical_device_properties(physical_device(&instance));
    }
    destroy(instance, Some(device));
    assert_eq!(
        system.noted(),
        [
            "VK_LAYER_one vkDeviceWaitIdle",
            "VK_LAYER_two vkDeviceWaitIdle",
            "VK_LAYER_one vkEnumeratePhysicalDevices",
            "VK_LAYER_two vkEnumeratePhysicalDevices",
            "VK_LAYER_one vkEnumeratePhysicalDevices",
            "VK_LAYER_two vkEnumeratePhysicalDevices",
            "VK_LAYER_one vkGetPhysicalDeviceProperties",
            "VK_LAYER_two vkGetPhysicalDeviceProperties",
            "VK_LAYER_one vkDestroyDevice callbacks=0",
            "VK_LAYER_two vkDestroyDevice callbacks=0",
            "VK_LAYER_one vkDestroyInstance callbacks=0",
            "VK_LAYER_two vkDestroyInstance callbacks=0",
        ]
    );
    assert_eq!(system.errors(), [""; 0]);
    assert_eq!(system.simulation.android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
}

#[test]
fn the_third_word_of_an_instances_link_is_null() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    destroy(system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap(), None);
    let third: Vec<_> = system.noted().into_iter().filter(|line| line.contains(" third word ")).collect();
    assert_eq!(third, ["VK_LAYER_one third word (nil)", "VK_LAYER_two third word (nil)"]);
}

#[test]
fn layers_find_vk_create_device_without_an_instance() {
    let system = System::new();
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        system.layer(layer, &["-DGLOBAL", "-DNULL_QUERY"]);
    }
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    destroy(instance, Some(device));
    assert!(!system.noted().iter().any(|line| line.contains("nothing below")));
    assert_eq!(system.errors(), [""; 0]);
}

#[test]
fn layers_get_the_names_of_all_layers_that_take_part() {
    let system = System::new();
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        system.layer(layer, &["-DGLOBAL"]);
    }
    system.simulation.android.set("debug.vulkan.layers", "VK_LAYER_two");
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    destroy(instance, Some(device));
    let told: Vec<_> = system.noted().into_iter().filter(|line| line.contains(" layers")).collect();
    assert_eq!(
        told,
        [
            "VK_LAYER_two layers VK_LAYER_two VK_LAYER_one",
            "VK_LAYER_one layers VK_LAYER_two VK_LAYER_one",
            "VK_LAYER_two layers of device",
            "VK_LAYER_one layers of device",
        ]
    );
}

#[test]
fn layers_see_the_create_infos_of_the_application() {
    // The arrays of an instance are the loader's: it adds layers and extensions.
    let without_arrays = |members: &str| {
        let members: Vec<&str> = members.split(',').collect();
        [&members[..4], &[members[5]], &members[7..]].concat().join(",")
    };
    for level in ApiLevel::OLDEST.0..=ApiLevel::NEWEST.0 {
        let system = System::null_driver_at(ApiLevel(level));
        system.layer("VK_LAYER_one", &["-DGLOBAL", "-DINFO"]);
        let names = [c"VK_LAYER_one".as_ptr()];
        let (given, instance) = create_full_instance(&system.vulkan, &names).unwrap();
        let noted = system.noted();
        let seen = noted.iter().find_map(|line| line.strip_prefix("VK_LAYER_one instance ")).unwrap();
        assert_eq!(without_arrays(seen), without_arrays(&given), "{level}");
        for names in [&[][..], &names] {
            let (given, device) = create_full_device(&instance, names).unwrap();
            let noted = system.noted();
            assert!(noted.contains(&format!("VK_LAYER_one device {given}")), "{level} {given}: {noted:?}");
            unsafe { device.destroy_device(None) };
        }
        destroy(instance, None);
    }
}

#[test]
fn the_driver_gets_no_layer_names_and_the_applications_structures_only() {
    let (system, hal) = System::with(Hal::default());
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let layers = [c"VK_LAYER_one".as_ptr()];
    let mut flags = vk::ValidationFlagsEXT::default();
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .push_next(&mut flags);
    let instance = unsafe { system.vulkan.create_instance(&info, None) }.unwrap();
    let type_of_flags = vk::StructureType::VALIDATION_FLAGS_EXT.as_raw();
    let device = device(&instance, &[]).unwrap();
    destroy(instance, Some(device));
    let noted = system.noted();
    assert!(noted.contains(&format!("VK_LAYER_one structures 1 0 then {type_of_flags}")), "{noted:?}");
    let heard = hal.received();
    assert_eq!((heard.instances[0].layers, &*heard.instances[0].chain), (0, &[type_of_flags][..]));
    assert_eq!((heard.devices[0].layers, heard.devices[0].chain.len()), (0, 0));
}

#[test]
fn a_layer_that_is_not_for_devices_may_create_them_and_is_not_in_their_chains() {
    for options in [&["-DINSTANCE_ONLY"][..], &[]] {
        let system = System::new();
        system.layer("VK_LAYER_one", options);
        system.layer("VK_LAYER_two", &["-DGLOBAL"]);
        let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
        let device = device(&instance, &[]).unwrap();
        let noted = system.noted();
        let created = noted.contains(&"VK_LAYER_one vkCreateDevice callbacks=0".to_owned());
        assert_eq!(created, options.is_empty());
        assert!(noted.contains(&"VK_LAYER_two vkCreateDevice callbacks=0".to_owned()));
        unsafe { device.device_wait_idle() }.unwrap();
        destroy(instance, Some(device));
        let ends =
            ["VK_LAYER_one vkDestroyInstance callbacks=0", "VK_LAYER_two vkDestroyInstance callbacks=0"];
        let of_device = ["VK_LAYER_two vkDeviceWaitIdle", "VK_LAYER_two vkDestroyDevice callbacks=0"];
        assert_eq!(system.noted(), [of_device, ends].concat());
    }
}

#[test]
fn a_layer_for_devices_that_leaves_their_creation_alone_does_not_lead_the_next_one_to_itself() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DINSTANCE_ONLY"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    destroy(instance, Some(device));
    assert_eq!(system.errors(), [""; 0]);
}

#[test]
fn a_layer_without_a_look_up_for_devices_creates_them_and_is_passed_by_afterwards() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DNO_DEVICE_LOOK_UP"]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    assert!(system.noted().contains(&"VK_LAYER_one vkCreateDevice callbacks=0".to_owned()));
    unsafe { device.device_wait_idle() }.unwrap();
    assert_eq!(system.noted(), [""; 0]);
    destroy(instance, Some(device));
}

#[test]
fn handles_that_a_layer_gives_out_lead_to_the_instance_once_they_are_made_known() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DWRAP"]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let noted = system.noted();
    // VK_SUCCESS and the word for an object with the mark, VK_ERROR_INITIALIZATION_FAILED for any other.
    assert!(noted.contains(&"VK_LAYER_one set data 0 1".to_owned()), "{noted:?}");
    assert!(noted.contains(&"VK_LAYER_one set data of something else -3".to_owned()), "{noted:?}");
    physical_device(&instance);
    assert!(system.noted().contains(&"VK_LAYER_one vkEnumeratePhysicalDevices".to_owned()));
    destroy(instance, None);
}

#[test]
fn below_a_layer_that_gives_handles_out_devices_are_created_through_the_layers_for_devices() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DWRAP", "-DINSTANCE_ONLY"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    system.noted();
    unsafe { device.device_wait_idle() }.unwrap();
    assert_eq!(system.noted(), ["VK_LAYER_two vkDeviceWaitIdle"]);
    destroy(instance, Some(device));
    assert_eq!(system.errors(), [""; 0]);
}

#[test]
fn objects_below_a_device_are_made_known_by_its_callback() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    assert!(system.noted().contains(&"VK_LAYER_one set data of device 0 1".to_owned()));
    destroy(instance, Some(device));
}
