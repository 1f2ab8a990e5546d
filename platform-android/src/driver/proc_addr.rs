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
        instance_command(handle, registry::find(name), name)
    }
}

/// Returns the function that [`get_instance_proc_addr`] finds for a command that is not hidden, by
/// its number, if it has one, and its name.
///
/// # Safety
/// The instance is a valid handle.
pub unsafe fn instance_command(
    handle: vk::Instance,
    command: Option<CommandId>,
    name: &CStr,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the handle is valid, for the driver as well.
    unsafe {
        let instance = instance_of(handle.as_raw());
        let drivers = || instance.driver.get_instance_proc_addr.and_then(|find| find(handle, name.as_ptr()));
        match command.and_then(hooks::of) {
            Some(hook) if hook.rule.is_there(instance.logger.loader) => of_instance(hook, instance, drivers),
            _ => drivers(),
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

/// Returns the function found for a command that the loader has. `drivers` asks the driver.
fn of_instance(
    hook: &Hook,
    instance: &Instance,
    drivers: impl FnOnce() -> vk::PFN_vkVoidFunction,
) -> vk::PFN_vkVoidFunction {
    let Rule { gate, .. } = hook.rule;
    let hides = hook.rule.hides_the_drivers(instance.logger.loader);
    match hook.kind {
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
        device_command(handle, registry::find(name), name)
    }
}

/// The same for a device as [`instance_command`].
///
/// # Safety
/// The device is a valid handle.
pub unsafe fn device_command(
    handle: vk::Device,
    command: Option<CommandId>,
    name: &CStr,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: by this function's `# Safety` the handle is valid, for the driver as well.
    unsafe {
        let device = device_of(handle.as_raw());
        let drivers = || device.driver.get_device_proc_addr.and_then(|find| find(handle, name.as_ptr()));
        let loader = device.instance.logger.loader;
        let hook = command.and_then(hooks::of).filter(|hook| hook.rule.is_there(loader));
        let Some(hook) = hook else { return drivers() };
        if !matches!(hook.kind, Kind::Device | Kind::Checked(_)) {
            refuse(device, name);
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
}

fn refuse(device: &Device, name: &CStr) {
    vkload_core::log!(device.instance.logger, Error, Usage:
        "vkGetDeviceProcAddr was called for {}, which is not a device command: call vkGetInstanceProcAddr",
        Escaped(name.to_bytes()));
}
