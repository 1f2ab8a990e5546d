//! The order in which physical devices are enumerated, and how a user chooses another.
use ash::vk::{self, PhysicalDeviceType as Kind};
use vkload_tests::{
    Ask, Device, Driver, Layer, Scenario, Vk, list_devices, list_devices_1_0, list_devices_asking,
    say_groups_1_1,
};

/// Returns one driver with a device of each kind, worst first.
fn kinds() -> Driver {
    let kinds = [
        ("cpu", Kind::CPU),
        ("other", Kind::OTHER),
        ("virtual", Kind::VIRTUAL_GPU),
        ("integrated", Kind::INTEGRATED_GPU),
        ("discrete", Kind::DISCRETE_GPU),
    ];
    kinds
        .iter()
        .fold(Driver::new("kinds"), |driver, (name, kind)| driver.device(Device::new(name).kind(*kind)))
}

const BEST_FIRST: &str = "discrete,integrated,virtual,other,cpu";
const AS_THE_DRIVER_SAYS: &str = "cpu,other,virtual,integrated,discrete";

#[test]
fn better_kinds_come_first() {
    Scenario::new().driver(kinds()).run(list_devices).ok().says("devices", BEST_FIRST);
}

#[test]
fn version_1_0_does_not_sort() {
    // No driver has what sorting needs, and the application did not ask for it.
    Scenario::new()
        .driver(kinds().api("1.0.0"))
        .run(list_devices_1_0)
        .ok()
        .says("devices", AS_THE_DRIVER_SAYS);
}

#[test]
fn the_extension_sorts_on_version_1_0() {
    let run = Scenario::new().driver(kinds().extension("VK_KHR_get_physical_device_properties2")).run(|vk| {
        list_devices_asking(vk, &Ask::new().api(1, 0).extension("VK_KHR_get_physical_device_properties2"));
    });
    run.ok().says("devices", BEST_FIRST);
}

#[test]
fn a_driver_that_has_the_extension_sorts_on_version_1_0() {
    let driver = kinds().api("1.0.0").extension("VK_KHR_get_physical_device_properties2");
    let run = Scenario::new().driver(driver).run(list_devices_1_0);
    run.ok().says("devices", BEST_FIRST);
    let trace = run.trace("kinds");
    let enabled = trace.only("vkCreateInstance").list("extensions");
    assert_eq!(enabled, ["VK_KHR_get_physical_device_properties2"], "sorting needs it");
}

#[test]
fn disable_select_needs_a_number_that_is_not_0() {
    for (value, off) in [("1", true), ("02", true), ("0", false), ("00", false), ("", false), ("yes", false)]
    {
        let run = Scenario::new().driver(kinds()).env("VK_LOADER_DISABLE_SELECT", value).run(list_devices);
        run.ok().says("devices", if off { AS_THE_DRIVER_SAYS } else { BEST_FIRST });
    }
}

#[test]
fn device_select_puts_one_device_first() {
    let driver = Driver::new("two")
        .device(Device::new("big").kind(Kind::DISCRETE_GPU).id(0x10de, 0x1234))
        .device(Device::new("small").kind(Kind::CPU).id(0x8086, 0xabcd));
    for (value, devices) in
        [("8086:abcd", "small,big"), ("0x8086:0xABCD", "small,big"), ("nonsense", "big,small")]
    {
        let scenario = Scenario::new().driver(driver.clone()).env("VK_LOADER_DEVICE_SELECT", value);
        scenario.run(list_devices).ok().says("devices", devices);
    }
}

/// Returns a driver with three devices of one model and name. The bytes of their UUIDs are 1, 2 and 3.
fn twins() -> Scenario {
    let twin =
        |number| Device::new("twin").kind(Kind::DISCRETE_GPU).id(0x10de, 0x2204).pci([0, number, 0, 0]);
    Scenario::new().log().driver(Driver::new("twins").device(twin(1)).device(twin(2)).device(twin(3)))
}

/// Says the UUIDs of the devices, and of the first device of each group.
fn say_uuids(vk: &Vk) {
    let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
    let uuid = |device: &vk::PhysicalDevice| {
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        // SAFETY: valid use of Vulkan on one thread.
        unsafe { instance.get_physical_device_properties2(*device, &mut all) };
        ids.device_uuid[0].to_string()
    };
    // SAFETY: valid use of Vulkan on one thread.
    let groups = unsafe {
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); 3];
        instance.enumerate_physical_device_groups(&mut groups).unwrap();
        groups
    };
    let devices = instance.devices();
    vk.say("devices", devices.iter().map(uuid).collect::<Vec<_>>().join(","));
    vk.say(
        "groups",
        groups.iter().map(|group| uuid(&group.physical_devices[0])).collect::<Vec<_>>().join(","),
    );
}

#[test]
fn device_select_tells_identical_devices_apart() {
    for (value, order) in [
        ("10de:2204", "1,2,3"),
        ("0000:03:00.0", "3,1,2"),
        ("2:0.0", "2,1,3"),
        ("GPU-03030303-0303-0303-0303-030303030303", "3,1,2"),
        ("02020202020202020202020202020202", "2,1,3"),
        ("TW*", "1,2,3"),
    ] {
        let run = twins().env("VK_LOADER_DEVICE_SELECT", value).run(say_uuids);
        run.ok().says("devices", order).says("groups", order).logs_not(&["VK_LOADER_DEVICE_SELECT"]);
    }
    let named = Driver::new("named").device(Device::new("A small GPU").kind(Kind::CPU));
    let run = twins().driver(named).env("VK_LOADER_DEVICE_SELECT", "*small*").run(list_devices);
    run.ok().says("devices", "A small GPU,twin,twin,twin");
}

