//! How instances and devices come to be, through chains of layers. Rows 50 to 57 of docs/android.md.

use std::ffi::CStr;
use std::fs;
use std::path::Path;

use android_simulation::{Simulation, null_driver};
use ash::{Device, Entry, Instance, vk};
use loader_core::log::Level;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modules/chain.c");
const DEBUG_FOLDER: &str = "/data/local/debug/vulkan";

/// A system with the null driver, in which layers are found in the debug folder.
struct System {
    simulation: Simulation,
    vulkan: Entry,
}

impl System {
    fn new() -> Self {
        let simulation = Simulation::new();
        let android = simulation.android;
        android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
        android.set("ro.hardware.vulkan", "null");
        android.change().dumpable = true;
        let vulkan = simulation.vulkan();
        Self { simulation, vulkan }
    }

    /// Puts a layer there: see `modules/chain.c` for its options.
    fn layer(&self, name: &str, options: &[&str]) {
        let android = self.simulation.android;
        let trace = format!("-DTRACE=\"{}\"", android.place("/layers.trace").display());
        let named = format!("-DNAME={name}");
        let path = format!("{DEBUG_FOLDER}/libVkLayer_{name}.so");
        android.compile(&path, Path::new(SOURCE), &[&[&*trace, &*named], options].concat());
    }

    /// What layers have noted since the last time.
    fn noted(&self) -> Vec<String> {
        let trace = self.simulation.android.place("/layers.trace");
        let text = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(trace);
        text.lines().map(str::to_owned).collect()
    }

    fn errors(&self) -> Vec<String> {
        let errors = self.simulation.android.logged().into_iter().filter(|(level, _)| *level == Level::Error);
        errors.map(|(_, text)| text).collect()
    }

    fn instance(&self, layers: &[&CStr], extensions: &[&CStr]) -> Result<Instance, vk::Result> {
        let layers: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
        let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = vk::InstanceCreateInfo::default()
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        // SAFETY: the info is valid.
        unsafe { self.vulkan.create_instance(&info, None) }
    }
}

/// The only device of the null driver.
fn physical_device(instance: &Instance) -> vk::PhysicalDevice {
    // SAFETY: the instance is valid.
    unsafe { instance.enumerate_physical_devices() }.expect("a physical device")[0]
}

fn device(instance: &Instance, extensions: &[&CStr]) -> Result<Device, vk::Result> {
    let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    // SAFETY: the info is valid.
    unsafe { instance.create_device(physical_device(instance), &info, None) }
}

/// Destroys both.
fn destroy(instance: Instance, device: Option<Device>) {
    // SAFETY: nothing of them is used any more.
    unsafe {
        if let Some(device) = device {
            device.destroy_device(None);
        }
        instance.destroy_instance(None);
    }
}

#[test]
fn without_layers_the_drivers_functions_are_called() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    // SAFETY: the physical device is valid.
    let properties = unsafe { instance.get_physical_device_properties(physical_device(&instance)) };
    assert_ne!(properties.api_version, 0);
    let device = device(&instance, &[]).unwrap();
    // SAFETY: the device is valid.
    unsafe { device.device_wait_idle() }.unwrap();
    destroy(instance, Some(device));
    assert_eq!(system.errors(), [""; 0]);
}

#[test]
fn r50_r51_layers_are_handed_the_callback_then_the_links_and_call_one_another() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    system.layer("VK_LAYER_two", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    // 1 is the callback for data, 0 are the links; -1 is the end of the chain.
    let noted = system.noted();
    let told = |line: &str| noted.iter().position(|noted| noted == line).expect(line);
    assert!(
        told("VK_LAYER_one vkCreateInstance callbacks=0") < told("VK_LAYER_two vkCreateInstance callbacks=0")
    );
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        told(&format!("{layer} structures 1 0 then -1"));
    }
    let device = device(&instance, &[]).unwrap();
    let noted = system.noted();
    let told = |line: &str| noted.iter().position(|noted| noted == line).expect(line);
    assert!(
        told("VK_LAYER_one vkCreateDevice callbacks=0") < told("VK_LAYER_two vkCreateDevice callbacks=0")
    );
    for layer in ["VK_LAYER_one", "VK_LAYER_two"] {
        told(&format!("{layer} structures of device 1 0 then -1"));
    }
    // SAFETY: both are valid.
    unsafe {
        device.device_wait_idle().unwrap();
        let _ = instance.get_physical_device_properties(physical_device(&instance));
    }
    destroy(instance, Some(device));
    assert_eq!(
        system.noted(),
        [
            "VK_LAYER_one vkDeviceWaitIdle",
            "VK_LAYER_two vkDeviceWaitIdle",
            "VK_LAYER_one vkEnumeratePhysicalDevices",
            "VK_LAYER_two vkEnumeratePhysicalDevices",
            "VK_LAYER_one vkEnumeratePhysicalDevices",
            "VK_LAYER_two vkEnumeratePhysicalDevices",
            "VK_LAYER_one vkGetPhysicalDeviceProperties",
            "VK_LAYER_two vkGetPhysicalDeviceProperties",
            "VK_LAYER_one vkDestroyDevice callbacks=0",
            "VK_LAYER_two vkDestroyDevice callbacks=0",
            "VK_LAYER_one vkDestroyInstance callbacks=0",
            "VK_LAYER_two vkDestroyInstance callbacks=0",
        ]
    );
    assert_eq!(system.errors(), [""; 0]);
    assert_eq!(system.simulation.android.open_libraries(), ["/vendor/lib64/hw/vulkan.null.so"]);
}
