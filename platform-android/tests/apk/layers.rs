//! Layers of an application: from folders, packages and manifests, in the order that it gives.

use std::fs;

use android_simulation::{Packed, package};
use ash::vk;

use super::{Application, device};

const PACKAGE: &str = "/data/app/game/base.apk";

/// The layers that noted this command, in order, since the last time.
fn went_through(application: &Application, command: &str) -> Vec<String> {
    let calls = application.android().layer_calls();
    let who = |call: &String| call.strip_suffix(command)?.strip_suffix(' ').map(str::to_owned);
    // What is looked up has another word between.
    calls.iter().filter_map(who).filter(|layer| !layer.contains(' ')).collect()
}

#[test]
fn r120_layers_of_every_interface_and_place_are_called_in_the_order_of_the_options() {
    let application = Application::new();
    let android = application.android();
    android.layer(
        "/libs/libVkLayer_both.so",
        &["VK_LAYER_one", "VK_LAYER_two"],
        &["-DPREFIXED", "-DNO_PLAIN"],
    );
    android.layer("/libs/libVkLayer_new.so", &["VK_LAYER_new"], &["-DNEGOTIATE=2", "-DNO_PLAIN"]);
    android.layer("/libs/libVkLayer_old.so", &["VK_LAYER_old"], &["-DNEGOTIATE=1"]);
    android.layer("/made.so", &["VK_LAYER_packed"], &[]);
    let packed = fs::read(android.place("/made.so")).unwrap();
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096)]));
    // Without the functions by which it would describe itself: it has a manifest.
    android.layer("/own/libnameless.so", &["VK_LAYER_described"], &["-DNO_LAYERS_EXPORT", "-DNEGOTIATE=2"]);
    application
        .configure(
            r#"{"layers": ["VK_LAYER_new", "VK_LAYER_packed", "VK_LAYER_described", "VK_LAYER_old"],
                "layer_folders": ["/data/app/game/base.apk!/lib/x86_64", "/libs/"],
                "application_library_folder": "/own",
                "manifests": ["{\"file_format_version\": \"1.2.0\", \"layer\": {\"name\": \"VK_LAYER_described\",
                    \"type\": \"GLOBAL\", \"library_path\": \"libnameless.so\", \"api_version\": \"1.3.0\",
                    \"implementation_version\": \"1\", \"description\": \"of an asset\"}}"]}"#,
        )
        .unwrap();
    let order = ["VK_LAYER_new", "VK_LAYER_packed", "VK_LAYER_described", "VK_LAYER_old", "VK_LAYER_two"];
    let _ = went_through(&application, "");
    let instance = application.instance(&[c"VK_LAYER_two", c"VK_LAYER_new"]).unwrap();
    assert_eq!(went_through(&application, "vkCreateInstance"), order);
    let device = device(&instance);
    assert_eq!(went_through(&application, "vkCreateDevice"), order);
    // SAFETY: live handles.
    unsafe {
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}

#[test]
fn r120_what_is_in_the_folders_is_looked_into_once_for_each_configuration() {
    let application = Application::new();
    let android = application.android();
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let list = || {
        // SAFETY: has no preconditions.
        let layers = unsafe { application.vulkan().enumerate_instance_layer_properties() }.unwrap();
        layers.iter().map(|it| it.layer_name_as_c_str().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let before: Vec<String> = list();
    let _ = android.calls();
    android.layer("/libs/libVkLayer_b.so", &["VK_LAYER_b"], &[]);
    assert_eq!(list(), before);
    assert!(!android.calls().iter().any(|call| call.starts_with("dlopen")));
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    assert_eq!(list(), ["VK_LAYER_a", "VK_LAYER_b"]);
}

#[test]
fn r122_the_report_has_a_reason_for_every_library_that_is_not_used() {
    let application = Application::new();
    let android = application.android();
    android.layer("/libs/libVkLayer_good.so", &["VK_LAYER_good"], &[]);
    android.layer("/libs/libVkLayer_mute.so", &["VK_LAYER_mute"], &["-DNO_LAYERS_EXPORT"]);
    android.layer("/libs/VkLayer_name.so", &["VK_LAYER_name"], &[]);
    android.file("/libs/libVkLayer_text.so", b"no library");
    android.layer("/more/libVkLayer_good.so", &["VK_LAYER_good"], &[]);
    let packed = fs::read(android.place("/libs/libVkLayer_good.so")).unwrap();
    let compressed =
        Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_zip.so", &packed, 1) };
    android.file(PACKAGE, package(&[compressed]));
    application
        .configure(
            r#"{"layers": ["VK_LAYER_good", "VK_LAYER_absent"], "manifests": ["{}"],
                "layer_folders": ["/libs", "/more", "/nowhere", "/data/app/game/base.apk!/lib/x86_64"]}"#,
        )
        .unwrap();
    let text = application.report(0);
    for words in [
        "/libs/libVkLayer_good.so: VK_LAYER_good",
        "/libs/libVkLayer_mute.so: not used: it does not export vkEnumerateInstanceLayerProperties",
        "/libs/VkLayer_name.so: not used: its name does not begin with libVkLayer",
        "/libs/libVkLayer_text.so: not used: it is no ELF shared library",
        "/more/libVkLayer_good.so: not used: a library with the same file name comes first",
        "libVkLayer_zip.so: not used: it is compressed in the archive",
        "/nowhere: does not exist",
        "(\"manifests\"[0]): not used: the manifest cannot be used",
        "VK_LAYER_good (/libs/libVkLayer_good.so): active",
        "VK_LAYER_absent: not found: no library has it; put the layer's libVkLayer*.so into",
        "libvulkan.so: used",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let json = application.report(1);
    let root = loader_core::manifest::json::parse(json.as_bytes()).unwrap();
    let ids: Vec<String> = root
        .member("layer_libraries")
        .unwrap()
        .items()
        .map(|library| {
            let id = library.member("decision").unwrap().string().unwrap();
            assert!(id.is("used") || library.member("reason").unwrap().string().is_some());
            String::from_utf8(id.to_text().unwrap().to_vec()).unwrap()
        })
        .collect();
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(sorted, ["compressed", "duplicate", "missing-export", "name", "no-library", "used"]);
}

#[test]
fn r122_a_layer_that_cannot_be_had_is_an_error_with_its_reason() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &["-DNEGOTIATE=2", "-DREFUSE"]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let result = application.instance(&[c"VK_LAYER_a"]).err();
    assert_eq!(result, Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
    let logged = application.android().logged();
    assert!(logged.iter().any(|(_, text)| text.contains("no interface version in common")), "{logged:?}");
}
