//! The ways in which developers use layers on a device, from the settings to the calls that reach a
//! layer: the scenarios of Android's own layer tests (CtsGpuToolsHostTestCases).

use android_simulation::{Simulation, null_driver};
use ash::{Entry, Instance, vk};

const DEBUG_FOLDER: &str = "/data/local/debug/vulkan";
const DATA: &str = "/data/user/0/game";
const LIBRARIES: &str = "/data/app/game/lib/x86_64";
const TOOLS: &str = "/data/app/tools/lib/x86_64";

/// The effect of `adb shell settings put global`, and the kind of application.
#[derive(Clone, Copy)]
struct Settings {
    enabled: bool,
    application: &'static str,
    layers: &'static str,
    layer_packages: &'static str,
    /// `android:debuggable` of the application.
    debuggable: bool,
    /// Whether its manifest has `com.android.graphics.injectLayers.enable`.
    injectable: bool,
}

/// The settings of a developer who debugs the game.
const DEBUGGING: Settings = Settings {
    enabled: true,
    application: "game",
    layers: "",
    layer_packages: "",
    debuggable: true,
    injectable: false,
};

/// Returns a system with a driver, and the game as the framework starts it with these settings.
fn start(settings: Settings) -> (Simulation, Entry) {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    android.set("ro.hardware.vulkan", "null");
    let mut paths = String::new();
    let may_debug = settings.debuggable || settings.injectable;
    if settings.enabled && settings.application == "game" && may_debug {
        paths = format!("{DATA}:");
        for package in settings.layer_packages.split(':').filter(|package| !package.is_empty()) {
            paths += &format!("/data/app/{package}/lib/x86_64:/data/app/{package}/base.apk!/lib/x86_64:");
        }
        android.change().debug_layers = settings.layers.into();
        // The framework makes such a process dumpable.
        android.change().dumpable = true;
    }
    let mut world = android.change();
    world.dumpable |= settings.debuggable;
    world.layer_paths = format!("{paths}{LIBRARIES}:/data/app/game/base.apk!/lib/x86_64");
    world.application_namespace = true;
    drop(world);
    let vulkan = simulation.vulkan();
    (simulation, vulkan)
}

fn layer(simulation: &Simulation, folder: &str, letter: &str) {
    let path = format!("{folder}/libVkLayer_nullLayer{letter}.so");
    let name = format!("VK_LAYER_ANDROID_nullLayer{letter}");
    let extension = format!("-DINSTANCE_EXTENSIONS=\"VK_EXT_{letter}\",\"VK_EXT_debug_utils\"");
    simulation.android.layer(&path, &[&name], &[&extension]);
}

fn create(vulkan: &Entry) -> Instance {
    unsafe { vulkan.create_instance(&vk::InstanceCreateInfo::default(), None) }.expect("an instance")
}

/// Returns the letters of the layers that vkCreateInstance went through, in order.
fn went_through(simulation: &Simulation, vulkan: &Entry) -> String {
    let _ = simulation.android.layer_calls();
    let instance = create(vulkan);
    let calls = simulation.android.layer_calls();
    unsafe { instance.destroy_instance(None) };
    let letter = |call: &String| {
        call.strip_suffix(" vkCreateInstance")?.strip_prefix("VK_LAYER_ANDROID_nullLayer")?.chars().next()
    };
    let only_calls = calls.into_iter().filter(|call| !call.contains(" plain "));
    only_calls.filter_map(|call| letter(&call)).collect()
}

/// Returns the listed instance extensions that belong to layers.
fn extensions_of_layers(vulkan: &Entry) -> Vec<(String, u32)> {
    // SAFETY: the library is loaded.
    let all = unsafe { vulkan.enumerate_instance_extension_properties(None) }.expect("extensions");
    let name =
        |one: &vk::ExtensionProperties| one.extension_name_as_c_str().unwrap().to_str().unwrap().to_owned();
    let all = all.iter().map(|one| (name(one), one.spec_version));
    all.filter(|(name, _)| ["VK_EXT_A", "VK_EXT_B", "VK_EXT_debug_utils"].contains(&name.as_str())).collect()
}

const A_AND_B: &str = "VK_LAYER_ANDROID_nullLayerA:VK_LAYER_ANDROID_nullLayerB";

/// Layer A lies in the application's data folder, layer B in the debug folder.
fn with_a_and_b(settings: Settings) -> (Simulation, Entry) {
    let (simulation, vulkan) = start(settings);
    layer(&simulation, DATA, "A");
    layer(&simulation, DEBUG_FOLDER, "B");
    (simulation, vulkan)
}

#[test]
fn a_debuggable_application_gets_the_layers_of_the_settings_in_their_order() {
    let (simulation, vulkan) = with_a_and_b(Settings { layers: A_AND_B, ..DEBUGGING });
    assert_eq!(went_through(&simulation, &vulkan), "AB");
}

#[test]
fn an_application_for_release_gets_none() {
    let (simulation, vulkan) = with_a_and_b(Settings { layers: A_AND_B, debuggable: false, ..DEBUGGING });
    assert_eq!(went_through(&simulation, &vulkan), "");
}

#[test]
fn an_application_that_lets_layers_in_gets_them() {
    let settings = Settings { layers: A_AND_B, debuggable: false, injectable: true, ..DEBUGGING };
    let (simulation, vulkan) = with_a_and_b(settings);
    assert_eq!(went_through(&simulation, &vulkan), "AB");
}

