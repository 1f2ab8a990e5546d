//! A driver written in Rust: two devices in one group, devices with a queue, surfaces and messengers of its
//! own, an unknown command of each kind, and a count of its live objects.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::boxed::Box;

use ash::vk::{self, Handle};

use crate::abi::function;
use crate::dispatch::Command;

type Callbacks = vk::AllocationCallbacks<'static>;

/// The value that the loader expects in the first word of a driver's object.
const MAGIC: usize = 0x01CD_C0DE;

pub(super) static ALIVE: AtomicIsize = AtomicIsize::new(0);

/// The number of times that an object was given a name.
pub(super) static NAMED: AtomicUsize = AtomicUsize::new(0);

const INSTANCE_EXTENSIONS: [&CStr; 4] =
    [c"VK_KHR_surface", c"VK_EXT_headless_surface", c"VK_EXT_debug_utils", c"VK_EXT_debug_report"];

/// An object of any kind: the first word is the loader's.
#[repr(C)]
struct Object(AtomicUsize);

static PHYSICAL_DEVICES: [Object; 2] = [const { Object(AtomicUsize::new(MAGIC)) }; 2];
static QUEUE: Object = Object(AtomicUsize::new(MAGIC));

fn make<T: Handle>(out: *mut T) -> vk::Result {
    ALIVE.fetch_add(1, Ordering::Relaxed);
    let address = Box::into_raw(Box::new(Object(AtomicUsize::new(MAGIC)))).expose_provenance();
    // SAFETY: the loader gives memory for the handle.
    unsafe { out.write(T::from_raw(address as u64)) };
    vk::Result::SUCCESS
}

fn unmake<T: Handle>(object: T) {
    ALIVE.fetch_sub(1, Ordering::Relaxed);
    let address = usize::try_from(object.as_raw()).unwrap();
    // SAFETY: `make` made it, and the loader destroys it once.
    drop(unsafe { Box::from_raw(core::ptr::with_exposed_provenance_mut::<Object>(address)) });
}

fn physical_device(number: usize) -> vk::PhysicalDevice {
    vk::PhysicalDevice::from_raw((&raw const PHYSICAL_DEVICES[number]).expose_provenance() as u64)
}

