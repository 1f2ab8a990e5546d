//! Drivers and their manifests.

use super::{Chance, Fields, odd, place};
use crate::world::World;

pub(super) const INSTANCE_EXTENSIONS: &[&str] = &[
    "VK_KHR_surface",
    "VK_EXT_headless_surface",
    "VK_KHR_get_physical_device_properties2",
    "VK_EXT_debug_utils",
    "VK_EXT_debug_report",
    "VK_KHR_device_group_creation",
    "VK_KHR_external_memory_capabilities",
    "VK_KHR_xcb_surface",
    "VK_KHR_display",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_portability_enumeration",
    "VK_KHR_get_display_properties2",
    "VK_EXT_display_surface_counter",
    "VK_EXT_surface_maintenance1",
    "VK_KHR_surface_protected_capabilities",
    "VK_KHR_external_fence_capabilities",
    "VK_KHR_external_semaphore_capabilities",
    "VK_EXT_direct_mode_display",
    "VK_EXT_acquire_drm_display",
    "VK_TEST_unknown",
];
pub(super) const DEVICE_EXTENSIONS: [&str; 7] = [
    "VK_KHR_swapchain",
    "VK_KHR_maintenance1",
    "VK_KHR_timeline_semaphore",
    "VK_KHR_external_memory_fd",
    "VK_EXT_debug_marker",
    "VK_TEST_device",
    "VK_TEST_layer",
];
const DRIVER_VERSIONS: &[&str] = &["1.0.0", "1.1.0", "1.2.131", "1.3.0", "1.3.0", "1.3.239"];
const RESULTS: &[i32] = &[-1, -2, -3, -7, -9, -13];

/// Returns whether drivers of this interface version create surfaces themselves: other versions that do so abort the process.
fn may_make_surfaces(world: &World, name: &str) -> bool {
    world.about("driver", name).iter().all(|(key, value)| match *key {
        "interface" => value.parse::<u32>().unwrap() >= 3,
        "exports" => value.contains("negotiate") || *value == "all",
        _ => true,
    })
}

pub(super) fn driver(world: &mut World, chance: &mut Chance, name: &str) {
    let api = chance.pick(DRIVER_VERSIONS);
    if chance.percent(35) {
        world.add("driver", name, "interface", chance.number(8));
    }
    world.add("driver", name, "api", api);
    if chance.percent(8) {
        let exports = ["nothing", "core", "lookup", "negotiate", "lookup+negotiate", "all"];
        world.add("driver", name, "exports", chance.pick(&exports));
    }
    if chance.percent(50) {
        for extension in chance.some(INSTANCE_EXTENSIONS, 6) {
            let version = chance.pick(&["", "", ":2", ":70"]);
            world.add("driver", name, "extension", format!("{extension}{version}"));
        }
    }
    driver_oddities(world, chance, name);
    devices(world, chance, name);
    let path = format!("{}/{name}.json", place(chance, "icd.d"));
    let said = if chance.percent(15) { chance.pick(DRIVER_VERSIONS) } else { api };
    driver_manifest(world, chance, &path, &format!("\"SANDBOX/lib/lib{name}.so\""), said);
}

fn devices(world: &mut World, chance: &mut Chance, driver: &str) {
    let alike = chance.percent(20);
    let devices = if alike { chance.number(3) + 2 } else { chance.pick(&[0, 1, 1, 1, 1, 2, 2, 3]) };
    for number in 0..devices {
        let name = format!("{driver}{number}");
        if alike { twin(world, driver, &name) } else { device(world, chance, driver, &name) }
    }
    if devices > 1 && chance.percent(if alike { 60 } else { 25 }) {
        let pairs: &[&[&str]] = &[&["0,1"], &["1,0"], &["0"], &["1", "0"]];
        let all: &[&[&str]] = &[&["3", "1,0", "2"], &["2,3", "0,1"], &["0,3,1", "2"], &["3", "2", "1", "0"]];
        for group in chance.pick(if devices == 4 { all } else { pairs }) {
            world.add("driver", driver, "group", group);
        }
    }
}

/// Adds a device that looks like the others of its driver.
fn twin(world: &mut World, driver: &str, name: &str) {
    world.add("driver", driver, "device", name);
    world.add("driver", driver, "device_type", 2);
    world.add("driver", driver, "device_vendor", 0x1002);
}

