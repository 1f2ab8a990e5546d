//! Object names and tags: the lower end of the call chain replaces the loader's handles by the driver's, the
//! upper end replaces them by the layers'.

use ash::vk::{self, Handle as _};

use super::translated_gen::TranslatedType;
use crate::abi::{Command, name};
use crate::logger::kind_of_report;
use crate::objects::device::device_of;
use crate::objects::handle::{self, HandleKind};
use crate::objects::instance::Instance;
use crate::objects::instance::driver::DriverInstance;
use crate::objects::surface::Surface;
use crate::registry::command;

/// Returns the first layer's handle for an object that the application knows as `object`.
///
/// # Safety
/// `object` is a valid handle of this kind; a bad physical device is reported.
unsafe fn layers_name(kind: vk::ObjectType, object: u64) -> u64 {
    // SAFETY: by this function's `# Safety` `object` is a valid handle of this kind.
    let known = unsafe {
        match TranslatedType::of(kind) {
            Some(TranslatedType::Instance) => handle::known_instance(vk::Instance::from_raw(object)),
            Some(TranslatedType::PhysicalDevice) => {
                let command = command::SET_DEBUG_UTILS_OBJECT_NAME_EXT;
                Some(handle::any_physical_device(vk::PhysicalDevice::from_raw(object), command))
            }
            // Layers know these by the handles that the application knows.
            Some(
                TranslatedType::SurfaceKHR
                | TranslatedType::DebugUtilsMessengerEXT
                | TranslatedType::DebugReportCallbackEXT,
            )
            | None => None,
        }
    };
    match known {
        Some(known)
            if matches!(known.kind(), HandleKind::WrappedInstance | HandleKind::WrappedPhysicalDevice) =>
        {
            known.lower().expose_provenance() as u64
        }
        _ => object,
    }
}

/// Returns `driver`'s handle for an object that the application knows as `object`; `None` if the driver does
/// not know it: a physical device of another driver or of a layer, which may be named through any device of
/// the instance, a surface that only another driver has, or a messenger. Without layers a bad physical device
/// is reported; with layers it cannot be distinguished from a layer's physical device.
///
/// # Safety
/// `object` is a valid handle of this kind.
unsafe fn drivers_name(
    instance: &Instance,
    driver: &DriverInstance,
    kind: vk::ObjectType,
    object: u64,
) -> Option<u64> {
    // SAFETY: by this function's `# Safety` `object` is a valid handle of this kind.
    unsafe {
        match TranslatedType::of(kind) {
            Some(TranslatedType::Instance) => Some(driver.handle.as_raw()),
            Some(TranslatedType::PhysicalDevice) => {
                let handle = vk::PhysicalDevice::from_raw(object);
                let command = command::SET_DEBUG_UTILS_OBJECT_NAME_EXT;
                if !instance.layers().is_empty()
                    && handle::known_physical_device(handle)?.kind() != HandleKind::PhysicalDevice
                {
                    return None;
                }
                let found = handle::physical_device(handle, command);
                core::ptr::eq(found.driver(), driver).then(|| found.driver_handle().as_raw())
            }
            Some(TranslatedType::SurfaceKHR) => {
                let Some(surface) = Surface::from_handle(vk::SurfaceKHR::from_raw(object)) else {
                    return Some(object);
                };
                let own = surface.for_driver(instance, driver).ok()?;
                (!own.is_null() && surface.concerns(driver, own)).then(|| own.as_raw())
            }
            // The loader's own objects. Drivers never get them, and no name of theirs is shown
            // anywhere.
            Some(TranslatedType::DebugUtilsMessengerEXT | TranslatedType::DebugReportCallbackEXT) => None,
            None => Some(object),
        }
    }
}

/// Defines both ends of a command that names an object. Each passes on a copy of the info: the terminator
/// with the driver's handle in it, the upper end with the first layer's.
macro_rules! named {
    ($name:ident, $upper:ident: $pfn:ident, $command:ident, $info:ident, |$given:ident| $kind:expr, $handle:ident) => {
        /// The upper end.
        ///
        /// # Safety
        /// The parameters are valid for the Vulkan command.
        pub(super) unsafe extern "system" fn $upper(
            device: vk::Device,
            info: *const vk::$info<'static>,
        ) -> vk::Result {
            // SAFETY: by this function's `# Safety` the device is a valid handle, and `info` a
            // valid pointer that names a valid object; `$pfn` is the command's type, for which
            // `find` looked.
            unsafe {
                let found = device_of(device.as_raw()).and_then(|it| it.command(name::of(command::$command)));
                let Some(first) = found else { return vk::Result::ERROR_INITIALIZATION_FAILED };
                let first = core::mem::transmute::<Command, vk::$pfn>(first);
                let $given = &*info;
                first(device, &vk::$info { $handle: layers_name($kind, $given.$handle), ..*$given })
            }
        }

        /// The lower end.
        ///
        /// # Safety
        /// The parameters are valid for the command, passed down the call chain.
        pub(super) unsafe extern "system" fn $name(
            device: vk::Device,
            info: *const vk::$info<'static>,
        ) -> vk::Result {
            // SAFETY: by this function's `# Safety` the device is a valid handle, and `info` a
            // valid pointer that names a valid object; `$pfn` is the command's type.
            unsafe {
                let Some(found) = device_of(device.as_raw()) else {
                    return vk::Result::ERROR_INITIALIZATION_FAILED;
                };
                let Some(set) = found.driver_function::<vk::$pfn>(command::$command) else {
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

named!(set_debug_utils_object_name, name_above_layers: PFN_vkSetDebugUtilsObjectNameEXT, SET_DEBUG_UTILS_OBJECT_NAME_EXT,
    DebugUtilsObjectNameInfoEXT, |info| info.object_type, object_handle);
named!(set_debug_utils_object_tag, tag_above_layers: PFN_vkSetDebugUtilsObjectTagEXT, SET_DEBUG_UTILS_OBJECT_TAG_EXT,
    DebugUtilsObjectTagInfoEXT, |info| info.object_type, object_handle);
named!(debug_marker_set_object_name, mark_name_above_layers: PFN_vkDebugMarkerSetObjectNameEXT, DEBUG_MARKER_SET_OBJECT_NAME_EXT,
    DebugMarkerObjectNameInfoEXT, |info| kind_of_report(info.object_type), object);
named!(debug_marker_set_object_tag, mark_tag_above_layers: PFN_vkDebugMarkerSetObjectTagEXT, DEBUG_MARKER_SET_OBJECT_TAG_EXT,
    DebugMarkerObjectTagInfoEXT, |info| kind_of_report(info.object_type), object);
