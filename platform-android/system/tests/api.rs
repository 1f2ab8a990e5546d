//! The API level as programs use it: through the exported functions, with layers that are real
//! libraries.

mod chains;
mod creation;
mod enumeration;
mod look_ups;
mod memory;
mod words;

use std::ffi::CStr;
use std::fs;
use std::path::Path;

use android_simulation::hal::{Hal, Installed};
use android_simulation::{Simulation, null_driver};
use ash::{Device, Entry, Instance, vk};
use platform_android::ApiLevel;
use vkload_core::log::Level;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/chain.c");
const DEBUG_FOLDER: &str = "/data/local/debug/vulkan";

/// A system with the null driver, in which layers are found in the debug folder.
struct System {
    simulation: Simulation,
    vulkan: Entry,
}

impl System {
    fn new() -> Self {
        Self::null_driver_at(ApiLevel::NEWEST)
    }

    fn null_driver_at(level: ApiLevel) -> Self {
        let simulation = Simulation::at(level);
        let android = simulation.android;
        android.library("/vendor/lib64/hw/vulkan.null.so", &null_driver());
        android.set("ro.hardware.vulkan", "null");
        Self::of(simulation)
    }

    /// Returns a system whose driver records its calls.
    fn with(hal: Hal) -> (Self, &'static Installed) {
        let simulation = Simulation::new();
        let installed = simulation.android.install(hal);
        (Self::of(simulation), installed)
    }

    fn of(simulation: Simulation) -> Self {
        simulation.android.change().dumpable = true;
        let vulkan = simulation.vulkan();
        Self { simulation, vulkan }
    }

    /// Adds a layer: see `modules/chain.c` for its options.
    fn layer(&self, name: &str, options: &[&str]) {
        self.layer_in(DEBUG_FOLDER, name, options);
    }

    fn layer_in(&self, folder: &str, name: &str, options: &[&str]) {
        let android = self.simulation.android;
        let trace = format!("-DTRACE=\"{}\"", android.host_path("/layers.trace").display());
        let named = format!("-DNAME={name}");
        let path = format!("{folder}/libVkLayer_{name}.so");
        android.compile(&path, Path::new(SOURCE), &[&[&*trace, &*named], options].concat());
    }

    /// Returns the notes of layers since the last time.
    fn noted(&self) -> Vec<String> {
        let trace = self.simulation.android.host_path("/layers.trace");
        let text = fs::read_to_string(&trace).unwrap_or_default();
        let _ = fs::remove_file(trace);
        text.lines().map(str::to_owned).collect()
    }

    fn errors(&self) -> Vec<String> {
        let errors = self.simulation.android.logged().into_iter().filter(|(level, _)| *level == Level::Error);
        errors.map(|(_, text)| text).collect()
    }

    /// Returns the warnings and errors since the last time.
    fn complaints(&self) -> Vec<(Level, String)> {
        let logged = self.simulation.android.logged();
        logged.into_iter().filter(|(level, _)| *level <= Level::Warning).collect()
    }

    fn instance(&self, layers: &[&CStr], extensions: &[&CStr]) -> Result<Instance, vk::Result> {
        let layers: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
        let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        unsafe { self.vulkan.create_instance(&info, None) }
    }
}

fn physical_device(instance: &Instance) -> vk::PhysicalDevice {
    unsafe { instance.enumerate_physical_devices() }.expect("a physical device")[0]
}

fn device(instance: &Instance, extensions: &[&CStr]) -> Result<Device, vk::Result> {
    let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    unsafe { instance.create_device(physical_device(instance), &info, None) }
}

fn destroy(instance: Instance, device: Option<Device>) {
    unsafe {
        if let Some(device) = device {
            device.destroy_device(None);
        }
        instance.destroy_instance(None);
    }
}
