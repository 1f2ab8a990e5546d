//! Devices that the settings file lists, and the variables that filter devices.

use vkload_tests::{Ask, Device, Driver, Layer, Scenario, list_devices, list_devices_1_0, say_groups_1_1};

/// Drivers `one` and `two` with the devices one-1, one-2, two-1 and two-2.
fn devices() -> Scenario {
    let driver = |name: &str, vendor: u32| {
        let device = |number: u32| Device::new(&format!("{name}-{number}")).id(vendor, 0x100 * number);
        Driver::new(name).device(device(1)).device(device(2))
    };
    Scenario::new().driver(driver("one", 1)).driver(driver("two", 2))
}

/// Returns the settings for these devices: vendor and number.
fn configurations(list: &[(u32, u32)]) -> String {
    let uuid = |byte: u32| format!("[{}]", vec![byte.to_string(); 16].join(","));
    let entry = |(vendor, number): &(u32, u32)| {
        format!(
            r#"{{"deviceUUID": {}, "driverUUID": {}, "driverVersion": -1859665664, "deviceName": "no. {number}"}}"#,
            uuid(*number),
            uuid(*vendor)
        )
    };
    let entries: Vec<_> = list.iter().map(entry).collect();
    format!("\"device_configurations\": [{}]", entries.join(", "))
}

#[test]
fn only_listed_devices_are_there_in_the_order_of_the_list() {
    let settings = configurations(&[(2, 2), (1, 1), (2, 1)]);
    devices().settings(&settings).run(list_devices).ok().says("devices", "two-2,one-1,two-1");
    let run = devices().settings(&settings).env("VK_DRIVER_FILES", "/nowhere").log().run(list_devices);
    run.ok().says("devices", "two-2,one-1,two-1");
    run.logs(&["WARNING", "VK_DRIVER_FILES is ignored", "device_configurations"]);
}

#[test]
fn devices_are_known_where_the_driver_assigns_structures_as_a_whole() {
    let driver = Driver::new("careless")
        .device(Device::new("careless-1").id(1, 1))
        .device(Device::new("careless-2").id(1, 2))
        .line("lie", "VkPhysicalDeviceDriverProperties:1");
    let run = Scenario::new().driver(driver).settings(&configurations(&[(1, 2), (1, 1)])).run(list_devices);
    run.ok().says("devices", "careless-2,careless-1");
}

#[test]
fn a_listed_device_that_is_missing_is_a_warning_and_none_at_all_an_error() {
    let run = devices().settings(&configurations(&[(1, 9), (1, 2)])).log().run(list_devices);
    run.ok().says("devices", "one-2").logs(&["WARNING", "no. 9", "is not here"]);
    for settings in [configurations(&[(1, 9)]), configurations(&[])] {
        let run = devices().settings(&settings).log().run(list_devices);
        run.ok().says("enumeration", "ERROR_INITIALIZATION_FAILED");
        run.logs(&["ERROR", "none of the devices that the settings file lists"]);
    }
}

#[test]
fn a_program_of_version_1_0_gets_listed_devices_where_the_driver_can_tell() {
    let driver = |extension: bool| {
        let driver = Driver::new("old").api("1.0.0").device(Device::new("old-1").id(1, 1));
        if extension { driver.extension("VK_KHR_get_physical_device_properties2") } else { driver }
    };
    let run = |extension| {
        let scenario = Scenario::new().driver(driver(extension)).settings(&configurations(&[(1, 1)]));
        scenario.run(list_devices_1_0)
    };
    run(true).ok().says("devices", "old-1");
    run(false).ok().says("enumeration", "ERROR_INITIALIZATION_FAILED");
}

fn grouped() -> Scenario {
    let device = |name: &str, id: u32| Device::new(name).id(1, id);
    let driver = Driver::new("one").device(device("a", 1)).device(device("b", 2)).device(device("c", 3));
    Scenario::new().driver(driver.group(&[0, 1]).group(&[2]))
}

#[test]
fn groups_are_there_if_all_their_devices_are() {
    grouped().run(say_groups_1_1).ok().says("groups", "a+b/c");
    let run = |list: &[(u32, u32)]| grouped().settings(&configurations(list)).run(say_groups_1_1);
    run(&[(1, 3), (1, 2), (1, 1)]).ok().says("groups", "c/b+a");
    run(&[(1, 3), (1, 1)]).ok().says("groups", "c");
    let run = grouped().env("VK_LOADER_DEVICE_ID_FILTER", "2:3").run(say_groups_1_1);
    run.ok().says("result", "SUCCESS").says("groups", "c");
}

// ---- filters ----

#[test]
fn filters_leave_out_devices_and_all_of_them_count() {
    for (variables, expected) in [
        (&[("VK_LOADER_DEVICE_ID_FILTER", "0x100")][..], "one-1,two-1"),
        (&[("VK_LOADER_DEVICE_ID_FILTER", "0x200:0x300,1")], "one-2,two-2"),
        (&[("VK_LOADER_VENDOR_ID_FILTER", "2")], "two-1,two-2"),
        (&[("VK_LOADER_VENDOR_ID_FILTER", "0x1-0x2"), ("VK_LOADER_DEVICE_ID_FILTER", "512")], "one-2,two-2"),
        (&[("VK_LOADER_VENDOR_ID_FILTER", "2"), ("VK_LOADER_DEVICE_ID_FILTER", "0x100")], "two-1"),
        // The test drivers' driverID is the deviceID.
        (&[("VK_LOADER_DRIVER_ID_FILTER", "256")], "one-1,two-1"),
        (&[("VK_LOADER_DEVICE_ID_FILTER", "")], "one-1,one-2,two-1,two-2"),
        (&[("VK_LOADER_DEVICE_ID_FILTER", "7")], ""),
    ] {
        let scenario = variables.iter().fold(devices(), |scenario, (name, value)| scenario.env(name, value));
        let run = scenario.run(list_devices);
        run.ok().says("enumeration", "SUCCESS");
        let mut found = run.list("devices");
        found.sort_unstable();
        assert_eq!(found.join(","), expected, "{variables:?}");
    }
}

