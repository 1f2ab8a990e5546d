//! Several drivers at once: combined lists, omissions, and order.
use ash::vk;
use vkload_tests::{
    Ask, Device, Driver, Lie, Run, Scenario, code, extension_names, list_devices, list_devices_1_0,
};

const ENUMERATE: &str = "vkEnumeratePhysicalDevices";

fn simple(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name))
}

/// Runs a failing driver next to a working one.
fn beside_good(bad: Driver) -> Run {
    let run = Scenario::new().log().driver(bad).driver(simple("good")).run(list_devices);
    run.ok();
    run
}

// ---- creation ----

#[test]
fn a_driver_that_fails_to_create_its_instance_is_left_out() {
    for error in [
        vk::Result::ERROR_INCOMPATIBLE_DRIVER,
        vk::Result::ERROR_INITIALIZATION_FAILED,
        vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        vk::Result::ERROR_UNKNOWN,
    ] {
        let run = beside_good(simple("bad").result("vkCreateInstance", error));
        run.says("result", "SUCCESS").says("devices", "good").logs(&["bad"]);
    }
}

#[test]
fn memory_that_runs_out_in_a_driver_fails_the_instance() {
    let run = beside_good(simple("bad").result("vkCreateInstance", vk::Result::ERROR_OUT_OF_HOST_MEMORY));
    run.says("result", "ERROR_OUT_OF_HOST_MEMORY");
    let created = run.trace("good").calls("vkCreateInstance").len();
    assert_eq!(run.trace("good").calls("vkDestroyInstance").len(), created, "what was made is undone");
}

#[test]
fn one_driver_that_fails_alone_is_incompatible_driver() {
    let run = Scenario::new()
        .driver(simple("bad").result("vkCreateInstance", vk::Result::ERROR_UNKNOWN))
        .run(list_devices);
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
}

#[test]
fn a_driver_without_a_command_that_all_have_is_left_out() {
    for command in [
        "vkGetPhysicalDeviceProperties",
        "vkGetPhysicalDeviceQueueFamilyProperties",
        "vkCreateDevice",
        "vkGetDeviceProcAddr",
    ] {
        let run = beside_good(simple("bad").without(command));
        run.says("result", "SUCCESS").says("devices", "good").logs(&["bad", command]);
    }
}

#[test]
fn every_driver_gets_its_instance_destroyed() {
    let run = Scenario::new().driver(simple("a")).driver(simple("b")).run(|vk| {
        drop(vk.instance());
        vk.say("a", vk.is_loaded("a"));
    });
    for driver in ["a", "b"] {
        assert_eq!(run.ok().trace(driver).calls("vkDestroyInstance").len(), 1);
        assert_eq!(run.trace(driver).last("unload").get("instances"), "0");
    }
}

#[test]
fn drivers_see_the_application_and_no_layers() {
    let run = Scenario::new().driver(simple("good")).run(list_devices);
    let trace = run.ok().trace("good");
    let call = trace.only("vkCreateInstance");
    assert_eq!(call.get("application"), "scenario");
    assert_eq!(call.get("engine"), "none");
    assert_eq!(call.get("api"), vk::API_VERSION_1_3.to_string());
    assert_eq!(call.get("layers"), "0");
    assert!(!trace.has("vkEnumerateInstanceLayerProperties"));
}

#[test]
fn no_application_info_is_passed_on_as_such_or_as_version_1_0() {
    let run = Scenario::new().driver(simple("good")).run(|vk| drop(vk.instance()));
    let api = run.ok().trace("good").only("vkCreateInstance").get("api").to_owned();
    assert!(api == "0" || api == vk::API_VERSION_1_0.to_string(), "{api}");
}

// ---- enumeration ----

#[test]
fn devices_of_all_drivers_are_added_up_last_driver_first() {
    let run = Scenario::new()
        .driver(Driver::new("a").device(Device::new("a0")).device(Device::new("a1")))
        .driver(Driver::new("b").device(Device::new("b0")))
        .driver(Driver::new("c").device(Device::new("c0")).device(Device::new("c1")))
        .run(list_devices_1_0);
    run.ok().says("devices", "c0,c1,b0,a0,a1");
}

#[test]
fn files_of_a_folder_are_taken_by_name_with_digits_as_numbers() {
    let run = Scenario::new()
        .driver(simple("driver10"))
        .driver(simple("driver9"))
        .driver(simple("driver1"))
        .run(list_devices_1_0);
    run.ok().says("devices", "driver10,driver9,driver1");
}

#[test]
fn no_device_at_all_is_initialization_failed() {
    let run = Scenario::new().driver(Driver::new("empty")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        vk.say("devices", code(&instance.try_devices()));
        vk.say("groups", code(&unsafe { instance.enumerate_physical_device_groups_len() }));
    });
    run.ok().says("devices", "ERROR_INITIALIZATION_FAILED").says("groups", "ERROR_INITIALIZATION_FAILED");
}

#[test]
fn a_driver_without_devices_does_no_harm() {
    beside_good(Driver::new("empty")).says("enumeration", "SUCCESS").says("devices", "good");
}

