//! The search paths for drivers, and the user's choice among them.
use vkload_tests::{Ask, Device, Driver, Run, Scenario, code, list_devices_1_0};

/// Returns a driver in a folder of the sandbox, its device named like it.
fn at(folder: &str, name: &str) -> Driver {
    Driver::new(name).folder(folder).device(Device::new(name))
}

fn usual(name: &str) -> Driver {
    at("data/vulkan/icd.d", name)
}

fn devices(scenario: Scenario) -> Run {
    let run = scenario.log().run(list_devices_1_0);
    run.ok();
    run
}

// ---- the usual places ----

/// The kernel knows nothing of the folder, before or after: only the functions do that a program has put in front.
#[test]
fn a_folder_that_appears_for_opendir_alone_is_found() {
    let run = Scenario::new()
        .env("LD_PRELOAD", vkload_tests::appearing_folder().to_str().unwrap())
        .env("XDG_DATA_DIRS", "/appearing:SANDBOX/data")
        .driver(usual("a"))
        .driver(usual("b").folder("elsewhere/vulkan/icd.d"))
        .run(|vk| {
            vkload_tests::wait_for_the_clock_of_files(vk);
            vk.say("before", vk.create(&Ask::new()).unwrap().names().join(","));
            // SAFETY: a body has one thread.
            unsafe { std::env::set_var("VKLOAD_TEST_APPEARING", vk.path("elsewhere")) };
            vk.say("after", vk.create(&Ask::new()).unwrap().names().join(","));
        });
    run.ok().says("before", "a").says("after", "a,b");
}

#[test]
fn places_are_searched_in_the_documented_order() {
    let run = devices(
        Scenario::new()
            .env("XDG_CONFIG_HOME", "SANDBOX/config_home")
            .env("XDG_CONFIG_DIRS", "SANDBOX/config1:SANDBOX/config2")
            .env("XDG_DATA_HOME", "SANDBOX/data_home")
            .env("XDG_DATA_DIRS", "SANDBOX/data1:SANDBOX/data2")
            .driver(at("data2/vulkan/icd.d", "6"))
            .driver(at("data1/vulkan/icd.d", "5"))
            .driver(at("data_home/vulkan/icd.d", "4"))
            .driver(at("config2/vulkan/icd.d", "3"))
            .driver(at("config1/vulkan/icd.d", "2"))
            .driver(at("config_home/vulkan/icd.d", "1")),
    );
    // The last that is found is enumerated first.
    run.says("devices", "6,5,4,3,2,1");
}

/// Every file of the folder counts once, wherever the list names it.
#[test]
fn a_folder_and_a_file_in_it_may_both_be_in_the_list() {
    for list in ["SANDBOX/aside:SANDBOX/aside/b.json", "SANDBOX/aside/b.json:SANDBOX/aside"] {
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"] {
            let drivers = Scenario::new().driver(at("aside", "a")).driver(at("aside", "b"));
            let run = devices(drivers.env(variable, list));
            let mut found = run.list("devices");
            found.sort_unstable();
            assert_eq!(found, ["a", "b"], "{variable}={list}");
        }
    }
}

/// Not only of a process without the rights of root, as the documents have it: what counts is whether it is elevated.
#[test]
fn home_replaces_the_xdg_homes() {
    let run = devices(
        Scenario::new()
            .driver(at("home/.local/share/vulkan/icd.d", "data"))
            .driver(at("home/.config/vulkan/icd.d", "config")),
    );
    run.says("devices", "data,config");
    let run = devices(
        Scenario::new()
            .env("XDG_CONFIG_HOME", "SANDBOX/other")
            .env("XDG_DATA_HOME", "SANDBOX/other")
            .driver(at("home/.local/share/vulkan/icd.d", "data"))
            .driver(at("home/.config/vulkan/icd.d", "config")),
    );
    run.says("result", "ERROR_INCOMPATIBLE_DRIVER");
}

#[test]
fn searched_places_are_told() {
    let run =
        devices(Scenario::new().env("XDG_DATA_DIRS", "SANDBOX/nowhere:SANDBOX/data").driver(usual("a")));
    run.logs(&["nowhere/vulkan/icd.d"]).logs(&["data/vulkan/icd.d"]).logs(&["/etc/vulkan/icd.d"]);
}

// ---- variables that name files ----

#[test]
fn driver_files_may_be_folders() {
    let run = devices(
        Scenario::new()
            .env("VK_DRIVER_FILES", "SANDBOX/elsewhere")
            .driver(usual("a"))
            .driver(at("elsewhere", "b"))
            .driver(at("elsewhere", "c")),
    );
    run.says("devices", "c,b");
}

