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

/// Unless a driver or the application has what it needs.
#[test]
fn version_1_0_does_not_sort() {
    let run = Scenario::new().driver(kinds().api("1.0.0")).run(list_devices_1_0);
    run.ok().says("devices", AS_THE_DRIVER_SAYS);
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
        unsafe { instance.get_physical_device_properties2(*device, &mut all) };
        ids.device_uuid[0].to_string()
    };
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

/// By their kinds, their buses, part by part, and their vendors and numbers; equal ones keep their order.
#[test]
fn devices_of_all_drivers_are_sorted_together() {
    let at = |name, place| Device::new(name).kind(Kind::DISCRETE_GPU).pci(place);
    let no = |name, vendor, device| Device::new(name).kind(Kind::DISCRETE_GPU).id(vendor, device);
    let of = |name: &str, devices: &[Device]| devices.iter().cloned().fold(Driver::new(name), Driver::device);
    let buses = [
        Device::new("nowhere").kind(Kind::DISCRETE_GPU),
        at("1:0:0:0", [1, 0, 0, 0]),
        at("0:2:0:0", [0, 2, 0, 0]),
        at("0:1:3:0", [0, 1, 3, 0]),
        at("0:1:2:1", [0, 1, 2, 1]),
        at("0:1:2:0", [0, 1, 2, 0]),
    ];
    let kinds = [("cpu", Kind::CPU), ("integrated", Kind::INTEGRATED_GPU)];
    let kinds = kinds.map(|(name, kind)| Device::new(name).kind(kind));
    for (drivers, order) in [
        (vec![of("buses", &buses)], "0:1:2:0,0:1:2:1,0:1:3:0,0:2:0:0,1:0:0:0,nowhere"),
        (vec![of("ids", &[no("7", 1, 6), no("3", 2, 1), no("1", 5, 4), no("2", 1, 3)])], "1,2,3,7"),
        (vec![of("a", &["a0", "a1"].map(Device::new)), of("b", &[Device::new("b0")])], "b0,a0,a1"),
        (vec![of("a", &[no("discrete", 1, 1)]), of("b", &kinds)], "discrete,integrated,cpu"),
    ] {
        let run = drivers.into_iter().fold(Scenario::new(), Scenario::driver).run(list_devices);
        run.ok().says("devices", order);
    }
}

#[test]
fn groups_are_sorted_by_their_first_device() {
    let device = |name, kind| Device::new(name).kind(kind);
    let groups = Driver::new("groups")
        .device(device("cpu", Kind::CPU))
        .device(device("integrated", Kind::INTEGRATED_GPU))
        .device(device("discrete", Kind::DISCRETE_GPU))
        .device(device("virtual", Kind::VIRTUAL_GPU))
        .group(&[0, 1])
        .group(&[3, 2]);
    let mixed = Driver::new("mixed")
        .device(device("cpu", Kind::CPU))
        .device(device("one", Kind::DISCRETE_GPU))
        .device(device("two", Kind::DISCRETE_GPU))
        .group(&[0])
        .group(&[2])
        .group(&[1]);
    for (driver, off, order) in [
        (groups, "0", "discrete+virtual/integrated+cpu"),
        (mixed.clone(), "0", "two/one/cpu"),
        (mixed, "1", "cpu/two/one"),
    ] {
        let run = Scenario::new().driver(driver).env("VK_LOADER_DISABLE_SELECT", off).run(say_groups_1_1);
        run.ok().says("groups", order);
    }
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
fn a_layer_that_raises_the_version_has_devices_sorted() {
    let raised = i64::from(vk::API_VERSION_1_1);
    let layer = Layer::new("VK_LAYER_TEST_a").implicit().does_with("set_api", raised);
    let run = Scenario::new().driver(kinds()).layer(layer).run(list_devices_1_0);
    run.ok().says("devices", BEST_FIRST);
}
