//! `vkGetDeviceProcAddr`.

use core::ffi::{CStr, c_char};

use ash::vk;
use loader_core::registry::{self, Class};

use super::Device;
use crate::dispatch::{Command, Enabled};
use crate::driver::Driver;
use crate::instance::c_string;
use crate::object::ParentObject;

/// The function of a command that the registry does not list.
pub(crate) fn more<D: Driver>(name: &CStr) -> Option<Command> {
    let found = D::MORE_DEVICE_COMMANDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, function)| *function)
}

/// The function of a command of devices, queues and command buffers that the application may use: by the version of its
/// instance and the extensions of instance and device.
///
/// # Safety
/// As the specification has it for `vkGetDeviceProcAddr`; `name` may be NULL.
pub(crate) unsafe extern "system" fn get_device_proc_addr<D: Driver>(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for handle and name.
    let (device, name) = unsafe { (Device::<D>::from_handle(device)?, c_string(name)?) };
    let Some(command) = registry::find(name) else { return more::<D>(name) };
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
