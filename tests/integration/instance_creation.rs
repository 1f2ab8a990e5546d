//! The treatment of vkCreateInstance's parameters, and the version rules.
use std::ffi::CStr;

use ash::vk;
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, Vk, code, list_devices};

fn good(name: &str) -> Driver {
    Driver::new(name).device(Device::new(name))
}

// ---- versions ----

/// Each is asked for 1.3.
#[test]
fn a_driver_is_of_1_0_if_its_manifest_or_its_version_command_says_so() {
    const ASK: &str = "vkEnumerateInstanceVersion";
    let lying = |manifest| good("lying").manifest_api(manifest);
    for (driver, seen, asked, warns) in [
        (lying("1.0.5").api("1.3.0"), vk::API_VERSION_1_0, false, false),
        (lying("1.3.0").without(ASK), vk::API_VERSION_1_0, false, true),
        (lying("1.2.0").api("1.0.0"), vk::API_VERSION_1_0, true, true),
        (lying("1.3.0").result(ASK, vk::Result::ERROR_UNKNOWN), vk::API_VERSION_1_0, true, false),
        (good("lying").api("1.1.0"), vk::API_VERSION_1_3, true, false),
    ] {
        let run = Scenario::new().log().driver(driver).run(list_devices);
        let trace = run.ok().says("result", "SUCCESS").trace("lying");
        assert_eq!(trace.only("vkCreateInstance").get("api"), seen.to_string());
        assert_eq!(trace.has(ASK), asked, "{run:?}");
        if warns {
            run.logs(&["WARNING", "lying"]);
        }
    }
}

#[test]
fn versions_below_1_0_create_an_instance_and_log_an_error() {
    for (version, words) in [
        (0, None),
        (1, Some(["ERROR", "apiVersion"])),
        (vk::make_api_version(1, 1, 1, 0), Some(["WARNING", "variant"])),
    ] {
        let scenario = Scenario::new().log().driver(good("a")).argument("version", &version.to_string());
        let run = scenario.run(|vk| {
            vk.say("result", code(&vk.create(&Ask::new().raw_api(vk.arg("version").parse().unwrap()))));
        });
        run.ok().says("result", "SUCCESS");
        if let Some(words) = words {
            run.logs(&words)
        } else {
            run.logs_not(&["ERROR"])
        };
    }
}

/// The library stays open, and each start counts what its own manifest says.
#[test]
fn a_library_that_is_open_has_the_version_of_the_manifest_that_leads_to_it_now() {
    let old = good("lying").api("1.3.0").manifest_api("1.0.5");
    let run = Scenario::new().driver(old).run(|vk| {
        vk.create(&Ask::new().api(1, 3)).unwrap();
        let manifest = vk.path("data/vulkan/icd.d/lying.json");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let newer = vk.path("newer.json");
        std::fs::write(&newer, text.replace("1.0.5", "1.3.0")).unwrap();
        // SAFETY: a body has one thread.
        unsafe { std::env::set_var("VK_DRIVER_FILES", &newer) };
        vk.create(&Ask::new().api(1, 3)).unwrap();
        unsafe { std::env::set_var("VK_DRIVER_FILES", &manifest) };
        vk.create(&Ask::new().api(1, 3)).unwrap();
    });
    run.ok();
    let trace = run.trace("lying");
    assert_eq!(trace.commands().iter().filter(|command| **command == "load").count(), 1);
    let seen: Vec<u32> =
        trace.calls("vkCreateInstance").iter().map(|call| call.get("api").parse().unwrap()).collect();
    assert_eq!(seen, [vk::API_VERSION_1_0, vk::API_VERSION_1_3, vk::API_VERSION_1_0]);
}

#[test]
fn the_applications_structure_is_not_changed() {
    let run = Scenario::new().driver(good("a").api("1.0.0")).run(|vk| {
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        unsafe { vk.entry.create_instance(&info, None).unwrap().destroy_instance(None) };
        vk.say("version", application.api_version == vk::API_VERSION_1_2);
        vk.say("same", std::ptr::eq(info.p_application_info, &raw const application));
    });
    run.ok().says("version", true).says("same", true);
}

