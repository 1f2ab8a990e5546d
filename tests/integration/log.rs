//! The loader's messages, their receivers, and their form.
use ash::vk;
use vkload_tests::layered::good;
use vkload_tests::listening::{Debug, EVERYTHING, ask, messenger, say_heard, with_both};
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, list_devices, wait_for_the_clock_of_files};

fn broken() -> Driver {
    Driver::new("broken").library_path("/nonexistent/libbroken.so")
}

// ---- lines on standard error ----

#[test]
fn lines_have_the_form_that_tools_parse() {
    let run = Scenario::new().log().driver(good()).driver(broken()).run(list_devices);
    let lines: Vec<_> = run.ok().stderr.lines().collect();
    assert!(lines.len() > 3, "{lines:#?}");
    let kinds = ["ERROR", "WARNING", "INFO", "DEBUG"];
    let topics = ["", "PERF", "DRIVER", "LAYER"];
    for line in lines {
        let rest = line.strip_prefix("[Vulkan Loader] ").unwrap_or_else(|| panic!("{line}"));
        let (kind, _) = rest.split_once(':').unwrap();
        let (level, topic) = kind.split_once(" | ").unwrap_or((kind, ""));
        let valid = (kinds.contains(&level) && topics.contains(&topic))
            || (topics[1..].contains(&level) && topic.is_empty());
        assert!(valid, "{line}");
        let head = line.len() - rest.len() + kind.len() + 1;
        if head < 32 {
            assert!(
                line[head..32].bytes().all(|byte| byte == b' '),
                "the message begins at column 32: {line}"
            );
            assert_ne!(line.as_bytes().get(32), Some(&b' '), "the message begins at column 32: {line}");
        }
    }
}

