//! How the loader and a driver agree on an interface version.
use ash::vk;
use vkload_tests::layered::good;
use vkload_tests::{Device, Driver, Lie, Run, Scenario, list_devices};

const NEGOTIATE: &str = "vk_icdNegotiateLoaderICDInterfaceVersion";

fn driver(interface: u32) -> Driver {
    Driver::new("good").interface(interface).device(Device::new("gpu")).trace_lookups()
}

fn run(driver: Driver) -> Run {
    Scenario::new().log().driver(driver).run(list_devices)
}

/// Runs a driver that cannot be used, with one that can.
fn run_beside_good(bad: Driver) -> Run {
    let good = good();
    let run = Scenario::new().log().driver(bad.device(Device::new("never"))).driver(good).run(list_devices);
    run.ok().says("result", "SUCCESS").says("devices", "gpu");
    run
}

fn assert_works(interface: u32) -> Run {
    let run = run(driver(interface));
    run.ok().says("result", "SUCCESS").says("devices", "gpu");
    run
}

#[test]
fn versions_2_to_6_negotiate_by_an_export_before_anything_else() {
    for interface in 2..=6 {
        let run = assert_works(interface);
        let trace = run.trace("good");
        assert_eq!(trace.commands()[..2], ["load", NEGOTIATE]);
        let offered: u32 = trace.calls(NEGOTIATE)[0].get("offered").parse().unwrap();
        assert_eq!(offered, 7, "what the loader offers");
        assert!(
            trace.calls("vk_icdGetInstanceProcAddr").iter().all(|call| call.get("name") != NEGOTIATE),
            "it is exported, so there is nothing to look up"
        );
    }
}

#[test]
fn version_0_needs_only_vulkans_own_commands() {
    let run = assert_works(0);
    let trace = run.trace("good");
    assert!(!trace.has(NEGOTIATE));
    let mut asked = trace.calls("vk_icdGetInstanceProcAddr").into_iter().map(|call| call.get("name"));
    assert!(asked.all(|name| name.starts_with("vk") && !name.starts_with("vkload")));
}

#[test]
fn version_1_needs_only_the_look_up() {
    let run = assert_works(1);
    assert!(!run.trace("good").has(NEGOTIATE));
}

#[test]
fn version_7_negotiates_through_the_look_up() {
    let run = assert_works(7);
    let trace = run.trace("good");
    assert!(trace.has(NEGOTIATE));
    let first = trace.0.iter().position(|call| call.command == NEGOTIATE).unwrap();
    let before = &trace.0[..first];
    assert!(
        before.iter().all(|call| call.command == "load" || call.get("name").starts_with("vk_icd")),
        "negotiation comes first: {before:#?}"
    );
}

#[test]
fn version_7_may_export_everything_too() {
    let run = run(driver(7).exports(Driver::LOOKUP_NEGOTIATE_PHYSICAL));
    run.ok().says("devices", "gpu");
    assert_eq!(run.trace("good").commands()[..2], ["load", NEGOTIATE]);
}

#[test]
fn a_look_up_alone_is_version_1_unless_it_finds_the_negotiation() {
    let run = run(driver(7).without(NEGOTIATE).without("vk_icdGetPhysicalDeviceProcAddr"));
    run.ok().says("devices", "gpu");
    assert!(!run.trace("good").has(NEGOTIATE));
}

#[test]
fn any_error_of_the_negotiation_is_a_refusal() {
    for error in [vk::Result::ERROR_INCOMPATIBLE_DRIVER, vk::Result::ERROR_INITIALIZATION_FAILED] {
        let run = run_beside_good(Driver::new("bad").result(NEGOTIATE, error));
        assert!(!run.trace("bad").has("vkCreateInstance"));
        run.logs(&["bad", "LDP_DRIVER_3"]);
    }
}

#[test]
fn a_negotiation_without_a_look_up_is_rejected() {
    let run = run_beside_good(Driver::new("bad").exports(Driver::NEGOTIATE));
    assert!(!run.trace("bad").has("vkCreateInstance"));
    run.logs(&["bad"]);
}

#[test]
fn a_library_that_is_not_a_driver_is_rejected() {
    let run = run_beside_good(Driver::new("bad").exports(Driver::NOTHING));
    assert_eq!(run.trace("bad").commands(), ["load", "unload"], "nothing can be called, and it is closed");
    run.logs(&["bad"]);
}

