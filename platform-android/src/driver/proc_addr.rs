//! How the functions below the layers are found.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle};
use loader_core::log::{Level, Topic};
use loader_core::memory::Shown;
use loader_core::registry::{self, ExtensionKind, command};

use super::hooks::{self, Gate, Hook, Kind};
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
        let instance = instance_of(handle.as_raw());
        match registry::find(name).and_then(hooks::of) {
            Some(hook) => of_instance(hook, instance),
            None => instance.driver.get_instance_proc_addr?(handle, name.as_ptr()),
        }
    }
}

/// What is found without an instance above this loader's driver.
pub(crate) fn without_instance(loader: &'static Loader, name: &CStr) -> vk::PFN_vkVoidFunction {
    if hooks::is_hidden(name) {
        return None;
    }
    let Some(hook) = registry::find(name).and_then(hooks::of) else {
        let find = loader.hal.driver(loader).ok()?.get_instance_proc_addr;
        // SAFETY: the driver's look-up accepts any name without an instance, and the name is a
        // `CStr`.
        return unsafe { find(vk::Instance::null(), name.as_ptr()) };
    };
    if matches!(hook.kind, Kind::Global) || hook.command == command::CREATE_DEVICE {
        return Some(hook.function);
    }
    loader.log(
        Level::Error,
        Topic::Usage,
        format_args!(
            "vkGetInstanceProcAddr was asked for {} without an instance, which it needs",
            Shown(name.to_bytes())
        ),
    );
    None
}

fn of_instance(hook: &Hook, instance: &Instance) -> vk::PFN_vkVoidFunction {
    match hook.kind {
        Kind::Global => None,
        Kind::Instance => hook.gate.is_open_on_instance(instance).then_some(hook.function),
        Kind::Device => Some(hook.function),
        Kind::Checked(checked) => match hook.gate {
            Gate::Extension(extension) if extension.kind() == ExtensionKind::Instance => {
                instance.extensions.contains(extension).then_some(hook.function)
            }
            _ => Some(checked),
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
        let device = device_of(handle.as_raw());
        if hooks::is_hidden(name) {
            return None;
        }
        let drivers = || device.driver.get_device_proc_addr.and_then(|find| find(handle, name.as_ptr()));
        let Some(hook) = registry::find(name).and_then(hooks::of) else { return drivers() };
        if !matches!(hook.kind, Kind::Device | Kind::Checked(_)) {
            refuse(device, name);
            return None;
        }
        let is_core = matches!(hook.gate, Gate::Core(_));
        if is_core && device.instance.logger.loader.level >= ApiLevel::ANDROID_15 && drivers().is_none() {
            return None;
        }
        hook.gate.is_open_on_device(device).then_some(hook.function)
    }
}

fn refuse(device: &Device, name: &CStr) {
    device.instance.logger.log(
        Level::Error,
        Topic::Usage,
        format_args!(
            "vkGetDeviceProcAddr was asked for {}, which is not a command of devices: ask vkGetInstanceProcAddr",
            Shown(name.to_bytes())
        ),
    );
}
