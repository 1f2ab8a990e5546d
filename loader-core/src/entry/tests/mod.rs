//! Tests all objects that the loader makes, with a driver and a layer written in Rust. No test runs machine
//! code, so that Miri can follow each pointer from its creation to its release (`tests/run.sh miri`). Commands
//! are called through the table of their object, since trampolines are machine code.

use core::ffi::{CStr, c_void};
use core::ptr::null;
use core::sync::atomic::Ordering;
use std::boxed::Box;
use std::vec::Vec;

use ash::vk::{self, Handle as _};

use super::handle;
use crate::abi::ExportTable;
use crate::discovery::{Policy, Root};
use crate::dispatch::Table as _;
use crate::entry;
use crate::entry::{get_device_proc_addr, get_instance_proc_addr};
use crate::flavour::Flavour;
use crate::loader::Loader;
use crate::objects::{Instance, device_of};
use crate::platform::imaginary::Imaginary;
use crate::registry::{DEVICE_SLOTS, INSTANCE_SLOTS, command};

mod driver;
mod layer;

static ROOTS: [Root; 1] = [Root::BuiltIn { name: "SYSCONFDIR", path: b"/etc" }];

/// This test exports no commands.
// SAFETY: a table of numbers, of which 0 means that the function is missing.
static EXPORTS: ExportTable = ExportTable::EMPTY;

const DRIVER: &str =
    r#"{"file_format_version": "1.0.1", "ICD": {"library_path": "/driver.so", "api_version": "1.3.0"}}"#;
const LAYER: &str = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_RUST", "type": "GLOBAL",
    "library_path": "/layer.so", "api_version": "1.3.0", "implementation_version": "1", "description": "-",
    "disable_environment": {"NO_RUST_LAYER": "1"}}}"#;

/// The only test that enters a loader: a process has one current loader.
#[test]
fn objects_are_created_used_and_destroyed() {
    for with_layer in [false, true] {
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/driver.json", DRIVER).library("/driver.so", driver::symbols);
        if with_layer {
            system
                .file("/etc/vulkan/implicit_layer.d/layer.json", LAYER)
                .library("/layer.so", layer::symbols);
        }
        static POLICY: Policy = Policy { pointer_width: 64, ..Policy::linux(&ROOTS) };
        let flavour = Flavour::linux(&POLICY);
        let loader: &'static Loader =
            Box::leak(Box::new(Loader::new(Box::leak(Box::new(system.platform())), flavour)));
        // SAFETY: the test obeys the valid usage of every command that it calls.
        unsafe { use_everything(loader) };
        assert_eq!(driver::ALIVE.load(Ordering::Relaxed), 0);
        let called = if with_layer { 12 } else { 0 };
        assert_eq!(layer::CALLED.swap(0, Ordering::Relaxed), called);
        crate::entry::unload(loader);
        assert_eq!(system.open_libraries(), 0);
    }
}

unsafe fn use_everything(loader: &'static Loader) {
    for _ in 0..2 {
        // SAFETY: the test obeys the valid usage of every command that this block calls.
        unsafe {
            let instance = create(loader);
            let devices = enumerate(instance);
            let messengers = messengers(instance);
            use_surface(instance, devices[0]);
            let made = [create_device(devices[0]), create_device(devices[1])];
            look_up_unknown(loader, instance, made[1]);
            for device in made {
                use_device(device, instance);
            }
            destroy_messengers(instance, messengers);
            entry::destroy_instance(instance, null());
        }
    }
}

unsafe fn create(loader: &'static Loader) -> vk::Instance {
    let names =
        [c"VK_KHR_surface", c"VK_EXT_headless_surface", c"VK_EXT_debug_utils", c"VK_EXT_debug_report"];
    let names = names.map(CStr::as_ptr);
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let mut listening = messenger();
    let info = vk::InstanceCreateInfo {
        p_application_info: &raw const application,
        enabled_extension_count: 4,
        pp_enabled_extension_names: names.as_ptr(),
        p_next: (&raw mut listening).cast(),
        ..Default::default()
    };
    let mut instance = vk::Instance::null();
    // SAFETY: the test obeys the valid usage of vkCreateInstance; the create info's targets outlive the call.
    let result =
        unsafe { entry::create_instance(loader, (&raw const info).cast(), null(), &raw mut instance) };
    assert_eq!(result, vk::Result::SUCCESS);
    instance
}

