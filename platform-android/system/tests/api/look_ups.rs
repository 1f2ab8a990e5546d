//! vkGetInstanceProcAddr and vkGetDeviceProcAddr, and the code of the exported functions. Rows 69
//! to 72, 75 and 87.

use std::collections::BTreeMap;
use std::env;
use std::ffi::CStr;
use std::fs;
use std::mem::transmute;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command as Process;
use std::ptr::null;

use android_simulation::exported;
use ash::vk::{self, Handle as _};
use ash::{Device, Instance};
use platform_android::ApiLevel;
use vkload_core::dispatch::Command;
use vkload_core::registry::{Class, CommandId, find};

use super::{System, destroy, device, physical_device};

type Address = Option<usize>;

fn address(function: Option<Command>) -> Address {
    function.map(|function| function as usize)
}

fn export(command: CommandId) -> Address {
    address(exported(command.name()))
}

impl System {
    fn of_instance(&self, instance: vk::Instance, name: &CStr) -> Address {
        // SAFETY: a valid name, and a valid handle or NULL.
        address(unsafe { self.vulkan.get_instance_proc_addr(instance, name.as_ptr()) })
    }
}

fn of_device(instance: &Instance, device: vk::Device, name: *const std::ffi::c_char) -> Address {
    // SAFETY: a valid name or NULL, and a valid handle or NULL.
    address(unsafe { (instance.fp_v1_0().get_device_proc_addr)(device, name) })
}

#[test]
fn without_an_instance_there_are_five_commands_and_an_error_for_all_others() {
    let system = System::new();
    let found = |command: &CommandId| system.of_instance(vk::Instance::null(), command.name()).is_some();
    let global: Vec<_> = CommandId::all().filter(found).collect();
    let names: Vec<_> = global.iter().map(|command| command.name().to_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "vkCreateInstance",
            "vkGetInstanceProcAddr",
            "vkEnumerateInstanceExtensionProperties",
            "vkEnumerateInstanceLayerProperties",
            "vkEnumerateInstanceVersion",
        ]
    );
    for command in global {
        assert_eq!(system.of_instance(vk::Instance::null(), command.name()), export(command));
    }
    system.errors();
    assert_eq!(system.of_instance(vk::Instance::null(), c"vkNobodyKnows"), None);
    let errors = system.errors();
    assert!(errors.len() == 1 && errors[0].contains("vkNobodyKnows"), "{errors:?}");
    assert_eq!(system.simulation.android.open_libraries(), [""; 0], "looking up opens nothing");
}

#[test]
fn with_an_instance_global_commands_are_null_but_for_the_look_up() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    for command in CommandId::all().filter(|command| command.class() == Class::Global) {
        let is_look_up = command.name() == c"vkGetInstanceProcAddr";
        let expected = if is_look_up { export(command) } else { None };
        assert_eq!(system.of_instance(instance.handle(), command.name()), expected, "{:?}", command.name());
    }
    destroy(instance, None);
}

#[test]
fn exported_commands_of_devices_are_the_exported_functions() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let exports = || CommandId::all().filter(|command| export(*command).is_some());
    let mut count = 0;
    // One is exported only for programs that link against it.
    let looked_up = |command: &CommandId| command.name() != c"vkGetImageSubresourceLayout2EXT";
    for command in exports().filter(|command| command.device_slot().is_some()).filter(looked_up) {
        assert_eq!(system.of_instance(instance.handle(), command.name()), export(command));
        count += 1;
    }
    assert_eq!(count, 215);
    let mut own: Vec<_> = exports()
        .filter(|command| command.instance_slot().is_some())
        .filter(|command| system.of_instance(instance.handle(), command.name()) == export(*command))
        .map(|command| command.name().to_str().unwrap())
        .collect();
    own.sort_unstable();
    assert_eq!(
        own,
        [
            "vkCreateDevice",
            "vkDestroyInstance",
            "vkEnumerateDeviceExtensionProperties",
            "vkEnumerateDeviceLayerProperties"
        ]
    );
    destroy(instance, None);
}

#[test]
fn commands_that_a_level_does_not_export_come_from_the_chain() {
    // The null driver knows Vulkan 1.2.
    for (level, exported) in
        [(31, [true, true, false, false]), (35, [true, true, true, false]), (36, [true; 4])]
    {
        let system = System::null_driver_at(ApiLevel(level));
        let instance = system.instance(&[], &[]).unwrap();
        let names = [c"vkCmdDraw", c"vkCmdDrawIndirectCount", c"vkCmdSetCullMode", c"vkMapMemory2"];
        for (name, exported) in names.into_iter().zip(exported) {
            let found = system.of_instance(instance.handle(), name);
            assert_eq!(found == export(find(name).unwrap()), exported, "{name:?} at level {level}");
        }
        destroy(instance, None);
    }
    let version = c"vkEnumerateInstanceVersion";
    for (level, exported) in [(27, false), (28, true)] {
        let system = System::null_driver_at(ApiLevel(level));
        assert_eq!(system.of_instance(vk::Instance::null(), version).is_some(), exported);
    }
}

