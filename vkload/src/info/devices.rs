//! Asks the loader as an application does, through its functions.

use std::ffi::{CStr, c_void};

use ash::{Entry, Instance, vk};

use super::report::{Extension, Report};
use crate::view::{Device, device_text as text, version};

/// Fills in the results of the loader's functions: its version, extensions and devices. Returns the error on failure.
pub(crate) fn fill(report: &mut Report, entry: &Entry) -> Result<(), vk::Result> {
    // SAFETY: these loader functions may be called at any time.
    unsafe {
        let newest = entry.try_enumerate_instance_version()?.unwrap_or(vk::API_VERSION_1_0);
        report.vulkan = version(newest);
        let extensions = entry.enumerate_instance_extension_properties(None)?;
        report.extensions = extensions.iter().map(extension).collect();
        report.devices = devices(entry, newest, has_portability(&extensions))?;
    }
    Ok(())
}

/// # Safety
/// `entry` is a loader's.
unsafe fn devices(entry: &Entry, newest: u32, portability: bool) -> Result<Vec<Device>, vk::Result> {
    let application = vk::ApplicationInfo::default().application_name(c"vkload").api_version(newest);
    // The report has the loader's messages, so its line about failed drivers need not be on the terminal as well.
    let mut listener = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(ignore));
    let names = [ash::ext::debug_utils::NAME, ash::khr::portability_enumeration::NAME].map(CStr::as_ptr);
    let names = if portability { &names[..] } else { &names[..1] };
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_extension_names(names)
        .push_next(&mut listener);
    if portability {
        info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
    }
    // SAFETY: the create info and everything that it refers to are valid; the instance is destroyed below and used only here.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        let devices = instance.enumerate_physical_devices();
        let devices = devices.map(|all| all.into_iter().map(|device| describe(&instance, device)).collect());
        instance.destroy_instance(None);
        devices
    }
}

unsafe extern "system" fn ignore(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    _: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    vk::FALSE
}

/// Returns the device's properties.
///
/// # Safety
/// `device` belongs to `instance`, which is alive.
pub(crate) unsafe fn describe(instance: &Instance, device: vk::PhysicalDevice) -> Device {
    let first = instance.fp_v1_0().get_physical_device_properties;
    let second = instance.fp_v1_1().get_physical_device_properties2;
    // SAFETY: the caller vouches for the device; the loader has the second command for every driver of Vulkan 1.1.
    unsafe { Device::read(device, first, Some(second)) }
}

fn has_portability(extensions: &[vk::ExtensionProperties]) -> bool {
    extensions.iter().any(|one| one.extension_name_as_c_str() == Ok(ash::khr::portability_enumeration::NAME))
}

fn extension(properties: &vk::ExtensionProperties) -> Extension {
    Extension { name: text(properties.extension_name_as_c_str()), version: properties.spec_version }
}