#[test]
fn added_files_come_before_the_search() {
    let run = devices(
        Scenario::new()
            .env("VK_ADD_DRIVER_FILES", "SANDBOX/elsewhere/b.json:SANDBOX/more")
            .driver(usual("a"))
            .driver(at("elsewhere", "b"))
            .driver(at("more", "c")),
    );
    run.says("devices", "a,c,b");
}

#[test]
fn a_bare_name_in_icd_filenames_is_looked_for_on_the_default_search_paths() {
    let run =
        devices(Scenario::new().env("VK_ICD_FILENAMES", "b.json").driver(usual("a")).driver(usual("b")));
    run.says("devices", "b");
}

// ---- filters by file name ----

#[test]
fn select_wins_over_disable() {
    let run = devices(
        Scenario::new()
            .env("VK_LOADER_DRIVERS_SELECT", "a*")
            .env("VK_LOADER_DRIVERS_DISABLE", "*")
            .driver(usual("a"))
            .driver(usual("b")),
    );
    run.says("devices", "a").logs(&["b.json", "VK_LOADER_DRIVERS_SELECT"]);
}

// ---- libraries ----

#[test]
fn a_bare_library_name_is_left_to_the_dynamic_linker() {
    let run = devices(
        Scenario::new().env("LD_LIBRARY_PATH", "SANDBOX/lib").driver(usual("a").library_path("liba.so")),
    );
    run.says("devices", "a");
}

#[test]
fn one_library_in_several_manifests_is_one_driver() {
    let scenario = Scenario::new().driver(usual("a"));
    let text = std::fs::read_to_string(scenario.sandbox().path("data/vulkan/icd.d/a.json")).unwrap();
    let run =
        devices(scenario.file("data/vulkan/icd.d/b.json", &text).file("config/vulkan/icd.d/c.json", &text));
    run.says("devices", "a").logs(&["b.json"]).logs(&["a.json"]);
}

#[test]
fn one_library_by_several_paths_is_one_driver() {
    let scenario = Scenario::new().driver(usual("a"));
    let library = scenario.sandbox().path("lib/liba.so");
    std::os::unix::fs::symlink(&library, scenario.sandbox().path("lib/libother.so")).unwrap();
    let other = scenario.sandbox().path("lib/libother.so");
    let manifest = format!(
        r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
        other.display()
    );
    let run = devices(scenario.file("data/vulkan/icd.d/b.json", manifest));
    run.says("devices", "a");
}

#[test]
fn what_changes_on_disk_is_seen_by_the_next_instance() {
    let run = Scenario::new().driver(usual("a")).driver(at("aside", "b")).run(|vk| {
        list_devices_1_0(vk);
        vk.say("before", vk.instance().names().join(","));
        std::fs::rename(vk.path("aside/b.json"), vk.path("data/vulkan/icd.d/b.json")).unwrap();
        vk.say("added", vk.instance().names().join(","));
        std::fs::remove_file(vk.path("data/vulkan/icd.d/a.json")).unwrap();
        vk.say("removed", vk.instance().names().join(","));
    });
    run.ok().says("before", "a").says("added", "b,a").says("removed", "b");
}

#[test]
fn a_variable_that_the_program_sets_for_itself_counts() {
    let run = Scenario::new().driver(usual("usual")).driver(at("aside", "own")).run(|vk| {
        vk.say("before", vk.instance().names().join(","));
        // SAFETY: this process has one thread.
        unsafe { std::env::set_var("VK_DRIVER_FILES", vk.path("aside/own.json")) };
        vk.say("after", vk.instance().names().join(","));
    });
    run.ok().says("before", "usual").says("after", "own");
}

#[test]
fn a_library_that_was_missing_is_found_when_it_comes() {
    let late = Driver::new("late").device(Device::new("gpu"));
    let scenario = Scenario::new().driver(late).with(|sandbox| {
        std::fs::rename(sandbox.path("lib/liblate.so"), sandbox.path("lib/not-yet")).unwrap();
    });
    let run = scenario.run(|vk| {
        for when in ["first", "again"] {
            vk.say(when, code(&vk.create(&Ask::new()).map(drop)));
        }
        std::fs::rename(vk.path("lib/not-yet"), vk.path("lib/liblate.so")).unwrap();
        vk.say("late", vk.instance().names().join(","));
    });
    run.ok().says("first", "ERROR_INCOMPATIBLE_DRIVER").says("again", "ERROR_INCOMPATIBLE_DRIVER");
    run.says("late", "gpu");
}
