//! Layer libraries that are broken, or meant to break the loader: an explicit layer of such a library is not present, an implicit one is
//! left out, and a good layer next to it works.
use crate::beside_good::{BAD, EXPLICIT, GOOD, IMPLICIT, MANIFEST, beside_good};
use ash::vk;
use vkload_tests::{Ask, Device, Driver, Layer, Sandbox, Scenario, code};

// ---- libraries ----

/// Checks a good manifest with a bad library: an explicit layer is not present, an implicit one is skipped.
fn bad_library(contents: Option<&[u8]>) {
    for folder in [EXPLICIT, IMPLICIT] {
        let scenario = Scenario::new();
        let library = scenario.sandbox().path("lib/bad.so");
        if let Some(contents) = contents {
            scenario.sandbox().write("lib/bad.so", contents);
        }
        let text = MANIFEST.replace("LIBRARY", library.to_str().unwrap());
        let run = beside_good(scenario.file(&format!("{folder}/bad.json"), text));
        run.says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&["VK_LAYER_TEST_bad"]);
    }
}

#[test]
fn a_library_that_is_missing() {
    bad_library(None);
}

#[test]
fn a_bare_library_name_that_the_linker_does_not_find() {
    for folder in [EXPLICIT, IMPLICIT] {
        let text = MANIFEST.replace("LIBRARY", "libvkload_nobody_has_it.so");
        let run = beside_good(Scenario::new().file(&format!("{folder}/bad.json"), text));
        run.says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&["libvkload_nobody_has_it.so"]);
    }
}

#[test]
fn a_library_that_may_not_be_run() {
    let scenario = Scenario::new();
    let library = scenario.sandbox().write("lib/bad.so", b"");
    std::fs::remove_file(&library).unwrap();
    std::os::unix::fs::symlink("bad.so", &library).unwrap();
    let text = MANIFEST.replace("LIBRARY", library.to_str().unwrap());
    beside_good(scenario.file(&format!("{EXPLICIT}/bad.json"), text)).says("bad", "ERROR_LAYER_NOT_PRESENT");
}

/// Returns the head of a library for this class and machine, as `elf.h` lays it out, followed by zeros.
fn elf(class: u8, machine: u16) -> Vec<u8> {
    let mut head = vec![0; 4096];
    head[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1, 0]);
    head[16..18].copy_from_slice(&3_u16.to_le_bytes());
    head[18..20].copy_from_slice(&machine.to_le_bytes());
    head[20..24].copy_from_slice(&1_u32.to_le_bytes());
    head
}

const OWN_CLASS: u8 = if cfg!(target_pointer_width = "64") { 2 } else { 1 };

#[test]
fn a_library_of_another_pointer_width() {
    const EM_386: u16 = 3;
    bad_library(Some(&elf(3 - OWN_CLASS, EM_386)));
}

#[test]
fn a_library_of_another_machine() {
    const EM_S390: u16 = 22;
    bad_library(Some(&elf(OWN_CLASS, EM_S390)));
}

/// A real layer's library, cut off in several places.
#[test]
fn a_library_that_is_cut_off() {
    let sandbox = Sandbox::new();
    Layer::new(BAD).install(&sandbox);
    let whole = std::fs::read(sandbox.path(format!("lib/lib{BAD}.so"))).unwrap();
    for part in [40, 64, 500, whole.len() / 4, whole.len() / 2, whole.len() - 3000] {
        bad_library(Some(&whole[..part]));
    }
}

#[test]
fn a_library_that_needs_another_one_that_is_missing() {
    let sandbox = Sandbox::new();
    Layer::new(BAD).install(&sandbox);
    let mut library = std::fs::read(sandbox.path(format!("lib/lib{BAD}.so"))).unwrap();
    let name = b"libc.so.6\0";
    let at = library.windows(name.len()).position(|window| window == name).unwrap();
    library[at..at + 4].copy_from_slice(b"gone");
    bad_library(Some(&library));
}

#[test]
fn a_library_that_is_a_driver() {
    let scenario = Scenario::new();
    Driver::new("only").folder("nowhere").install(scenario.sandbox());
    let library = scenario.sandbox().path("lib/libonly.so");
    for folder in [EXPLICIT, IMPLICIT] {
        let text = MANIFEST.replace("LIBRARY", library.to_str().unwrap());
        let scenario = Scenario::new().file(&format!("{folder}/bad.json"), text);
        beside_good(scenario).says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&["LLP_LOADER_5"]);
    }
}

#[test]
fn a_library_that_is_the_systems_own() {
    for library in ["libc.so.6", "libm.so.6"] {
        for folder in [EXPLICIT, IMPLICIT] {
            let text = MANIFEST.replace("LIBRARY", library);
            let run = beside_good(Scenario::new().file(&format!("{folder}/bad.json"), text));
            run.says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&["LLP_LOADER_5"]);
        }
    }
}

