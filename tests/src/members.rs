//! Create infos as the layers for tests trace them (`tests/layers/create_info.h`).

use std::ffi::c_char;

use ash::vk;

/// Returns the members of a create info as a layer sees them that receives it unchanged.
fn members_of_instance(info: &vk::InstanceCreateInfo<'_>) -> String {
    format!(
        "{},{},{},{},{},{},{},{}",
        info.s_type.as_raw(),
        info.flags.as_raw(),
        info.p_application_info.addr(),
        info.enabled_layer_count,
        info.pp_enabled_layer_names.addr(),
        info.enabled_extension_count,
        info.pp_enabled_extension_names.addr(),
        info.p_next.addr()
    )
}

/// Returns the members of a create info as a layer sees them that receives it unchanged.
fn members_of_device(info: &vk::DeviceCreateInfo<'_>) -> String {
    #[expect(deprecated, reason = "layers must see them unchanged all the same")]
    let (layers, names) = (info.enabled_layer_count, info.pp_enabled_layer_names.addr());
    format!(
        "{},{},{},{},{layers},{names},{},{},{},{}",
        info.s_type.as_raw(),
        info.flags.as_raw(),
        info.queue_create_info_count,
        info.p_queue_create_infos.addr(),
        info.enabled_extension_count,
        info.pp_enabled_extension_names.addr(),
        info.p_enabled_features.addr(),
        info.p_next.addr()
    )
}

/// Creates an instance with a value in every member of its create info, and returns the members.
///
/// # Errors
/// A command's error.
///
/// # Panics
/// If the loader lists no extension.
pub fn create_full_instance(
    entry: &ash::Entry,
    layers: &[*const c_char],
) -> Result<(String, ash::Instance), vk::Result> {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    // SAFETY: no layer is named.
    let listed = unsafe { entry.enumerate_instance_extension_properties(None) }?;
    let extensions = [listed[0].extension_name.as_ptr()];
    let mut chained = vk::ValidationFlagsEXT::default();
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(layers)
        .enabled_extension_names(&extensions)
        .push_next(&mut chained);
    // SAFETY: the structure and all that it points to are alive.
    Ok((members_of_instance(&info), unsafe { entry.create_instance(&info, None) }?))
}

/// Creates a device of the first physical device with a value in every member of its create info, and returns the
/// members.
///
/// # Errors
/// A command's error.
///
/// # Panics
/// If there is no physical device, or it has no extension.
pub fn create_full_device(
    instance: &ash::Instance,
    layers: &[*const c_char],
) -> Result<(String, ash::Device), vk::Result> {
    // SAFETY: the instance is alive.
    let physical_device = unsafe { instance.enumerate_physical_devices() }?[0];
    // SAFETY: the physical device is of the instance.
    let listed = unsafe { instance.enumerate_device_extension_properties(physical_device) }?;
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let extensions = [listed[0].extension_name.as_ptr()];
    let features = vk::PhysicalDeviceFeatures::default();
    let mut chained = vk::PhysicalDevice16BitStorageFeatures::default();
    #[expect(deprecated, reason = "layers must see them unchanged all the same")]
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_layer_names(layers)
        .enabled_extension_names(&extensions)
        .enabled_features(&features)
        .push_next(&mut chained);
    // SAFETY: the structure and all that it points to are alive.
    Ok((members_of_device(&info), unsafe { instance.create_device(physical_device, &info, None) }?))
}