/// Programs may link against it; a lookup returns the driver's function.
#[test]
fn one_command_is_exported_and_looked_up_in_the_chain() {
    let system = System::null_driver_at(ApiLevel(35));
    let instance = system.instance(&[], &[]).unwrap();
    let name = c"vkGetImageSubresourceLayout2EXT";
    assert!(exported(name).is_some());
    assert_ne!(system.of_instance(instance.handle(), name), export(find(name).unwrap()));
    destroy(instance, None);
}

#[test]
fn other_commands_come_from_the_chain() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    let instance = system.instance(&[], &[]).unwrap();
    let name = c"vkGetPhysicalDeviceProperties";
    let drivers = system.of_instance(instance.handle(), name);
    // A device command that is not exported.
    assert!(exported(c"vkSetHdrMetadataEXT").is_none());
    assert!(system.of_instance(instance.handle(), c"vkSetHdrMetadataEXT").is_some());
    destroy(instance, None);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let layers = system.of_instance(instance.handle(), name);
    assert!(drivers.is_some() && layers.is_some() && drivers != layers);
    assert_eq!(system.of_instance(instance.handle(), c"vkNobodyKnows"), None);
    destroy(instance, None);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn an_exported_command_on_an_object_is_two_instructions() {
    for name in
        [c"vkCmdDraw", c"vkQueueSubmit", c"vkGetPhysicalDeviceProperties", c"vkEnumeratePhysicalDevices"]
    {
        let start = exported(name).unwrap() as *const [u8; 9];
        // SAFETY: at least that many bytes of code follow the address.
        let code = unsafe { start.read_unaligned() };
        // mov (%rdi), %rax; jmp *slot(%rax), with the slot in one byte or in four.
        assert_eq!(code[..4], [0x48, 0x8b, 0x07, 0xff], "{name:?}");
        assert!([0x20, 0x60, 0xa0].contains(&code[4]), "{name:?}: {code:x?}");
    }
}

#[test]
fn a_device_knows_no_command_of_instances_and_physical_devices() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    system.errors();
    let others: Vec<_> = CommandId::all().filter(|command| command.device_slot().is_none()).collect();
    assert!(others.len() > 71);
    for command in &others {
        assert_eq!(of_device(&instance, device.handle(), command.name().as_ptr()), None);
    }
    assert_eq!(system.errors().len(), others.len());
    assert_eq!(of_device(&instance, device.handle(), null()), None);
    assert_eq!(system.errors().len(), 1);
    assert_eq!(of_device(&instance, vk::Device::null(), c"vkCmdDraw".as_ptr()), None);
    assert_eq!(of_device(&instance, vk::Device::null(), null()), None);
    destroy(instance, Some(device));
}

#[test]
fn a_device_gives_the_chains_functions_and_the_loaders_for_its_end_and_its_look_up() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL"]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[]).unwrap();
    for name in [c"vkDestroyDevice", c"vkGetDeviceProcAddr"] {
        assert_eq!(of_device(&instance, device.handle(), name.as_ptr()), export(find(name).unwrap()));
    }
    let wait = of_device(&instance, device.handle(), c"vkDeviceWaitIdle".as_ptr()).unwrap();
    assert_ne!(Some(wait), export(find(c"vkDeviceWaitIdle").unwrap()));
    system.noted();
    // SAFETY: the address belongs to the command.
    let wait: vk::PFN_vkDeviceWaitIdle = unsafe { transmute(wait) };
    assert_eq!(unsafe { wait(device.handle()) }, vk::Result::SUCCESS);
    assert_eq!(system.noted(), ["VK_LAYER_one vkDeviceWaitIdle"]);
    destroy(instance, Some(device));
}

/// Calls the exported function of a command with an object and nothing else.
fn call(name: &CStr, object: u64) -> i32 {
    type Function = unsafe extern "system" fn(u64, u64, u64, u64, u64, u64) -> i32;
    // SAFETY: the stubs of disabled commands look only at the object.
    unsafe { transmute::<Command, Function>(exported(name).unwrap())(object, 0, 0, 0, 0, 0) }
}

