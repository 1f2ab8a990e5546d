//! The lists of layers that applications get: their properties, and the layer and driver extensions.
use std::ffi::CStr;

use ash::vk;
use vkload_tests::layered::{A, B, good};
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, Vk};

fn with_extension(name: &str, version: u32) -> String {
    format!("[{{\"name\": \"{name}\", \"spec_version\": \"{version}\"}}]")
}

/// Returns how often an extension is in a list, and its version there.
fn found(list: &[vk::ExtensionProperties], name: &CStr) -> String {
    let is_it = |it: &&vk::ExtensionProperties| it.extension_name_as_c_str() == Ok(name);
    let versions: Vec<_> = list.iter().filter(is_it).map(|it| it.spec_version.to_string()).collect();
    versions.join(",")
}

#[test]
fn properties_are_those_of_the_manifest() {
    let manifest = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_a", "type": "INSTANCE",
        "library_path": "LIBRARY", "api_version": "1.2.77", "implementation_version": "42", "description": "about it"}}"#;
    let run = Scenario::new().driver(Driver::new("good")).layer(Layer::new(A).manifest(manifest)).run(|vk| {
        let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
        let layer = &layers[0];
        vk.say("name", layer.layer_name_as_c_str().unwrap().to_str().unwrap());
        vk.say("description", layer.description_as_c_str().unwrap().to_str().unwrap());
        vk.say("versions", format_args!("{:#x} {}", layer.spec_version, layer.implementation_version));
    });
    run.ok().says("name", A).says("description", "about it");
    run.says("versions", format!("{:#x} 42", vk::make_api_version(0, 1, 2, 77)));
}

/// Notes the names that vkEnumerateDeviceLayerProperties lists, and the result for a small array.
fn say_device_layers(vk: &Vk, ask: &Ask<'_>) {
    let instance = vk.create(ask).unwrap();
    let (device, enumerate) = (instance.devices()[0], instance.fp_v1_0().enumerate_device_layer_properties);
    let (mut count, mut room) = (0, [vk::LayerProperties::default(); 8]);
    unsafe {
        let result = enumerate(device, &mut count, std::ptr::null_mut());
        vk.say("count", format_args!("{result:?} {count}"));
        let result = enumerate(device, &mut count, room.as_mut_ptr());
        assert_eq!(result, vk::Result::SUCCESS);
        let name =
            |layer: &vk::LayerProperties| layer.layer_name_as_c_str().unwrap().to_str().unwrap().to_owned();
        vk.say("names", room[..count as usize].iter().map(name).collect::<Vec<_>>().join(" "));
        vk.say("version", format_args!("{:#x} {}", room[0].spec_version, room[0].implementation_version));
        let mut few = 1;
        let result = enumerate(device, &mut few, room.as_mut_ptr());
        vk.say("small", format_args!("{result:?} {few}"));
        vk.say(
            "nothing",
            format_args!("{:?}", enumerate(device, std::ptr::null_mut(), std::ptr::null_mut())),
        );
    }
}

/// No layer is called, though each of these wraps its objects: a layer does not know the other layers.
#[test]
fn a_device_has_the_layers_of_its_instance() {
    for behaviour in ["nothing", "wrap"] {
        let layers = [
            Layer::new(A).does(behaviour),
            Layer::new(B).implicit().does(behaviour),
            Layer::new("VK_LAYER_TEST_c"),
        ];
        let scenario = Scenario::new().driver(good());
        let run = layers
            .into_iter()
            .fold(scenario, Scenario::layer)
            .run(|vk| say_device_layers(vk, &Ask::new().layer(A)));
        run.ok().says("count", "SUCCESS 2").says("names", format!("{B} {A}"));
        run.says("version", format!("{:#x} 1", vk::make_api_version(0, 1, 3, 0)));
        run.says("small", "INCOMPLETE 1").says("nothing", "INCOMPLETE");
    }
}

