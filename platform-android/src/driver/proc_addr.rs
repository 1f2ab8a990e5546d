//! How the functions below the layers are found.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle};
use vkload_core::memory::Escaped;
use vkload_core::registry::{self, CommandId, ExtensionKind, command};

use super::hooks::{self, Gate, Hook, Kind, Rule};
use crate::level::ApiLevel;
use crate::loader::{self, Loader};
use crate::objects::{Device, Instance, device_of, instance_of};

/// vkGetInstanceProcAddr at the end of every chain.
///
/// Without an instance it finds global commands, and vkCreateDevice, which layers of interface
/// version 0 rely on. With one it does not find global commands, but finds device commands whether
/// or not the device will have them: those that need more than Vulkan 1.0 check that when called.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_instance_proc_addr(
    handle: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` the name is a valid C string and the instance NULL or a
    // valid handle; a NULL name was rejected.
    unsafe {
        let name = CStr::from_ptr(name);
        if handle.is_null() {
            return without_instance(loader::current()?, name);
        }
        if hooks::is_hidden(name) {
            return None;
        }
        instance_command(handle, registry::find(name), name.as_ptr())
    }
}

/// Returns the function that [`get_instance_proc_addr`] finds for a command that is not hidden, by
/// its number, if it has one, and its name.
///
/// # Safety
/// The instance is a valid handle, and the name a C string.
#[inline]
pub unsafe fn instance_command(
    handle: vk::Instance,
    command: Option<CommandId>,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the handle is valid, and the name a C string.
    unsafe {
        let instance = instance_of(handle.as_raw());
        match command.and_then(hooks::of) {
            Some(hook) => of_instance(hook, instance, name),
            None => instance.drivers_command(name),
        }
    }
}

/// Returns the function found without an instance above this loader's driver.
pub fn without_instance(loader: &'static Loader, name: &CStr) -> vk::PFN_vkVoidFunction {
    if hooks::is_hidden(name) {
        return None;
    }
    let Some(hook) = registry::find(name).and_then(hooks::of) else {
        let find = loader.hal.driver(loader).ok()?.get_instance_proc_addr;
        // SAFETY: the driver's lookup function accepts any name without an instance, and the name
        // is a `CStr`.
        return unsafe { find(vk::Instance::null(), name.as_ptr()) };
    };
    if matches!(hook.kind, Kind::Global) || hook.command == command::CREATE_DEVICE {
        return Some(hook.function);
    }
    vkload_core::log!(loader, Error, Usage:
        "vkGetInstanceProcAddr was called for {} without an instance, which it needs",
        Escaped(name.to_bytes()));
    None
}

/// Returns the function found for a command with a hook. Most commands have none, and are found faster if this is not inlined.
///
/// # Safety
/// The name is a C string.
#[inline(never)]
unsafe fn of_instance(hook: &Hook, instance: &Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the name is a C string.
    let drivers = || unsafe { instance.drivers_command(name) };
    let Rule { gate, .. } = hook.rule;
    let loader = instance.logger.loader;
    let hides = hook.rule.hides_the_drivers(loader);
    match hook.kind {
        _ if !hook.rule.is_there(loader) => drivers(),
        Kind::Global => None,
        Kind::Instance if gate.is_open_on_instance(instance) => Some(hook.function),
        Kind::Instance if hides => None,
        Kind::Instance => drivers(),
        Kind::Device => Some(hook.function),
        Kind::Checked(checked) => match gate {
            Gate::Extension(extension) if extension.kind() == ExtensionKind::Instance => {
                instance.extensions.contains(extension).then_some(hook.function)
            }
            _ if hides => Some(checked),
            _ => drivers().map(|_| checked),
        },
    }
}

/// vkGetDeviceProcAddr at the end of every chain.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command.
pub unsafe extern "system" fn get_device_proc_addr(
    handle: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if handle.is_null() || name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` the device is a valid handle and the name a valid C
    // string; NULL was rejected for both.
    unsafe {
        let name = CStr::from_ptr(name);
        if hooks::is_hidden(name) {
            return None;
        }
        device_command(handle, registry::find(name), name.as_ptr())
    }
}

/// The same for a device as [`instance_command`].
///
/// # Safety
/// The device is a valid handle, and the name a C string.
#[inline]
pub unsafe fn device_command(
    handle: vk::Device,
    command: Option<CommandId>,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the handle is valid, and the name a C string.
    unsafe {
        let device = device_of(handle.as_raw());
        match command.and_then(hooks::of) {
            Some(hook) => of_device(hook, device, name),
            None => device.drivers_command(name),
        }
    }
}

/// The same for a device as [`of_instance`].
///
/// # Safety
/// The name is a C string.
#[inline(never)]
unsafe fn of_device(hook: &Hook, device: &Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the name is a C string.
    let drivers = || unsafe { device.drivers_command(name) };
    let loader = device.instance.logger.loader;
    if !hook.rule.is_there(loader) {
        return drivers();
    }
    if !matches!(hook.kind, Kind::Device | Kind::Checked(_)) {
        vkload_core::log!(device.instance.logger, Error, Usage:
            "vkGetDeviceProcAddr was called for {}, which is not a device command: call vkGetInstanceProcAddr",
            Escaped(hook.command.name().to_bytes()));
        return None;
    }
    let is_core = matches!(hook.rule.gate, Gate::Core(_));
    if is_core && loader.level >= ApiLevel::ANDROID_15 && drivers().is_none() {
        return None;
    }
    if hook.rule.gate.is_open_on_device(device) {
        return Some(hook.function);
    }
    if hook.rule.hides_the_drivers(loader) { None } else { drivers() }
}