/// Above a layer that wraps devices the drivers are asked: the layer may know no command that the instance does not have.
#[test]
fn filters_ask_layers_for_no_command_that_the_instance_lacks() {
    for (filter, list, expected) in [
        ("VK_LOADER_DEVICE_ID_FILTER", "0x100", "one-1,two-1"),
        ("VK_LOADER_VENDOR_ID_FILTER", "2", "two-1,two-2"),
        ("VK_LOADER_DRIVER_ID_FILTER", "256", "one-1,two-1"),
        ("VK_LOADER_DRIVER_ID_FILTER", "7", ""),
    ] {
        let layer = Layer::new("VK_LAYER_TEST_wraps").implicit().does("wrap").does("properties2");
        let scenario = devices().layer(layer).env(filter, list);
        for body in [list_devices_1_0, list_devices] {
            let run = scenario.run_again(body);
            run.ok().says("enumeration", "SUCCESS");
            let mut found = run.list("devices");
            found.sort_unstable();
            assert_eq!(found.join(","), expected, "{filter}={list}");
        }
    }
}

/// A layer that hides its second device hides another one if it does not see the first.
#[test]
fn layers_see_what_filters_leave_out() {
    let driver = Driver::new("one").device(Device::new("a").id(1, 1)).device(Device::new("b").id(1, 2));
    let scenario = |filter: &str| {
        let layer = Layer::new("VK_LAYER_TEST_hiding").does("hide:1").implicit();
        Scenario::new().driver(driver.clone()).layer(layer).env("VK_LOADER_DEVICE_ID_FILTER", filter)
    };
    for (filter, devices) in [("2", ""), ("1", "a"), ("7", "")] {
        scenario(filter).run(list_devices).ok().says("enumeration", "SUCCESS").says("devices", devices);
        scenario(filter).run(say_groups_1_1).ok().says("result", "SUCCESS").says("groups", devices);
    }
}

/// The layer does not intercept vkGetPhysicalDeviceProperties2, and nothing below knows its handles.
#[test]
fn devices_that_a_layer_wraps_are_filtered() {
    let driver = Driver::new("one").device(Device::new("a").id(1, 1)).device(Device::new("b").id(1, 2));
    for (filter, devices) in [("2", "b"), ("1", "a"), ("7", "")] {
        let layer = Layer::new("VK_LAYER_TEST_wrapping").does("wrap").implicit();
        let scenario = Scenario::new().driver(driver.clone()).layer(layer);
        let run = scenario.env("VK_LOADER_DEVICE_ID_FILTER", filter).run(list_devices);
        run.ok().says("enumeration", "SUCCESS").says("devices", devices);
    }
}

#[test]
fn a_filter_by_driver_hides_devices_with_an_unknown_driver() {
    let driver = Driver::new("old").api("1.0.0").device(Device::new("old").id(1, 1));
    let run =
        Scenario::new().driver(driver).env("VK_LOADER_DRIVER_ID_FILTER", "0-4000").run(list_devices_1_0);
    run.ok().says("enumeration", "SUCCESS").says("devices", "");
}

#[test]
fn a_filter_by_driver_works_for_applications_of_1_0() {
    let driver = Driver::new("new").device(Device::new("new").id(1, 1));
    let run = Scenario::new().driver(driver).env("VK_LOADER_DRIVER_ID_FILTER", "1").run(list_devices_1_0);
    run.ok().says("devices", "new");
}

#[test]
fn filters_are_read_at_each_call() {
    let run = devices().run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
        vk.say("before", instance.devices().len());
        // SAFETY: a body has one thread.
        unsafe { std::env::set_var("VK_LOADER_VENDOR_ID_FILTER", "1") };
        vk.say("after", instance.devices().len());
    });
    run.ok().says("before", 4).says("after", 2);
}

#[test]
fn filters_and_the_settings_file_both_count() {
    let run = devices()
        .settings(&configurations(&[(2, 2), (1, 1)]))
        .env("VK_LOADER_VENDOR_ID_FILTER", "1")
        .run(list_devices);
    run.ok().says("devices", "one-1");
}

#[test]
fn software_devices_are_listed_last_if_the_settings_say_so_and_the_variable_does_not_object() {
    let scenario = || {
        Scenario::new()
            .driver(Driver::new("soft").device(Device::new("soft").kind(ash::vk::PhysicalDeviceType::CPU)))
            .driver(
                Driver::new("gpu").device(Device::new("gpu").kind(ash::vk::PhysicalDeviceType::DISCRETE_GPU)),
            )
    };
    scenario().run(list_devices).ok().says("devices", "gpu,soft");
    for (settings, variable, expected) in [
        ("true", None, "gpu"),
        ("false", None, "gpu,soft"),
        ("true", Some("0"), "gpu,soft"),
        ("false", Some("1"), "gpu"),
    ] {
        let scenario = scenario().settings(&format!("\"software_devices_last\": {settings}"));
        let scenario = variable
            .into_iter()
            .fold(scenario, |scenario, value| scenario.env("VK_LOADER_X_SOFTWARE_DEVICES_LAST", value));
        scenario.run(list_devices).ok().says("devices", expected);
    }
}
