//! vkCreateDevice and vkDestroyDevice.
use core::ffi::CStr;

use ash::vk::{self, Handle as _};
use vkload_core::abi::layer_interface::FindDeviceCommand;
use vkload_core::abi::{array, name};
use vkload_core::dispatch::{Command, Table as _};
use vkload_core::memory::{CopiedCallbacks, Escaped};
use vkload_core::registry::{CommandId, ExtensionSet, command};

use super::chain::{Chain, Structures, chain_of};
use super::table;
use super::{instance_of, nothing_created, null, report_missing};
use platform_android::driver;
use platform_android::objects::{Instance, device_of, free, hand_out};

type Callbacks = vk::AllocationCallbacks<'static>;

/// vkCreateDevice.
///
/// # Safety
/// The parameters meet the valid usage of vkCreateDevice, except that NULL is reported and not
/// followed.
pub unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the handle is NULL or valid and the pointers are NULL
    // or valid; those that are dereferenced are checked for NULL first.
    unsafe {
        let instance = match instance_of(physical_device, "vkCreateDevice") {
            Ok(instance) => instance,
            Err(error) => return error,
        };
        let loader = instance.logger.loader;
        let Some(info) = info.as_ref() else { return null(loader, "vkCreateDevice", "pCreateInfo") };
        if out.is_null() {
            return null(loader, "vkCreateDevice", "pDevice");
        }
        hand_out(create(instance, physical_device, info, callbacks), out)
    }
}

/// # Safety
/// The parameters meet the valid usage of vkCreateDevice; the physical device is of `instance`.
unsafe fn create(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
) -> Result<vk::Device, vk::Result> {
    let chain = chain_of(instance).ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateDevice:
    // `callbacks` is NULL or a valid `VkAllocationCallbacks`, the extension names are a counted
    // array of valid C strings; `enter` returned the device from this chain.
    unsafe {
        let memory = chain.memory.or(callbacks, vk::SystemAllocationScope::COMMAND);
        warn_of_layers(instance, chain, info);
        let extensions = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        check_extensions(instance, chain, physical_device, extensions.clone(), memory)?;
        let (device, head) = enter(instance, chain, physical_device, info, callbacks, memory)?;
        complete(instance, device, head, &ExtensionSet::of(extensions), callbacks)?;
        Ok(device)
    }
}

/// Warns if the application enables device layers that the instance does not have. Device layers
/// are obsolete: the instance's layers take part regardless.
///
/// # Safety
/// The create info's array of layers is a counted array of valid C strings.
unsafe fn warn_of_layers(instance: &Instance, chain: &Chain, info: &vk::DeviceCreateInfo<'_>) {
    #[expect(deprecated, reason = "only to say that they have no effect")]
    let (names, count) = (info.pp_enabled_layer_names, info.enabled_layer_count);
    // SAFETY: by this function's `# Safety` the names are a counted array of valid C strings.
    let mut asked = unsafe { name::list(names, count) }.peekable();
    if asked.peek().is_some() && !asked.eq(chain.layers.iter().map(|layer| layer.name())) {
        vkload_core::log!(instance.logger, Warning, Usage:
            "vkCreateDevice: ppEnabledLayerNames is ignored, since a device has its instance's layers, and \
             these differ");
    }
}

/// Checks that the chain reports every enabled extension for the physical device, or that a layer
/// that takes part in devices has it.
///
/// # Safety
/// The physical device is a valid handle.
unsafe fn check_extensions<'a>(
    instance: &Instance,
    chain: &Chain,
    physical_device: vk::PhysicalDevice,
    enabled: impl Iterator<Item = &'a CStr> + Clone,
    memory: CopiedCallbacks,
) -> Result<(), vk::Result> {
    if enabled.clone().next().is_none() {
        return Ok(());
    }
    let enumerate = command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES;
    // SAFETY: the type belongs to the command by which the entry is looked up.
    let enumerate = unsafe { instance.table.get::<vk::PFN_vkEnumerateDeviceExtensionProperties>(enumerate) };
    let enumerate = enumerate.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
    let known = array::collect(memory, vk::ExtensionProperties::default(), |count, out| {
        // SAFETY: the physical device is a valid handle by this function's `# Safety`; `collect`
        // passes a counted out-array.
        unsafe { enumerate(physical_device, core::ptr::null(), count, out) }
    })?;
    for extension in enabled {
        let is_it = |known: &vk::ExtensionProperties| name::is(known, extension);
        let mut layers = chain.layers.iter().filter(|layer| layer.global);
        if !(known.iter().any(is_it) || layers.any(|layer| layer.device_extensions.iter().any(is_it))) {
            vkload_core::log!(instance.logger, Error, Usage:
                "vkCreateDevice: the device extension {} is not there: neither the driver of this physical \
                 device nor a layer that is enabled has it; enable only what \
                 vkEnumerateDeviceExtensionProperties lists", Escaped(extension.to_bytes()));
            return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        }
    }
    Ok(())
}

