//! Instance extensions: which are listed, in what order, and which can be enabled.
use ash::vk;
use vkload_tests::{Ask, Device, Driver, Run, Scenario, Vk, code, extension_names};

/// The loader's own extensions, listed after the drivers'.
const LOADERS: [&str; 4] = [
    "VK_EXT_debug_report",
    "VK_EXT_debug_utils",
    "VK_KHR_portability_enumeration",
    "VK_LUNARG_direct_driver_loading",
];

fn list(vk: &Vk) {
    let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) };
    vk.say("result", code(&list));
    vk.say("names", extension_names(&list.unwrap_or_default()).join(","));
}

fn with(drivers: &[Driver]) -> Scenario {
    drivers.iter().fold(Scenario::new(), |scenario, driver| scenario.driver(driver.clone()))
}

fn good(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name))
}

fn assert_before_the_loaders(run: &Run, expected: &[&str]) {
    let names = run.ok().list("names");
    let (drivers, loaders) = names.split_at(names.len() - 4);
    assert_eq!(loaders, LOADERS);
    let mut drivers = drivers.to_vec();
    drivers.sort_unstable();
    assert_eq!(drivers, expected);
}

#[test]
fn they_are_there_without_any_driver() {
    // Programs that look before they create an instance must not stumble over a machine without drivers.
    let run = Scenario::new().run(list);
    run.ok().says("result", "SUCCESS");
    assert_before_the_loaders(&run, &[]);
}

#[test]
fn drivers_extensions_are_added_up_without_duplicates() {
    let a = good("a").extension("VK_KHR_surface").extension("VK_KHR_xcb_surface");
    let b = good("b").extension("VK_KHR_surface").extension("VK_EXT_headless_surface");
    let run = with(&[a, b]).run(list);
    assert_before_the_loaders(&run, &["VK_EXT_headless_surface", "VK_KHR_surface", "VK_KHR_xcb_surface"]);
}

#[test]
fn a_drivers_debug_extensions_are_listed_once() {
    let run = with(&[good("a").extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report")]).run(list);
    let names = run.ok().list("names");
    for name in LOADERS {
        assert_eq!(names.iter().filter(|listed| **listed == name).count(), 1, "{name}");
    }
}

/// "Setting the value to a non-zero number", say the documents.
#[test]
fn only_a_number_that_is_not_0_turns_the_filter_off() {
    let values = [("1", true), ("02", true), ("-1", true), ("3x", true), ("", false), ("0", false)];
    for (value, off) in
        values.into_iter().chain([("00", false), ("yes", false), ("false", false), ("-", false)])
    {
        let run = with(&[good("a").extension("VK_TEST_unheard_of").extension("VK_KHR_surface")])
            .env("VK_LOADER_DISABLE_INST_EXT_FILTER", value)
            .run(list);
        let all = ["VK_KHR_surface", "VK_TEST_unheard_of"];
        assert_before_the_loaders(&run, if off { &all } else { &all[..1] });
    }
}

#[test]
fn an_unknown_extension_cannot_be_enabled_unless_the_filter_is_off() {
    let driver = good("a").extension("VK_TEST_unheard_of");
    let body = |vk: &Vk| vk.say("result", code(&vk.create(&Ask::new().extension("VK_TEST_unheard_of"))));
    with(std::slice::from_ref(&driver)).run(body).ok().says("result", "ERROR_EXTENSION_NOT_PRESENT");
    let run = with(&[driver]).env("VK_LOADER_DISABLE_INST_EXT_FILTER", "1").run(body);
    run.ok().says("result", "SUCCESS");
    assert_eq!(run.trace("a").only("vkCreateInstance").get("extensions"), "VK_TEST_unheard_of");
}

#[test]
fn a_device_extension_cannot_be_enabled_on_an_instance() {
    let driver = Driver::new("a").device(Device::new("a").extension("VK_KHR_swapchain"));
    let run = with(&[driver])
        .run(|vk| vk.say("result", code(&vk.create(&Ask::new().extension("VK_KHR_swapchain")))));
    run.ok().says("result", "ERROR_EXTENSION_NOT_PRESENT");
}

#[test]
fn the_loaders_own_can_all_be_enabled_and_drivers_do_not_see_those_they_lack() {
    let run = with(&[good("a").extension("VK_EXT_debug_report")]).run(|vk| {
        let ask = LOADERS.iter().fold(Ask::new().api(1, 1), |ask, name| ask.extension(name));
        vk.say("result", code(&vk.create(&ask)));
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(run.trace("a").only("vkCreateInstance").get("extensions"), "VK_EXT_debug_report");
}

#[test]
fn an_empty_layer_name_is_not_a_layer() {
    let run = with(&[good("a").extension("VK_KHR_surface")]).run(|vk| {
        let list = unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"")) };
        vk.say("names", extension_names(&list.unwrap()).len());
    });
    run.ok().says("names", 5);
}

#[test]
fn extensions_of_an_unknown_layer_are_an_error() {
    let run = with(&[good("a")]).run(|vk| {
        let list = unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_nobody_has")) };
        vk.say("result", code(&list));
    });
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_small_array_of_extensions_is_filled_and_incomplete() {
    let run = with(&[good("a").extension("VK_KHR_surface")]).run(|vk| {
        let mut count = 2;
        let mut list = [vk::ExtensionProperties::default(); 3];
        // SAFETY: the array has more elements than the count.
        let result = unsafe {
            (vk.entry.fp_v1_0().enumerate_instance_extension_properties)(
                std::ptr::null(),
                &mut count,
                list.as_mut_ptr(),
            )
        };
        vk.say("result", format_args!("{result:?} {count}"));
        vk.say("untouched", list[2].extension_name[0] == 0);
    });
    run.ok().says("result", "INCOMPLETE 2").says("untouched", true);
}

#[test]
fn a_driver_that_cannot_list_its_extensions_does_no_harm() {
    for error in [vk::Result::ERROR_INITIALIZATION_FAILED, vk::Result::ERROR_UNKNOWN] {
        let bad = good("bad").result("vkEnumerateInstanceExtensionProperties", error);
        let run = with(&[bad, good("a").extension("VK_KHR_surface")]).run(list);
        run.ok().says("result", "SUCCESS");
        assert!(run.list("names").contains(&"VK_KHR_surface"));
    }
}

#[test]
fn properties2_reaches_drivers_that_have_it() {
    let name = "VK_KHR_get_physical_device_properties2";
    let run = with(&[good("a").extension(name), good("b").api("1.0.0")]).run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new().extension("VK_KHR_get_physical_device_properties2"))))
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(run.trace("a").only("vkCreateInstance").get("extensions"), name, "and only once");
    assert_eq!(run.trace("b").only("vkCreateInstance").get("extensions"), "");
}

#[test]
fn the_version_of_an_extension_is_that_of_the_driver_that_was_found_first() {
    let one = good("a").extension_version("VK_KHR_surface", 25);
    let other = good("b").extension_version("VK_KHR_surface", 70).extension_version("VK_EXT_debug_utils", 1);
    let run = with(&[one, other]).run(|vk| {
        let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) }.unwrap();
        for (key, name) in [("surface", c"VK_KHR_surface"), ("own", c"VK_EXT_debug_utils")] {
            let found = list.iter().find(|one| one.extension_name_as_c_str().unwrap() == name);
            vk.say(key, found.unwrap().spec_version);
        }
    });
    run.ok().says("surface", 25).says("own", 1);
}
