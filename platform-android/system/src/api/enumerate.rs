//! The queries that applications make before they create anything: the version, layers and
//! extensions.

use core::ffi::c_char;
use core::ptr;

use ash::vk;
use vkload_core::abi::array;
use vkload_core::dispatch::Table as _;
use vkload_core::layers::global::layer_name;
use vkload_core::memory::{Arc, Process, TryGrow, Vec};
use vkload_core::registry::command;

use super::{chain_of, instance_of, null};
use crate::layers::{Kind, settings_extensions};
use crate::loader::{self, SystemLoader};
use platform_android::driver;
use platform_android::layers::{Found, merge};
use platform_android::objects::hand_out;

/// vkEnumerateInstanceVersion. Looks for the driver: applications begin with this call, and so does
/// the process that all others are forked from.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, except that NULL is reported and not
/// followed.
pub unsafe fn enumerate_instance_version(loader: &'static SystemLoader, version: *mut u32) -> vk::Result {
    loader.enter();
    if version.is_null() {
        return null(loader, "vkEnumerateInstanceVersion", "pApiVersion");
    }
    // SAFETY: by this function's `# Safety` the pointer is NULL or valid for a write; NULL was
    // rejected above.
    unsafe { hand_out(look_around(loader).map(|_| loader.api_version()), version) }
}

/// vkEnumerateInstanceLayerProperties: returns every layer found, except the device's layers, which
/// are always active.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, except that NULL is reported and not
/// followed.
pub unsafe fn enumerate_instance_layer_properties(
    loader: &'static SystemLoader,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    loader.enter();
    if count.is_null() {
        return null(loader, "vkEnumerateInstanceLayerProperties", "pPropertyCount");
    }
    let list = || {
        let mut all = Vec::new();
        for layer in look_around(loader)?.listed() {
            all.try_push(*layer)?;
        }
        Ok(all)
    };
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
    unsafe { array::deliver_result(list(), count, out) }
}

/// vkEnumerateInstanceExtensionProperties: returns the extensions of one layer, or those that the
/// driver level and the layers enabled by the settings have.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, except that NULL is reported and not
/// followed.
pub unsafe fn enumerate_instance_extension_properties(
    loader: &'static SystemLoader,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    loader.enter();
    if count.is_null() {
        return null(loader, "vkEnumerateInstanceExtensionProperties", "pPropertyCount");
    }
    // SAFETY: by this function's `# Safety` `layer` is NULL or a valid C string, `count` and `out`
    // are a counted out-array.
    unsafe {
        let Some(layer) = layer_name(layer) else {
            return array::deliver_result(instance_extensions(loader), count, out);
        };
        match look_around(loader) {
            Ok(found) => {
                let list = found.layer(layer).map(|layer| &layer.instance_extensions);
                array::deliver_result(list, count, out)
            }
            Err(error) => error,
        }
    }
}

/// Returns the extensions of the driver level and of the layers that the settings enable. Of two
/// with one name the first is used.
pub(super) fn instance_extensions(
    loader: &'static SystemLoader,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let found = look_around(loader)?;
    let mut all = settings_extensions(&found, loader.system)?;
    let of_driver = array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
        // SAFETY: the layer name is NULL, which is allowed, and `collect` passes a counted
        // out-array.
        unsafe { driver::enumerate_instance_extension_properties(ptr::null(), count, out) }
    })?;
    merge(&mut all, &of_driver)?;
    Ok(all)
}

/// Looks for the driver and for layers, unless this process has done so.
///
/// # Errors
/// `ERROR_OUT_OF_HOST_MEMORY`, even for a driver that does not open, since enumerations have no
/// better code for that.
fn look_around(loader: &'static SystemLoader) -> Result<Arc<Found>, vk::Result> {
    loader.hal.driver(loader).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    Ok(loader.layers.found(loader)?)
}

/// vkEnumerateDeviceLayerProperties: returns the instance's active layers, which are also its
/// devices' layers, except the system image's layers, which applications do not see.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, except that NULL is reported and not
/// followed.
pub unsafe extern "system" fn enumerate_device_layer_properties(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the handle is NULL or valid, and `count` and `out` are
    // a counted out-array.
    unsafe {
        let instance = match instance_of(physical_device, "vkEnumerateDeviceLayerProperties") {
            Ok(instance) => instance,
            Err(error) => return error,
        };
        if count.is_null() {
            return null(instance.logger.loader, "vkEnumerateDeviceLayerProperties", "pPropertyCount");
        }
        let list = || {
            let mut all = Vec::new();
            for layer in chain_of(instance).iter().flat_map(|chain| chain.layers.iter()) {
                if !matches!(layer.kind, Kind::Platform | Kind::Oem) {
                    all.try_push(layer.properties)?;
                }
            }
            Ok(all)
        };
        array::deliver_result(list(), count, out)
    }
}

/// vkEnumerateDeviceExtensionProperties: returns the extensions of one layer, or those that the
/// chain reports for the physical device.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, except that NULL is reported and not
/// followed.
pub unsafe extern "system" fn enumerate_device_extension_properties(
    physical_device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    type Enumerate = vk::PFN_vkEnumerateDeviceExtensionProperties;
    // SAFETY: by this function's `# Safety` the handle is NULL or valid, `layer` is NULL or a valid
    // C string, and `count` and `out` are a counted out-array; the type is the command's.
    unsafe {
        let instance = match instance_of(physical_device, "vkEnumerateDeviceExtensionProperties") {
            Ok(instance) => instance,
            Err(error) => return error,
        };
        let loader = instance.logger.loader;
        if count.is_null() {
            return null(loader, "vkEnumerateDeviceExtensionProperties", "pPropertyCount");
        }
        let Some(layer) = layer_name(layer) else {
            let enumerate = instance.table.get::<Enumerate>(command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES);
            let Some(enumerate) = enumerate else { return vk::Result::ERROR_INITIALIZATION_FAILED };
            return enumerate(physical_device, ptr::null(), count, out);
        };
        let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        match look_around(loader) {
            Ok(found) => {
                let list = found.layer(layer).map(|layer| &layer.device_extensions);
                array::deliver_result(list, count, out)
            }
            Err(error) => error,
        }
    }
}