#[test]
fn the_loaders_version_does_not_depend_on_drivers() {
    let body = |vk: &Vk| {
        let version = unsafe { vk.entry.try_enumerate_instance_version() }.unwrap().unwrap();
        vk.say("version", version);
    };
    let without = Scenario::new().run(body);
    let with = Scenario::new().driver(good("a").api("1.0.0")).run(body);
    with.ok().says("version", without.ok().said("version"));
    let version: u32 = with.said("version").parse().unwrap();
    assert!(version >= vk::make_api_version(0, 1, 4, 0), "{version:#x}");
}

#[test]
fn the_patch_version_is_ignored() {
    let run =
        Scenario::new().log().driver(good("old").api("1.0.7")).driver(good("new").api("1.1.3")).run(|vk| {
            for minor in [0, 1, 3] {
                let ask = Ask::new().raw_api(vk::make_api_version(0, 1, minor, 4000));
                let instance = vk.create(&ask).unwrap();
                // Commands of 1.3 belong to each of its patch versions.
                vk.say(&format!("1.{minor}"), instance.proc("vkCreateInstance") != 0);
                assert_eq!(instance.names().len(), 2);
            }
        });
    run.ok().says("1.0", true).says("1.1", true).says("1.3", false).logs_not(&["ERROR"]);
    let trace = run.trace("old");
    let calls = trace.calls("vkCreateInstance");
    let minors: Vec<u32> =
        calls.iter().map(|call| vk::api_version_minor(call.get("api").parse().unwrap())).collect();
    assert_eq!(minors, [0, 0, 0]);
}

// ---- requests ----

#[test]
fn a_missing_layer_is_reported_before_a_missing_extension() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let ask = Ask::new().layer("VK_LAYER_nobody_has").extension("VK_KHR_surface");
        vk.say("both", code(&vk.create(&ask).map(drop)));
        vk.say("extension", code(&vk.create(&Ask::new().extension("VK_KHR_surface")).map(drop)));
    });
    run.ok().says("both", "ERROR_LAYER_NOT_PRESENT").says("extension", "ERROR_EXTENSION_NOT_PRESENT");
    assert!(!run.trace("a").has("vkCreateInstance"));
}

#[test]
fn no_layers_are_listed_if_none_exist() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        vk.say("layers", unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap().len());
    });
    run.ok().says("layers", 0);
}

#[test]
fn counts_without_arrays_are_errors() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let info = vk::InstanceCreateInfo { enabled_extension_count: 1, ..Default::default() };
        // SAFETY: the test is about the NULL arrays.
        vk.say("extensions", code(&unsafe { vk.entry.create_instance(&info, None) }));
        let info = vk::InstanceCreateInfo { enabled_layer_count: 1, ..Default::default() };
        vk.say("layers", code(&unsafe { vk.entry.create_instance(&info, None) }));
    });
    run.ok().says("extensions", "ERROR_EXTENSION_NOT_PRESENT").says("layers", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn what_hangs_on_the_create_info_reaches_drivers() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let next = vk::ValidationFeaturesEXT::default();
        let info = vk::InstanceCreateInfo { p_next: (&raw const next).cast(), ..Default::default() };
        unsafe { vk.entry.create_instance(&info, None).unwrap().destroy_instance(None) };
    });
    let expected = vk::StructureType::VALIDATION_FEATURES_EXT.as_raw().to_string();
    assert!(run.ok().trace("a").only("vkCreateInstance").list("chain").contains(&expected.as_str()));
}

