//! The driver of a system that has none: instances can be created but have no devices.
//!
//! Programs that only ask whether Vulkan is available get an answer instead of an error.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk::{self, Handle as _};
use vkload_core::abi::array::deliver;
use vkload_core::command_function;
use vkload_core::dispatch::{Command, trap};
use vkload_core::log::Topic;

use platform_android::hal::Driver;
use platform_android::hal::layout::{DEVICE_TAG, DISPATCH_MAGIC, Device};
use platform_android::host::current;

const INSTANCES: usize = 32;

const DEVICE_VERSION: u32 = 0x0001_0000;

const COMMANDS: [(&CStr, Command); 6] = [
    (c"vkCreateInstance", command_function!(create_instance)),
    (c"vkDestroyInstance", command_function!(destroy_instance)),
    (c"vkEnumerateInstanceExtensionProperties", command_function!(enumerate_instance_extension_properties)),
    (c"vkEnumeratePhysicalDevices", command_function!(enumerate_physical_devices)),
    (c"vkEnumeratePhysicalDeviceGroups", command_function!(enumerate_physical_device_groups)),
    (c"vkGetInstanceProcAddr", command_function!(get_instance_proc_addr)),
];

static STUB: Stub = Stub {
    device: UnsafeCell::new(Device {
        tag: DEVICE_TAG,
        version: DEVICE_VERSION,
        module: null_mut(),
        reserved: [0; 12],
        close: None,
        enumerate_instance_extension_properties: Some(enumerate_instance_extension_properties),
        create_instance: Some(create_instance),
        get_instance_proc_addr: Some(get_instance_proc_addr),
    }),
    taken: AtomicU32::new(0),
    instances: [const { UnsafeCell::new(DISPATCH_MAGIC) }; INSTANCES],
};

struct Stub {
    device: UnsafeCell<Device>,
    taken: AtomicU32,
    /// The first words of the instances, which consist of nothing else.
    instances: [UnsafeCell<usize>; INSTANCES],
}

// SAFETY: the device never changes. A word is written only by the thread that took its instance in
// `taken`, and by the loader, for the application that owns that instance.
unsafe impl Sync for Stub {}

pub(super) fn driver() -> Driver {
    Driver {
        device: NonNull::from(&STUB.device).cast(),
        enumerate_instance_extension_properties,
        create_instance,
        get_instance_proc_addr,
        debug_report: None,
    }
}

pub fn is_stub(driver: &Driver) -> bool {
    core::ptr::eq(driver.device.as_ptr(), STUB.device.get())
}

unsafe extern "system" fn enumerate_instance_extension_properties(
    _layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: valid usage of the command, which the loader upholds, makes `count` and `out` a
    // counted out-array.
    unsafe { deliver(&[], count, out) }
}

unsafe extern "system" fn create_instance(
    _info: *const vk::InstanceCreateInfo<'_>,
    _allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let free = |taken: u32| (!taken != 0).then(|| taken | lowest_free(taken));
    let Ok(before) = STUB.taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, free) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(instance) = STUB.instances.get(lowest_free(before).trailing_zeros() as usize) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: `fetch_update` gave this instance to this thread alone, and valid usage of
    // vkCreateInstance makes `out` valid for a write.
    unsafe {
        instance.get().write(DISPATCH_MAGIC);
        out.write(vk::Instance::from_raw(instance.get().expose_provenance() as u64));
    }
    vk::Result::SUCCESS
}

const fn lowest_free(taken: u32) -> u32 {
    !taken & taken.wrapping_add(1)
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    _allocator: *const vk::AllocationCallbacks<'_>,
) {
    let index = STUB.instances.iter().position(|one| one.get().addr() as u64 == instance.as_raw());
    if let Some(bit) = index.and_then(|index| 1u32.checked_shl(u32::try_from(index).ok()?)) {
        STUB.taken.fetch_and(!bit, Ordering::Release);
    }
}

unsafe extern "system" fn enumerate_physical_devices(
    _instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: valid usage of the command makes `count` and `out` a counted out-array.
    unsafe { deliver(&[], count, out) }
}

unsafe extern "system" fn enumerate_physical_device_groups(
    _instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: valid usage of the command makes `count` and `out` a counted out-array.
    unsafe { deliver(&[], count, out) }
}

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader and layers call this with a valid C string, as the command's valid usage
    // requires.
    let name = unsafe { CStr::from_ptr(name) };
    let found = COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, command)| *command);
    found.or_else(|| (!instance.is_null()).then_some(command_function!(no_device)))
}

/// Replaces every command that takes a device of some kind; the stub has none.
unsafe extern "system" fn no_device() {
    let Some(host) = current() else {
        // SAFETY: `trap` aborts the process; nothing runs after it.
        unsafe { trap() }
    };
    host.end_process(
        Topic::Usage,
        format_args!(
            "this system has no Vulkan driver, and a command was called that takes a device: \
             vkEnumeratePhysicalDevices returned none, so the handle cannot be valid"
        ),
    )
}