/// The loader's own functions have the names that a layer of interface version 0 exports.
#[test]
fn a_library_that_is_the_loader_itself() {
    let loader = vkload_tests::library_under_test();
    for folder in [EXPLICIT, IMPLICIT] {
        let text = MANIFEST.replace("LIBRARY", loader.to_str().unwrap());
        // Whatever comes of it as an explicit layer, the process goes on.
        let scenario = Scenario::new().file(&format!("{folder}/bad.json"), text).env("NO_BAD", "1");
        let run = scenario
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(GOOD))
            .run(|vk| drop(vk.create(&Ask::new().layer(GOOD)).unwrap()));
        run.ok();
    }
}

#[test]
fn libraries_that_are_none() {
    bad_library(Some(b""));
    bad_library(Some(b"this is no library"));
    bad_library(Some(&[0x7f, b'E', b'L', b'F', 1, 1, 1, 0]));
}

#[test]
fn a_library_that_is_a_folder() {
    let scenario = Scenario::new();
    let folder = scenario.sandbox().path("lib");
    let text = MANIFEST.replace("LIBRARY", folder.to_str().unwrap());
    beside_good(scenario.file(&format!("{EXPLICIT}/bad.json"), text)).says("bad", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_library_without_any_function_of_a_layer() {
    let scenario = Scenario::new().layer(Layer::new(BAD).exports(Layer::OTHER));
    let run = beside_good(scenario);
    run.says("bad", "ERROR_LAYER_NOT_PRESENT");
    assert_eq!(run.trace(BAD).calls("load").len(), run.trace(BAD).calls("unload").len());
}

#[test]
fn functions_with_names_that_are_not_there() {
    let functions = r#"{"vkGetInstanceProcAddr": "none", "vkNegotiateLoaderLayerInterfaceVersion": ""}"#;
    let scenario = Scenario::new().layer(Layer::new(BAD).exports(Layer::OTHER).field("functions", functions));
    beside_good(scenario).says("bad", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn pre_instance_functions_that_are_not_there() {
    let functions = r#"{"vkEnumerateInstanceVersion": "none", "vkEnumerateInstanceLayerProperties": ""}"#;
    let scenario =
        Scenario::new().layer(Layer::new(BAD).implicit().field("pre_instance_functions", functions));
    beside_good(scenario).says("bad", "SUCCESS");
}

#[test]
fn negotiation_that_answers_nonsense() {
    for version in [3, 1000, i64::from(u32::MAX)] {
        let scenario = Scenario::new().layer(Layer::new(BAD).does_with("interface", version));
        beside_good(scenario).says("bad", "ERROR_LAYER_NOT_PRESENT");
    }
    for result in [1, -1, i64::from(i32::MIN)] {
        let scenario = Scenario::new().layer(Layer::new(BAD).does_with("refuse", result));
        beside_good(scenario).says("bad", "ERROR_LAYER_NOT_PRESENT");
    }
}

#[test]
fn a_layer_that_always_fails() {
    for behaviour in ["fail_instance", "fail_instance_early"] {
        let scenario = Scenario::new().layer(Layer::new(BAD).does_with(behaviour, -3));
        beside_good(scenario).says("bad", "ERROR_INITIALIZATION_FAILED");
    }
}

// ---- look-ups that return nonsense ----

#[test]
fn a_layer_without_vkcreateinstance_is_refused() {
    for implicit in [false, true] {
        let layer = Layer::new(BAD).does("no_functions_at_all");
        let run = beside_good(Scenario::new().layer(if implicit { layer.implicit() } else { layer }));
        run.says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&[BAD, "vkCreateInstance", "LLP_LOADER_5"]);
    }
}

#[test]
fn a_layer_that_knows_no_command_of_devices_when_asked_by_its_own_look_up() {
    let scenario = Scenario::new().layer(Layer::new(BAD).does("no_device_functions"));
    beside_good(scenario).says("bad", "SUCCESS");
}

/// The good layer would rightly complain about an instance that it never saw, so the bad one is nearest to the drivers.
#[test]
fn a_layer_that_reports_an_instance_which_is_none() {
    for behaviour in ["swallow_instance", "null_instance", "incomplete_instance"] {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(behaviour))
            .layer(Layer::new(GOOD))
            .run(|vk| {
                vk.say("bad", code(&vk.create(&Ask::new().layer(BAD)).map(drop)));
                vk.say("again", code(&vk.create(&Ask::new().layer(BAD)).map(drop)));
                drop(vk.create(&Ask::new().layer(GOOD)).unwrap());
            });
        run.ok().says("bad", "ERROR_INITIALIZATION_FAILED").says("again", "ERROR_INITIALIZATION_FAILED");
    }
}

#[test]
fn a_driver_that_reports_half_a_success_has_made_nothing() {
    let bad = Driver::new("bad").device(Device::new("gpu"));
    for layers in [&[][..], &[GOOD]] {
        let run = Scenario::new()
            .log()
            .driver(bad.clone().result("vkCreateDevice", vk::Result::INCOMPLETE))
            .layer(Layer::new(GOOD))
            .argument("layers", &layers.join(","))
            .run(|vk| {
                let layers = vk.arg("layers");
                let ask = layers.split(',').filter(|name| !name.is_empty()).fold(Ask::new(), Ask::layer);
                let instance = vk.create(&ask).unwrap();
                let device = instance.try_device(instance.devices()[0], &[]);
                vk.say("result", code(&device.map(drop)));
            });
        run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
        run.logs(&["libbad.so", "vkCreateDevice", "VK_INCOMPLETE"]);
    }
}

#[test]
fn a_layer_that_creates_and_destroys_twice() {
    let run = Scenario::new()
        .driver(Driver::new("good").device(Device::new("gpu")))
        .layer(Layer::new(BAD).does("create_twice").does("destroy_twice"))
        .run(|vk| {
            for _ in 0..2 {
                let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
                assert_eq!(instance.names(), ["gpu"]);
            }
        });
    run.ok().logs(&["vkCreateInstance", "second time"]);
    assert_eq!(run.trace("good").calls("vkCreateInstance").len(), 2);
    assert_eq!(run.trace("good").calls("vkDestroyInstance").len(), 2);
}

#[test]
fn a_layer_that_reports_a_device_which_is_none() {
    for behaviour in ["swallow_device", "null_device"] {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(behaviour))
            .layer(Layer::new(GOOD))
            .log()
            .run(|vk| {
                let instance = vk.create(&Ask::new().layer(BAD).layer(GOOD)).unwrap();
                let result = instance.try_device(instance.devices()[0], &[]);
                vk.say("result", code(&result.map(drop)));
            });
        run.ok().says("result", "ERROR_INITIALIZATION_FAILED").logs(&["vkCreateDevice", "without a device"]);
    }
}

/// Addresses that are none of memory, and one that no object can have.
const GARBAGE: [i64; 4] = [0x1230, 0x1231, i64::MAX - 7, -8];

#[test]
fn a_layer_that_gives_garbage_as_an_instance() {
    for garbage in GARBAGE {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(&format!("garbage_instance:{garbage}")))
            .run(|vk| vk.say("bad", code(&vk.create(&Ask::new().layer(BAD)).map(drop))));
        run.ok().says("bad", "ERROR_INITIALIZATION_FAILED").logs(&["layer", "VkInstance", "no object"]);
    }
}