#[test]
fn what_hangs_on_the_create_info_reaches_layers() {
    let layer = Layer::new("VK_LAYER_TEST_a").implicit().does("tell_chain");
    let run = Scenario::new().driver(good("a")).layer(layer).run(|vk| {
        let settings = vk::LayerSettingsCreateInfoEXT::default();
        let features =
            vk::ValidationFeaturesEXT { p_next: (&raw const settings).cast(), ..Default::default() };
        drop(vk.create(&Ask::new().next(&features)).unwrap());
    });
    let trace = run.ok().trace("VK_LAYER_TEST_a");
    let chained = trace.calls("chained");
    let kinds: Vec<_> = chained.iter().map(|call| call.get("type")).collect();
    for kind in
        [vk::StructureType::VALIDATION_FEATURES_EXT, vk::StructureType::LAYER_SETTINGS_CREATE_INFO_EXT]
    {
        let kind = kind.as_raw().to_string();
        assert!(kinds.contains(&kind.as_str()), "{kind} is not in {kinds:?}");
    }
}

#[test]
fn a_setting_that_the_layers_manifest_does_not_declare() {
    use vk::LayerSettingTypeEXT as Type;
    const FEATURES: &str = r#"{"presets": [], "settings": [
        {"key": "limit_messages", "type": "BOOL", "default": true, "settings": [{"key": "limit", "type": "INT"}]},
        {"key": "checks", "type": "FLAGS", "flags": [
            {"key": "shaders", "settings": [{"key": "scale", "type": "FLOAT"}]}
        ]},
        {"key": "ids", "type": "LIST"}
    ]}"#;
    const GIVEN: [(&CStr, &CStr, Type); 9] = [
        (c"VK_LAYER_TEST_a", c"limit_messages", Type::BOOL32),
        (c"VK_LAYER_TEST_a", c"limit", Type::UINT32),
        (c"VK_LAYER_TEST_a", c"scale", Type::FLOAT32),
        (c"VK_LAYER_TEST_a", c"ids", Type::INT64),
        (c"VK_LAYER_TEST_a", c"limits", Type::UINT32),
        (c"VK_LAYER_TEST_a", c"shaders", Type::BOOL32),
        (c"VK_LAYER_TEST_a", c"checks", Type::BOOL32),
        (c"VK_LAYER_TEST_a", c"scale", Type::INT32),
        (c"VK_LAYER_TEST_silent", c"anything", Type::BOOL32),
    ];
    let a = Layer::new("VK_LAYER_TEST_a").field("features", &FEATURES.replace('\n', ""));
    let run = Scenario::new().driver(good("a")).layer(a).layer(Layer::new("VK_LAYER_TEST_silent")).log().run(
        |vk| {
            let value = [0u64];
            let settings = GIVEN.map(|(layer, name, ty)| vk::LayerSettingEXT {
                p_layer_name: layer.as_ptr(),
                p_setting_name: name.as_ptr(),
                ty,
                value_count: 1,
                p_values: value.as_ptr().cast(),
                ..Default::default()
            });
            let (first, second) = settings.split_at(3);
            let mut more = vk::LayerSettingsCreateInfoEXT::default().settings(second);
            let all = vk::LayerSettingsCreateInfoEXT { p_next: (&raw mut more).cast(), ..Default::default() };
            let ask = Ask::new().layer("VK_LAYER_TEST_a").layer("VK_LAYER_TEST_silent");
            drop(vk.create(&ask.next(&all.settings(first))).unwrap());
        },
    );
    let mut log = run.ok().log();
    log.retain(|(_, line)| line.contains("VK_LAYER_TEST_") && line.contains(" declares "));
    for said in [
        "declares no setting \"limits\"",
        "declares no setting \"shaders\"",
        "the type FLAGS for the setting \"checks\"",
        "the type FLOAT for the setting \"scale\"",
    ] {
        assert_eq!(log.iter().filter(|(_, line)| line.contains(said)).count(), 1, "{said}: {log:?}");
    }
    assert_eq!(log.len(), 4, "{log:?}");
}

#[test]
fn a_missing_count_is_refused() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        let instance = vk.instance();
        // SAFETY: the test is about the missing pointer.
        let result = unsafe {
            (instance.fp_v1_0().enumerate_physical_devices)(
                instance.handle(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        vk.say("result", format_args!("{result:?}"));
    });
    run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
    run.logs(&["VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter"]);
}

