//! The layers that are active in an instance, and the layers that applications see.

use std::ffi::CStr;

use android_simulation::{Android, Simulation};
use ash::vk;
use platform_android::layers::{Found, merge};
use platform_android::log::Logger;
use platform_android::{ApiLevel, Switch, Switches};
use platform_android_system::SystemLoader;
use platform_android_system::layers::{Active, Kind, settings_extensions};
use vkload_core::log::Level;
use vkload_core::memory::{Arc, CopiedCallbacks};

const FOLDER: &str = "/data/app/game/lib";

/// Returns a system whose application has the layers VK_LAYER_a and so on, one for each letter.
fn with_layers(letters: &str) -> Simulation {
    let simulation = Simulation::new();
    simulation.android.change().layer_paths = FOLDER.into();
    for letter in letters.chars() {
        layer(simulation.android, letter, &[]);
    }
    simulation
}

fn layer(android: &Android, letter: char, options: &[&str]) {
    android.layer(&format!("{FOLDER}/libVkLayer_{letter}.so"), &[&format!("VK_LAYER_{letter}")], options);
}

fn found(loader: &'static SystemLoader) -> Arc<Found> {
    loader.layers.found(loader).expect("memory")
}

/// Creates an instance, as far as layers are concerned.
fn choose(loader: &'static SystemLoader, names: &[&CStr]) -> Result<Active, vk::Result> {
    let logger = Logger::new(loader, CopiedCallbacks::process());
    loader.layers.choose(&found(loader), names.iter().copied(), &logger)
}

/// Returns the last letters of the layers, in order.
fn letters(active: &Active) -> String {
    active.iter().map(|layer| char::from(*layer.name().to_bytes().last().unwrap())).collect()
}

fn messages(android: &Android, level: Level) -> Vec<String> {
    android.logged().into_iter().filter(|(of, _)| *of == level).map(|(_, text)| text).collect()
}

#[test]
fn negotiation_is_for_libraries_that_export_it() {
    let simulation = with_layers("");
    layer(simulation.android, 'n', &["-DNEGOTIATE=2", "-DNO_PLAIN"]);
    layer(simulation.android, 'o', &["-DNEGOTIATE=1"]);
    let negotiated = |calls: Vec<String>| calls.iter().filter(|call| call.contains("vkNegotiate")).count();
    let names = [c"VK_LAYER_n", c"VK_LAYER_o"];

    let active = choose(simulation.loader, &names).unwrap();
    let versions: Vec<u32> = active.iter().map(|layer| layer.interface.version).collect();
    assert_eq!(versions, [2, 1]);
    assert!(active[0].interface.get_physical_device_proc_addr.is_some(), "only version 2 has that");
    assert!(active[1].interface.get_physical_device_proc_addr.is_none());
    assert_eq!(negotiated(simulation.android.layer_calls()), 2);
}

