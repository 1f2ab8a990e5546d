//! The requirements of a well-behaved loader that apply to Android, by their numbers in the driver
//! interface document. Where Android's rules differ, a row of docs/rules/differences.md says so.

use std::fs;
use std::path::Path;
use std::ptr::{null, null_mut};

use android_simulation::hal::Hal;
use android_simulation::{FakeWindow, Simulation, null_driver};
use ash::{Entry, vk};

const DRIVER: &str = "/vendor/lib64/hw/vulkan.null.so";

/// Returns the number of devices of a new instance.
fn devices(vulkan: &Entry) -> Result<usize, vk::Result> {
    unsafe {
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None)?;
        let devices = instance.enumerate_physical_devices();
        instance.destroy_instance(None);
        Ok(devices?.len())
    }
}

/// Without any driver, Android has a stub: programs that only check for Vulkan go on.
#[test]
fn ldp_loader_1_without_a_driver_an_instance_has_no_devices() {
    let simulation = Simulation::new();
    assert_eq!(devices(&simulation.vulkan()), Ok(0));
}

#[test]
fn ldp_loader_1_a_driver_that_is_not_valid_is_incompatible_driver() {
    let simulation = Simulation::new();
    simulation.android.install(Hal { without_magic: vec![vk::ObjectType::INSTANCE], ..Hal::default() });
    assert_eq!(devices(&simulation.vulkan()), Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER));
}

/// Android's properties replace the manifests of other systems.
#[test]
fn ldp_loader_2_every_library_that_a_property_names_is_tried() {
    let simulation = Simulation::new();
    simulation.android.library(DRIVER, &null_driver());
    simulation.android.set("ro.hardware.vulkan", "absent");
    simulation.android.set("ro.board.platform", "null");
    assert_eq!(devices(&simulation.vulkan()), Ok(1));
}

#[test]
fn ldp_loader_4_a_module_for_something_else_is_not_used() {
    let simulation = Simulation::new();
    let hal = simulation.android.install(Hal { id: c"gralloc", ..Hal::default() });
    assert_eq!(devices(&simulation.vulkan()), Ok(0));
    assert!(hal.received().calls.is_empty());
}

#[test]
fn ldp_loader_10_surfaces_are_the_loaders_and_no_drivers_business() {
    let simulation = Simulation::new();
    let hal = simulation.android.install(Hal::default());
    let vulkan = simulation.vulkan();
    let window = FakeWindow::new(simulation.android);
    let extensions = [c"VK_KHR_surface".as_ptr(), c"VK_KHR_android_surface".as_ptr()];
    let info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
    unsafe {
        let instance = vulkan.create_instance(&info, None).unwrap();
        let android = ash::khr::android_surface::Instance::new(&vulkan, &instance);
        let khr = ash::khr::surface::Instance::new(&vulkan, &instance);
        let info = vk::AndroidSurfaceCreateInfoKHR::default().window(window.pointer().cast());
        let surface = android.create_android_surface(&info, None).unwrap();
        for device in instance.enumerate_physical_devices().unwrap() {
            assert_eq!(khr.get_physical_device_surface_support(device, 0, surface), Ok(true));
        }
        khr.destroy_surface(surface, None);
        instance.destroy_instance(None);
    }
    let heard = hal.received();
    assert_eq!(heard.instances[0].extensions, [""; 0]);
    let of_surfaces = |name: &str| name.contains("Surface");
    assert!(!heard.calls.iter().any(|name| of_surfaces(name.to_str().unwrap())), "{:?}", heard.calls);
}

#[test]
fn ldp_loader_12_the_driver_is_never_asked_about_a_layers_extensions() {
    let simulation = Simulation::new();
    let trace = simulation.android.host_path("/trace");
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../simulation/modules/driver.c"));
    simulation.android.compile(DRIVER, source, &[&format!("-DTRACE=\"{}\"", trace.display())]);
    simulation.android.set("ro.hardware.vulkan", "null");
    let vulkan = simulation.vulkan();
    let (own, layers) = unsafe {
        (
            vulkan.enumerate_instance_extension_properties(None),
            vulkan.enumerate_instance_extension_properties(Some(c"VK_LAYER_nobody_has")),
        )
    };
    assert!(own.is_ok_and(|listed| !listed.is_empty()));
    assert!(layers.is_err() || layers.is_ok_and(|listed| listed.is_empty()));
    let trace = fs::read_to_string(trace).unwrap();
    assert!(trace.lines().any(|call| call == "extensions"), "{trace}");
    assert!(!trace.contains("extensions-of-layer"), "{trace}");
}

/// The simulation's driver aborts the process if it is asked about a layer.
#[test]
fn ldp_loader_12_nor_about_those_of_a_device() {
    let simulation = Simulation::new();
    simulation.android.install(Hal::default());
    let vulkan = simulation.vulkan();
    unsafe {
        let instance = vulkan.create_instance(&vk::InstanceCreateInfo::default(), None).unwrap();
        let device = instance.enumerate_physical_devices().unwrap()[0];
        let list = instance.fp_v1_0().enumerate_device_extension_properties;
        let listed = |layer| {
            let mut count = 0;
            let _ = list(device, layer, &mut count, null_mut());
            count
        };
        assert_eq!(listed(c"VK_LAYER_nobody_has".as_ptr()), 0);
        assert_ne!(listed(null()), 0);
        instance.destroy_instance(None);
    }
}