#[test]
fn a_meta_layer_of_a_device_comes_after_its_components() {
    let meta = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_meta", "type": "GLOBAL", "api_version": "1.3.0",
        "implementation_version": "1", "description": "both", "component_layers": ["VK_LAYER_TEST_b", "VK_LAYER_TEST_a"]}}"#;
    let scenario = Scenario::new().driver(good());
    let run = scenario
        .layer(Layer::new(A))
        .layer(Layer::new(B))
        .file("data/vulkan/explicit_layer.d/meta.json", meta)
        .run(|vk| say_device_layers(vk, &Ask::new().layer("VK_LAYER_TEST_meta")));
    run.ok().says("count", "SUCCESS 3").says("names", format!("{B} {A} VK_LAYER_TEST_meta"));
}

#[test]
fn a_description_longer_than_its_room_is_cut() {
    let text = "word ".repeat(200);
    let manifest = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_a", "type": "INSTANCE",
        "library_path": "LIBRARY", "api_version": "1.2.77", "implementation_version": "42", "description": "TEXT"}}"#;
    let layer = Layer::new(A).manifest(&manifest.replace("TEXT", &text));
    let run = Scenario::new().driver(Driver::new("good")).layer(layer).run(|vk| {
        let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
        vk.say("text", layers[0].description_as_c_str().unwrap().to_str().unwrap());
    });
    let said = run.ok().said("text");
    assert!(said.len() == vk::MAX_DESCRIPTION_SIZE - 1 && text.starts_with(said), "{said}");
}

/// Notes the result, and the count after it, of calls with a null array, a spare element, too few elements and no element.
fn counts<T: Copy + Default>(vk: &Vk, key: &str, enumerate: impl Fn(*mut u32, *mut T) -> vk::Result) {
    let mut said = Vec::new();
    for room in [None, Some(50), Some(1), Some(0)] {
        let (mut count, mut array) = (room.unwrap_or(77), [T::default(); 50]);
        let array = if room.is_some() { array.as_mut_ptr() } else { std::ptr::null_mut() };
        let result = enumerate(&mut count, array);
        said.push(format!("{result:?} {count}"));
    }
    vk.say(key, said.join(", "));
}

#[test]
fn every_count_is_overwritten_with_the_number_written() {
    let layer = |name| Layer::new(name).instance_extension("VK_TEST_1").device_extension("VK_TEST_2");
    let device = |name| Device::new(name).extension("VK_KHR_maintenance1").extension("VK_KHR_maintenance2");
    let driver = Driver::new("good").device(device("one")).device(device("two")).extension("VK_KHR_surface");
    let run = Scenario::new().driver(driver).layer(layer(A)).layer(Layer::new(B)).run(|vk| {
        let (of_layer, all) = (c"VK_LAYER_TEST_a".as_ptr(), std::ptr::null());
        let global = vk.entry.fp_v1_0();
        let instance = vk.create(&Ask::new().api(1, 1).layer(A)).unwrap();
        let (handle, physical_device) = (instance.handle(), instance.devices()[0]);
        let (one_0, one_1) = (instance.fp_v1_0(), instance.fp_v1_1());
        // SAFETY: `counts` gives counted out-arrays; the handles are alive.
        unsafe {
            counts(vk, "layers", |count, out| (global.enumerate_instance_layer_properties)(count, out));
            for (key, layer) in [("instance extensions", all), ("instance extensions of a layer", of_layer)] {
                let enumerate = global.enumerate_instance_extension_properties;
                counts(vk, key, |count, out| enumerate(layer, count, out));
            }
            for (key, layer) in [("device extensions", all), ("device extensions of a layer", of_layer)] {
                let enumerate = one_0.enumerate_device_extension_properties;
                counts(vk, key, |count, out| enumerate(physical_device, layer, count, out));
            }
            counts(vk, "devices", |count, out| (one_0.enumerate_physical_devices)(handle, count, out));
            let enumerate = one_1.enumerate_physical_device_groups;
            counts(vk, "groups", |count, out| enumerate(handle, count, out));
        }
    });
    let expected = |all| format!("SUCCESS {all}, SUCCESS {all}, INCOMPLETE 1, INCOMPLETE 0");
    for key in ["layers", "device extensions", "devices", "groups"] {
        run.ok().says(key, expected(2));
    }
    run.says("instance extensions", expected(5));
    for key in ["instance extensions of a layer", "device extensions of a layer"] {
        run.says(key, "SUCCESS 1, SUCCESS 1, SUCCESS 1, INCOMPLETE 0");
    }
}