#[test]
fn a_driver_that_cannot_enumerate_is_left_out() {
    for error in
        [vk::Result::ERROR_INITIALIZATION_FAILED, vk::Result::ERROR_DEVICE_LOST, vk::Result::ERROR_UNKNOWN]
    {
        beside_good(simple("bad").result(ENUMERATE, error))
            .says("enumeration", "SUCCESS")
            .says("devices", "good");
    }
}

#[test]
fn every_driver_failing_to_enumerate_is_initialization_failed() {
    let bad = |name| simple(name).result(ENUMERATE, vk::Result::ERROR_DEVICE_LOST);
    let run = Scenario::new().driver(bad("a")).driver(bad("b")).run(list_devices);
    run.ok().says("enumeration", "ERROR_INITIALIZATION_FAILED");
}

#[test]
fn memory_that_runs_out_while_enumerating_is_reported() {
    beside_good(simple("bad").result(ENUMERATE, vk::Result::ERROR_OUT_OF_HOST_MEMORY))
        .says("enumeration", "ERROR_OUT_OF_HOST_MEMORY");
}

#[test]
fn handles_stay_the_same_while_devices_come_and_go() {
    let run = Scenario::new()
        .driver(Driver::new("a").device(Device::new("a0")).device(Device::new("a1")))
        .driver(simple("b"))
        .run(|vk| {
            let instance = vk.create(&Ask::new().api(1, 0)).unwrap();
            let [b, a0, a1] = instance.devices()[..] else { panic!("three devices") };
            vk.hide("a", &[0]);
            vk.say("a0 gone", instance.devices() == [b, a1]);
            vk.hide("b", &[0]);
            vk.say("b gone", instance.devices() == [a1]);
            vk.hide("a", &[]);
            vk.say("a0 back", instance.devices() == [a0, a1]);
            vk.say("names", instance.names().join(","));
        });
    run.ok().says("a0 gone", true).says("b gone", true).says("a0 back", true).says("names", "a0,a1");
}

#[test]
fn two_instances_do_not_share_devices() {
    let run = Scenario::new().driver(simple("a")).run(|vk| {
        let (first, second) = (vk.instance(), vk.instance());
        vk.say("distinct", first.devices()[0] != second.devices()[0]);
        vk.say("names", format_args!("{:?} {:?}", first.names(), second.names()));
        drop(first);
        vk.say("after", second.names().join(","));
    });
    run.ok().says("distinct", true).says("after", "a");
}

// ---- counts that are not true ----

#[test]
fn lies_about_counts_do_no_harm() {
    for lie in [Lie::Shrinks, Lie::Overflows, Lie::Huge, Lie::Endless] {
        let bad =
            Driver::new("bad").device(Device::new("bad0")).device(Device::new("bad1")).lie(ENUMERATE, lie);
        let run = beside_good(bad);
        run.says("enumeration", "SUCCESS");
        assert!(run.list("devices").contains(&"good"), "{lie:?}");
        for device in run.list("devices") {
            assert!(["good", "bad0", "bad1"].contains(&device), "{lie:?} made up {device}");
        }
    }
}

#[test]
fn a_device_that_turns_up_between_two_calls_is_not_lost_for_good() {
    let bad =
        Driver::new("bad").device(Device::new("bad0")).device(Device::new("bad1")).lie(ENUMERATE, Lie::Grows);
    let run = beside_good(bad);
    run.says("enumeration", "SUCCESS");
    assert!(run.list("devices").contains(&"good"));
    assert!(run.list("devices").contains(&"bad0"));
}

#[test]
fn lies_about_extensions_do_no_harm() {
    for command in ["vkEnumerateInstanceExtensionProperties", "vkEnumerateDeviceExtensionProperties"] {
        for lie in [Lie::Shrinks, Lie::Overflows, Lie::Huge, Lie::Endless] {
            let device = Device::new("bad").extension("VK_KHR_swapchain");
            let bad = Driver::new("bad").extension("VK_KHR_surface").device(device).lie(command, lie);
            let run = Scenario::new().driver(bad).driver(simple("good")).run(|vk| {
                let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) };
                vk.say("pre-instance", code(&list));
                list_devices(vk);
                let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
                let device = instance.device(instance.named("good"), &[]);
                unsafe { device.destroy_device(None) };
            });
            run.ok().says("pre-instance", "SUCCESS");
            assert!(run.list("devices").contains(&"good"), "{command} {lie:?}");
        }
    }
}

#[test]
fn a_name_without_an_end_is_not_an_extension() {
    let bad = simple("bad").extension("VK_KHR_surface").unterminated();
    let run = Scenario::new()
        .log()
        .driver(bad)
        .driver(simple("good"))
        .env("VK_LOADER_DISABLE_INST_EXT_FILTER", "1")
        .run(|vk| {
            let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) }.unwrap();
            vk.say("terminated", list.iter().all(|extension| extension.extension_name.contains(&0)));
            vk.say("names", extension_names(&list).join(","));
            list_devices(vk);
        });
    run.ok().says("terminated", true).logs(&["bad"]);
    assert!(run.list("names").contains(&"VK_KHR_surface"));
    assert!(run.list("devices").contains(&"good"));
}