unsafe fn answer<T: Copy>(all: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    // SAFETY: the loader passes a counted out-array.
    unsafe {
        let given = if out.is_null() { all.len() } else { all.len().min(*count as usize) };
        if !out.is_null() {
            out.copy_from_nonoverlapping(all.as_ptr(), given);
        }
        *count = u32::try_from(given).unwrap();
        if given < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

unsafe extern "system" fn negotiate(version: *mut u32) -> vk::Result {
    // SAFETY: the loader gives its newest version, which this driver knows.
    unsafe { *version = (*version).min(7) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn instance_version(version: *mut u32) -> vk::Result {
    // SAFETY: the loader gives memory for it.
    unsafe { *version = vk::API_VERSION_1_3 };
    vk::Result::SUCCESS
}

unsafe extern "system" fn instance_extensions(
    _: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let all = INSTANCE_EXTENSIONS
        .map(|name| vk::ExtensionProperties::default().extension_name(name).unwrap().spec_version(1));
    // SAFETY: the loader passes a counted out-array.
    unsafe { answer(&all, count, out) }
}

unsafe extern "system" fn device_extensions(
    _: vk::PhysicalDevice,
    _: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the loader passes a counted out-array.
    unsafe { answer(&[], count, out) }
}

unsafe extern "system" fn create_instance(
    _: *const vk::InstanceCreateInfo<'static>,
    _: *const Callbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    make(out)
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, _: *const Callbacks) {
    unmake(instance);
}

unsafe extern "system" fn physical_devices(
    _: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the loader passes a counted out-array.
    unsafe { answer(&[physical_device(0), physical_device(1)], count, out) }
}

unsafe extern "system" fn groups(
    _: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'static>,
) -> vk::Result {
    let mut group = vk::PhysicalDeviceGroupProperties { physical_device_count: 2, ..Default::default() };
    group.physical_devices[0] = physical_device(0);
    group.physical_devices[1] = physical_device(1);
    // SAFETY: the loader passes a counted out-array.
    unsafe { answer(&[group], count, out) }
}

unsafe extern "system" fn properties(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties) {
    let properties = vk::PhysicalDeviceProperties {
        api_version: vk::API_VERSION_1_3,
        device_id: u32::from(device == physical_device(1)),
        ..Default::default()
    };
    // SAFETY: the loader gives memory for them.
    unsafe { out.write(properties) };
}

unsafe extern "system" fn properties2(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2<'static>,
) {
    // SAFETY: the loader passes memory for them; the chained structures stay unchanged.
    unsafe { properties(device, &raw mut (*out).properties) };
}

unsafe extern "system" fn create_device(
    _: vk::PhysicalDevice,
    _: *const vk::DeviceCreateInfo<'static>,
    _: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    make(out)
}

unsafe extern "system" fn destroy_device(device: vk::Device, _: *const Callbacks) {
    unmake(device);
}

unsafe extern "system" fn queue(_: vk::Device, _: u32, _: u32, out: *mut vk::Queue) {
    // SAFETY: the loader gives memory for the handle.
    unsafe { *out = vk::Queue::from_raw((&raw const QUEUE).expose_provenance() as u64) };
}

unsafe extern "system" fn create_object(
    _: vk::Instance,
    _: *const c_void,
    _: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    make(out.cast::<vk::SurfaceKHR>())
}

unsafe extern "system" fn destroy_object(_: vk::Instance, object: vk::SurfaceKHR, _: *const Callbacks) {
    unmake(object);
}

unsafe extern "system" fn surface_support(
    _: vk::PhysicalDevice,
    _: u32,
    _: vk::SurfaceKHR,
    out: *mut vk::Bool32,
) -> vk::Result {
    // SAFETY: the loader gives memory for it.
    unsafe { *out = vk::TRUE };
    vk::Result::SUCCESS
}

unsafe extern "system" fn set_name(
    _: vk::Device,
    _: *const vk::DebugUtilsObjectNameInfoEXT<'static>,
) -> vk::Result {
    NAMED.fetch_add(1, Ordering::Relaxed);
    vk::Result::SUCCESS
}

/// Stands in for commands that are never called.
unsafe extern "system" fn uncalled() {}

unsafe extern "system" fn find_physical_device_command(
    _: vk::Instance,
    name: *const c_char,
) -> Option<Command> {
    // SAFETY: the loader gives a C string.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkUnknownOfPhysicalDevices" => Some(uncalled),
        _ => None,
    }
}

unsafe extern "system" fn find_device_command(_: vk::Device, name: *const c_char) -> Option<Command> {
    // SAFETY: the loader gives a C string.
    Some(match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkGetDeviceProcAddr" => function!(find_device_command),
        b"vkDestroyDevice" => function!(destroy_device),
        b"vkGetDeviceQueue" => function!(queue),
        b"vkSetDebugUtilsObjectNameEXT" => function!(set_name),
        b"vkDeviceWaitIdle" | b"vkUnknownOfDevices" => uncalled,
        _ => return None,
    })
}

unsafe extern "system" fn find(_: vk::Instance, name: *const c_char) -> Option<Command> {
    // SAFETY: the loader gives a C string.
    Some(match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vk_icdGetPhysicalDeviceProcAddr" => function!(find_physical_device_command),
        b"vkEnumerateInstanceVersion" => function!(instance_version),
        b"vkEnumerateInstanceExtensionProperties" => function!(instance_extensions),
        b"vkCreateInstance" => function!(create_instance),
        b"vkDestroyInstance" => function!(destroy_instance),
        b"vkEnumeratePhysicalDevices" => function!(physical_devices),
        b"vkEnumeratePhysicalDeviceGroups" => function!(groups),
        b"vkGetPhysicalDeviceProperties" => function!(properties),
        b"vkGetPhysicalDeviceProperties2" => function!(properties2),
        b"vkGetPhysicalDeviceFeatures"
        | b"vkGetPhysicalDeviceFormatProperties"
        | b"vkGetPhysicalDeviceImageFormatProperties"
        | b"vkGetPhysicalDeviceQueueFamilyProperties"
        | b"vkGetPhysicalDeviceMemoryProperties"
        | b"vkGetPhysicalDeviceSparseImageFormatProperties" => uncalled,
        b"vkEnumerateDeviceExtensionProperties" => function!(device_extensions),
        b"vkCreateDevice" => function!(create_device),
        b"vkCreateHeadlessSurfaceEXT"
        | b"vkCreateDebugUtilsMessengerEXT"
        | b"vkCreateDebugReportCallbackEXT" => {
            function!(create_object)
        }
        b"vkDestroySurfaceKHR" | b"vkDestroyDebugUtilsMessengerEXT" | b"vkDestroyDebugReportCallbackEXT" => {
            function!(destroy_object)
        }
        b"vkGetPhysicalDeviceSurfaceSupportKHR" => function!(surface_support),
        b"vkGetPhysicalDeviceSurfaceCapabilitiesKHR"
        | b"vkGetPhysicalDeviceSurfaceFormatsKHR"
        | b"vkGetPhysicalDeviceSurfacePresentModesKHR" => uncalled,
        // SAFETY: the name is the loader's.
        _ => return unsafe { find_device_command(vk::Device::null(), name) },
    })
}

pub(super) fn symbols(name: &CStr) -> Option<NonNull<c_void>> {
    let function: Command = match name.to_bytes() {
        b"vk_icdNegotiateLoaderICDInterfaceVersion" => function!(negotiate),
        b"vk_icdGetInstanceProcAddr" => function!(find),
        b"vk_icdGetPhysicalDeviceProcAddr" => function!(find_physical_device_command),
        _ => return None,
    };
    NonNull::new(function as *mut c_void)
}
