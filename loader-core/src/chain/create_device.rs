//! vkCreateDevice as the application calls it: the upper end of the chain.

use core::ffi::CStr;

use ash::vk;

use super::device_links::enter_device_chain;
use crate::abi::{extensions, name};
use crate::dispatch::{Handle, Table as _, any_physical_device};
use crate::memory::Escaped;
use crate::objects::{GroupHandles, Instance, available, check_requested};
use crate::registry::command;

type CreateInfo = vk::DeviceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// vkCreateDevice as the application calls it.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that bad handles and NULL are reported and not
/// followed.
pub unsafe extern "system" fn create_device(
    handle: vk::PhysicalDevice,
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters that are not NULL are valid for
    // vkCreateDevice; a bad handle is reported.
    unsafe {
        let found = any_physical_device(handle, command::CREATE_DEVICE);
        let instance = found.instance();
        let (false, Some(given)) = (out.is_null(), info.as_ref()) else {
            crate::log!(instance.logger, Error, Usage:
                "vkCreateDevice: pCreateInfo and pDevice must not be NULL");
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        warn_of_device_layers(instance, given);
        if given.enabled_extension_count > 0 && given.pp_enabled_extension_names.is_null() {
            crate::log!(instance.logger, Error, Usage:
                "vkCreateDevice: ppEnabledExtensionNames is NULL, its count is not 0");
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        }
        let _turn = instance.turn_in_layers();
        if let Err(error) = check_extensions(found, handle, given) {
            return error;
        }
        let Some(create) = found.table().get::<vk::PFN_vkCreateDevice>(command::CREATE_DEVICE) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        // Layers know the physical devices of a group by their own handles.
        let group = if instance.layers().is_empty() {
            None
        } else {
            let memory = instance.allocator.or(callbacks, vk::SystemAllocationScope::COMMAND);
            match GroupHandles::new(instance, given.p_next, None, memory) {
                Ok(group) => Some(group),
                Err(error) => return error,
            }
        };
        let mut own = *given;
        own.p_next = group.as_ref().map_or(given.p_next, GroupHandles::first);
        match enter_device_chain(instance, instance.layers(), create, handle, &own, callbacks) {
            Ok((device, _)) => {
                *out = device;
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Refuses extensions that neither the physical device's chain nor a layer's manifest lists, before a layer
/// receives them: layers may assume validated names (loader and layer interface document, "Layer Conventions
/// and Rules"). Layers may add extensions only by reporting them instead of the driver. Without layers, the
/// code that uses the driver's list checks the names.
///
/// # Safety
/// The parameters are valid for vkCreateDevice.
unsafe fn check_extensions(
    found: &Handle,
    handle: vk::PhysicalDevice,
    info: &CreateInfo,
) -> Result<(), vk::Result> {
    let instance = found.instance();
    if info.enabled_extension_count == 0 || instance.layers().is_empty() {
        return Ok(());
    }
    // SAFETY: by this function's `# Safety` the create info and the physical device come from vkCreateDevice.
    unsafe {
        let requested = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let mut available = available(found.table(), handle)?;
        let of_layers = instance.layers().iter().flat_map(|layer| &layer.device_extensions);
        of_layers.into_iter().try_for_each(|extension| extensions::merge(&mut available, extension))?;
        check_requested(requested, &available, "device", &instance.logger)
    }
}

/// # Safety
/// The create info comes from vkCreateDevice.
unsafe fn warn_of_device_layers(instance: &Instance, info: &CreateInfo) {
    #[expect(deprecated, reason = "only to say that they have no effect")]
    let (names, count) = (info.pp_enabled_layer_names, info.enabled_layer_count);
    // SAFETY: by this function's `# Safety` the create info comes from vkCreateDevice, whose layer names are
    // a counted array of C strings.
    let mut asked = unsafe { name::list(names, count) };
    let known = |name: &CStr| instance.layers().iter().any(|layer| layer.name.as_slice() == name.to_bytes());
    if let Some(stranger) = asked.find(|name| !known(name)) {
        crate::log!(instance.logger, Warning, Layer:
            "vkCreateDevice: device layers have no effect, a device has the layers of its instance, and {} \
             is not one of them", Escaped(stranger.to_bytes()));
    }
}
