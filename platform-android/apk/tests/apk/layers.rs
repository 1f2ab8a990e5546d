//! Layers of an application: from folders, packages and manifests, in the application's order.

use std::ffi::CStr;
use std::fs;
use std::path::Path;

use android_simulation::{Packed, package};
use ash::vk;
use vkload_tests::{create_full_device, create_full_instance};

use super::{Application, destroy, device, icd};

const PACKAGE: &str = "/data/app/game/base.apk";

/// Returns the layers that recorded this command, in order, since the last time.
pub(super) fn went_through(application: &Application, command: &str) -> Vec<String> {
    let calls = application.android().layer_calls();
    let who = |call: &String| call.strip_suffix(command)?.strip_suffix(' ').map(str::to_owned);
    // Lookup lines have another word in between.
    calls.iter().filter_map(who).filter(|layer| !layer.contains(' ')).collect()
}

#[test]
fn layers_of_every_interface_and_location_are_called_in_the_order_of_the_options() {
    let (application, android) = Application::start();
    android.layer(
        "/libs/libVkLayer_both.so",
        &["VK_LAYER_one", "VK_LAYER_two"],
        &["-DPREFIXED", "-DNO_PLAIN"],
    );
    android.layer("/libs/libVkLayer_new.so", &["VK_LAYER_new"], &["-DNEGOTIATE=2", "-DNO_PLAIN"]);
    android.layer("/libs/libVkLayer_old.so", &["VK_LAYER_old"], &["-DNEGOTIATE=1"]);
    android.layer("/made.so", &["VK_LAYER_packed"], &[]);
    let packed = fs::read(android.host_path("/made.so")).unwrap();
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096)]));
    // Without the functions that describe it: it has a manifest.
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
    destroy(&instance, &device);
}

/// Creates an instance with these layers and destroys it again. Returns the layers that it went through.
fn went_through_with(application: &Application, layers: &[&CStr]) -> Result<Vec<String>, vk::Result> {
    let _ = application.android().layer_calls();
    let instance = application.instance(layers)?;
    let layers = went_through(application, "vkCreateInstance");
    unsafe { instance.destroy_instance(None) };
    Ok(layers)
}

#[test]
fn layers_beside_the_loader_are_found_without_a_word() {
    let (application, android) = Application::start();
    android.layer("/made.so", &["VK_LAYER_packed"], &[]);
    let packed = fs::read(android.host_path("/made.so")).unwrap();
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096)]));
    android.change().own_folders = ["", "/data/app/game/base.apk!/lib/x86_64"];
    assert_eq!(went_through_with(&application, &[c"VK_LAYER_packed"]).unwrap(), ["VK_LAYER_packed"]);
    application.configure(r#"{"layers": ["VK_LAYER_packed"]}"#).unwrap();
    assert_eq!(went_through_with(&application, &[]).unwrap(), ["VK_LAYER_packed"]);
}

#[test]
fn layers_that_developers_copy_to_a_device_are_for_debuggable_applications() {
    for debuggable in [false, true] {
        let (application, android) = Application::start();
        android.change().own_folders = ["/data/user/0/game", "/libs"];
        android.change().dumpable = debuggable;
        android.layer("/data/user/0/game/libVkLayer_copied.so", &["VK_LAYER_copied"], &[]);
        android.layer("/data/local/debug/vulkan/libVkLayer_pushed.so", &["VK_LAYER_pushed"], &[]);
        android.layer("/libs/libVkLayer_pushed.so", &["VK_LAYER_old"], &[]);
        for name in [c"VK_LAYER_copied", c"VK_LAYER_pushed"] {
            let layers = went_through_with(&application, &[name]);
            let expected = debuggable.then(|| vec![name.to_str().unwrap().to_owned()]);
            assert_eq!(layers, expected.ok_or(vk::Result::ERROR_LAYER_NOT_PRESENT));
        }
        // Of two libraries with one name the developer's is used.
        assert_eq!(went_through_with(&application, &[c"VK_LAYER_old"]).is_ok(), !debuggable);
    }
}

