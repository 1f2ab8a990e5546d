//! From a command's name to the function that the application calls: `vkGetInstanceProcAddr` and its relatives.

use core::ffi::{CStr, c_char};

use ash::vk;
use vkload_core::registry::{self, Class, CommandId};

use crate::device::Device;
use crate::dispatch::{Command, Enabled, EntryPoints, Level, PrivateCommand, private, trampoline};
use crate::driver::{Driver, Tables};
use crate::instance::Instance;
use crate::object::ParentObject;
use crate::{entry_points, hal, icd};

/// Implements `vkGetInstanceProcAddr`: returns the commands that the application may use. Without an instance, these
/// are the global commands; with one, they include the instance's own commands, and trampolines for commands of its
/// physical devices and of all their devices.
///
/// # Safety
/// As the specification has it; `name` may be NULL.
pub unsafe extern "system" fn get_instance_proc_addr<D: Driver>(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    unsafe {
        let name = c_string(name)?;
        let Some(command) = registry::find(name) else { return not_in_registry::<D>(instance, name) };
        let class = command.class();
        if class == Class::Global {
            return D::TABLE.get(command);
        }
        let instance = Instance::<D>::from_handle(instance)?;
        if !instance.enabled().has(command) {
            return None;
        }
        through_instance::<D>(class, command)
    }
}

/// Does the same for window-system code inside a driver, which uses commands that the application did not enable:
/// without checks, and without global commands if the instance is NULL.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
pub unsafe fn get_instance_proc_addr_unchecked<D: Driver>(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    unsafe {
        let name = c_string(name)?;
        Instance::<D>::from_handle(instance)?;
        let command = registry::find(name)?;
        through_instance::<D>(command.class(), command)
    }
}

/// Implements `vk_icdGetPhysicalDeviceProcAddr`: returns trampolines for physical-device commands, and NULL for all
/// others. The loader uses this to classify commands that it does not know.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
pub unsafe extern "system" fn get_physical_device_proc_addr<D: Driver>(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    unsafe {
        let name = c_string(name)?;
        let instance = Instance::<D>::from_handle(instance)?;
        let Some(command) = registry::find(name) else {
            let command = private_of_instance::<D>(instance, name)?;
            return (command.level == Level::PhysicalDevice).then_some(command.function);
        };
        if command.class() != Class::PhysicalDevice || !instance.enabled().has(command) {
            return None;
        }
        through_instance::<D>(Class::PhysicalDevice, command)
    }
}

/// Returns the function of a command of devices, queues and command buffers that the application may use, by its
/// instance's version and the extensions of instance and device.
///
/// # Safety
/// As specified for `vkGetDeviceProcAddr`; `name` may be NULL.
pub(crate) unsafe extern "system" fn get_device_proc_addr<D: Driver>(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    let (device, name) = unsafe { (Device::<D>::from_handle(device)?, c_string(name)?) };
    let Some(command) = registry::find(name) else { return private_of_device(device, name) };
    if matches!(command.class(), Class::Global | Class::Instance | Class::PhysicalDevice) {
        return None;
    }
    let instance = device.physical().parent();
    let enabled = Enabled {
        api_version: instance.app().api_version,
        instance: instance.extensions(),
        device: Some(device.extensions()),
    };
    if !enabled.has(command) {
        return None;
    }
    device.root().base().dispatch().get(command)
}

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GET_INSTANCE_PROC_ADDR: PFN_vkGetInstanceProcAddr = get_instance_proc_addr::<D>,
            GET_DEVICE_PROC_ADDR: PFN_vkGetDeviceProcAddr = get_device_proc_addr::<D>,
        }
    }
}

/// Returns functions that the registry does not list: the two that a driver with interface version 7 need not export,
/// with and without an instance, and with an instance the driver's private commands.
///
/// # Safety
/// As for [`get_instance_proc_addr`].
#[cold]
unsafe fn not_in_registry<D: Driver>(instance: vk::Instance, name: &CStr) -> Option<Command> {
    // SAFETY: pointers to functions have the same size and meaning whatever their parameters; the caller vouches for the
    // handle.
    unsafe {
        match name.to_bytes() {
            b"vk_icdNegotiateLoaderICDInterfaceVersion" => {
                Some(core::mem::transmute::<icd::Negotiate, Command>(icd::negotiate))
            }
            b"vk_icdGetPhysicalDeviceProcAddr" => Some(core::mem::transmute::<
                vk::PFN_vkGetInstanceProcAddr,
                Command,
            >(get_physical_device_proc_addr::<D>)),
            _ => {
                let instance = Instance::<D>::from_handle(instance)?;
                private_of_instance::<D>(instance, name).map(|command| command.function)
            }
        }
    }
}

/// Returns the private command with this name, if the application may look it up through the instance: its extension
/// is enabled, or is a device extension that physical devices have. All devices share one function, so no trampoline
/// is needed.
fn private_of_instance<D: Driver>(instance: &Instance<D>, name: &CStr) -> Option<&'static PrivateCommand<D>> {
    let command = private::find(D::PRIVATE_COMMANDS, name)?;
    let of_devices = || {
        let known = hal::more_device_extensions::<D>();
        command.level != Level::Instance && known.iter().any(|(known, _)| *known == command.extension)
    };
    (instance.extensions().has_unlisted(command.extension) || of_devices()).then_some(command)
}

/// Returns the function of a private command, if it is one of devices and its extension is enabled for device or
/// instance.
#[cold]
fn private_of_device<D: Driver>(device: &Device<D>, name: &CStr) -> Option<Command> {
    let command = private::find(D::PRIVATE_COMMANDS, name)?;
    let is_enabled = device.extensions().has_unlisted(command.extension)
        || device.physical().parent().extensions().has_unlisted(command.extension);
    (command.level == Level::Device && is_enabled).then_some(command.function)
}

/// Returns the function of an instance command, or a trampoline for a command that may differ between physical
/// devices and devices; `None` if the driver has no function at all.
#[inline]
fn through_instance<D: Driver>(class: Class, command: CommandId) -> Option<Command> {
    let slot = command.canonical().index();
    let function = D::TABLE.at(slot)?;
    match class {
        Class::Global | Class::Instance => Some(function),
        _ => trampoline(slot),
    }
}

/// # Safety
/// `name` is NULL or a valid C string for as long as `'a`.
unsafe fn c_string<'a>(name: *const c_char) -> Option<&'a CStr> {
    // SAFETY: the caller vouches for the name.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
}