fn messenger() -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    unsafe extern "system" fn hear(
        _: vk::DebugUtilsMessageSeverityFlagsEXT,
        _: vk::DebugUtilsMessageTypeFlagsEXT,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        _: *mut c_void,
    ) -> vk::Bool32 {
        // SAFETY: the loader gives a message that is a C string.
        assert!(!unsafe { CStr::from_ptr((*data).p_message) }.is_empty());
        vk::FALSE
    }
    vk::DebugUtilsMessengerCreateInfoEXT {
        message_severity: vk::DebugUtilsMessageSeverityFlagsEXT::from_raw(0x1111),
        message_type: vk::DebugUtilsMessageTypeFlagsEXT::from_raw(7),
        pfn_user_callback: Some(hear),
        ..Default::default()
    }
}

unsafe fn behind<'a>(instance: vk::Instance) -> &'a Instance {
    // SAFETY: the handle is valid.
    unsafe { handle::instance(instance, command::DESTROY_INSTANCE) }
}

/// Enumerates the devices, both directly and in groups: the results are the same.
unsafe fn enumerate(instance: vk::Instance) -> [vk::PhysicalDevice; 2] {
    let (mut count, mut devices) = (2, [vk::PhysicalDevice::null(); 2]);
    let (mut groups, mut group) = (1, vk::PhysicalDeviceGroupProperties::default());
    // SAFETY: the instance is valid, and the counted arrays are as long as their counts.
    unsafe {
        let result = entry::enumerate_physical_devices(instance, &raw mut count, devices.as_mut_ptr());
        assert_eq!((result, count), (vk::Result::SUCCESS, 2));
        let result =
            entry::enumerate_physical_device_groups(instance, &raw mut groups, (&raw mut group).cast());
        assert_eq!((result, groups, group.physical_device_count), (vk::Result::SUCCESS, 1, 2));
        for device in &devices {
            assert!(group.physical_devices[..2].contains(device));
            // The driver's table, which the terminator would use.
            let own = handle::physical_device(*device, command::GET_PHYSICAL_DEVICE_PROPERTIES);
            let mut properties = vk::PhysicalDeviceProperties::default();
            let command = command::GET_PHYSICAL_DEVICE_PROPERTIES;
            let get = own.driver().table.get::<vk::PFN_vkGetPhysicalDeviceProperties>(command);
            get.unwrap()(own.driver_handle(), &raw mut properties);
            assert_eq!(properties.api_version, vk::API_VERSION_1_3);
        }
    }
    devices
}

unsafe fn messengers(instance: vk::Instance) -> (vk::DebugUtilsMessengerEXT, vk::DebugReportCallbackEXT) {
    unsafe extern "system" fn report(
        _: vk::DebugReportFlagsEXT,
        _: vk::DebugReportObjectTypeEXT,
        _: u64,
        _: usize,
        _: i32,
        _: *const core::ffi::c_char,
        _: *const core::ffi::c_char,
        _: *mut c_void,
    ) -> vk::Bool32 {
        vk::FALSE
    }
    let reporting = vk::DebugReportCallbackCreateInfoEXT {
        flags: vk::DebugReportFlagsEXT::from_raw(31),
        pfn_callback: Some(report),
        ..Default::default()
    };
    let listening = messenger();
    let (mut one, mut other) = (vk::DebugUtilsMessengerEXT::null(), vk::DebugReportCallbackEXT::null());
    // SAFETY: the types are the commands'.
    unsafe {
        let table = &behind(instance).table;
        let create =
            table.get::<vk::PFN_vkCreateDebugUtilsMessengerEXT>(command::CREATE_DEBUG_UTILS_MESSENGER_EXT);
        assert_eq!(
            create.unwrap()(instance, &raw const listening, null(), &raw mut one),
            vk::Result::SUCCESS
        );
        let create =
            table.get::<vk::PFN_vkCreateDebugReportCallbackEXT>(command::CREATE_DEBUG_REPORT_CALLBACK_EXT);
        let result = create.unwrap()(instance, &raw const reporting, null(), &raw mut other);
        assert_eq!(result, vk::Result::SUCCESS);
    }
    (one, other)
}

unsafe fn destroy_messengers(
    instance: vk::Instance,
    (one, other): (vk::DebugUtilsMessengerEXT, vk::DebugReportCallbackEXT),
) {
    // SAFETY: the types are the commands'; the objects are no longer used.
    unsafe {
        let table = &behind(instance).table;
        let destroy =
            table.get::<vk::PFN_vkDestroyDebugUtilsMessengerEXT>(command::DESTROY_DEBUG_UTILS_MESSENGER_EXT);
        destroy.unwrap()(instance, one, null());
        let destroy =
            table.get::<vk::PFN_vkDestroyDebugReportCallbackEXT>(command::DESTROY_DEBUG_REPORT_CALLBACK_EXT);
        destroy.unwrap()(instance, other, null());
    }
}

