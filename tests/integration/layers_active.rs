//! The active layers, their order, and the lists that applications get.
use vkload_tests::layered::{A, B, C, active, create, create_with_a, good, listed};
use vkload_tests::{Ask, Layer, Scenario, code};

fn scenario() -> Scenario {
    Scenario::new().driver(good())
}

/// Returns two explicit layers, A and B, and an implicit one, C.
fn two_and_one() -> Scenario {
    scenario().layer(Layer::new(A)).layer(Layer::new(B)).layer(Layer::new(C).implicit())
}

#[test]
fn variables_end_to_end() {
    /// Variables, and the layers that are active with them.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);
    let cases: [Case<'_>; 12] = [
        (&[], &[C]),
        (&[("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_b:VK_LAYER_TEST_a")], &[C, B, A]),
        (&[("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_b:VK_LAYER_TEST_b")], &[C, B]),
        (&[("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_none")], &[C]),
        (&[("VK_LOADER_LAYERS_ENABLE", "*_a")], &[C, A]),
        (&[("VK_LOADER_LAYERS_DISABLE", "~implicit~")], &[]),
        (&[("VK_LOADER_LAYERS_DISABLE", "~all~")], &[]),
        (&[("VK_LOADER_LAYERS_DISABLE", "~all~"), ("VK_LOADER_LAYERS_ENABLE", "*_B")], &[B]),
        (&[("VK_LOADER_LAYERS_DISABLE", "~all~"), ("VK_LOADER_LAYERS_ALLOW", "*_c")], &[C]),
        (&[("VK_LOADER_LAYERS_DISABLE", "~explicit~")], &[C]),
        (&[("NO_VK_LAYER_TEST_c", "0")], &[]),
        (&[("NO_VK_LAYER_TEST_c", "1"), ("VK_LOADER_LAYERS_ALLOW", "*")], &[]),
    ];
    for (variables, expected) in cases {
        let scenario =
            variables.iter().fold(two_and_one(), |scenario, (name, value)| scenario.env(name, value));
        let run = scenario.run(create);
        run.ok().says("result", "SUCCESS");
        assert_eq!(active(&run), expected, "{variables:?}");
    }
}

#[test]
fn an_implicit_layer_named_by_the_application_is_active_whatever_its_variables_say() {
    let run = scenario().layer(Layer::new(A).implicit()).env("NO_VK_LAYER_TEST_a", "1").run(create_with_a);
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [A]);
}

#[test]
fn a_layer_that_the_application_asks_for_and_a_variable_disables_is_not_present() {
    let run = two_and_one().env("VK_LOADER_LAYERS_DISABLE", "*_a").run(create_with_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_layer_that_does_not_exist_is_not_present() {
    let run = scenario().run(create_with_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_layer_in_all_lists_is_there_once() {
    let run = two_and_one().env("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_a").run(|vk| {
        vk.say("result", code(&vk.create(&Ask::new().layer(A).layer(A).layer(C)).map(drop)));
    });
    run.ok().says("result", "SUCCESS");
    assert_eq!(active(&run), [C, A]);
}

#[test]
fn device_layers_have_no_effect() {
    use ash::vk;
    let run = two_and_one().env("VK_DEVICE_LAYERS", A).log().run(|vk| {
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let physical_device = instance.devices()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let create = |names: &[*const std::ffi::c_char]| {
            #[expect(deprecated, reason = "applications still pass them")]
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_layer_names(names);
            // SAFETY: the structure and all that it points to are alive.
            unsafe {
                let device = instance.create_device(physical_device, &info, None).unwrap();
                device.destroy_device(None);
            }
        };
        create(&[c"VK_LAYER_TEST_a".as_ptr()]);
        create(&[c"VK_LAYER_TEST_b".as_ptr()]);
        let layers = unsafe { instance.enumerate_device_layer_properties(physical_device) };
        vk.say("layers", layers.unwrap().len());
    });
    run.ok();
    assert_eq!(run.trace("good").last("vkCreateDevice").get("layers"), "0");
    assert!(!run.loaded(B));
    run.logs(&["WARNING", "VK_LAYER_TEST_b", "device layers"]);
    run.logs(&["VK_DEVICE_LAYERS"]);
}

/// Returns the text of a manifest that holds A, of this type, as `layer` or as the only element of `layers`.
fn manifest_of_a(file_format: &str, of_type: &str, is_list: bool) -> String {
    let (before, behind) = if is_list { ("layers\": [", "]") } else { ("layer\": ", "") };
    format!(
        r#"{{"file_format_version": "{file_format}", "{before}{{"name": "{A}", "type": "{of_type}", "library_path": "LIBRARY",
            "api_version": "1.3.0", "implementation_version": "1", "description": "a"}}{behind}}}"#
    )
}