/// As in shipped loaders, and against LDP_LOADER_5.
#[test]
fn a_driver_that_answers_a_version_above_the_offer_is_used_with_the_offered_one() {
    for interface in [5, 7] {
        for (lie, answered) in [(Lie::Grows, "version 8,"), (Lie::Huge, "version 4294967295,")] {
            let run = run(driver(interface).lie(NEGOTIATE, lie).unknown_commands(1, 0));
            run.ok().says("result", "SUCCESS").says("devices", "gpu");
            run.logs(&["WARNING", "good", answered, "above the offered 7"]);
        }
    }
}

#[test]
fn the_look_up_of_physical_device_commands_is_used_from_version_4_on() {
    for (interface, used) in [(3, false), (4, true), (7, true)] {
        let driver = driver(interface).exports(Driver::LOOKUP_NEGOTIATE_PHYSICAL).unknown_commands(1, 0);
        let run = Scenario::new().driver(driver).run(|vk| {
            vk.say("found", vk.instance().proc("vkUnknownPhysicalDevice0TEST") != 0);
        });
        run.ok();
        assert_eq!(run.trace("good").has("vk_icdGetPhysicalDeviceProcAddr"), used, "{interface}");
        assert!(!used || run.said("found") == "true", "{interface}");
    }
}

#[test]
fn the_function_for_adapters_is_not_used_outside_windows() {
    const ADAPTERS: &str = "vk_icdEnumerateAdapterPhysicalDevices";
    let exports: &[&str] =
        &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DEXPORT_PHYSICAL", "-DEXPORT_ADAPTERS"];
    for interface in [6, 7] {
        let run = run(driver(interface).exports(exports).line("also", ADAPTERS));
        run.ok().says("devices", "gpu");
        let trace = run.trace("good");
        assert!(trace.calls("vk_icdGetInstanceProcAddr").iter().all(|call| call.get("name") != ADAPTERS));
    }
}

#[test]
fn ld_bind_now_names_a_symbol_that_a_driver_lacks() {
    let exports: &[&str] = &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DLACKS_SYMBOL", "-Wl,-z,undefs"];
    let scenario = || Scenario::new().log().driver(driver(3).exports(exports));
    scenario().run(list_devices).ok().says("devices", "gpu");
    let run = scenario().env("LD_BIND_NOW", "1").run(list_devices);
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
    run.logs(&["ERROR", "libgood.so", "test_symbol_that_is_nowhere"]);
}

/// The driver's commands precede the loader's for the whole process.
#[test]
fn a_driver_that_exports_official_names_may_be_preloaded() {
    let exports: &[&str] = &["-DEXPORT_CORE", "-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DEXPORT_PHYSICAL"];
    let run = Scenario::new()
        .driver(driver(5).exports(exports))
        .env("LD_PRELOAD", "SANDBOX/lib/libgood.so")
        .run(list_devices);
    run.ok().says("result", "SUCCESS").says("devices", "gpu");
    assert_eq!(run.trace("good").calls("vkCreateInstance").len(), 1);
}

#[test]
fn a_version_that_cannot_serve_vulkan_1_1_is_noted_ldp_driver_7() {
    run(driver(4).api("1.1.0")).ok().says("devices", "gpu").logs(&["good", "LDP_DRIVER_7"]);
    run(driver(5).api("1.1.0")).logs_not(&["LDP_DRIVER_7"]);
}

#[test]
fn surfaces_of_its_own_need_version_3_ldp_driver_8() {
    let surfaces = |name, interface| {
        let driver = Driver::new(name).interface(interface).own_surfaces().device(Device::new(name));
        driver.api("1.0.0").extension("VK_KHR_surface").extension("VK_KHR_xcb_surface")
    };
    let run = Scenario::new().log().driver(surfaces("two", 2)).driver(surfaces("three", 3)).run(list_devices);
    run.ok().logs(&["two", "LDP_DRIVER_8"]).logs_not(&["three", "LDP_DRIVER_8"]);
}

#[test]
fn drivers_of_all_versions_work_together() {
    let mut scenario = Scenario::new().env("VK_LOADER_DISABLE_SELECT", "1");
    for version in 0..8 {
        let name = format!("driver{version}");
        scenario = scenario.driver(Driver::new(&name).interface(version).device(Device::new(&name)));
    }
    let run = scenario.run(list_devices);
    let mut devices = run.ok().list("devices");
    devices.sort_unstable();
    assert_eq!(
        devices,
        ["driver0", "driver1", "driver2", "driver3", "driver4", "driver5", "driver6", "driver7"]
    );
}