#[test]
fn words_choose_what_is_shown() {
    let shown = |words: &str| {
        let run =
            Scenario::new().env("VK_LOADER_DEBUG", words).driver(good()).driver(broken()).run(list_devices);
        run.ok();
        run.log().into_iter().map(|(kind, _)| kind.to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    let debug = shown("debug");
    assert!(debug.iter().all(|kind| kind.starts_with("DEBUG")), "{debug:?}");
    assert!(!debug.is_empty());
    let driver = shown("driver");
    assert!(driver.iter().all(|kind| kind.contains("DRIVER")), "{driver:?}");
    assert!(!driver.is_empty());
    assert_eq!(shown("icd"), driver);
    assert_eq!(shown("implem"), driver);
    let both = shown("error,warn");
    assert!(both.iter().all(|kind| kind.starts_with("ERROR") || kind.starts_with("WARNING")), "{both:?}");
    assert_eq!(shown("nonsense"), shown(""));
    assert!(shown("all").len() >= 3);
}

#[test]
fn a_program_that_works_is_left_in_peace() {
    let run = Scenario::new().driver(good()).driver(broken()).run(list_devices);
    assert_eq!(run.ok().stderr, "", "nothing may be written where nothing was asked for");
}

#[test]
fn extensions_and_application_are_logged_at_info() {
    let run = Scenario::new().env("VK_LOADER_DEBUG", "info").driver(good()).run(|vk| {
        drop(vk.create(&Ask::new().api(1, 2).extension("VK_EXT_debug_utils")));
    });
    run.ok().logs(&["INFO", "VK_EXT_debug_utils"]).logs(&["INFO", "1.2"]).logs(&["INFO", "scenario"]);
}

/// A usual start: the search results, an instance, its devices.
#[test]
fn nothing_that_was_found_is_written_twice_in_one_start() {
    let run = Scenario::new()
        .log()
        .driver(good())
        .layer(Layer::new("VK_LAYER_TEST_implicit").implicit())
        .layer(Layer::new("VK_LAYER_TEST_explicit"))
        .run(|vk| {
            wait_for_the_clock_of_files(vk);
            unsafe { vk.entry.enumerate_instance_extension_properties(None) }.unwrap();
            list_devices(vk);
        });
    let found =
        |line: &&str| ["searched ", "can be used", "nothing enables it"].iter().any(|it| line.contains(it));
    let mut lines: Vec<_> = run.ok().stderr.lines().filter(found).collect();
    assert!(lines.iter().any(|line| line.contains("VK_LAYER_TEST_implicit")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("VK_LAYER_TEST_explicit")), "{lines:#?}");
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(all, lines.len(), "{:#?}", run.stderr.lines().collect::<Vec<_>>());
}

#[test]
fn devices_are_listed_in_order_with_their_drivers() {
    let of = |name: &str, kind| Driver::new(name).device(Device::new(&format!("gpu of {name}")).kind(kind));
    let run = Scenario::new()
        .log()
        .driver(of("a", vk::PhysicalDeviceType::DISCRETE_GPU))
        .driver(of("b", vk::PhysicalDeviceType::CPU))
        .run(|vk| vk.say("names", vk.create(&Ask::new().api(1, 1)).unwrap().names().join(", ")));
    run.ok().says("names", "gpu of a, gpu of b");
    let told: Vec<_> = run.stderr.lines().filter(|line| line.contains("physical device ")).collect();
    assert_eq!(told.len(), 2, "{told:#?}");
    for (place, (line, driver)) in told.iter().zip(["a", "b"]).enumerate() {
        assert!(line.contains(&format!("physical device {place}: gpu of {driver}, ")), "{line}");
        assert!(line.ends_with(&format!("lib{driver}.so")), "{line}");
    }
}

#[test]
fn every_driver_found_is_reported_with_its_outcome() {
    let refusing = Driver::new("refusing")
        .result("vk_icdNegotiateLoaderICDInterfaceVersion", vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    let failing = Driver::new("failing").result("vkCreateInstance", vk::Result::ERROR_UNKNOWN);
    let run = Scenario::new()
        .log()
        .driver(good())
        .driver(broken())
        .driver(refusing)
        .driver(failing)
        .driver(Driver::new("empty"))
        .run(list_devices);
    for name in ["good", "broken", "refusing", "failing", "empty"] {
        run.ok().logs(&[&format!("{name}.json")]);
    }
    run.logs(&["/nonexistent/libbroken.so"]);
}

#[test]
fn long_paths_do_not_break_lines() {
    let long = format!("/{}libbroken.so", "very-long-folder-name/".repeat(40));
    let run = Scenario::new()
        .log()
        .driver(good())
        .driver(Driver::new("broken").library_path(&long))
        .run(list_devices);
    run.ok().says("devices", "gpu");
    assert!(run.stderr.lines().all(|line| line.starts_with("[Vulkan Loader] ")), "{}", run.stderr);
}

// ---- when no driver can be used ----

/// Returns the lines on standard error of a run in which nothing was asked to be logged.
fn lines_without_driver(scenario: Scenario) -> Vec<String> {
    let run = scenario.run(list_devices);
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
    run.stderr.lines().map(str::to_owned).collect()
}

#[test]
fn no_driver_at_all_is_one_line() {
    let lines = lines_without_driver(Scenario::new());
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].starts_with("[Vulkan Loader] ERROR"), "{lines:#?}");
    assert!(lines[0].ends_with("; for more, run `vkload doctor`"), "{lines:#?}");
}

#[test]
fn a_driver_that_does_not_open_is_named_in_that_line() {
    let lines = lines_without_driver(Scenario::new().driver(broken()));
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("broken"), "{lines:#?}");
    assert!(lines[0].ends_with("; for more, run `vkload doctor`"), "{lines:#?}");
}

#[test]
fn a_driver_that_gets_further_is_the_better_reason() {
    let failing = Driver::new("failing").result("vkCreateInstance", vk::Result::ERROR_INITIALIZATION_FAILED);
    let lines = lines_without_driver(
        Scenario::new().driver(broken()).driver(failing).file("data/vulkan/icd.d/odd.json", "{"),
    );
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("failing"), "{lines:#?}");
}