#[test]
fn layers_of_type_instance_take_part_in_devices() {
    for of_type in ["GLOBAL", "INSTANCE"] {
        let run =
            scenario().layer(Layer::new(A).manifest(&manifest_of_a("1.2.0", of_type, false))).run(|vk| {
                let instance = vk.create(&Ask::new().layer(A)).unwrap();
                let device = instance.device(instance.devices()[0], &[]);
                unsafe { device.destroy_device(None) };
            });
        run.ok();
        assert_eq!(run.calls(&["vkCreateDevice"]), [format!("{A} vkCreateDevice")], "{of_type}");
    }
}

#[test]
fn a_list_of_layers_before_file_format_1_0_1_is_read_with_a_warning() {
    for (file_format, warned) in [("1.0.0", true), ("1.0.1", false)] {
        let manifest = manifest_of_a(file_format, "GLOBAL", true);
        let run = scenario().log().layer(Layer::new(A).manifest(&manifest)).run(create_with_a);
        run.ok().says("result", "SUCCESS");
        let words = ["WARNING", "VK_LAYER_TEST_a.json", "\"layers\" needs file format version 1.0.1"];
        if warned {
            run.logs(&words)
        } else {
            run.logs_not(&words)
        };
    }
}

#[test]
fn enable_environment_has_no_effect_on_an_explicit_layer() {
    let layer = || Layer::new(A).field("enable_environment", r#"{"YES_A": "on"}"#);
    for value in ["on", "off"] {
        let run = scenario().layer(layer()).env("YES_A", value).run(create);
        run.ok().says("result", "SUCCESS");
        assert!(active(&run).is_empty(), "{value}");
        let run = scenario().layer(layer()).env("YES_A", value).run(create_with_a);
        run.ok().says("result", "SUCCESS");
        assert_eq!(active(&run), [A], "{value}");
    }
}

/// The document limits the search to the directories in the variable; shipped loaders apply that only to explicit layers.
#[test]
fn vk_layer_path_does_not_replace_the_search_for_implicit_layers() {
    let run = two_and_one()
        .env("VK_LAYER_PATH", "SANDBOX/aside")
        .layer(Layer::new("VK_LAYER_TEST_d").folder("aside"))
        .run(|vk| vk.say("names", listed(vk).join(",")));
    run.ok().says("names", "VK_LAYER_TEST_c,VK_LAYER_TEST_d");
}

#[test]
fn extension_queries_with_layer_names() {
    let layer = |name: &str| {
        Layer::new(name).instance_extension("VK_TEST_instance").device_extension("VK_TEST_device")
    };
    let run = scenario().layer(layer(A)).layer(layer(C).implicit()).run(|vk| {
        use vkload_tests::extension_names;
        let instance_extensions = |layer| unsafe { vk.entry.enumerate_instance_extension_properties(layer) };
        for (key, layer) in [("a", c"VK_LAYER_TEST_a"), ("c", c"VK_LAYER_TEST_c")] {
            vk.say(key, extension_names(&instance_extensions(Some(layer)).unwrap()).join(","));
        }
        vk.say("none", code(&instance_extensions(Some(c"VK_LAYER_TEST_none")).map(drop)));
        let all = extension_names(&instance_extensions(None).unwrap());
        vk.say("all", all.iter().filter(|name| *name == "VK_TEST_instance").count());
        let instance = vk.create(&Ask::new().layer(A)).unwrap();
        let device = instance.devices()[0];
        let device_extensions = |layer: Option<&std::ffi::CStr>| {
            let enumerate = instance.fp_v1_0().enumerate_device_extension_properties;
            let layer = layer.map_or(std::ptr::null(), std::ffi::CStr::as_ptr);
            let (mut count, mut list) = (16, [ash::vk::ExtensionProperties::default(); 16]);
            // SAFETY: the device is alive; a counted out-array.
            let result = unsafe { enumerate(device, layer, &mut count, list.as_mut_ptr()) };
            (result, extension_names(&list[..count as usize]).join(","))
        };
        vk.say("device a", device_extensions(Some(c"VK_LAYER_TEST_a")).1);
        vk.say("device none", format_args!("{:?}", device_extensions(Some(c"VK_LAYER_TEST_none")).0));
        vk.say("device all", device_extensions(None).1);
    });
    run.ok()
        .says("a", "VK_TEST_instance")
        .says("c", "VK_TEST_instance")
        .says("none", "ERROR_LAYER_NOT_PRESENT");
    run.says("all", 1).says("device a", "VK_TEST_device").says("device none", "ERROR_LAYER_NOT_PRESENT");
    run.says("device all", "VK_TEST_device");
}

#[test]
fn no_library_is_opened_to_list_layers_and_their_extensions() {
    let extension = |layer: Layer| layer.instance_extension("VK_TEST_instance");
    let driver = good();
    let scenario = Scenario::new().driver(driver).layer(extension(Layer::new(A)));
    let run = scenario.layer(extension(Layer::new(C).implicit())).run(|vk| {
        vk.say("names", listed(vk).join(","));
        unsafe {
            vk.entry.enumerate_instance_extension_properties(None).unwrap();
            vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_TEST_a")).unwrap();
            vk.entry.try_enumerate_instance_version().unwrap();
        }
    });
    run.ok().says("names", [C, A].join(","));
    assert!(!run.loaded(A) && !run.loaded(C));
}

#[test]
fn a_thousand_explicit_and_a_hundred_implicit_manifests() {
    let manifest = |name: &str, library: &str, more: &str| {
        format!(
            r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{name}", "type": "GLOBAL", "library_path": "{library}",
            "api_version": "1.3.0", "implementation_version": "1", "description": "one of many"{more}}}}}"#
        )
    };
    let run = two_and_one()
        .with(|sandbox| {
            for number in 0..1000 {
                let name = format!("VK_LAYER_TEST_explicit{number}");
                let path = format!("data/vulkan/explicit_layer.d/{number}.json");
                sandbox.write(path, manifest(&name, "/nonexistent/liblayer.so", ""));
            }
            for number in 0..100 {
                let name = format!("VK_LAYER_TEST_implicit{number}");
                let path = format!("data/vulkan/implicit_layer.d/{number}.json");
                let more = r#", "disable_environment": {"NO": "1"}, "enable_environment": {"YES": "1"}"#;
                sandbox.write(path, manifest(&name, "/nonexistent/liblayer.so", more));
            }
        })
        .run(|vk| {
            let mut all = listed(vk);
            vk.say("count", all.len());
            all.sort_unstable();
            all.dedup();
            vk.say("different", all.len());
            vk.say("result", code(&vk.create(&Ask::new().layer(A)).map(drop)));
        });
    run.ok().says("count", 1103).says("different", 1103).says("result", "SUCCESS");
    assert_eq!(active(&run), [C, A]);
}