#[test]
fn device_select_that_matches_nothing_lists_the_devices() {
    for value in ["0000:07:00.0", "07070707070707070707070707070707", "*none*", "1:1"] {
        let run = twins().env("VK_LOADER_DEVICE_SELECT", value).run(say_uuids);
        run.ok().says("devices", "1,2,3");
        run.logs(&[
            "WARNING",
            &format!("VK_LOADER_DEVICE_SELECT is \"{value}\", which is none of the 3 devices"),
        ]);
        let listed = "VK_LOADER_DEVICE_SELECT can be 10de:2204, 0000:02:00.0, 02020202020202020202020202020202 for twin";
        assert_eq!(run.stderr.matches(listed).count(), 1, "{}", run.stderr);
    }
}

#[test]
fn buses_are_compared_part_by_part() {
    let at = |name, place| Device::new(name).kind(Kind::DISCRETE_GPU).pci(place);
    let driver = Driver::new("buses")
        .device(Device::new("nowhere").kind(Kind::DISCRETE_GPU))
        .device(at("1:0:0:0", [1, 0, 0, 0]))
        .device(at("0:2:0:0", [0, 2, 0, 0]))
        .device(at("0:1:3:0", [0, 1, 3, 0]))
        .device(at("0:1:2:1", [0, 1, 2, 1]))
        .device(at("0:1:2:0", [0, 1, 2, 0]));
    let run = Scenario::new().driver(driver).run(list_devices);
    run.ok().says("devices", "0:1:2:0,0:1:2:1,0:1:3:0,0:2:0:0,1:0:0:0,nowhere");
}

#[test]
fn the_last_difference_is_vendor_and_device() {
    let device = |name, vendor, device| Device::new(name).kind(Kind::DISCRETE_GPU).id(vendor, device);
    let driver = Driver::new("ids")
        .device(device("7", 1, 6))
        .device(device("3", 2, 1))
        .device(device("1", 5, 4))
        .device(device("2", 1, 3));
    Scenario::new().driver(driver).run(list_devices).ok().says("devices", "1,2,3,7");
}

#[test]
fn equals_keep_their_order() {
    let run = Scenario::new()
        .driver(Driver::new("a").device(Device::new("a0")).device(Device::new("a1")))
        .driver(Driver::new("b").device(Device::new("b0")))
        .run(list_devices);
    run.ok().says("devices", "b0,a0,a1");
}

#[test]
fn devices_of_several_drivers_are_sorted_together() {
    let run = Scenario::new()
        .driver(Driver::new("a").device(Device::new("discrete").kind(Kind::DISCRETE_GPU)))
        .driver(
            Driver::new("b")
                .device(Device::new("cpu").kind(Kind::CPU))
                .device(Device::new("integrated").kind(Kind::INTEGRATED_GPU)),
        )
        .run(list_devices);
    run.ok().says("devices", "discrete,integrated,cpu");
}

#[test]
fn groups_are_sorted_by_their_first_device() {
    let driver = Driver::new("groups")
        .device(Device::new("cpu").kind(Kind::CPU))
        .device(Device::new("integrated").kind(Kind::INTEGRATED_GPU))
        .device(Device::new("discrete").kind(Kind::DISCRETE_GPU))
        .device(Device::new("virtual").kind(Kind::VIRTUAL_GPU))
        .group(&[0, 1])
        .group(&[3, 2]);
    let run = Scenario::new().driver(driver).run(say_groups_1_1);
    run.ok().says("groups", "discrete+virtual/integrated+cpu");
}

#[test]
fn equal_groups_and_equal_members_keep_their_drivers_order() {
    let device = |name: &str, number| Device::new(&format!("{name}{number}"));
    let of = |name: &'static str| (0..4).fold(Driver::new(name), |driver, n| driver.device(device(name, n)));
    let driver = of("a").group(&[2]).group(&[3, 1]).group(&[0]);
    let run = Scenario::new().driver(driver.clone()).run(say_groups_1_1);
    run.ok().says("groups", "a2/a3+a1/a0");
    // Drivers are in the order of their devices.
    let run =
        Scenario::new().driver(driver).driver(of("b").group(&[1, 0]).group(&[3, 2])).run(say_groups_1_1);
    run.ok().says("groups", "b1+b0/b3+b2/a2/a3+a1/a0");
}

#[test]
fn groups_that_differ_are_sorted_whatever_their_drivers_order() {
    let driver = Driver::new("mixed")
        .device(Device::new("cpu").kind(Kind::CPU))
        .device(Device::new("one").kind(Kind::DISCRETE_GPU))
        .device(Device::new("two").kind(Kind::DISCRETE_GPU))
        .group(&[0])
        .group(&[2])
        .group(&[1]);
    Scenario::new().driver(driver.clone()).run(say_groups_1_1).ok().says("groups", "two/one/cpu");
    let run = Scenario::new().driver(driver).env("VK_LOADER_DISABLE_SELECT", "1").run(say_groups_1_1);
    run.ok().says("groups", "cpu/two/one");
}

#[test]
fn a_layer_that_raises_the_version_has_devices_sorted() {
    let raised = i64::from(vk::API_VERSION_1_1);
    let layer = Layer::new("VK_LAYER_TEST_a").implicit().does_with("set_api", raised);
    let run = Scenario::new().driver(kinds()).layer(layer).run(list_devices_1_0);
    run.ok().says("devices", BEST_FIRST);
}
