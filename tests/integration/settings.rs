//! The settings file, `vk_loader_settings.json`: which file is used, and its effects on programs.
use std::fs;

use vkload_tests::layered::{A, B, C, active, create, create_with_a, good};
use vkload_tests::listening::{Severity, Types, ask, messenger, say_heard};
use vkload_tests::{Ask, Device, Driver, Layer, Run, Scenario, Vk, code, list_devices, list_devices_1_0};

const FILE: &str = "vulkan/loader_settings.d/vk_loader_settings.json";

/// Returns a driver, the explicit layers A and B and the implicit layer C.
fn machine() -> Scenario {
    Scenario::new().driver(good()).layer(Layer::new(A)).layer(Layer::new(B)).layer(Layer::new(C).implicit())
}

/// Returns the settings file's text for one of these layers.
fn layer(name: &str, control: &str) -> String {
    let kind = if name == C { "implicit" } else { "explicit" };
    format!(
        r#"{{"name": "{name}", "path": "SANDBOX/data/vulkan/{kind}_layer.d/{name}.json", "control": "{control}",
            "treat_as_implicit_manifest": {}}}"#,
        name == C
    )
}

const OTHERS: &str = r#"{"control": "unordered_layer_location"}"#;

fn layers(list: &[String]) -> String {
    format!("\"layers\": [{}]", list.join(", "))
}

/// As in later versions of Khronos' loader. Switching a layer off needs only its name.
#[test]
fn an_entry_whose_path_does_not_end_in_json_is_ignored() {
    let entry = |control: &str| {
        format!(r#"{{"name": "{A}", "path": "SANDBOX/elsewhere/{A}.manifest", "control": "{control}"}}"#)
    };
    let here = |control: &str| {
        let elsewhere = machine().layer(Layer::new(A).folder("elsewhere")).with(|sandbox| {
            let path = |kind| sandbox.path(format!("elsewhere/{A}.{kind}"));
            fs::rename(path("json"), path("manifest")).unwrap();
        });
        let list = [entry(control), layer(B, "on"), OTHERS.to_owned()];
        elsewhere.log().settings(&layers(&list)).run(|vk| {
            vk.say("named", code(&vk.create(&Ask::new().layer(A)).map(drop)));
        })
    };
    for control in ["on", "auto"] {
        let run = here(control);
        run.ok().says("named", "SUCCESS");
        assert_eq!(active(&run), [B, C, A], "{control}: A as it is found, not as it is listed");
        run.logs(&["WARNING", "line 3", "\"path\" must be a path that ends in .json", "ignored"]);
    }
    here("off").ok().says("named", "ERROR_LAYER_NOT_PRESENT");
}

// ---- layers ----

#[test]
fn a_layer_that_is_off_is_not_present() {
    let run = machine().settings(&layers(&[layer(A, "off"), OTHERS.to_owned()])).log().run(create_with_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
    run.logs(&["ERROR", A, "the settings file turns it off"]);
    let run = machine().settings(&layers(&[layer(C, "off"), OTHERS.to_owned()])).run(create);
    assert!(active(&run).is_empty());
}

#[test]
fn an_empty_list_means_no_layers_and_no_list_says_nothing() {
    assert!(active(&machine().settings(&layers(&[])).run(create)).is_empty());
    assert_eq!(active(&machine().settings("").run(create)), [C]);
}

#[test]
fn a_layer_outside_of_all_folders_can_be_listed() {
    let elsewhere = format!(r#"{{"name": "{A}", "path": "SANDBOX/elsewhere/{A}.json", "control": "on"}}"#);
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(A).folder("elsewhere"))
        .settings(&layers(&[elsewhere, OTHERS.to_owned()]))
        .run(create);
    assert_eq!(active(&run), [A]);
}

// ---- which file, which object ----

#[test]
fn an_object_for_the_program_goes_before_one_for_all() {
    let with_keys = |key: &str| {
        format!(
            r#"{{"file_format_version": "1.0.0", "settings_array": [
                {{"layers": []}},
                {{"app_keys": ["/usr/bin/other", "{key}"], {}}}]}}"#,
            layers(&[layer(A, "on")])
        )
    };
    let this = std::env::current_exe().unwrap();
    let run = machine().settings_file(&with_keys(this.to_str().unwrap())).run(create);
    assert_eq!(active(&run), [A]);
    let run = machine().settings_file(&with_keys("/usr/bin/another")).run(create);
    assert!(active(&run).is_empty());
}

