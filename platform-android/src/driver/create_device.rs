//! vkCreateDevice at the end of the chain.

use core::ffi::CStr;

use ash::vk::{self, Handle};
use vkload_core::abi::{array, chain, name};
use vkload_core::memory::{Box, Vec};

use super::adopt::adopt;
use super::device_extensions;
use super::extensions::Wanted;
use super::features;
use crate::native_buffer;
use crate::objects::{
    Device, DeviceCommands, DeviceData, End, Instance, PrivateData, driver_extensions, hand_out, instance_of,
};
use crate::statistics;
use crate::trace::slice;

type Callbacks<'a> = vk::AllocationCallbacks<'a>;
type CreateInfo<'a> = vk::DeviceCreateInfo<'a>;

/// vkCreateDevice: lets the driver create the device, with the requested extensions and features
/// that it knows.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, or layers derived them from such
/// parameters.
pub unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the handle, `info` and `out` are valid, and the
    // callbacks NULL or valid.
    unsafe {
        let instance = instance_of(physical_device.as_raw());
        let created = create(instance, physical_device, &*info, callbacks);
        hand_out(created.inspect(|_| statistics::count_device(instance, physical_device, &*info)), out)
    }
}

/// # Safety
/// As for [`create_device`]; the physical device is of `instance`.
unsafe fn create(
    instance: &'static Instance,
    physical_device: vk::PhysicalDevice,
    info: &CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
) -> Result<vk::Device, vk::Result> {
    let Some(create) = instance.driver.create_device else {
        return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
    };
    // SAFETY: by this function's `# Safety` the callbacks are NULL or valid, the create info is
    // valid, `p_next` is a pNext chain and the extension names are a counted array of valid C
    // strings. The driver gets its own handles; the box is leaked only once it is complete.
    unsafe {
        let allocator = instance.allocator.or(callbacks, vk::SystemAllocationScope::DEVICE);
        let available = driver_extensions(instance, physical_device)?;
        let wishes = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let memory = allocator.scoped(vk::SystemAllocationScope::COMMAND);
        let loader = instance.logger.loader;
        let treatment = |id| device_extensions::treatment(loader, id);
        let wanted = Wanted::new(wishes, &available, treatment, memory)?;
        let mut device = Device::try_new(
            DeviceData {
                instance,
                handle: vk::Device::null(),
                physical_device,
                allocator,
                driver: DeviceCommands::default(),
                extensions: wanted.enabled,
                private_data: PrivateData::new(allocator),
                api_version: version_of(instance, physical_device),
                end: End::default(),
            },
            allocator,
        )?;
        let mut own = sanitised(info, &wanted);
        own.p_enabled_features = enabled_features(instance, info);
        let mut copies = Vec::new_in(memory);
        if !features::are_there(instance, physical_device, own.p_next) {
            return Err(vk::Result::ERROR_FEATURE_NOT_PRESENT);
        }
        // A chain with structures unknown to the registry cannot be copied; then the driver sees
        // the loader's features.
        let is_own = |s_type| features::are_kept_from_driver(loader, s_type);
        if let Some(first) = chain::copy_without(own.p_next, is_own, &mut copies)? {
            own.p_next = first;
        }
        let mut handle = vk::Device::null();
        let created = {
            let _slice = slice(c"driver.CreateDevice");
            create(physical_device, &own, callbacks, &mut handle)
        };
        array::check(created)?;
        if let Err(error) = complete(&mut device, handle, &wanted) {
            if let Some(destroy) = device.driver.destroy_device {
                destroy(handle, callbacks);
            }
            return Err(error);
        }
        Box::leak(device);
        Ok(handle)
    }
}

/// Returns the version of Vulkan that the device can be used with: the driver's, as far as the
/// loader knows it.
pub(super) fn version_of(instance: &Instance, physical_device: vk::PhysicalDevice) -> u32 {
    let mut properties = vk::PhysicalDeviceProperties::default();
    if let Some(get) = instance.driver.get_physical_device_properties {
        // SAFETY: the handle is the driver's own, and the driver writes to a local.
        unsafe { get(physical_device, &mut properties) };
    }
    properties.api_version.clamp(vk::API_VERSION_1_0, instance.logger.loader.api_version() | 0xFFF)
}

/// Returns the features to request from the driver in addition to the pNext chain: those in
/// VkPhysicalDeviceFeatures2 if the driver does not look for them there.
///
/// # Safety
/// `p_next` of the create info is a pNext chain.
unsafe fn enabled_features(instance: &Instance, info: &CreateInfo<'_>) -> *const vk::PhysicalDeviceFeatures {
    let driver = &instance.driver;
    let known = driver.get_physical_device_features2.or(driver.get_physical_device_features2_khr);
    // SAFETY: `p_next` is a pNext chain by this function's `# Safety`.
    match unsafe { chain::find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next) } {
        Some(chained) if known.is_none() && info.p_enabled_features.is_null() => &raw const chained.features,
        _ => info.p_enabled_features,
    }
}

/// Returns the create info for the driver: without layers and without the links that the loader put
/// in front of the chain for them.
///
/// # Safety
/// `p_next` of the create info is a pNext chain.
unsafe fn sanitised<'a>(info: &CreateInfo<'a>, wanted: &Wanted) -> CreateInfo<'a> {
    // SAFETY: `p_next` is a pNext chain by this function's `# Safety`.
    let rest = unsafe { chain::structures(info.p_next) }
        .find(|structure| structure.s_type != vk::StructureType::LOADER_DEVICE_CREATE_INFO);
    let mut own = *info;
    own.p_next = rest.map_or(core::ptr::null(), |structure| core::ptr::from_ref(structure).cast());
    #[expect(deprecated, reason = "device layers have no effect, and drivers need not see them")]
    {
        own.enabled_layer_count = 0;
        own.pp_enabled_layer_names = core::ptr::null();
    }
    own.enabled_extension_count = u32::try_from(wanted.names.len()).unwrap_or(u32::MAX);
    own.pp_enabled_extension_names = wanted.names.as_ptr();
    own
}

/// Finds the functions of the driver's device and sets the first word of its handle to the loader's
/// data.
///
/// # Errors
/// `ERROR_INCOMPATIBLE_DRIVER` if a function that the loader needs is missing, or if the handle's
/// first word is not free. The caller must then destroy the driver's device.
///
/// # Safety
/// The handle is the one that the driver's vkCreateDevice returned for `device`.
unsafe fn complete(device: &mut Device, handle: vk::Device, wanted: &Wanted) -> Result<(), vk::Result> {
    device.handle = handle;
    let find = device.instance.driver.get_device_proc_addr;
    // One instance extension has device commands.
    let has_utils = device.instance.driver.create_debug_utils_messenger.is_some();
    let enabled = |name: &CStr| wanted.passes(name) || (has_utils && name == vk::EXT_DEBUG_UTILS_NAME);
    // SAFETY: the driver's lookup function returns functions of the named type, and the handle is
    // the driver's, by this function's `# Safety`.
    unsafe {
        device.driver =
            DeviceCommands::find(|name| find.and_then(|find| find(handle, name.as_ptr())), enabled);
        let usage = (wanted.passes(native_buffer::NAME) && !device.driver.knows_gralloc_usage())
            .then_some("vkGetSwapchainGrallocUsageANDROID and all that replaced it");
        if let Some(missing) = device.driver.missing(|extension| wanted.passes(extension)).or(usage) {
            vkload_core::log!(device.instance.logger, Error, Driver:
                "the driver's device lacks {missing}: the driver has to be corrected");
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
        if !adopt(handle, &*device, &device.instance.logger) {
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
    }
    Ok(())
}
