//! vkEnumerateDeviceExtensionProperties and vkEnumerateDeviceLayerProperties.

use core::ffi::{CStr, c_char};

use ash::vk;

use crate::abi::array;
use crate::abi::extensions::merge;
use crate::discovery::LayerScope;
use crate::dispatch::Table as _;
use crate::layers::global::layer_name;
use crate::layers::{ActiveLayer, layer_properties};
use crate::memory::{TryGrow, Vec};
use crate::objects::handle;
use crate::objects::instance::Instance;
use crate::objects::instance::command_memory;
use crate::objects::instance::extensions::of_device;
use crate::registry::command;

/// Lists the driver's and the implicit layers' extensions, or one layer's extensions. Layer names are
/// never passed to a driver (LDP_LOADER_12).
///
/// # Safety
/// The parameters are valid for the command, passed down the call chain, except that
/// a NULL count is reported.
pub(super) unsafe extern "system" fn enumerate_device_extension_properties(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `layer` is NULL or a valid C string, and `count` and
    // `out` are a counted out-array; a NULL count is checked. `handle::physical_device` aborts for
    // a bad handle. The type is the command's.
    unsafe {
        let device = handle::physical_device(device, command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES);
        let layers = device.instance().layers();
        if count.is_null() {
            crate::log!(device.instance().logger, Error, Usage:
                "vkEnumerateDeviceExtensionProperties: pPropertyCount must not be NULL");
            return vk::Result::INCOMPLETE;
        }
        if let Some(name) = layer_name(layer) {
            return match of_layer(device.instance(), name) {
                Ok(extensions) => array::deliver(&extensions, count, out),
                Err(error) => error,
            };
        }
        let enumerate = device.driver().table.get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(
            command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
        );
        let Some(enumerate) = enumerate else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let adding = |layer: &&ActiveLayer| layer.implicit && !layer.device_extensions.is_empty();
        if !layers.iter().any(|layer| adding(&layer)) {
            return enumerate(device.driver_handle(), core::ptr::null(), count, out);
        }
        let merged = of_device(enumerate, device.driver_handle()).and_then(|mut all| {
            let added = layers.iter().filter(adding).flat_map(|layer| &layer.device_extensions);
            added.into_iter().try_for_each(|extension| merge(&mut all, extension))?;
            Ok(all)
        });
        match merged {
            Ok(all) => array::deliver(&all, count, out),
            Err(error) => error,
        }
    }
}

/// Returns the device extensions of a layer: as the instance found it, or else as it is installed now.
fn of_layer(instance: &Instance, name: &CStr) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    match instance.found_layers().device_extensions_of(name) {
        Err(vk::Result::ERROR_LAYER_NOT_PRESENT) => {
            instance.loader.layers(LayerScope::All, &instance.logger)?.device_extensions_of(name)
        }
        known => known,
    }
}

/// Lists the instance's layers, which apply to every device (section "Device Layer Deprecation" of the
/// specification): a meta-layer comes after its components.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that a bad handle is
/// reported.
pub(super) unsafe extern "system" fn enumerate_device_layer_properties(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array;
    // `handle::any_physical_device` aborts for a bad handle.
    unsafe {
        let device = handle::any_physical_device(device, command::ENUMERATE_DEVICE_LAYER_PROPERTIES);
        if count.is_null() {
            return vk::Result::INCOMPLETE;
        }
        let instance = device.instance();
        let mut all = Vec::new_in(command_memory(instance));
        for manifest in instance.enabled_layers() {
            if all.try_push(layer_properties(manifest)).is_err() {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
            }
        }
        array::deliver(&all, count, out)
    }
}