fn driver_oddities(world: &mut World, chance: &mut Chance, name: &str) {
    if chance.percent(8) {
        let commands = [
            "vkCreateInstance",
            "vkEnumeratePhysicalDevices",
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceVersion",
            "vk_icdNegotiateLoaderICDInterfaceVersion",
            "vkEnumeratePhysicalDeviceGroups",
            "vkCreateDevice",
            "vkEnumerateDeviceExtensionProperties",
        ];
        let (command, result) = (chance.pick(&commands), chance.pick(RESULTS));
        world.add("driver", name, "result", format!("{command}:{result}"));
    }
    if chance.percent(8) {
        let commands = [
            "vkCreateInstance",
            "vkDestroyInstance",
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceVersion",
            "vkEnumeratePhysicalDevices",
            "vkEnumeratePhysicalDeviceGroups",
            "vkGetPhysicalDeviceProperties",
            "vkGetPhysicalDeviceProperties2",
            "vkGetPhysicalDeviceQueueFamilyProperties",
            "vkEnumerateDeviceExtensionProperties",
            "vkCreateDevice",
            "vkGetDeviceProcAddr",
        ];
        world.add("driver", name, "without", chance.pick(&commands));
    }
    if chance.percent(4) {
        let commands = [
            "vkEnumeratePhysicalDevices",
            "vkEnumerateInstanceExtensionProperties",
            "vk_icdNegotiateLoaderICDInterfaceVersion",
        ];
        let (command, lie) = (chance.pick(&commands), chance.pick(&[1, 2]));
        world.add("driver", name, "lie", format!("{command}:{lie}"));
    }
    if chance.percent(5) {
        world.add("driver", name, "unknown_devices", 2);
        world.add("driver", name, "unknown_physical_devices", 2);
    }
    if chance.percent(6) && may_make_surfaces(world, name) {
        world.add("driver", name, "own_surfaces", 1);
        if chance.percent(50) {
            // Makes a surface without a handle.
            world.add("driver", name, "lie", "vkCreateHeadlessSurfaceEXT:1");
        }
    }
    if chance.percent(8) {
        let also = [
            "notVulkan",
            "VkNotVulkan",
            "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT",
            "vkGetCalibratedTimestampsEXT",
            "vkCreateRayTracingPipelinesKHR",
            "vkCmdPipelineBarrier2KHR",
        ];
        world.add("driver", name, "also", chance.pick(&also));
    }
    if chance.percent(6) {
        world.add("driver", name, "trace_lookups", 1);
    }
    if chance.percent(8) {
        // Assigns the whole structure, including its chain.
        world.add("driver", name, "lie", "VkPhysicalDeviceDriverProperties:1");
    }
}

fn device(world: &mut World, chance: &mut Chance, driver: &str, name: &str) {
    world.add("driver", driver, "device", name);
    if chance.percent(60) {
        world.add("driver", driver, "device_type", chance.number(5));
    }
    if chance.percent(60) {
        world.add("driver", driver, "device_vendor", chance.pick(&[0x1002, 0x10DE, 0x8086]));
        world.add("driver", driver, "device_id", chance.number(4));
    }
    if chance.percent(20) {
        let (bus, slot) = (chance.number(3), chance.number(3));
        world.add("driver", driver, "device_pci", format!("0:{bus}:{slot}:0"));
        world.add("driver", driver, "device_extension", "VK_EXT_pci_bus_info");
    }
    if chance.percent(40) {
        for extension in chance.of(&DEVICE_EXTENSIONS.map(|name| (name, 35))) {
            world.add("driver", driver, "device_extension", extension);
        }
    }
    if chance.percent(8) {
        world.add("driver", driver, "device_queue_families", chance.number(4));
    }
}

fn driver_manifest(world: &mut World, chance: &mut Chance, path: &str, library: &str, api: &str) {
    let odd = if chance.percent(12) { 30 } else { 0 };
    let mut fields = Fields { world, path, odd };
    fields.add(chance, "file_format_version", &["\"1.0.1\""]);
    fields.add(chance, "ICD.library_path", &[library]);
    fields.add(chance, "ICD.api_version", &[&format!("\"{api}\"")]);
    if chance.percent(5) {
        fields.add(chance, "ICD.is_portability_driver", &["true", "false", "\"true\"", "1"]);
    }
    if chance.percent(5) {
        fields.add(chance, "ICD.library_arch", &["\"64\"", "\"32\"", "64", "\"\"", "\"x86\""]);
    }
    odd::text(world, chance, path);
}