#[test]
fn a_request_at_fault_comes_before_the_drivers_reasons() {
    let failing = Driver::new("failing").result("vkCreateInstance", vk::Result::ERROR_INITIALIZATION_FAILED);
    let scenario = |version: u32, extension| {
        let scenario = Scenario::new().argument("version", &version.to_string());
        scenario.argument("extension", extension)
    };
    let lines_of = |scenario: Scenario| {
        let run = scenario.run(|vk| {
            let (ask, extension) =
                (Ask::new().raw_api(vk.arg("version").parse().unwrap()), vk.arg("extension"));
            let ask = if extension.is_empty() { ask } else { ask.extension(&extension) };
            vk.say("result", vkload_tests::code(&vk.create(&ask).map(|_| ())));
        });
        run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
        run.stderr.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let is_first = |lines: &[String], request: &str, driver: &str| {
        assert_eq!(lines.len(), 1, "{lines:#?}");
        let at = |words: &str| lines[0].find(words);
        assert!(at(request).is_some() && at(request) < at(driver), "{lines:#?}");
    };
    for version in [1, 3, 0x3f_ffff, vk::make_api_version(0, 2, 0, 0), vk::make_api_version(1, 1, 0, 0)] {
        let words = format!("apiVersion {version:#x}");
        is_first(&lines_of(scenario(version, "").driver(failing.clone())), &words, "failing");
        is_first(&lines_of(scenario(version, "")), &words, "install a Vulkan driver");
    }
    for name in ["VK_KHR_swapchain", "VK_KHR_win32_surface", "VK_NOBODY_knows_this"] {
        is_first(&lines_of(scenario(vk::API_VERSION_1_1, name)), name, "install a Vulkan driver");
    }
    for version in [0, vk::API_VERSION_1_0, vk::API_VERSION_1_3] {
        let lines = lines_of(scenario(version, "VK_KHR_surface"));
        assert!(!lines[0].contains("the application"), "{lines:#?}");
    }
}

#[test]
fn a_settings_file_that_lists_all_drivers_is_named_in_that_line() {
    let failing = Driver::new("failing").result("vkCreateInstance", vk::Result::ERROR_INITIALIZATION_FAILED);
    for path in ["/nonexistent.json", "SANDBOX/data/vulkan/icd.d/failing.json"] {
        let settings =
            r#""additional_drivers": [{"path": "PATH"}], "additional_drivers_use_exclusively": true"#;
        let scenario = Scenario::new().driver(good()).driver(failing.clone());
        let lines = lines_without_driver(scenario.settings(&settings.replace("PATH", path)));
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].contains("vk_loader_settings.json lists all drivers"), "{lines:#?}");
    }
}

#[test]
fn a_variable_keeps_the_line_away() {
    let lines = lines_without_driver(Scenario::new().env("VK_LOADER_X_QUIET", "1"));
    assert_eq!(lines, [""; 0]);
}

// ---- messengers ----

#[test]
fn a_chained_messenger_receives_messages_of_creation_and_destruction_only() {
    let run = Scenario::new().driver(good()).driver(broken()).run(|vk| {
        let messenger = messenger(1, EVERYTHING);
        let instance = vk.create(&ask().next(&messenger)).unwrap();
        say_heard(vk, "creation");
        _ = instance.devices();
        say_heard(vk, "between");
    });
    let creation = run.ok().says("between", "").said("creation");
    assert!(creation.contains(" Loader Message: ") && creation.contains("broken.json"), "{creation}");
    assert!(!creation.contains("[Vulkan Loader]"), "without the head of the lines");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_missing_driver_is_reported_to_a_chained_messenger_instead_of_standard_error() {
    let run = Scenario::new().driver(broken()).run(|vk| {
        let messenger = messenger(1, EVERYTHING);
        vk.say("result", vkload_tests::code(&vk.create(&ask().next(&messenger))));
        say_heard(vk, "creation");
    });
    let creation = run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER").said("creation");
    assert!(creation.contains("utils 1000 ") && creation.contains("broken"), "an error: {creation}");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_driver_that_fails_to_make_a_messenger_fails_the_call() {
    let failing =
        with_both("failing").result("vkCreateDebugUtilsMessengerEXT", vk::Result::ERROR_OUT_OF_HOST_MEMORY);
    let run = Scenario::new().driver(with_both("a")).driver(failing).driver(with_both("z")).run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let made = unsafe { debug.utils.create_debug_utils_messenger(&messenger(1, EVERYTHING), None) };
        vk.say("result", vkload_tests::code(&made));
    });
    run.ok().says("result", "ERROR_OUT_OF_HOST_MEMORY");
    for name in ["a", "z"] {
        assert_eq!(run.trace(name).last("unload").get("messengers"), "0", "{name}");
    }
}