unsafe fn use_surface(instance: vk::Instance, device: vk::PhysicalDevice) {
    let (info, mut surface) = (vk::HeadlessSurfaceCreateInfoEXT::default(), vk::SurfaceKHR::null());
    let mut supported = vk::FALSE;
    // SAFETY: the types are the commands'.
    unsafe {
        let table = &behind(instance).table;
        let create = table.get::<vk::PFN_vkCreateHeadlessSurfaceEXT>(command::CREATE_HEADLESS_SURFACE_EXT);
        let result = create.unwrap()(instance, &raw const info, null(), &raw mut surface);
        assert_eq!(result, vk::Result::SUCCESS);
        let command = command::GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR;
        let support = table.get::<vk::PFN_vkGetPhysicalDeviceSurfaceSupportKHR>(command);
        assert_eq!(support.unwrap()(device, 0, surface, &raw mut supported), vk::Result::SUCCESS);
        assert_eq!(supported, vk::TRUE);
        let destroy = table.get::<vk::PFN_vkDestroySurfaceKHR>(command::DESTROY_SURFACE_KHR);
        destroy.unwrap()(instance, surface, null());
    }
}

unsafe fn create_device(from: vk::PhysicalDevice) -> vk::Device {
    let priority = 1.0f32;
    let queue = vk::DeviceQueueCreateInfo {
        queue_count: 1,
        p_queue_priorities: &raw const priority,
        ..Default::default()
    };
    let group = vk::DeviceGroupDeviceCreateInfo {
        physical_device_count: 1,
        p_physical_devices: &raw const from,
        ..Default::default()
    };
    let info = vk::DeviceCreateInfo {
        p_next: (&raw const group).cast(),
        queue_create_info_count: 1,
        p_queue_create_infos: &raw const queue,
        ..Default::default()
    };
    let mut device = vk::Device::null();
    // SAFETY: the create info's targets outlive the call.
    let result = unsafe { entry::create_device(from, (&raw const info).cast(), null(), &raw mut device) };
    assert_eq!(result, vk::Result::SUCCESS);
    device
}

/// Looks up commands that the registry does not know. The tables have them afterwards.
unsafe fn look_up_unknown(loader: &'static Loader, instance: vk::Instance, device: vk::Device) {
    // SAFETY: the handles are valid.
    unsafe {
        for name in [c"vkUnknownOfPhysicalDevices", c"vkUnknownOfDevices"] {
            let found = get_instance_proc_addr(loader, &EXPORTS, instance, name.as_ptr());
            assert_eq!(found.is_some(), !cfg!(miri), "a trampoline is machine code");
        }
        assert!(get_instance_proc_addr(loader, &EXPORTS, instance, c"vkUnknownToAll".as_ptr()).is_none());
        assert!(get_device_proc_addr(&EXPORTS, device, c"vkUnknownOfDevices".as_ptr()).is_some());
        assert!(get_device_proc_addr(&EXPORTS, device, c"vkGetDeviceQueue".as_ptr()).is_some());
        assert!(get_device_proc_addr(&EXPORTS, device, c"vkQueuePresentKHR".as_ptr()).is_none());
        let device = device_of(device.as_raw()).unwrap();
        assert!(!device.table.slot(DEVICE_SLOTS).unwrap().address().is_null());
        let drivers: Vec<_> = behind(instance).drivers.iter().collect();
        assert!(!drivers[0].table.slot(INSTANCE_SLOTS).unwrap().address().is_null());
    }
}

unsafe fn use_device(device: vk::Device, instance: vk::Instance) {
    let mut queue = vk::Queue::null();
    let named = driver::NAMED.load(Ordering::Relaxed);
    // SAFETY: the handles are valid; the types are the commands'.
    unsafe {
        entry::get_device_queue(device, 0, 0, &raw mut queue);
        let own = device_of(queue.as_raw()).unwrap();
        assert!(core::ptr::eq(own, device_of(device.as_raw()).unwrap()));
        let set =
            own.table.get::<vk::PFN_vkSetDebugUtilsObjectNameEXT>(command::SET_DEBUG_UTILS_OBJECT_NAME_EXT);
        for (object_type, object_handle) in
            [(vk::ObjectType::DEVICE, device.as_raw()), (vk::ObjectType::INSTANCE, instance.as_raw())]
        {
            let info = vk::DebugUtilsObjectNameInfoEXT {
                object_type,
                object_handle,
                p_object_name: c"a name".as_ptr(),
                ..Default::default()
            };
            assert_eq!(set.unwrap()(device, &raw const info), vk::Result::SUCCESS);
        }
        assert!(driver::NAMED.load(Ordering::Relaxed) > named);
        entry::destroy_device(device, null());
    }
}