/// Enabled layers stay enabled for an instance, whatever happens to their files; lists show the current files.
#[test]
fn layers_of_an_instance_stay_when_their_files_are_removed() {
    let run =
        Scenario::new().driver(good()).layer(Layer::new(A).instance_extension("VK_TEST_layer")).run(|vk| {
            let listed = || {
                let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap().len();
                let of_layer =
                    unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_TEST_a")) };
                format!("{layers} {}", vkload_tests::code(&of_layer))
            };
            vk.say("before", listed());
            let instance = vk.create(&Ask::new().layer(A)).unwrap();
            let manifest = std::path::PathBuf::from(vk.arg(A));
            let text = std::fs::read(&manifest).unwrap();
            std::fs::remove_file(&manifest).unwrap();
            vk.say("after", listed());
            vk.say("created", vkload_tests::code(&vk.create(&Ask::new().layer(A)).map(drop)));
            let device = instance.device(instance.devices()[0], &[]);
            unsafe { device.destroy_device(None) };
            drop(instance);
            std::fs::write(&manifest, text).unwrap();
            vk.say("again", listed());
        });
    run.ok().says("before", "1 SUCCESS").says("after", "0 ERROR_LAYER_NOT_PRESENT");
    run.says("created", "ERROR_LAYER_NOT_PRESENT").says("again", "1 SUCCESS");
    let trace = run.trace(A);
    for command in ["vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance"] {
        assert_eq!(trace.calls(command).len(), 1, "{command}");
    }
}

/// The driver's version counts, whichever is higher.
#[test]
fn an_instance_extension_of_a_driver_and_of_an_implicit_layer_is_listed_once_as_the_drivers() {
    for (of_driver, of_layer) in [(5, 9), (9, 5)] {
        let layer = Layer::new(A).implicit();
        let layer = layer.field("instance_extensions", &with_extension("VK_KHR_surface", of_layer));
        let driver = Driver::new("good").extension_version("VK_KHR_surface", of_driver);
        let run = Scenario::new().driver(driver).layer(layer).run(|vk| {
            let list = unsafe { vk.entry.enumerate_instance_extension_properties(None) }.unwrap();
            vk.say("versions", found(&list, c"VK_KHR_surface"));
            let list = unsafe { vk.entry.enumerate_instance_extension_properties(Some(c"VK_LAYER_TEST_a")) };
            vk.say("of the layer", found(&list.unwrap(), c"VK_KHR_surface"));
        });
        run.ok().says("versions", of_driver).says("of the layer", of_layer);
    }
}

#[test]
fn a_device_extension_of_a_driver_and_of_an_implicit_layer_is_listed_once_as_the_drivers() {
    let layer = Layer::new(A).implicit();
    let layer = layer.field("device_extensions", &with_extension("VK_KHR_maintenance1", 9));
    let driver = Driver::new("good").device(Device::new("gpu").extension("VK_KHR_maintenance1"));
    let run = Scenario::new().driver(driver).layer(layer).run(|vk: &Vk| {
        let instance = vk.create(&Ask::new()).unwrap();
        let list = unsafe { instance.enumerate_device_extension_properties(instance.devices()[0]) };
        vk.say("versions", found(&list.unwrap(), c"VK_KHR_maintenance1"));
    });
    run.ok();
    assert!(!["", "9"].contains(&run.said("versions")) && !run.said("versions").contains(','));
}

#[test]
fn a_manifest_may_give_the_library_relative_to_itself() {
    let scenario = Scenario::new().driver(Driver::new("good")).layer(Layer::new(A).folder("nowhere"));
    let text = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_a", "type": "GLOBAL",
        "library_path": "../../../lib/libVK_LAYER_TEST_a.so", "api_version": "1.3.0", "implementation_version": "1",
        "description": "relative"}}"#;
    let run = scenario.file("data/vulkan/explicit_layer.d/a.json", text).run(|vk| {
        drop(vk.create(&Ask::new().layer(A)).unwrap());
    });
    assert!(run.ok().trace(A).has("vkCreateInstance"));
}