#[test]
fn commands_whose_extension_is_not_enabled_say_so_and_succeed() {
    let system = System::new();
    let instance = system.instance(&[], &[]).unwrap();
    let physical_device = physical_device(&instance);
    let device: Device = device(&instance, &[]).unwrap();
    let queue = unsafe { device.get_device_queue(0, 0) };
    let (instances, devices) = (instance.handle().as_raw(), device.handle().as_raw());
    let disabled = [
        (c"vkCreateAndroidSurfaceKHR", instances, "VK_KHR_android_surface"),
        (c"vkDestroySurfaceKHR", instances, "VK_KHR_surface"),
        (c"vkGetPhysicalDeviceSurfaceSupportKHR", physical_device.as_raw(), "VK_KHR_surface"),
        (c"vkGetPhysicalDeviceSurfaceCapabilitiesKHR", physical_device.as_raw(), "VK_KHR_surface"),
        (c"vkGetPhysicalDeviceSurfaceFormatsKHR", physical_device.as_raw(), "VK_KHR_surface"),
        (c"vkGetPhysicalDeviceSurfacePresentModesKHR", physical_device.as_raw(), "VK_KHR_surface"),
        (c"vkGetPhysicalDevicePresentRectanglesKHR", physical_device.as_raw(), "VK_KHR_surface"),
        (c"vkCreateSwapchainKHR", devices, "VK_KHR_swapchain"),
        (c"vkDestroySwapchainKHR", devices, "VK_KHR_swapchain"),
        (c"vkGetSwapchainImagesKHR", devices, "VK_KHR_swapchain"),
        (c"vkAcquireNextImageKHR", devices, "VK_KHR_swapchain"),
        (c"vkQueuePresentKHR", queue.as_raw(), "VK_KHR_swapchain"),
        (c"vkAcquireNextImage2KHR", devices, "VK_KHR_swapchain"),
        (c"vkGetDeviceGroupPresentCapabilitiesKHR", devices, "VK_KHR_swapchain"),
        (c"vkGetDeviceGroupSurfacePresentModesKHR", devices, "VK_KHR_swapchain"),
        (
            c"vkGetAndroidHardwareBufferPropertiesANDROID",
            devices,
            "VK_ANDROID_external_memory_android_hardware_buffer",
        ),
        (
            c"vkGetMemoryAndroidHardwareBufferANDROID",
            devices,
            "VK_ANDROID_external_memory_android_hardware_buffer",
        ),
    ];
    assert_eq!(disabled.len(), 17);
    system.errors();
    for (name, object, extension) in disabled {
        assert_eq!(call(name, object), vk::Result::SUCCESS.as_raw(), "{name:?}");
        let errors = system.errors();
        let named = |text: &String| text.contains(name.to_str().unwrap()) && text.contains(extension);
        assert!(errors.len() == 1 && named(&errors[0]), "{errors:?}");
    }
    destroy(instance, Some(device));
}

#[test]
fn commands_whose_extension_is_enabled_are_the_chains() {
    let system = System::new();
    let name = "VK_ANDROID_external_memory_android_hardware_buffer";
    system.layer("VK_LAYER_one", &["-DGLOBAL", &format!("-DDEVICE_EXTENSION=\"{name}\"")]);
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let device = device(&instance, &[c"VK_ANDROID_external_memory_android_hardware_buffer"]).unwrap();
    let result = call(c"vkGetMemoryAndroidHardwareBufferANDROID", device.handle().as_raw());
    assert_eq!(result, vk::Result::EVENT_SET.as_raw());
    assert_eq!(system.errors(), [""; 0]);
    destroy(instance, Some(device));
}

#[test]
fn a_command_without_an_implementation_is_named_and_aborts() {
    if env::var_os("VKLOAD_CHILD").is_some() {
        let system = System::new();
        system.layer("VK_LAYER_one", &["-DGLOBAL", "-DHIDE=\"vkCmdSetLineStipple\""]);
        let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
        let device = device(&instance, &[]).unwrap();
        call(c"vkCmdSetLineStipple", device.handle().as_raw());
        return;
    }
    let name = "api::look_ups::a_command_without_an_implementation_is_named_and_aborts";
    let output = Process::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("VKLOAD_CHILD", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{told}");
    assert!(told.contains("Error: vkCmdSetLineStipple was called"), "{told}");
}

#[test]
fn the_exports_are_those_of_the_list() {
    let list = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../libvulkan.map.txt")).unwrap();
    let level =
        |comment: &str| comment.split_once("introduced=").map_or(24, |(_, level)| level.parse().unwrap());
    let listed: BTreeMap<&str, u32> = list
        .lines()
        .filter(|line| line.trim_start().starts_with("vk"))
        .map(|line| line.trim().split_once(';').unwrap())
        .map(|(name, comment)| (name, level(comment)))
        .collect();
    let exported: Vec<_> = CommandId::all().filter(|command| export(*command).is_some()).collect();
    assert_eq!(exported.len(), 252);
    assert!(exported.iter().all(|command| listed.contains_key(command.name().to_str().unwrap())));
    assert_eq!(listed.len(), 252);
    let since = |level| listed.values().filter(|since| **since == level).count();
    assert_eq!([24, 28, 31, 33, 34, 36].map(since), [148, 34, 13, 37, 1, 19]);
}
