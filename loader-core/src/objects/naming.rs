//! Names and tags of objects: handles that the loader made are replaced by the driver's.

use ash::vk::{self, Handle as _};

use super::device::device_of;
use super::driver::DriverInstance;
use super::handle::{self, Kind};
use super::instance::Instance;
use super::surface::Surface;
use crate::abi::function;
use crate::dispatch::Command;
use crate::log::kind_of_report;
use crate::registry::command;

/// Succeeds and does nothing, whatever the parameters are.
pub(super) const SUCCEED: Command = function!(succeed);

unsafe extern "system" fn succeed() -> vk::Result {
    vk::Result::SUCCESS
}

/// What `driver` calls an object that the application knows by `object`; `None` if it knows nothing of it: a physical device
/// of another driver or of a layer, which may be named through any device of the instance, or a surface that is another
/// driver's alone.
///
/// # Safety
/// `object` is a valid handle of this kind.
unsafe fn drivers_name(
    instance: &Instance,
    driver: &DriverInstance,
    kind: vk::ObjectType,
    object: u64,
) -> Option<u64> {
    // SAFETY: the caller vouches for the handle and its kind.
    unsafe {
        match kind {
            vk::ObjectType::INSTANCE => Some(driver.handle.as_raw()),
            vk::ObjectType::PHYSICAL_DEVICE => {
                let handle = vk::PhysicalDevice::from_raw(object);
                let command = command::SET_DEBUG_UTILS_OBJECT_NAME_EXT;
                if handle::any_physical_device(handle, command).kind() != Kind::PhysicalDevice {
                    return None;
                }
                let found = handle::physical_device(handle, command);
                core::ptr::eq(found.driver(), driver).then(|| found.driver_handle().as_raw())
            }
            vk::ObjectType::SURFACE_KHR => {
                let Some(surface) = Surface::from_handle(vk::SurfaceKHR::from_raw(object)) else {
                    return Some(object);
                };
                let own = surface.for_driver(instance, driver);
                (!own.is_null()).then(|| own.as_raw())
            }
            _ => Some(object),
        }
    }
}

/// A terminator that passes a copy of the info on, with the driver's handle in it.
macro_rules! named {
    ($name:ident: $pfn:ident, $command:ident, $info:ident, |$given:ident| $kind:expr, $handle:ident) => {
        pub(super) unsafe extern "system" fn $name(
            device: vk::Device,
            info: *const vk::$info<'static>,
        ) -> vk::Result {
            // SAFETY: the chain passes what the application vouches for; the type is the command's.
            unsafe {
                let Some(found) = device_of(device.as_raw()) else {
                    return vk::Result::ERROR_INITIALIZATION_FAILED;
                };
                let Some(set) = found.drivers::<vk::$pfn>(command::$command) else {
                    return vk::Result::SUCCESS;
                };
                let $given = &*info;
                let driver = found.physical_device().driver();
                let Some(object) = drivers_name(found.instance(), driver, $kind, $given.$handle) else {
                    return vk::Result::SUCCESS;
                };
                set(device, &vk::$info { $handle: object, ..*$given })
            }
        }
    };
}

named!(set_debug_utils_object_name: PFN_vkSetDebugUtilsObjectNameEXT, SET_DEBUG_UTILS_OBJECT_NAME_EXT,
    DebugUtilsObjectNameInfoEXT, |info| info.object_type, object_handle);
named!(set_debug_utils_object_tag: PFN_vkSetDebugUtilsObjectTagEXT, SET_DEBUG_UTILS_OBJECT_TAG_EXT,
    DebugUtilsObjectTagInfoEXT, |info| info.object_type, object_handle);
named!(debug_marker_set_object_name: PFN_vkDebugMarkerSetObjectNameEXT, DEBUG_MARKER_SET_OBJECT_NAME_EXT,
    DebugMarkerObjectNameInfoEXT, |info| kind_of_report(info.object_type), object);
named!(debug_marker_set_object_tag: PFN_vkDebugMarkerSetObjectTagEXT, DEBUG_MARKER_SET_OBJECT_TAG_EXT,
    DebugMarkerObjectTagInfoEXT, |info| kind_of_report(info.object_type), object);
