//! The Vulkan queries for Java, through `vkGetInstanceProcAddr`.
//!
//! Answers are written as an array of Vulkan structures; Java reads them (`Structures.java`).

use core::ffi::CStr;
use core::mem::{MaybeUninit, transmute};
use core::ptr::{null, null_mut};

use ash::vk;

/// The maximum number of devices that are listed.
const MOST_DEVICES: usize = 64;

/// Bytes of `VkPhysicalDeviceProperties` before the limits, whose size differs on 32-bit
/// processors.
const DEVICE_BYTES: usize = 292;

/// The command that failed, numbered as in `Native.java`.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    CreateInstance = 0,
    EnumeratePhysicalDevices = 1,
}

type Result<T> = core::result::Result<T, (vk::Result, Step)>;

/// The function of type `$function` called `$name`, or `$none`.
macro_rules! look_up {
    ($entry:expr, $instance:expr, $name:literal as $function:ty) => {
        // SAFETY: the name is a C string, the instance NULL or valid; a function of this name has
        // this type.
        unsafe { transmute::<vk::PFN_vkVoidFunction, Option<$function>>(($entry)($instance, $name.as_ptr())) }
    };
}

/// `vkEnumerateInstanceLayerProperties`: writes at most `count` structures to `out`.
///
/// # Safety
/// `entry` is a loader's `vkGetInstanceProcAddr`; `out` is NULL or writable for `count` structures.
pub(crate) unsafe fn layers(
    entry: vk::PFN_vkGetInstanceProcAddr,
    count: &mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    let Some(enumerate) = look_up!(
        entry,
        vk::Instance::null(),
        c"vkEnumerateInstanceLayerProperties" as vk::PFN_vkEnumerateInstanceLayerProperties
    ) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: by this function's `# Safety` `out` is NULL or writable for `count` structures.
    unsafe { enumerate(count, out) }
}

/// `vkEnumerateInstanceExtensionProperties`: writes at most `count` structures to `out`.
///
/// # Safety
/// `entry` is a loader's `vkGetInstanceProcAddr`; `out` is NULL or writable for `count` structures.
pub(crate) unsafe fn extensions(
    entry: vk::PFN_vkGetInstanceProcAddr,
    layer: Option<&CStr>,
    count: &mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let Some(enumerate) = look_up!(
        entry,
        vk::Instance::null(),
        c"vkEnumerateInstanceExtensionProperties" as vk::PFN_vkEnumerateInstanceExtensionProperties
    ) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: by this function's `# Safety` `out` is NULL or writable for `count` structures; the
    // name is NULL or a C string.
    unsafe { enumerate(layer.map_or(null(), CStr::as_ptr), count, out) }
}

/// Creates an instance, writes the beginning of the properties of each of its devices as far as
/// `room` bytes allow, destroys the instance, and returns the number of devices.
///
/// # Safety
/// `entry` is a loader's `vkGetInstanceProcAddr`; `out` is writable for `room` bytes.
pub(crate) unsafe fn devices(
    entry: vk::PFN_vkGetInstanceProcAddr,
    out: *mut u8,
    room: usize,
) -> Result<usize> {
    // SAFETY: by this function's `# Safety` `entry` is a loader's `vkGetInstanceProcAddr`.
    let instance = unsafe { create_instance(entry) }?;
    // SAFETY: `create_instance` just created the instance with `entry`; `out` is writable for
    // `room` bytes by this function's `# Safety`.
    let result = unsafe { devices_of(entry, instance, out, room) };
    if let Some(destroy) = look_up!(entry, instance, c"vkDestroyInstance" as vk::PFN_vkDestroyInstance) {
        // SAFETY: the instance is valid, and no other code has it.
        unsafe { destroy(instance, null()) };
    }
    result
}

/// # Safety
/// `entry` is a loader's `vkGetInstanceProcAddr`.
unsafe fn create_instance(entry: vk::PFN_vkGetInstanceProcAddr) -> Result<vk::Instance> {
    let none = vk::Instance::null();
    let mut version = vk::API_VERSION_1_0;
    // Loaders for Vulkan 1.0 lack this function.
    let enumerate_version =
        look_up!(entry, none, c"vkEnumerateInstanceVersion" as vk::PFN_vkEnumerateInstanceVersion);
    if let Some(enumerate_version) = enumerate_version {
        // SAFETY: the version is writable. If the command fails, it stays at the version that every
        // loader has.
        let _ = unsafe { enumerate_version(&raw mut version) };
    }
    let Some(create) = look_up!(entry, none, c"vkCreateInstance" as vk::PFN_vkCreateInstance) else {
        return Err((vk::Result::ERROR_INITIALIZATION_FAILED, Step::CreateInstance));
    };
    let application = vk::ApplicationInfo::default().application_name(c"vkload").api_version(version);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    let mut instance = none;
    // SAFETY: the structures are locals that live until the call returns, and `instance` is
    // writable.
    match unsafe { create(&raw const info, null(), &raw mut instance) } {
        vk::Result::SUCCESS => Ok(instance),
        result => Err((result, Step::CreateInstance)),
    }
}

/// # Safety
/// `instance` is valid and came from `entry`; `out` is writable for `room` bytes.
unsafe fn devices_of(
    entry: vk::PFN_vkGetInstanceProcAddr,
    instance: vk::Instance,
    out: *mut u8,
    room: usize,
) -> Result<usize> {
    let enumerate =
        look_up!(entry, instance, c"vkEnumeratePhysicalDevices" as vk::PFN_vkEnumeratePhysicalDevices);
    let properties =
        look_up!(entry, instance, c"vkGetPhysicalDeviceProperties" as vk::PFN_vkGetPhysicalDeviceProperties);
    let (Some(enumerate), Some(properties)) = (enumerate, properties) else {
        return Err((vk::Result::ERROR_INITIALIZATION_FAILED, Step::EnumeratePhysicalDevices));
    };
    let mut devices = [vk::PhysicalDevice::null(); MOST_DEVICES];
    let mut count = MOST_DEVICES as u32;
    // SAFETY: the instance is valid by this function's `# Safety`, and `devices` holds `count`
    // handles.
    match unsafe { enumerate(instance, &raw mut count, devices.as_mut_ptr()) } {
        vk::Result::SUCCESS | vk::Result::INCOMPLETE => {}
        result => return Err((result, Step::EnumeratePhysicalDevices)),
    }
    let count = (count as usize).min(MOST_DEVICES);
    let offsets = (0..room.div_euclid(DEVICE_BYTES)).map(|index| index.saturating_mul(DEVICE_BYTES));
    for (device, offset) in devices.iter().take(count).zip(offsets) {
        let mut answer = MaybeUninit::<vk::PhysicalDeviceProperties>::zeroed();
        // SAFETY: the device is the instance's. `out` holds `DEVICE_BYTES` from this offset on, and
        // the structure is longer.
        unsafe {
            properties(*device, answer.as_mut_ptr());
            out.add(offset).copy_from_nonoverlapping(answer.as_ptr().cast(), DEVICE_BYTES);
        }
    }
    Ok(count)
}

const _: () = assert!(core::mem::offset_of!(vk::PhysicalDeviceProperties, pipeline_cache_uuid) == 276);

/// An array too small for one structure means a query for the number.
pub(crate) fn structures<T>(start: *mut u8, bytes: usize) -> (u32, *mut T) {
    let count = u32::try_from(bytes.checked_div(size_of::<T>()).unwrap_or(0)).unwrap_or(u32::MAX);
    // The structures consist of 32-bit numbers and texts, and array elements are aligned for these.
    (count, if count == 0 { null_mut() } else { start.cast() })
}