/// Calls vkCreateDevice at the head of the instance's chain, with the links to the layers that take
/// part in devices. Returns the device and the lookup function at the head of its chain.
///
/// # Safety
/// As for [`create`].
unsafe fn enter(
    instance: &Instance,
    chain: &Chain,
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'static>,
    callbacks: *const Callbacks,
    memory: CopiedCallbacks,
) -> Result<(vk::Device, FindDeviceCommand), vk::Result> {
    let (mut links, head) = chain.device_links(instance, memory)?;
    let mut structures = Structures::of_device(links.as_mut_ptr(), info.p_next);
    let mut own = *info;
    if !links.is_empty() {
        own.p_next = structures.first();
    }
    let mut device = vk::Device::null();
    // SAFETY: the type is the command's; the parameters are valid for vkCreateDevice by this
    // function's `# Safety`; `own` and the links are locals that live until the call
    // returns.
    unsafe {
        let create = instance.table.get::<vk::PFN_vkCreateDevice>(command::CREATE_DEVICE);
        let create = create.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        array::check(create(physical_device, &own, callbacks, &mut device))?;
    }
    if device.is_null() {
        return Err(nothing_created(&instance.logger, "Device"));
    }
    Ok((device, head))
}

/// Fills the table of the device that the chain returned. Destroys the device if that fails.
///
/// # Safety
/// The chain created the device in vkCreateDevice with these callbacks, and `head` begins its
/// chain.
unsafe fn complete(
    instance: &Instance,
    device: vk::Device,
    head: FindDeviceCommand,
    enabled: &ExtensionSet,
    callbacks: *const Callbacks,
) -> Result<(), vk::Result> {
    // SAFETY: by this function's `# Safety` the handle is valid: the driver level set its first
    // word, or the layer that returned another handle set it with `set_device_data`. `head` returns
    // functions of the named type.
    unsafe {
        let has_layers = chain_of(instance).is_some_and(|chain| !chain.layers.is_empty());
        let find = |command: CommandId| match command.const_name().as_ptr().cast() {
            name if has_layers => head(device, name),
            name => driver::device_command(device, Some(command), name),
        };
        let Err(missing) = table::fill(&device_of(device.as_raw()).table, enabled, find) else {
            return Ok(());
        };
        report_missing(&instance.logger, "Device", missing);
        if let Some(destroy) = find(command::DESTROY_DEVICE) {
            leave(core::mem::transmute::<Command, vk::PFN_vkDestroyDevice>(destroy), device, callbacks);
        }
        Err(vk::Result::ERROR_INITIALIZATION_FAILED)
    }
}

/// vkDestroyDevice.
///
/// # Safety
/// The parameters meet the valid usage of vkDestroyDevice.
pub unsafe extern "system" fn destroy_device(device: vk::Device, callbacks: *const Callbacks) {
    if device.is_null() {
        return;
    }
    // SAFETY: the device is a valid handle by this function's `# Safety`, so its first word leads
    // to a `Device`; the type is the command's.
    unsafe {
        let known = device_of(device.as_raw());
        if let Some(destroy) = known.table.get::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE) {
            leave(destroy, device, callbacks);
        }
    }
}

/// Calls the chain's vkDestroyDevice, then frees the loader's data of the device.
///
/// # Safety
/// As for [`destroy_device`]; the device is not NULL, and `destroy` is its chain's vkDestroyDevice.
unsafe fn leave(destroy: vk::PFN_vkDestroyDevice, device: vk::Device, callbacks: *const Callbacks) {
    // SAFETY: by this function's `# Safety` the device is valid and no other thread uses it.
    // `create_device` of the driver level leaked the box; `outlasts` returns true only if no other
    // code frees it.
    unsafe {
        let known = device_of(device.as_raw());
        if known.end.outlasts(|| destroy(device, callbacks)) {
            free(known, known.allocator);
        }
    }
}
