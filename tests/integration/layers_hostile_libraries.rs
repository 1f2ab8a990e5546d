//! Layer libraries that are broken, or meant to break the loader: an explicit layer of such a library is not present, an implicit one is
//! left out, and a good layer next to it works.
use crate::beside_good::{BAD, EXPLICIT, GOOD, IMPLICIT, MANIFEST, beside_good};
use ash::vk;
use vkload_tests::layered::good;
use vkload_tests::{Ask, Device, Driver, Layer, Sandbox, Scenario, Vk, code};

// ---- libraries ----

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

/// Checks a good manifest with this library: an explicit layer is not present, an implicit one is skipped.
fn bad_library(path: &str, words: &str) {
    for folder in [EXPLICIT, IMPLICIT] {
        let text = MANIFEST.replace("LIBRARY", path);
        let run = beside_good(Scenario::new().file(&format!("{folder}/bad.json"), text));
        run.says("bad", "ERROR_LAYER_NOT_PRESENT").logs(&[words]);
    }
}

#[test]
fn files_that_do_not_open_as_libraries() {
    const EM_386: u16 = 3;
    const EM_S390: u16 = 22;
    let sandbox = Sandbox::new();
    Layer::new(BAD).install(&sandbox);
    let whole = std::fs::read(sandbox.path(format!("lib/lib{BAD}.so"))).unwrap();
    let mut needs_another = whole.clone();
    let name = b"libc.so.6\0";
    let at = whole.windows(name.len()).position(|window| window == name).unwrap();
    needs_another[at..at + 4].copy_from_slice(b"gone");
    let parts = [0, 40, 64, 500, whole.len() / 4, whole.len() / 2, whole.len() - 3000];
    let others = [elf(3 - OWN_CLASS, EM_386), elf(OWN_CLASS, EM_S390), needs_another, b"no library".to_vec()];
    for contents in parts.map(|part| whole[..part].to_vec()).into_iter().chain(others) {
        let library = sandbox.write("lib/bad.so", contents);
        bad_library(library.to_str().unwrap(), BAD);
    }
}

#[test]
fn paths_that_lead_to_no_library() {
    let sandbox = Sandbox::new();
    let link = sandbox.path("loop.so");
    std::os::unix::fs::symlink("loop.so", &link).unwrap();
    let missing = sandbox.path("missing.so");
    for path in [link.as_path(), &missing, &sandbox.path(""), "libvkload_nobody_has_it.so".as_ref()] {
        bad_library(path.to_str().unwrap(), BAD);
    }
}

#[test]
fn libraries_that_are_no_layers() {
    let sandbox = Sandbox::new();
    Driver::new("only").folder("nowhere").install(&sandbox);
    let driver = sandbox.path("lib/libonly.so");
    for library in [driver.to_str().unwrap(), "libc.so.6", "libm.so.6"] {
        bad_library(library, "LLP_LOADER_5");
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
            .driver(good())
            .layer(Layer::new(GOOD))
            .run(|vk| drop(vk.create(&Ask::new().layer(GOOD)).unwrap()));
        run.ok();
    }
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
            .driver(good())
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
        .driver(good())
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
            .driver(good())
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

/// Runs a layer that does this, and checks the result that the closure gives and the words in the log.
fn garbage(what: &str, garbage: i64, words: &[&str], body: fn(&Vk)) {
    let run = Scenario::new()
        .driver(good())
        .layer(Layer::new(BAD).does(&format!("garbage_{what}:{garbage}")))
        .run(body);
    run.ok().says("result", "ERROR_INITIALIZATION_FAILED").logs(words);
}

#[test]
fn a_layer_that_gives_garbage_as_an_instance() {
    for value in GARBAGE {
        garbage("instance", value, &["layer", "VkInstance", "no object"], |vk| {
            vk.say("result", code(&vk.create(&Ask::new().layer(BAD)).map(drop)));
        });
    }
}

#[test]
fn a_layer_that_gives_garbage_as_a_physical_device() {
    for value in GARBAGE.into_iter().chain([0]) {
        garbage("physical_device", value, &["layer", "VkPhysicalDevice", "no object"], |vk| {
            let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
            vk.say("result", code(&instance.try_devices().map(drop)));
        });
    }
}

#[test]
fn a_layer_that_gives_garbage_as_a_device() {
    for value in GARBAGE {
        garbage("device", value, &["layer", "VkDevice", "no object"], |vk| {
            let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
            vk.say("result", code(&instance.try_device(instance.devices()[0], &[]).map(drop)));
        });
    }
}

/// The links are in memory of the loader's, which reads them no more.
#[test]
fn a_layer_that_keeps_or_corrupts_its_links() {
    for behaviour in ["keep_link", "corrupt_link"] {
        let run = Scenario::new().driver(good()).layer(Layer::new(BAD).does(behaviour)).run(|vk| {
            for _ in 0..2 {
                let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
                unsafe { instance.device(instance.devices()[0], &[]).destroy_device(None) };
            }
        });
        run.ok();
    }
}

#[test]
fn a_layer_that_destroys_a_device_twice() {
    let run = Scenario::new().driver(good()).layer(Layer::new(BAD).does("destroy_device_twice")).run(|vk| {
        let instance = vk.create(&Ask::new().layer(BAD)).unwrap();
        for _ in 0..3 {
            unsafe { instance.device(instance.devices()[0], &[]).destroy_device(None) };
        }
    });
    run.ok().logs(&["vkDestroyDevice", "second time"]);
    assert_eq!(run.trace("good").calls("vkDestroyDevice").len(), 3);
}