#[test]
fn a_layer_that_gives_garbage_as_a_physical_device() {
    for garbage in GARBAGE.into_iter().chain([0]) {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(&format!("garbage_physical_device:{garbage}")))
            .run(|vk| {
                let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
                vk.say("devices", code(&instance.try_devices().map(drop)));
            });
        run.ok().says("devices", "ERROR_INITIALIZATION_FAILED");
        run.logs(&["layer", "VkPhysicalDevice", "no object"]);
    }
}

#[test]
fn a_layer_that_gives_garbage_as_a_device() {
    for garbage in GARBAGE {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(&format!("garbage_device:{garbage}")))
            .run(|vk| {
                let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
                let device = instance.try_device(instance.devices()[0], &[]);
                vk.say("device", code(&device.map(drop)));
            });
        run.ok().says("device", "ERROR_INITIALIZATION_FAILED").logs(&["layer", "VkDevice", "no object"]);
    }
}

/// The links are in memory of the loader's, which reads them no more.
#[test]
fn a_layer_that_keeps_or_corrupts_its_links() {
    for behaviour in ["keep_link", "corrupt_link"] {
        let run = Scenario::new()
            .driver(Driver::new("good").device(Device::new("gpu")))
            .layer(Layer::new(BAD).does(behaviour))
            .run(|vk| {
                for _ in 0..2 {
                    let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
                    // SAFETY: no other code uses the device.
                    unsafe { instance.device(instance.devices()[0], &[]).destroy_device(None) };
                }
            });
        run.ok();
    }
}

#[test]
fn a_layer_that_destroys_a_device_twice() {
    let run = Scenario::new()
        .driver(Driver::new("good").device(Device::new("gpu")))
        .layer(Layer::new(BAD).does("destroy_device_twice"))
        .run(|vk| {
            let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
            for _ in 0..3 {
                // SAFETY: no other code uses the device.
                unsafe { instance.device(instance.devices()[0], &[]).destroy_device(None) };
            }
        });
    run.ok().logs(&["vkDestroyDevice", "second time"]);
    assert_eq!(run.trace("good").calls("vkDestroyDevice").len(), 3);
}