#[test]
fn a_property_enables_layers_above_drivers_that_do_not_read_it() {
    for (debuggable, driver) in [(true, "library"), (false, "library"), (true, "system")] {
        let (application, android) = Application::start();
        android.change().dumpable = debuggable;
        android.set("debug.vulkan.layers", "VK_LAYER_a");
        android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
        android.library("/own/icd.so", &icd());
        let path = if driver == "library" { "\"/own/icd.so\"" } else { "true" };
        let options = format!(r#"{{"driver": {{"{driver}": {path}}}, "layer_folders": ["/libs"]}}"#);
        application.configure(&options).unwrap();
        let layers = went_through_with(&application, &[]).unwrap();
        let expected = if debuggable && driver == "library" { &["VK_LAYER_a"][..] } else { &[] };
        assert_eq!(layers, expected, "{debuggable} {driver}");
    }
}

#[test]
fn layers_see_the_create_infos_of_the_application() {
    let (application, android) = Application::start();
    let trace = format!("-DTRACE=\"{}\"", android.host_path("/layers.trace").display());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../simulation/modules/chain.c");
    let options = [&*trace, "-DNAME=VK_LAYER_one", "-DGLOBAL", "-DINFO"];
    android.compile("/libs/libVkLayer_one.so", &source, &options);
    application.configure(r#"{"layers": ["VK_LAYER_one"], "layer_folders": ["/libs"]}"#).unwrap();
    let (of_instance, instance) = create_full_instance(&application.vulkan(), &[]).unwrap();
    let (of_device, device) = create_full_device(&instance, &[]).unwrap();
    let calls = android.layer_calls();
    for seen in [format!("VK_LAYER_one instance {of_instance}"), format!("VK_LAYER_one device {of_device}")] {
        assert!(calls.contains(&seen), "{seen}: {calls:?}");
    }
    destroy(&instance, &device);
}

#[test]
fn folders_are_examined_once_for_each_configuration() {
    let (application, android) = Application::start();
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let list = || application.layers();
    let before = list();
    let _ = android.calls();
    android.layer("/libs/libVkLayer_b.so", &["VK_LAYER_b"], &[]);
    assert_eq!(list(), before);
    assert!(!android.calls().iter().any(|call| call.starts_with("dlopen")));
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    assert_eq!(list(), ["VK_LAYER_a", "VK_LAYER_b"]);
}

#[test]
fn the_report_has_a_reason_for_every_library_that_is_not_used() {
    let (application, android) = Application::start();
    android.layer("/libs/libVkLayer_good.so", &["VK_LAYER_good"], &[]);
    android.layer("/libs/libVkLayer_mute.so", &["VK_LAYER_mute"], &["-DNO_LAYERS_EXPORT"]);
    android.layer("/libs/VkLayer_name.so", &["VK_LAYER_name"], &[]);
    android.file("/libs/libVkLayer_text.so", b"no library");
    android.layer("/more/libVkLayer_good.so", &["VK_LAYER_good"], &[]);
    let packed = fs::read(android.host_path("/libs/libVkLayer_good.so")).unwrap();
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
        "/libs/libVkLayer_text.so: not used: it is not an ELF shared library",
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
    let root = vkload_core::manifest::json::parse(json.as_bytes()).unwrap();
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
fn a_layer_that_cannot_be_had_is_an_error_with_its_reason() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &["-DNEGOTIATE=2", "-DREFUSE"]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let result = application.instance(&[c"VK_LAYER_a"]).err();
    assert_eq!(result, Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
    let logged = application.android().logged();
    assert!(logged.iter().any(|(_, text)| text.contains("no interface version in common")), "{logged:?}");
}

#[test]
fn a_layer_that_takes_no_part_in_devices_is_not_asked_about_them() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_i.so", &["VK_LAYER_i"], &["-DDEVICE_LAYERS=0"]);
    application.configure(r#"{"layers": ["VK_LAYER_i"], "layer_folders": ["/libs"]}"#).unwrap();
    let instance = application.instance(&[]).unwrap();
    let device = device(&instance);
    destroy(&instance, &device);
    assert_eq!(went_through(&application, "vkCreateInstance"), ["VK_LAYER_i"]);
}

/// Returns the names that a layer was asked for when it was loaded, and through which function.
fn looked_up(application: &Application) -> Vec<String> {
    let calls = application.android().layer_calls();
    let words = ["vkNegotiate", " plain ", " named ", " negotiated "];
    calls.into_iter().filter(|call| words.iter().any(|word| call.contains(word))).collect()
}

#[test]
fn layers_are_entered_by_what_their_interface_has() {
    // Version 1 is version 0 with negotiation; only version 2 returns the functions in the answer.
    for (options, negotiates, by) in [
        (&[][..], false, "plain"),
        (&["-DPREFIXED"], false, "named"),
        (&["-DNEGOTIATE=1"], true, "plain"),
        (&["-DPREFIXED", "-DNEGOTIATE=2"], true, "negotiated"),
    ] {
        let application = Application::new();
        application.android().layer("/libs/libVkLayer_x.so", &["VK_LAYER_x"], options);
        application.configure(r#"{"layers": ["VK_LAYER_x"], "layer_folders": ["/libs"]}"#).unwrap();
        let instance = application.instance(&[]).unwrap();
        let calls = looked_up(&application);
        let wanted = format!("VK_LAYER_x {by} vkCreateInstance");
        assert!(calls.contains(&wanted), "{options:?}: {calls:?}");
        let negotiated = calls.iter().any(|call| call.contains("vkNegotiate"));
        assert_eq!(negotiated, negotiates, "{calls:?}");
        unsafe { instance.destroy_instance(None) };
    }
}

#[test]
fn folders_are_searched_in_the_order_of_the_options_and_the_applications_own_last() {
    let (application, android) = Application::start();
    android.layer("/own/libVkLayer_a.so", &["VK_LAYER_of_own"], &[]);
    android.layer("/own/libVkLayer_b.so", &["VK_LAYER_b"], &[]);
    android.layer("/made.so", &["VK_LAYER_of_package"], &[]);
    let packed = fs::read(android.host_path("/made.so")).unwrap();
    android.file(
        "/data/app/other/split.apk",
        package(&[Packed::stored("lib/x86_64/libVkLayer_a.so", &packed, 4096)]),
    );
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_of_folder"], &[]);
    let listed = |folders: &str| -> Vec<String> {
        let options = format!(r#"{{"layer_folders": [{folders}], "application_library_folder": "/own"}}"#);
        application.configure(&options).unwrap();
        application.layers()
    };
    let (folder, package) = (r#""/libs""#, r#""/data/app/other/split.apk!/lib/x86_64""#);
    assert_eq!(listed(&format!("{folder}, {package}")), ["VK_LAYER_of_folder", "VK_LAYER_b"]);
    assert_eq!(listed(&format!("{package}, {folder}")), ["VK_LAYER_of_package", "VK_LAYER_b"]);
    assert_eq!(listed(""), ["VK_LAYER_of_own", "VK_LAYER_b"]);
}

const MANIFEST: &str = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_m", "type": "GLOBAL",
    "library_path": "PATH", "api_version": "1.3.0", "implementation_version": "1", "description": "of a manifest"}}"#;

#[test]
fn the_library_of_a_manifest_is_found_in_folders_and_packages() {
    for path in ["libnameless.so", "./libnameless.so", "/elsewhere/libnameless.so"] {
        for folder in ["/libs", "/data/app/game/base.apk!/lib/x86_64"] {
            let (application, android) = Application::start();
            android.layer("/elsewhere/libnameless.so", &["VK_LAYER_m"], &["-DNO_LAYERS_EXPORT"]);
            let library = fs::read(android.host_path("/elsewhere/libnameless.so")).unwrap();
            if !path.starts_with('/') {
                fs::remove_file(android.host_path("/elsewhere/libnameless.so")).unwrap();
            }
            android.file("/libs/libnameless.so", &library);
            android.file("/libs/elsewhere/libnameless.so", b"what a whole path does not mean");
            android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libnameless.so", &library, 4096)]));
            let manifest = MANIFEST.replace("PATH", path).replace('\n', "").replace('"', "\\\"");
            application
                .configure(&format!(
                    r#"{{"layers": ["VK_LAYER_m"], "layer_folders": ["/nowhere", "{folder}"], "manifests": ["{manifest}"]}}"#
                ))
                .unwrap();
            let instance = application.instance(&[]).unwrap();
            assert_eq!(went_through(&application, "vkCreateInstance"), ["VK_LAYER_m"], "{path} in {folder}");
            unsafe { instance.destroy_instance(None) };
        }
    }
}

#[test]
fn the_library_of_a_manifest_that_is_in_no_folder_is_left_to_the_linker_by_its_name() {
    for path in ["libnameless.so", "./libnameless.so"] {
        let application = Application::new();
        application.android().layer("/libnameless.so", &["VK_LAYER_m"], &["-DNO_LAYERS_EXPORT"]);
        let manifest = MANIFEST.replace("PATH", path).replace('\n', "").replace('"', "\\\"");
        let options = format!(r#"{{"layer_folders": ["/nowhere"], "manifests": ["{manifest}"]}}"#);
        application.configure(&options).unwrap();
        let instance = application.instance(&[c"VK_LAYER_m"]).unwrap();
        let calls = application.android().calls();
        assert!(calls.contains(&"dlopen libnameless.so".to_owned()), "{calls:?}");
        unsafe { instance.destroy_instance(None) };
        let open = application.android().open_libraries();
        assert_eq!(open.iter().filter(|path| path.contains("nameless")).count(), 1, "it stays open");
    }
}

#[test]
fn manifests_in_folders_are_read() {
    let (application, android) = Application::start();
    android.layer("/libs/libnameless.so", &["VK_LAYER_m"], &["-DNO_LAYERS_EXPORT"]);
    android.file("/libs/m.json", MANIFEST.replace("PATH", "./libnameless.so"));
    application.configure(r#"{"layers": ["VK_LAYER_m"], "layer_folders": ["/libs"]}"#).unwrap();
    let instance = application.instance(&[]).unwrap();
    assert_eq!(went_through(&application, "vkCreateInstance"), ["VK_LAYER_m"]);
    unsafe { instance.destroy_instance(None) };
    assert!(application.report(0).contains("VK_LAYER_m (/libs/m.json): active"));
}

#[test]
fn a_manifests_missing_library_is_reported_with_its_path() {
    let application = Application::new();
    application.android().file("/libs/m.json", MANIFEST.replace("PATH", "./libnameless.so"));
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let result = application.instance(&[c"VK_LAYER_m"]).err();
    assert_eq!(result, Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
    let logged = application.android().logged();
    assert!(logged.iter().any(|(_, text)| text.contains("/libs/./libnameless.so")), "{logged:?}");
    assert!(application.report(0).contains("VK_LAYER_m (/libs/m.json): not used: its library does not open"));
    assert!(
        application.report(1).contains(r#""decision":"does-not-open","reason":"its library does not open"#)
    );
}

#[test]
fn extensions_of_a_layer_that_describes_itself_are_listed_and_can_be_enabled() {
    let application = Application::new();
    let extensions = [
        "-DINSTANCE_EXTENSIONS=\"VK_EXT_layer_instance\",\"VK_EXT_layer_second\"",
        "-DDEVICE_EXTENSIONS=\"VK_EXT_layer_device\"",
    ];
    application.android().layer("/libs/libVkLayer_x.so", &["VK_LAYER_x"], &extensions);
    application.configure(r#"{"layers": ["VK_LAYER_x"], "layer_folders": ["/libs"]}"#).unwrap();
    let vulkan = application.vulkan();
    let names = |all: Vec<vk::ExtensionProperties>| -> Vec<(String, u32)> {
        let name = |one: &vk::ExtensionProperties| {
            one.extension_name_as_c_str().unwrap().to_str().unwrap().to_owned()
        };
        all.iter().map(|one| (name(one), one.spec_version)).collect()
    };
    unsafe {
        let listed = names(vulkan.enumerate_instance_extension_properties(Some(c"VK_LAYER_x")).unwrap());
        assert_eq!(listed, [("VK_EXT_layer_instance".to_owned(), 7), ("VK_EXT_layer_second".to_owned(), 7)]);
        let wanted = [c"VK_EXT_layer_second".as_ptr()];
        let info = vk::InstanceCreateInfo::default().enabled_extension_names(&wanted);
        let instance = vulkan.create_instance(&info, None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let mut count = 0;
        let enumerate = instance.fp_v1_0().enumerate_device_extension_properties;
        let layer = c"VK_LAYER_x".as_ptr();
        assert_eq!(enumerate(physical, layer, &mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        let mut all = vec![vk::ExtensionProperties::default(); count as usize];
        assert_eq!(enumerate(physical, layer, &mut count, all.as_mut_ptr()), vk::Result::SUCCESS);
        assert_eq!(names(all), [("VK_EXT_layer_device".to_owned(), 7)]);
        instance.destroy_instance(None);
    }
}

#[test]
fn a_layer_in_a_package_that_cannot_be_used_has_its_reason() {
    let (application, android) = Application::start();
    android.change().page_size = 16384;
    android.layer("/made.so", &["VK_LAYER_x"], &["-Wl,-z,max-page-size=16384"]);
    let good = fs::read(android.host_path("/made.so")).unwrap();
    // 62 is x86_64, 183 is arm64.
    let mut other = good.clone();
    other[18..20].copy_from_slice(&if cfg!(target_arch = "x86_64") { 183u16 } else { 62 }.to_le_bytes());
    let broken = [&good[..64], &[0; 64]].concat();
    let files = [
        Packed::stored("something", b"at the beginning", 1),
        Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_zip.so", &good, 1) },
        Packed::stored("lib/x86_64/libVkLayer_4k.so", &good, 4096),
        Packed::stored("lib/x86_64/libVkLayer_abi.so", &other, 16384),
        Packed::stored("lib/x86_64/libVkLayer_text.so", b"no library", 16384),
        Packed::stored("lib/x86_64/libVkLayer_half.so", &broken, 16384),
        Packed::stored("lib/x86_64/libVkLayer_good.so", &good, 16384),
    ];
    android.file(PACKAGE, package(&files));
    android
        .file("/data/app/arm.apk", package(&[Packed::stored("lib/arm64-v8a/libVkLayer_x.so", &good, 16384)]));
    android.file("/data/app/broken.apk", b"no archive");
    application
        .configure(
            r#"{"layer_folders": ["/data/app/game/base.apk!/lib/x86_64", "/data/app/arm.apk!/lib/x86_64",
                "/data/app/broken.apk!/lib/x86_64", "/data/app/missing.apk!/lib/x86_64"]}"#,
        )
        .unwrap();
    let text = application.report(0);
    for words in [
        "libVkLayer_zip.so: not used: it is compressed in the archive (method 8)",
        "libVkLayer_4k.so: not used: in the archive it begins at byte 12288, which is not a multiple of this device's pages of 16384",
        "libVkLayer_abi.so: not used: it is for another processor",
        "libVkLayer_text.so: not used: it is not an ELF shared library",
        "libVkLayer_half.so: not used: it does not open",
        "libVkLayer_good.so: VK_LAYER_x",
        "/data/app/arm.apk!/lib/x86_64: the archive has no such folder",
        "/data/app/broken.apk!/lib/x86_64: the archive cannot be read: it is not a ZIP archive",
        "/data/app/missing.apk!/lib/x86_64: the archive cannot be read: it does not exist",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let logged = android.logged();
    for name in ["zip", "4k", "abi", "text", "half"] {
        let words = format!("libVkLayer_{name}.so: no layers of it are used");
        assert!(logged.iter().any(|(_, text)| text.contains(&words)), "{words}: {logged:?}");
    }
}

#[test]
fn folders_are_not_examined_again_until_the_next_options() {
    let (application, android) = Application::start();
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    android.layer("/libs/below/libVkLayer_b.so", &["VK_LAYER_b"], &[]);
    let library = fs::read(android.host_path("/libs/libVkLayer_a.so")).unwrap();
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_c.so", &library, 4096)]));
    let manifest = |name: &str| {
        MANIFEST.replace("PATH", "libnameless.so").replace("_m", name).replace('\n', "").replace('"', "\\\"")
    };
    let listed = || application.layers();
    let folders = r#""layer_folders": ["/libs", "/libs/below", "/data/app/game/base.apk!/lib/x86_64"]"#;
    for names in [&["_m"][..], &["_m", "_n"], &["_o"]] {
        let manifests: Vec<String> = names.iter().map(|name| format!("\"{}\"", manifest(name))).collect();
        application.configure(&format!(r#"{{{folders}, "manifests": [{}]}}"#, manifests.join(", "))).unwrap();
        let before = listed();
        for name in names
            .iter()
            .map(|name| format!("VK_LAYER{name}"))
            .chain(["VK_LAYER_a".into(), "VK_LAYER_b".into()])
        {
            assert!(before.contains(&name), "{name}: {before:?}");
        }
        let _ = android.calls();
        assert_eq!(listed(), before);
        let again = android.calls();
        // Missing things may appear.
        let is_there = |call: &String| {
            call.strip_prefix("list ").is_some_and(|folder| android.host_path(folder).exists())
        };
        assert!(!again.iter().any(is_there), "{again:?}");
    }
    let report = application.report(0);
    assert!(!report.contains("/libs/libVkLayer_b.so"), "{report}");
}

#[test]
fn a_manifest_that_is_larger_than_any_is_not_read() {
    let application = Application::new();
    application.android().file("/libs/large.json", vec![b' '; (1 << 20) + 1]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let report = application.report(0);
    assert!(report.contains("/libs/large.json): not used: the file has more than 1048576 bytes"), "{report}");
}

#[test]
fn a_layers_own_properties_are_listed() {
    let (application, android) = Application::start();
    android.layer(
        "/libs/libVkLayer_a.so",
        &["VK_LAYER_a"],
        &["-DSPEC_VERSION=VK_MAKE_API_VERSION(0,1,3,250)"],
    );
    // Android does not read this version.
    android.layer("/libs/libVkLayer_b.so", &["VK_LAYER_b"], &["-DSPEC_VERSION=0"]);
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    let mut layers = unsafe { application.vulkan().enumerate_instance_layer_properties() }.unwrap();
    layers.sort_by_key(|layer| layer.spec_version);
    let versions: Vec<u32> = layers.iter().map(|layer| layer.spec_version).collect();
    assert_eq!(versions, [vk::API_VERSION_1_0, vk::make_api_version(0, 1, 3, 250)]);
    for layer in layers {
        assert_eq!(layer.implementation_version, 1);
        assert_eq!(layer.description_as_c_str().unwrap(), c"a layer for tests");
    }
}
