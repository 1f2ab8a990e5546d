//! Layers from all sources in one chain, from vkCreateInstance to commands on a device.

use std::ffi::CStr;
use std::fs;

use android_simulation::{Packed, Simulation, null_driver, package};
use ash::vk;

const DEBUG_FOLDER: &str = "/data/local/debug/vulkan";
const PACKAGE: &str = "/data/app/game/base.apk";

/// The layers in the order in which they are enabled below: by a property, the application, the
/// platform.
const ORDER: [&str; 6] = [
    "VK_LAYER_debug",
    "VK_LAYER_one",
    "VK_LAYER_two",
    "VK_LAYER_new",
    "VK_LAYER_packed",
    "VK_LAYER_platform",
];

/// Returns a system with a driver, and with layers in the debug folder, in the application's folder
/// (two in one library, and one that negotiates), in its package and in the system.
fn system() -> Simulation {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
    android.set("ro.hardware.vulkan", "null");
    android.change().dumpable = true;
    android.change().application_namespace = true;
    android.layer(&format!("{DEBUG_FOLDER}/libVkLayer_debug.so"), &[ORDER[0]], &[]);
    android.layer("/libs/libVkLayer_both.so", &[ORDER[1], ORDER[2]], &["-DPREFIXED", "-DNO_PLAIN"]);
    android.layer("/libs/libVkLayer_new.so", &[ORDER[3]], &["-DNEGOTIATE=2", "-DNO_PLAIN"]);
    android.layer("/made.so", &[ORDER[4]], &[]);
    let packed = fs::read(android.host_path("/made.so")).unwrap();
    android.file(PACKAGE, package(&[Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096)]));
    let bits = if cfg!(target_pointer_width = "64") { "64" } else { "" };
    android.layer(&format!("/system/lib{bits}/vulkan/libVkLayer_platform.so"), &[ORDER[5]], &[]);
    android.set("ro.vulkan.layers.platform", "libVkLayer_platform.so");
    android.set("debug.vulkan.layers", ORDER[0]);
    android.change().layer_paths = format!("/libs:{PACKAGE}!/lib/x86_64");
    simulation
}

/// Returns the layers that recorded this command, in order, since the last time.
fn went_through(simulation: &Simulation, command: &str) -> Vec<String> {
    let calls = simulation.android.layer_calls();
    calls.iter().filter_map(|call| call.strip_suffix(command)?.strip_suffix(' ').map(str::to_owned)).collect()
}

#[test]
fn layers_of_every_kind_get_the_same_calls_in_order() {
    let simulation = system();
    let vulkan = simulation.vulkan();
    let names = [c"VK_LAYER_one", c"VK_LAYER_two", c"VK_LAYER_new", c"VK_LAYER_packed"].map(CStr::as_ptr);
    let info = vk::InstanceCreateInfo::default().enabled_layer_names(&names);
    // SAFETY: all parameters are valid, and every created object is destroyed before the layers are
    // closed.
    unsafe {
        let instance = vulkan.create_instance(&info, None).expect("an instance");
        let created: Vec<String> = went_through(&simulation, "vkCreateInstance");
        let created: Vec<&str> =
            created.iter().map(String::as_str).filter(|name| !name.contains(' ')).collect();
        assert_eq!(created, ORDER);

        let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
        let _ = instance.get_physical_device_properties(physical_device);
        assert_eq!(went_through(&simulation, "vkGetPhysicalDeviceProperties"), ORDER);

        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical_device, &info, None).expect("a device");
        assert_eq!(went_through(&simulation, "vkCreateDevice"), ORDER);
        let _ = device.get_device_queue(0, 0);
        assert_eq!(went_through(&simulation, "vkGetDeviceQueue"), ORDER);
        device.destroy_device(None);
        assert_eq!(went_through(&simulation, "vkDestroyDevice"), ORDER);
        // The two layers of one library have one opening each.
        let layers_open = || {
            let open = simulation.android.open_libraries();
            open.into_iter().filter(|path| path.contains("libVkLayer")).count()
        };
        assert_eq!(layers_open(), ORDER.len());
        instance.destroy_instance(None);
        assert_eq!(went_through(&simulation, "vkDestroyInstance"), ORDER);
        assert_eq!(layers_open(), 0);
    }
}
