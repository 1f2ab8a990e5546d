//! Global and instance commands.

use std::ffi::CString;

use ash::vk::{self, SystemAllocationScope as Scope};
use vkload_tests::allocator::Owner;
use vkload_tests::listening::{EVERYTHING, all_flags, messenger, report};
use vkload_tests::trial::Trial;
use vkload_tests::{Ask, ask_for_windows, extension_names};

use super::{ASKED, ON, Row, World, check, everything};

rows! {
    enumerate_version: Drivers, ["vkEnumerateInstanceVersion"], |t| {
        let version = t.call(Scope::COMMAND, || unsafe { t.vk.entry.try_enumerate_instance_version() });
        t.result(version, |version| format!("{version:?}"));
    };
    enumerate_extensions: Drivers, ["vkEnumerateInstanceExtensionProperties"], list_extensions;
    enumerate_extensions_through_layers: Layers, ["vkEnumerateInstanceExtensionProperties"], list_extensions;
    enumerate_extensions_of_a_layer: Layers, ["vkEnumerateInstanceExtensionProperties"], |t| {
        let layer = CString::new(ON).unwrap();
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_extension_properties(Some(&layer)) });
        t.result(list, |list| extension_names(list).join(","));
    };
    enumerate_layers: Layers, ["vkEnumerateInstanceLayerProperties"], |t| {
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_layer_properties() });
        t.result(list, |list| list.len().to_string());
    };
    create_instance: Drivers, ["vkCreateInstance", "vkDestroyInstance"], |t| make_instance(t, ask_for_windows());
    create_instance_that_logs: Log, ["vkCreateInstance", "vkDestroyInstance"], |t| make_instance(t, Ask::new());
    create_instance_with_layers: Layers, ["vkCreateInstance", "vkDestroyInstance"],
        |t| make_instance(t, Ask::new().api(1, 1).layer(ASKED));
    create_instance_with_settings: Settings, ["vkCreateInstance", "vkDestroyInstance"],
        |t| make_instance(t, Ask::new().api(1, 1));
    enumerate_layers_with_settings: Settings, ["vkEnumerateInstanceLayerProperties"], |t| {
        let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_layer_properties() });
        t.result(list, |list| list.len().to_string());
    };
    enumerate_filtered_devices: Settings, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |_| instance.names().join(","));
    };
    create_instance_with_messengers: Drivers, ["vkCreateInstance", "vkDestroyInstance"], |t| {
        let (utils, mut report) = (messenger(1, EVERYTHING), report(2, all_flags()));
        report.p_next = (&raw const utils).cast();
        make_instance(t, Ask::new().extension("VK_EXT_debug_utils").extension("VK_EXT_debug_report").next(&report));
    };
    destroy_instance: Layers, ["vkDestroyInstance"], |t| {
        let instance = t.instance(everything().layer(ASKED));
        _ = instance.devices();
        t.call(Scope::COMMAND, || drop(instance));
        t.result(Ok(()), |()| "destroyed".to_owned());
    };
    enumerate_physical_devices: Drivers, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |_| instance.names().join(","));
    };
    enumerate_physical_devices_in_their_order: Unsorted, ["vkCreateInstance", "vkEnumeratePhysicalDevices"], |t| {
        make_instance(t, Ask::new().api(1, 1));
    };
    enumerate_physical_devices_through_layers: Layers, ["vkEnumeratePhysicalDevices"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        let devices = t.call(Scope::INSTANCE, || instance.try_devices());
        t.result(devices, |devices| devices.len().to_string());
    };
    enumerate_groups: Drivers, ["vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR"], |t| {
        let instance = t.instance(Ask::new().api(1, 1));
        let groups = t.call(Scope::INSTANCE, || groups(&instance));
        t.result(groups, |count| count.to_string());
    };
    look_up: Drivers, ["vkGetInstanceProcAddr", "vkGetDeviceProcAddr"], |t| {
        let instance = t.instance(Ask::new());
        let device = instance.device(instance.named("new"), &[]);
        t.call(Scope::INSTANCE, || {
            for name in ["vkUnknownPhysicalDevice0TEST", "vkUnknownDevice0TEST", "vkNobodyHasThis", "vkCmdDraw"] {
                _ = instance.proc(name);
                let name = CString::new(name).unwrap();
                unsafe { instance.get_device_proc_addr(device.handle(), name.as_ptr()) };
            }
        });
        unsafe { device.destroy_device(None) };
    };
    look_up_through_layers: Layers, ["vkGetInstanceProcAddr"], |t| {
        let instance = t.instance(Ask::new().layer(ASKED));
        t.call(Scope::INSTANCE, || {
            for name in ["vkUnknownPhysicalDevice0TEST", "vkUnknownDevice0TEST", "vkNobodyHasThis", "vkCmdDraw"] {
                _ = instance.proc(name);
            }
        });
    };
}

fn list_extensions(t: &Trial<'_>) {
    let list = t.call(Scope::COMMAND, || unsafe { t.vk.entry.enumerate_instance_extension_properties(None) });
    t.result(list, |list| extension_names(list).join(","));
}

/// Waits in the first trial until the files of the scenario are so old that a start of the program relies on them.
fn make_instance(t: &Trial<'_>, ask: Ask<'_>) {
    let ask = ask.callbacks(t.callbacks(Owner::Instance));
    let made = t.call(Scope::INSTANCE, || t.vk.create(&ask));
    if let Some(instance) = t.result(made, |_| "made".to_owned()) {
        // A driver that is left out, or another order, would be a failure that goes unnoticed.
        t.result(instance.try_devices(), |_| instance.names().join(","));
    }
}

fn groups(instance: &ash::Instance) -> Result<usize, vk::Result> {
    unsafe { instance.enumerate_physical_device_groups_len() }.and_then(|count| {
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); count];
        unsafe { instance.enumerate_physical_device_groups(&mut groups) }.map(|()| groups.len())
    })
}