#[test]
fn a_change_of_the_file_shows_at_the_next_call() {
    let run = machine().settings(&layers(&[])).run(|vk| {
        vk.say("before", code(&vk.create(&Ask::new().layer("VK_LAYER_TEST_a")).map(drop)));
        fs::remove_file(vk.path("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json"))
            .unwrap();
        vk.say("after", code(&vk.create(&Ask::new().layer("VK_LAYER_TEST_a")).map(drop)));
    });
    run.ok().says("before", "ERROR_LAYER_NOT_PRESENT").says("after", "SUCCESS");
}

// ---- messages ----

#[test]
fn stderr_log_takes_the_place_of_the_variable() {
    let run = machine().settings(r#""stderr_log": ["info"]"#).env("VK_LOADER_DEBUG", "debug").run(create);
    run.ok().logs(&["INFO", "is active"]).logs_not(&["DEBUG"]);
    let run = machine().settings(r#""stderr_log": []"#).env("VK_LOADER_DEBUG", "debug").run(create);
    run.ok().logs(&["DEBUG"]).logs_not(&["INFO:"]);
}

#[test]
fn without_either_nothing_is_written() {
    let run = machine().settings(&layers(&[layer(A, "on")])).run(create);
    assert_eq!(run.ok().stderr, "");
}

#[test]
fn log_locations_are_written() {
    let run = machine()
        .settings(
            r#""log_locations": [{"destinations": ["SANDBOX/out/all", "relative"], "filters": ["all"]},
                {"destinations": ["SANDBOX/out/layers"], "filters": ["layer"]}]"#,
        )
        .run(create);
    assert_eq!(run.ok().stderr, "");
    let read = |file: &str| fs::read_to_string(run.sandbox.path(file)).unwrap();
    let (all, layers) = (read("out/all"), read("out/layers"));
    assert_eq!(all, read("home/.local/share/vulkan/loader_settings.d/relative"));
    assert!(all.contains("[Vulkan Loader] INFO | LAYER:   layer VK_LAYER_TEST_c is active\n"), "{all}");
    assert!(all.contains("the settings file"), "{all}");
    assert!(layers.lines().all(|line| line.contains("| LAYER:")), "{layers}");
    assert!(layers.lines().count() > 2 && layers.lines().count() < all.lines().count());
}

/// Every message is written to each file.
#[test]
fn the_number_of_log_files_is_limited() {
    let one_place = |count| {
        let files: Vec<_> = (0..count).map(|number| format!(r#""SANDBOX/logs/{number}""#)).collect();
        format!(r#""log_locations": [{{"destinations": [{}]}}], "stderr_log": ["warn"]"#, files.join(", "))
    };
    let places: Vec<_> =
        (0..65).map(|number| format!(r#"{{"destinations": ["SANDBOX/logs/{number}"]}}"#)).collect();
    let places = format!(r#""log_locations": [{}], "stderr_log": ["warn"]"#, places.join(", "));
    for (settings, too_many) in [(one_place(64), false), (one_place(65), true), (places, true)] {
        let run = machine().settings(&settings).file("logs/keep", "").run(create);
        assert_eq!(fs::read_dir(run.ok().sandbox.path("logs")).unwrap().count(), 65);
        assert_eq!(run.stderr.contains("\"log_locations\" has too many values"), too_many, "{}", run.stderr);
    }
}

#[test]
fn a_log_location_may_be_standard_error() {
    let run = machine()
        .settings(r#""log_locations": [{"destinations": ["stderr"], "filters": ["info"]}]"#)
        .run(create);
    run.ok().logs(&["INFO", "is active"]).logs_not(&["DEBUG"]);
}

#[test]
fn a_file_that_cannot_be_written_is_a_warning() {
    let run = machine()
        .settings(r#""log_locations": [{"destinations": ["/nowhere/log"]}], "stderr_log": ["warn"]"#)
        .run(create);
    run.ok().logs(&["WARNING", "messages cannot be written to /nowhere/log"]);
}

/// Sets a limit on the size of files, and creates an instance.
fn create_with_small_files(vk: &Vk) {
    let limit = libc::rlimit { rlim_cur: 2000, rlim_max: 2000 };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
    create(vk);
}

#[test]
fn a_limit_on_the_size_of_files_does_not_let_the_log_end_the_process() {
    let run = machine()
        .settings(r#""log_locations": [{"destinations": ["SANDBOX/out/log"]}]"#)
        .run(create_with_small_files);
    run.ok().says("result", "SUCCESS");
    let log = fs::read(run.sandbox.path("out/log")).unwrap();
    assert!((1000..=2000).contains(&log.len()) && log.ends_with(b"\n"), "{}", log.escape_ascii());
}

#[test]
fn a_fifo_without_a_reader_is_not_waited_for_by_the_log() {
    let run = machine()
        .settings(r#""log_locations": [{"destinations": ["SANDBOX/fifo"]}], "stderr_log": ["warn"]"#)
        .with(|sandbox| {
            let path = std::ffi::CString::new(sandbox.path("fifo").to_str().unwrap()).unwrap();
            // SAFETY: the path is a C string.
            assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        })
        .run(create);
    run.ok().says("result", "SUCCESS").logs(&["messages cannot be written to", "/fifo"]);
    assert_eq!(run.stderr.matches("/fifo").count(), 1, "it is said once: {}", run.stderr);
}

#[test]
fn what_each_file_gets_does_not_grow_with_the_number_of_files() {
    let logged = |folder: &str, files: usize| {
        let destinations: Vec<_> =
            (0..files).map(|number| format!("\"SANDBOX/{folder}/{number}\"")).collect();
        let run = machine()
            .settings(&format!(r#""log_locations": [{{"destinations": [{}]}}]"#, destinations.join(",")))
            .file("logs/keep", "")
            .run(create);
        run.ok();
        run
    };
    let first = |run: &Run| fs::read_to_string(run.sandbox.path("logs/0")).unwrap();
    let (some, many) = (first(&logged("logs", 100)), first(&logged("logs", 1000)));
    assert_eq!(some.lines().count(), many.lines().count());
    assert!(many.len() < some.len() + 100, "{} bytes become {}", some.len(), many.len());
    let told = |folder: &str, files: usize| {
        let destinations: Vec<_> =
            (0..files).map(|number| format!("\"SANDBOX/{folder}/{number}\"")).collect();
        let locations = format!(
            r#""log_locations": [{{"destinations": [{}]}}], "stderr_log": ["warn"]"#,
            destinations.join(",")
        );
        let run = machine().settings(&locations).run(create);
        run.ok().stderr.lines().count()
    };
    assert_eq!(told("nowhere", 8), 8);
    assert_eq!(told("nowhere", 64), 8);
}

#[test]
fn the_settings_are_shown_with_their_file() {
    let run = machine()
        .settings(r#""stderr_log": ["all"], "additional_drivers": [{"path": "/x.json"}]"#)
        .run(create);
    run.ok().logs(&["INFO", FILE, "is used"]);
    run.logs(&["DEBUG", r#"{"stderr_log": ["all"], "additional_drivers": [{"path": "/x.json"}]}"#]);
}

#[test]
fn wrong_content_is_a_warning_with_field_and_line() {
    let run = machine()
        .settings(
            "\n\"stderr_log\": [\"warn\"],\n\"layres\": [],\n\"additional_drivers\": [{\"pat\": \"/x\"}]",
        )
        .run(create);
    assert_eq!(active(&run), [C]);
    run.logs(&["WARNING", FILE, "line 5: \"layres\" is not a field of this object"]);
    run.logs(&["WARNING", FILE, "line 6: \"pat\" is not a field"]).logs(&["line 6: \"path\" is missing"]);
    let run = machine().settings_file("{\n\"settings\": ").log().run(create);
    assert_eq!(active(&run), [C]);
    run.logs(&["WARNING", FILE, "is ignored", "line 2"]);
}

#[test]
fn one_wrong_entry_takes_the_whole_list_of_layers_away() {
    let run = machine().settings(&layers(&[layer(A, "on"), "7".to_owned()])).log().run(create);
    assert_eq!(active(&run), [C], "layers are searched for as usual");
    run.logs(&["WARNING", FILE, "the whole list is ignored"]);
}

#[test]
fn a_chained_messenger_receives_warnings() {
    let run = machine().settings("\"layres\": []").run(|vk| {
        for key in ["first", "second"] {
            let info = messenger(1, (Severity::WARNING, Types::GENERAL));
            drop(vk.create(&ask().next(&info)).unwrap());
            say_heard(vk, key);
        }
    });
    for key in ["first", "second"] {
        assert_eq!(run.ok().said(key).matches("\"layres\" is not a field").count(), 1, "{key}");
    }
}

// ---- drivers ----

#[test]
fn a_malformed_entry_leaves_the_other_drivers() {
    let run = Scenario::new()
        .driver(Driver::new("a").folder("elsewhere").device(Device::new("a")))
        .settings(r#""additional_drivers": [{}, 7, {"path": 1}, {"path": "SANDBOX/elsewhere/a.json"}]"#)
        .run(list_devices);
    run.ok().says("devices", "a");
}

// ---- libraries ----

#[test]
fn libraries_stay_open_if_the_user_wants_it() {
    fn body(vk: &Vk) {
        drop(vk.create(&Ask::new().layer("VK_LAYER_TEST_a")).unwrap());
        vk.close_all();
        vk.say("layer", vk.is_loaded("VK_LAYER_TEST_a"));
    }
    machine().run(body).ok().says("layer", false);
    let scenario = |value| machine().env("VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING", value);
    scenario("1").run(body).ok().says("layer", true);
    scenario("0").run(body).ok().says("layer", false);
}

// ---- the files that Vulkan Configurator writes ----

/// Returns the settings as one of the tool's modes writes them.
fn configured(text: &str) -> Scenario {
    let this = std::env::current_exe().unwrap();
    machine().settings_file(&text.replace("PROGRAM", this.to_str().unwrap()))
}

#[test]
fn configurator_for_any_program() {
    let text = include_str!("../fuzz/seeds/settings/configurator_any_program.json");
    assert_eq!(active(&configured(text).run(create)), [B, C]);
    configured(text).run(create_with_a).ok().says("result", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn configurator_for_some_programs() {
    let text = include_str!("../fuzz/seeds/settings/configurator_some_programs.json");
    assert_eq!(active(&configured(text).run(create)), [A]);
    let run = machine().settings_file(text).run(create);
    assert_eq!(active(&run), [C], "other programs only have the log");
}

#[test]
fn configurator_with_drivers() {
    let added = Driver::new("added").folder("elsewhere").device(Device::new("added"));
    let text = include_str!("../fuzz/seeds/settings/configurator_drivers.json");
    configured(text).driver(added).run(list_devices_1_0).ok().says("devices", "gpu,added");
}

#[test]
fn configurator_with_devices() {
    let device = |name: &str| Device::new(name).id(9, 1);
    let driver = || Driver::new("two").device(device("one")).device(device("two")).device(device("three"));
    let single = include_str!("../fuzz/seeds/settings/configurator_single_device.json");
    configured(single).driver(driver()).run(list_devices).ok().says("devices", "two");
    let sorted = include_str!("../fuzz/seeds/settings/configurator_sorted_devices.json");
    configured(sorted).driver(driver()).run(list_devices).ok().says("devices", "two,one");
}