#[test]
fn a_layer_that_refuses_or_wants_a_later_interface_is_not_used() {
    for (options, words) in [
        (&["-DNEGOTIATE=2", "-DREFUSE"][..], "no interface version in common"),
        (&["-DNEGOTIATE=3"], "settled on interface version 3"),
    ] {
        let simulation = with_layers("");
        layer(simulation.android, 'n', options);
        let result = choose(simulation.loader, &[c"VK_LAYER_n"]);
        assert_eq!(result.err(), Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
        assert!(messages(simulation.android, Level::Error)[0].contains(words));
        assert!(simulation.android.open_libraries().is_empty());
    }
}

#[test]
fn functions_with_the_layers_name_come_first() {
    let simulation = with_layers("");
    let android = simulation.android;
    layer(android, 'a', &["-DPREFIXED", "-DNEGOTIATE=2"]);
    android.layer(
        &format!("{FOLDER}/libVkLayer_bc.so"),
        &["VK_LAYER_b", "VK_LAYER_c"],
        &["-DPREFIXED", "-DNO_PLAIN"],
    );
    layer(android, 'd', &[]);
    let names = [c"VK_LAYER_a", c"VK_LAYER_b", c"VK_LAYER_c", c"VK_LAYER_d"];
    let active = choose(simulation.loader, &names).unwrap();
    let _ = android.layer_calls();
    for layer in active.iter() {
        // SAFETY: the layer is open, and knows this command without an instance.
        unsafe {
            let find = layer.interface.get_instance_proc_addr;
            assert!(find(vk::Instance::null(), c"vkCreateInstance".as_ptr()).is_some());
        }
        assert!(layer.interface.get_device_proc_addr.is_some());
    }
    let by: Vec<String> = android.layer_calls();
    let expected =
        ["a named", "b named", "c named", "d plain"].map(|by| format!("VK_LAYER_{by} vkCreateInstance"));
    assert_eq!(by, expected);
}

#[test]
fn libraries_stay_open_until_the_last_instance_is_gone() {
    let simulation = with_layers("ab");
    let android = simulation.android;
    let first = choose(simulation.loader, &[c"VK_LAYER_a", c"VK_LAYER_b"]).unwrap();
    let second = choose(simulation.loader, &[c"VK_LAYER_a"]).unwrap();
    let path = |letter| format!("{FOLDER}/libVkLayer_{letter}.so");
    assert_eq!(android.open_libraries(), [path('a'), path('a'), path('b')]);
    drop(first);
    assert_eq!(android.open_libraries(), [path('a')]);
    drop(second);
    assert!(android.open_libraries().is_empty());
    // A failed instance leaves nothing open.
    assert!(choose(simulation.loader, &[c"VK_LAYER_a", c"VK_LAYER_x"]).is_err());
    assert!(android.open_libraries().is_empty());
}

#[test]
fn settings_beat_properties_and_the_first_is_nearest_to_the_application() {
    let simulation = with_layers("abcd");
    let android = simulation.android;
    android.set("debug.vulkan.layers", "VK_LAYER_c");
    android.set("debug.vulkan.layer.3", "VK_LAYER_d");
    let kinds = |active: &Active| active.iter().map(|layer| layer.kind).collect::<Vec<_>>();
    let active = choose(simulation.loader, &[c"VK_LAYER_a", c"VK_LAYER_c"]).unwrap();
    assert_eq!(letters(&active), "cda");
    assert_eq!(kinds(&active), [Kind::Implicit, Kind::Implicit, Kind::Explicit]);
    android.change().debug_layers = "VK_LAYER_b:VK_LAYER_a".into();
    assert_eq!(letters(&choose(simulation.loader, &[c"VK_LAYER_d"]).unwrap()), "bad");
}

/// Android has no manifests: whatever a library's name or folder, a setting or program has to name
/// its layer.
#[test]
fn no_layer_is_active_unless_it_is_named() {
    let simulation = with_layers("ab");
    let manifest = format!("{FOLDER}/vulkan/implicit_layer.d/a.json");
    let text = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_a", "type": "GLOBAL",
        "library_path": "../../libVkLayer_a.so", "api_version": "1.3.0", "implementation_version": "1", "description": "",
        "disable_environment": {"NO": "1"}}}"#;
    simulation.android.file(&manifest, text.as_bytes());
    assert_eq!(letters(&choose(simulation.loader, &[]).unwrap()), "");
    assert_eq!(letters(&choose(simulation.loader, &[c"VK_LAYER_b"]).unwrap()), "b");
}