#[test]
fn without_the_switch_no_layer_is_loaded() {
    let (simulation, vulkan) = with_a_and_b(Settings { layers: A_AND_B, enabled: false, ..DEBUGGING });
    assert_eq!(went_through(&simulation, &vulkan), "");
}

#[test]
fn the_settings_of_another_application_load_no_layer() {
    let (simulation, vulkan) = with_a_and_b(Settings { layers: A_AND_B, application: "other", ..DEBUGGING });
    assert_eq!(went_through(&simulation, &vulkan), "");
}

#[test]
fn without_a_list_no_layer_is_loaded() {
    let (simulation, vulkan) = with_a_and_b(DEBUGGING);
    assert_eq!(went_through(&simulation, &vulkan), "");
}

#[test]
fn a_property_enables_a_layer() {
    let (simulation, vulkan) = with_a_and_b(DEBUGGING);
    simulation.android.set("debug.vulkan.layers", "VK_LAYER_ANDROID_nullLayerA");
    assert_eq!(went_through(&simulation, &vulkan), "A");
}

#[test]
fn the_settings_make_a_property_count_for_nothing() {
    let (simulation, vulkan) = with_a_and_b(Settings { layers: "VK_LAYER_ANDROID_nullLayerA", ..DEBUGGING });
    simulation.android.set("debug.vulkan.layers", "VK_LAYER_ANDROID_nullLayerB");
    assert_eq!(went_through(&simulation, &vulkan), "A");
}

#[test]
fn layers_of_another_package_are_loaded() {
    for (debuggable, injectable) in [(true, false), (false, true)] {
        let settings = Settings {
            layers: "VK_LAYER_ANDROID_nullLayerC:VK_LAYER_ANDROID_nullLayerD",
            layer_packages: "tools",
            debuggable,
            injectable,
            ..DEBUGGING
        };
        let (simulation, vulkan) = start(settings);
        layer(&simulation, TOOLS, "C");
        layer(&simulation, LIBRARIES, "D");
        assert_eq!(went_through(&simulation, &vulkan), "CD");
        let opened = simulation.android.calls();
        let expected = format!("open-in-application {TOOLS}/libVkLayer_nullLayerC.so");
        assert!(opened.contains(&expected), "{opened:?}");
    }
    // Without the settings the package is not searched.
    let (simulation, vulkan) = start(Settings { enabled: false, layer_packages: "tools", ..DEBUGGING });
    layer(&simulation, TOOLS, "C");
    let _ = went_through(&simulation, &vulkan);
    assert!(!simulation.android.calls().iter().any(|call| call.contains(TOOLS)));
}

#[test]
fn extensions_of_a_layer_in_the_settings_are_listed() {
    let (simulation, vulkan) = with_a_and_b(DEBUGGING);
    let without = extensions_of_layers(&vulkan);
    assert!(!without.iter().any(|(name, _)| name == "VK_EXT_A"));
    drop(simulation);
    let (_simulation, vulkan) = with_a_and_b(Settings { layers: "VK_LAYER_ANDROID_nullLayerA", ..DEBUGGING });
    let with = extensions_of_layers(&vulkan);
    // The layer's comes first, so its version is used.
    assert_eq!(with, [("VK_EXT_A".to_owned(), 7), ("VK_EXT_debug_utils".to_owned(), 7)]);
}

#[test]
fn extensions_of_several_layers_in_the_settings_are_listed_once() {
    let (_simulation, vulkan) = with_a_and_b(Settings { layers: A_AND_B, ..DEBUGGING });
    let names: Vec<String> = extensions_of_layers(&vulkan).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["VK_EXT_A", "VK_EXT_debug_utils", "VK_EXT_B"]);
}

#[test]
fn a_layer_that_is_not_global_takes_no_part_in_devices() {
    let (simulation, vulkan) = start(Settings { layers: A_AND_B, ..DEBUGGING });
    layer(&simulation, DATA, "A");
    let path = format!("{DATA}/libVkLayer_nullLayerB.so");
    simulation.android.layer(&path, &["VK_LAYER_ANDROID_nullLayerB"], &["-DDEVICE_LAYERS=0"]);
    let instance = create(&vulkan);
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    let _ = simulation.android.layer_calls();
    // SAFETY: the instance and the info are valid; every created object is destroyed.
    unsafe {
        let physical_device = instance.enumerate_physical_devices().unwrap()[0];
        let device = instance.create_device(physical_device, &info, None).unwrap();
        let _ = device.get_device_queue(0, 0);
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    let calls = simulation.android.layer_calls();
    let device_calls: Vec<&str> =
        calls.iter().map(String::as_str).filter(|call| call.contains("evice")).collect();
    // In the instance's chain both see the creation, since it is an instance command.
    let of_b = |command: &str| format!("VK_LAYER_ANDROID_nullLayerB {command}");
    assert!(device_calls.contains(&"VK_LAYER_ANDROID_nullLayerA vkGetDeviceQueue"), "{device_calls:?}");
    assert!(!device_calls.contains(&of_b("vkGetDeviceQueue").as_str()), "{device_calls:?}");
    assert!(!device_calls.contains(&of_b("vkDestroyDevice").as_str()), "{device_calls:?}");
    assert!(simulation.android.open_libraries().iter().all(|path| !path.contains("libVkLayer")));
}