// ---- portability ----

fn portability(name: &str) -> Driver {
    good(name).manifest_field("is_portability_driver", "true")
}

fn with_flag_and_extension(vk: &Vk) {
    let ask = Ask::new().api(1, 1).portability_flag().extension("VK_KHR_portability_enumeration");
    vkload_tests::list_devices_asking(vk, &ask);
}

#[test]
fn portability_drivers_are_left_out_unless_asked_for() {
    let run = Scenario::new().driver(portability("part")).driver(good("full")).run(list_devices);
    run.ok().says("devices", "full");
    let run = Scenario::new().driver(portability("part")).driver(good("full")).run(with_flag_and_extension);
    assert_eq!(run.ok().list("devices").len(), 2);
}

#[test]
fn portability_drivers_need_both_the_flag_and_the_extension() {
    type Body = fn(&Vk);
    let flag: Body = |vk| vkload_tests::list_devices_asking(vk, &Ask::new().api(1, 1).portability_flag());
    let extension: Body = |vk| {
        vkload_tests::list_devices_asking(
            vk,
            &Ask::new().api(1, 1).extension("VK_KHR_portability_enumeration"),
        )
    };
    let mut messages = Vec::new();
    for body in [list_devices as Body, flag, extension] {
        let run = Scenario::new().log().driver(portability("part")).run(body);
        run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER");
        let message = run
            .log()
            .into_iter()
            .rfind(|(_, text)| text.contains("ortability"))
            .map(|(_, text)| text.to_owned());
        messages.push(message.expect("a message about portability"));
    }
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), 3, "each case has a message of its own: {messages:#?}");
}

#[test]
fn the_portability_flag_is_kept_from_ordinary_drivers() {
    let flag = vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
    let has = portability("has").extension("VK_KHR_portability_enumeration");
    let run = Scenario::new().driver(good("full")).driver(has).run(with_flag_and_extension);
    assert_eq!(run.ok().trace("full").only("vkCreateInstance").get("flags"), "0");
    assert_eq!(run.trace("has").only("vkCreateInstance").get("flags"), flag.as_raw().to_string());
}

#[test]
fn other_flags_reach_drivers() {
    let run = Scenario::new().driver(good("a")).run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new().flags(vk::InstanceCreateFlags::from_raw(0x100)))));
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(run.trace("a").only("vkCreateInstance").get("flags"), "256");
}

#[test]
fn without_a_driver_no_layer_is_called_and_extensions_are_not_looked_at() {
    let run = Scenario::new().layer(Layer::new("VK_LAYER_TEST_a").implicit()).run(|vk| {
        let ask = Ask::new().extension("VK_KHR_surface");
        vk.say("result", code(&vk.create(&ask).map(drop)));
        vk.say("layer", code(&vk.create(&ask.layer("VK_LAYER_TEST_none")).map(drop)));
    });
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER").says("layer", "ERROR_LAYER_NOT_PRESENT");
    assert!(!run.trace("VK_LAYER_TEST_a").has("vkCreateInstance"));
}

#[test]
fn versions_of_another_variant_are_compared_without_it() {
    let run = Scenario::new().driver(vkload_tests::layered::good()).run(|vk| {
        for (key, minor) in [("old", 1), ("new", 3)] {
            let instance = vk.create(&Ask::new().raw_api(vk::make_api_version(1, 1, minor, 0))).unwrap();
            vk.say(key, instance.proc("vkCreateInstance") != 0);
        }
    });
    run.ok().says("old", true).says("new", false);
}

#[test]
fn a_driver_of_1_0_is_asked_for_1_0_whatever_the_variant() {
    let run = Scenario::new().driver(Driver::new("old").api("1.0.0")).run(|vk| {
        let ask = Ask::new().raw_api(vk::make_api_version(1, 1, 0, 0));
        vk.say("result", code(&vk.create(&ask).map(drop)));
    });
    run.ok().says("result", "SUCCESS");
}