#[test]
fn an_unknown_layer_of_the_application_is_not_present() {
    let simulation = with_layers("a");
    let result = choose(simulation.loader, &[c"VK_LAYER_a", c"VK_LAYER_x"]);
    assert_eq!(result.err(), Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
    let errors = messages(simulation.android, Level::Error);
    assert!(errors[0].contains("the application asks for the layer VK_LAYER_x"), "{errors:?}");
    // The folder that could not be searched might have had it.
    assert!(errors[0].contains("/data/local/debug/vulkan: not searched"), "{errors:?}");
}

#[test]
fn near_misses_are_named_with_the_difference() {
    let simulation = with_layers("a");
    let android = simulation.android;
    android.layer(
        &format!("{FOLDER}/libVkLayer_khronos_validation.so"),
        &["VK_LAYER_KHRONOS_validation"],
        &["-DNO_EXTENSIONS_EXPORT"],
    );
    android.layer(&format!("{FOLDER}/libVkLayer_other.so"), &["VK_LAYER_other"], &["-DLAYER_COUNT=0"]);
    assert!(choose(simulation.loader, &[c"VK_LAYER_KHRONOS_validation"]).is_err());
    let errors = messages(android, Level::Error);
    assert!(errors[0].contains(
        "libVkLayer_khronos_validation.so: it does not export vkEnumerateInstanceExtensionProperties"
    ));
    assert!(!errors[0].contains("libVkLayer_other.so"), "{errors:?}");

    assert!(choose(simulation.loader, &[c"VK_LAYER_A"]).is_err());
    assert!(messages(android, Level::Error)[0].contains("there is VK_LAYER_a"));
}

#[test]
fn layers_of_settings_or_a_property_may_be_missing() {
    let simulation = with_layers("a");
    let android = simulation.android;
    for (settings, property, by) in [
        ("VK_LAYER_x:VK_LAYER_a", "", "the setting gpu_debug_layers"),
        ("", "VK_LAYER_x:VK_LAYER_a", "the property debug.vulkan.layers"),
    ] {
        android.change().debug_layers = settings.into();
        android.set("debug.vulkan.layers", property);
        let _ = android.logged();
        assert_eq!(letters(&choose(simulation.loader, &[]).unwrap()), "a");
        let warned = messages(android, Level::Warning);
        assert!(warned[0].starts_with(by) && warned[0].contains("VK_LAYER_x"), "{warned:?}");
        assert!(warned[0].ends_with("it is left out"), "{warned:?}");
    }
    // An empty name is no layer.
    android.change().debug_layers = "VK_LAYER_a::".into();
    assert_eq!(letters(&choose(simulation.loader, &[]).unwrap()), "a");
}

#[test]
fn a_layer_without_a_look_up_is_not_present() {
    for option in ["-DNO_PLAIN", "-DNOTHING"] {
        let simulation = with_layers("");
        layer(simulation.android, 'a', &[option]);
        let result = choose(simulation.loader, &[c"VK_LAYER_a"]);
        assert_eq!(result.err(), Some(vk::Result::ERROR_LAYER_NOT_PRESENT));
        assert!(messages(simulation.android, Level::Error)[0].contains("it has no vkGetInstanceProcAddr"));
        assert!(simulation.android.open_libraries().is_empty());
    }
}

#[test]
fn layers_of_the_device_are_always_active_last_and_not_listed() {
    let simulation = with_layers("a");
    let android = simulation.android;
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
    let (system, product) = (format!("/system/lib{bits}/vulkan"), format!("/product/lib{bits}/vulkan"));
    android.layer(&format!("{system}/libVkLayer_p.so"), &["VK_LAYER_p"], &[]);
    android.layer(&format!("{system}/second.so"), &["VK_LAYER_q"], &[]);
    android.layer(&format!("{system}/libVkLayer_r.so"), &["VK_LAYER_r"], &[]);
    android.layer(&format!("{product}/libVkLayer_o.so"), &["VK_LAYER_o"], &[]);
    android.set("ro.vulkan.layers.platform", "libVkLayer_p.so:second.so:missing.so");
    android.set("ro.vulkan.layers.oem", "libVkLayer_o.so:../libVkLayer_o.so");
    android.change().application_namespace = true;
    // Requesting one that is always active changes nothing.
    let active = choose(simulation.loader, &[c"VK_LAYER_a", c"VK_LAYER_o"]).unwrap();
    assert_eq!(letters(&active), "apqo");
    let kinds: Vec<Kind> = active.iter().map(|layer| layer.kind).collect();
    assert_eq!(kinds, [Kind::Explicit, Kind::Platform, Kind::Platform, Kind::Oem]);
    let found = found(simulation.loader);
    assert_eq!(found.listed().count(), 1);
    assert!(found.layer(c"VK_LAYER_p").is_err());
    let opened: Vec<String> =
        android.calls().into_iter().filter(|call| call.contains("/vulkan/lib")).collect();
    assert!(opened.iter().all(|call| !call.starts_with("open-in-application")), "{opened:?}");
    assert!(messages(android, Level::Warning).iter().any(|text| text.contains("missing.so")));
}

#[test]
fn layers_of_the_device_are_for_levels_that_have_them() {
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
    let active = |level, switches: fn(Switches) -> Switches| {
        let simulation = Simulation::of(level, switches);
        let android = simulation.android;
        android.layer(&format!("/system/lib{bits}/vulkan/libVkLayer_p.so"), &["VK_LAYER_p"], &[]);
        android.set("ro.vulkan.layers.platform", "libVkLayer_p.so");
        letters(&choose(simulation.loader, &[]).unwrap())
    };
    assert_eq!(active(ApiLevel::ANDROID_16, |switches| switches), "");
    assert_eq!(active(ApiLevel::ANDROID_16, |switches| switches.with(Switch::DeviceLayers)), "p");
    assert_eq!(active(ApiLevel::ANDROID_17, |switches| switches), "p");
}

#[test]
fn lists_of_layers_of_the_device_may_be_longer_than_other_properties() {
    let simulation = with_layers("");
    let android = simulation.android;
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
    android.layer(&format!("/system/lib{bits}/vulkan/libVkLayer_p.so"), &["VK_LAYER_p"], &[]);
    let longer = format!("{}.so:libVkLayer_p.so", "x".repeat(92));
    android.set("ro.vulkan.layers.platform", &longer);
    assert_eq!(letters(&choose(simulation.loader, &[]).unwrap()), "p");
}

#[test]
fn a_layer_of_the_device_that_the_application_names_is_active_once_or_an_error() {
    for (option, expected) in [("-DLAYER", Ok(1)), ("-DNOTHING", Err(vk::Result::ERROR_LAYER_NOT_PRESENT))] {
        let simulation = with_layers("");
        let android = simulation.android;
        let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
        android.layer(&format!("/system/lib{bits}/vulkan/libVkLayer_p.so"), &["VK_LAYER_p"], &[option]);
        android.set("ro.vulkan.layers.platform", "libVkLayer_p.so");
        let active = choose(simulation.loader, &[c"VK_LAYER_p"]).map(|active| active.len());
        assert_eq!(active, expected);
        let errors = messages(android, Level::Error);
        assert_eq!(errors.len(), usize::from(expected.is_err()), "{errors:?}");
        // Unless requested, it is left out.
        assert_eq!(choose(simulation.loader, &[]).unwrap().len(), usize::from(expected.is_ok()));
    }
}

fn extensions(list: &[vk::ExtensionProperties]) -> Vec<(&str, u32)> {
    let name = |one: &vk::ExtensionProperties| -> &str {
        // SAFETY: the array is NUL-terminated and lives as long as `list`.
        unsafe { CStr::from_ptr(one.extension_name.as_ptr()) }.to_str().unwrap()
    };
    list.iter().map(|one| (name(one), one.spec_version)).collect()
}

fn named(name: &CStr, spec_version: u32) -> vk::ExtensionProperties {
    let mut extension = vk::ExtensionProperties { spec_version, ..Default::default() };
    vkload_core::abi::name::fill(&mut extension.extension_name, name.to_bytes());
    extension
}

#[test]
fn extensions_of_layers_that_the_settings_enable_come_first_and_once() {
    let simulation = with_layers("");
    let android = simulation.android;
    layer(android, 'a', &["-DINSTANCE_EXTENSIONS=\"VK_EXT_debug_utils\",\"VK_EXT_a\""]);
    layer(android, 'b', &["-DINSTANCE_EXTENSIONS=\"VK_EXT_b\",\"VK_EXT_debug_utils\""]);
    layer(android, 'c', &["-DINSTANCE_EXTENSIONS=\"VK_EXT_c\""]);
    let found = found(simulation.loader);
    android.set("debug.vulkan.layers", "VK_LAYER_c");
    assert!(settings_extensions(&found, android).unwrap().is_empty(), "properties do not count");
    android.change().debug_layers = "VK_LAYER_b:VK_LAYER_missing:VK_LAYER_a".into();
    let mut all = settings_extensions(&found, android).unwrap();
    merge(&mut all, &[named(c"VK_KHR_surface", 25), named(c"VK_EXT_debug_utils", 2)]).unwrap();
    assert_eq!(
        extensions(&all),
        [("VK_EXT_b", 7), ("VK_EXT_debug_utils", 7), ("VK_EXT_a", 7), ("VK_KHR_surface", 25)]
    );
}

#[test]
fn every_layer_can_be_asked_for_its_extensions() {
    let simulation = with_layers("");
    layer(
        simulation.android,
        'a',
        &["-DINSTANCE_EXTENSIONS=\"VK_EXT_a\"", "-DDEVICE_EXTENSIONS=\"VK_EXT_d\",\"VK_EXT_e\""],
    );
    let found = found(simulation.loader);
    let counts = |name: &CStr| {
        found
            .layer(name)
            .map(|layer| [&layer.instance_extensions, &layer.device_extensions].map(|list| list.len()))
    };
    assert_eq!(counts(c"VK_LAYER_a"), Ok([1, 2]));
    assert_eq!(counts(c"VK_LAYER_x"), Err(vk::Result::ERROR_LAYER_NOT_PRESENT));
    assert_eq!(counts(c""), Err(vk::Result::ERROR_LAYER_NOT_PRESENT));
}

#[test]
fn active_layers_are_listed_in_order_with_their_librarys_properties() {
    let simulation = with_layers("a");
    layer(simulation.android, 'b', &["-DDEVICE_LAYERS=0"]);
    let active = choose(simulation.loader, &[c"VK_LAYER_b", c"VK_LAYER_a"]).unwrap();
    assert_eq!(letters(&active), "ba");
    let global: Vec<bool> = active.iter().map(|layer| layer.global).collect();
    assert_eq!(global, [false, true]);
    assert_eq!(active[0].properties.implementation_version, 1);
}
