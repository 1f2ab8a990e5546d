//! vkGetInstanceProcAddr and vkGetDeviceProcAddr as applications call them.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};
use vkload_core::abi::ExportTable;
use vkload_core::dispatch::{Command, Table as _};
use vkload_core::memory::Escaped;
use vkload_core::registry::{self, Class, CommandId, CommandSet, command};

use super::chain::chain_of;
use super::exports::EXPORTED;
use crate::loader::SystemLoader;
use platform_android::host::Host;
use platform_android::objects::{device_of, instance_of};

/// The commands on instances and physical devices that are the loader's own functions. All others
/// of this kind come from the chain, although many have exported functions.
const OWN: CommandSet = CommandSet::listed(&[
    command::DESTROY_INSTANCE,
    command::CREATE_DEVICE,
    command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
    command::ENUMERATE_DEVICE_LAYER_PROPERTIES,
]);

/// vkGetInstanceProcAddr.
///
/// Without an instance it knows the global commands. With one it returns the exported function of
/// every exported device command, whether the driver has it or not, and the chain's answer for
/// everything else; of the global commands only itself. Commands that the library does not export
/// at the loader's API level are treated as not exported.
///
/// # Safety
/// `name` is NULL or a valid C string; `instance` is NULL or a valid handle.
pub unsafe fn get_instance_proc_addr(
    loader: &'static SystemLoader,
    exports: &ExportTable,
    instance: vk::Instance,
    name: *const c_char,
) -> Option<Command> {
    if name.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` the name is NULL or a valid C string; NULL was
    // rejected.
    let name = unsafe { CStr::from_ptr(name) };
    let command = registry::find(name);
    if instance.is_null() {
        return without_instance(loader, exports, command, name);
    }
    match command {
        Some(command::GET_INSTANCE_PROC_ADDR) => exports.get(command::GET_INSTANCE_PROC_ADDR),
        Some(command) if command.class() == Class::Global => None,
        Some(command) if is_own(loader, command) => exports.get(command),
        // SAFETY: by this function's `# Safety` the instance is NULL or a valid handle; NULL was
        // handled above.
        _ => unsafe {
            let chain = chain_of(instance_of(instance.as_raw()))?;
            (chain.head)(instance, name.as_ptr())
        },
    }
}

/// Returns whether applications get the exported function for a command. One exported function is
/// only for programs that link against it: Android's list of exports has it, but its table does
/// not.
fn is_own(loader: &Host, command: CommandId) -> bool {
    let is_exported = EXPORTED.contains(command)
        && is_of_level(loader, command)
        && command != command::GET_IMAGE_SUBRESOURCE_LAYOUT_2_EXT;
    (command.device_slot().is_some() && is_exported) || OWN.contains(command)
}

/// Returns whether the loader's API level has a command, if it is a core command.
fn is_of_level(loader: &Host, command: CommandId) -> bool {
    command.core().is_none_or(|minor| loader.level.exports_core(minor))
}

fn without_instance(
    loader: &'static SystemLoader,
    exports: &ExportTable,
    command: Option<CommandId>,
    name: &CStr,
) -> Option<Command> {
    loader.enter();
    if let Some(global) = command.filter(|command| command.class() == Class::Global) {
        return exports.get(global).filter(|_| is_of_level(loader, global));
    }
    let name = Escaped(name.to_bytes());
    vkload_core::log!(loader, Error, Usage:
        "vkGetInstanceProcAddr: {name} is not a global command: look it up with an instance");
    None
}

/// vkGetDeviceProcAddr: returns the function that the device's chain returns, past the loader if it
/// has nothing to add. NULL for anything but device commands.
///
/// # Safety
/// `name` is NULL or a valid C string; `device` is NULL or a valid handle.
pub unsafe fn get_device_proc_addr(
    exports: &ExportTable,
    device: vk::Device,
    name: *const c_char,
) -> Option<Command> {
    type Find = vk::PFN_vkGetDeviceProcAddr;
    if device.is_null() {
        return None;
    }
    // SAFETY: by this function's `# Safety` the handle is NULL or valid and the name NULL or a
    // valid C string; both are checked for NULL. The type is the command's.
    unsafe {
        let known = device_of(device.as_raw());
        let logger = &known.instance.logger;
        if name.is_null() {
            vkload_core::log!(logger, Error, Usage: "vkGetDeviceProcAddr: pName must not be NULL");
            return None;
        }
        match registry::find(CStr::from_ptr(name)) {
            Some(own @ (command::GET_DEVICE_PROC_ADDR | command::DESTROY_DEVICE)) => exports.get(own),
            Some(other) if other.device_slot().is_none() => {
                vkload_core::log!(logger, Error, Usage:
                    "vkGetDeviceProcAddr: {} is not a device command: look it up with the instance",
                    Escaped(other.name().to_bytes()));
                None
            }
            _ => known.table.get::<Find>(command::GET_DEVICE_PROC_ADDR)?(device, name),
        }
    }
}
