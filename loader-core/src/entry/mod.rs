//! Commands whose upper end is written by hand: what applications call instead of a trampoline.

mod exports;
#[cfg(test)]
mod handled_tests;

use core::ffi::{CStr, c_char, c_void};

use ash::vk;

use crate::abi::Command;
use crate::abi::layer_interface::{ExtensionsFn, LayersFn, VersionFn};
use crate::abi::{array, function};
use crate::chain::{FoundLayers, global, layer_properties};
use crate::discovery::{LayerRequest, LayerScope, Request};
use crate::loader::{self, Loader};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::{TryGrow, Vec};
use crate::objects::handle;
use crate::objects::{self, Instance};
use crate::registry::{CommandId, HEADER_VERSION, command};

type Callbacks = vk::AllocationCallbacks<'static>;

pub use objects::{
    allocate_command_buffers, create_device, create_external_compute_queue, destroy_device, destroy_instance,
    get_device_queue, get_device_queue2,
};

/// The function for `command` if it is one of those written by hand, other than the global ones and
/// vkGetDeviceProcAddr.
#[must_use]
pub const fn hand_written(command: CommandId) -> Option<Command> {
    Some(match command {
        command::DESTROY_INSTANCE => function!(destroy_instance),
        command::ENUMERATE_PHYSICAL_DEVICES => function!(enumerate_physical_devices),
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS => function!(enumerate_physical_device_groups),
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR => function!(enumerate_physical_device_groups_khr),
        command::CREATE_DEVICE => function!(create_device),
        command::DESTROY_DEVICE => function!(destroy_device),
        command::GET_DEVICE_QUEUE => function!(get_device_queue),
        command::GET_DEVICE_QUEUE_2 => function!(get_device_queue2),
        command::ALLOCATE_COMMAND_BUFFERS => function!(allocate_command_buffers),
        command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV => function!(create_external_compute_queue),
        _ => return None,
    })
}

/// vkCreateInstance.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn create_instance(
    loader: &'static Loader,
    info: *const vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    match unsafe { objects::create_instance(loader, info, callbacks, out) } {
        Ok(()) => vk::Result::SUCCESS,
        Err(error) => error,
    }
}

/// The lower ends of the global commands that list something, for layers that look them up below themselves.
#[must_use]
pub(crate) fn global_terminator(command: CommandId) -> Option<Command> {
    unsafe extern "system" fn version(version: *mut u32) -> vk::Result {
        // SAFETY: the caller vouches for the pointer.
        unsafe { last_of_version(core::ptr::null(), version) }
    }
    unsafe extern "system" fn extensions(
        layer: *const c_char,
        count: *mut u32,
        out: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        // SAFETY: the caller vouches for the C string and the counted out-array.
        unsafe { last_of_extensions(core::ptr::null(), layer, count, out) }
    }
    unsafe extern "system" fn layers(count: *mut u32, out: *mut vk::LayerProperties) -> vk::Result {
        // SAFETY: the caller vouches for the counted out-array.
        unsafe { last_of_layers(core::ptr::null(), count, out) }
    }
    match command {
        command::ENUMERATE_INSTANCE_VERSION => Some(function!(version)),
        command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES => Some(function!(extensions)),
        command::ENUMERATE_INSTANCE_LAYER_PROPERTIES => Some(function!(layers)),
        _ => None,
    }
}

/// The lower end of vkEnumerateInstanceVersion.
unsafe extern "system" fn last_of_version(_link: *const c_void, version: *mut u32) -> vk::Result {
    // SAFETY: the caller of the chain vouches for the pointer.
    unsafe { *version = HEADER_VERSION };
    vk::Result::SUCCESS
}

/// vkEnumerateInstanceVersion: the version of the registry that the loader was made from, whatever the drivers have.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn enumerate_instance_version(loader: &'static Loader, version: *mut u32) -> vk::Result {
    let _user = loader.enter();
    if version.is_null() {
        return null(loader, "vkEnumerateInstanceVersion", "pApiVersion");
    }
    let run = || {
        let found = loader.layers(LayerScope::Active, &loader.logger()?)?;
        // SAFETY: the caller vouches for the pointer; the types are the command's.
        unsafe {
            global::enter_global_chain(
                global::VERSION,
                loader,
                &found,
                last_of_version as VersionFn,
                || last_of_version(core::ptr::null(), version),
                |function, link| function(link, version),
            )
        }
    };
    global::flatten(run())
}

/// vkEnumerateInstanceExtensionProperties.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn enumerate_instance_extension_properties(
    loader: &'static Loader,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let _user = loader.enter();
    if count.is_null() {
        return null(loader, "vkEnumerateInstanceExtensionProperties", "pPropertyCount");
    }
    let run = || {
        let logger = loader.logger()?;
        // SAFETY: the caller vouches for the C string and the counted out-array; the types are the command's.
        unsafe {
            let found = loader.layers(scope_for(global::layer_name(layer)), &logger)?;
            global::enter_global_chain(
                global::EXTENSIONS,
                loader,
                &found,
                last_of_extensions as ExtensionsFn,
                || {
                    array::deliver_result(
                        extensions(loader, &found, global::layer_name(layer), &logger),
                        count,
                        out,
                    )
                },
                |function, link| function(link, layer, count, out),
            )
        }
    };
    global::flatten(run())
}

/// The lower end of vkEnumerateInstanceExtensionProperties.
unsafe extern "system" fn last_of_extensions(
    _link: *const c_void,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let Ok(logger) = loader.logger() else { return vk::Result::ERROR_OUT_OF_HOST_MEMORY };
    // SAFETY: the caller of the chain vouches for the C string and the counted out-array.
    unsafe {
        let layer = global::layer_name(layer);
        let found = loader.layers(scope_for(layer), &logger).map_err(vk::Result::from);
        array::deliver_result(found.and_then(|found| extensions(loader, &found, layer, &logger)), count, out)
    }
}

/// The layers that have to be known to tell the extensions of `layer`, or without one those that are there anyhow.
fn scope_for(layer: Option<&CStr>) -> LayerScope {
    if layer.is_some() { LayerScope::All } else { LayerScope::Active }
}

/// The instance extensions of `layer`, or without one those of the drivers and of the layers that are active by
/// themselves.
fn extensions(
    loader: &'static Loader,
    found: &FoundLayers,
    layer: Option<&CStr>,
    logger: &Logger,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    if let Some(layer) = layer {
        return found.instance_extensions_of(layer);
    }
    let drivers = loader.discover(Request { portability: true }, logger)?;
    let mut all = objects::instance_extensions(loader, Some(&drivers), logger)?;
    let active = found.plan.activate(&LayerRequest::default())?;
    found.add_instance_extensions(&active, &mut all)?;
    Ok(all)
}

/// vkEnumerateInstanceLayerProperties.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn enumerate_instance_layer_properties(
    loader: &'static Loader,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    let _user = loader.enter();
    if count.is_null() {
        return null(loader, "vkEnumerateInstanceLayerProperties", "pPropertyCount");
    }
    let run = || {
        let found = loader.layers(LayerScope::All, &loader.logger()?)?;
        // SAFETY: the caller vouches for the counted out-array; the types are the command's.
        unsafe {
            global::enter_global_chain(
                global::LAYERS,
                loader,
                &found,
                last_of_layers as LayersFn,
                || array::deliver_result(layers(&found), count, out),
                |function, link| function(link, count, out),
            )
        }
    };
    global::flatten(run())
}

/// The lower end of vkEnumerateInstanceLayerProperties.
unsafe extern "system" fn last_of_layers(
    _link: *const c_void,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let find = || loader.layers(LayerScope::All, &loader.logger()?);
    let found = find().map_err(vk::Result::from);
    // SAFETY: the caller of the chain vouches for the counted out-array.
    unsafe { array::deliver_result(found.and_then(|found| layers(&found)), count, out) }
}

/// What vkEnumerateInstanceLayerProperties lists.
fn layers(found: &FoundLayers) -> Result<Vec<vk::LayerProperties>, vk::Result> {
    let mut all = Vec::new();
    for manifest in found.listed() {
        all.try_push(layer_properties(manifest))?;
    }
    Ok(all)
}

fn null(loader: &Loader, name: &str, parameter: &str) -> vk::Result {
    let Ok(logger) = loader.logger() else { return vk::Result::ERROR_OUT_OF_HOST_MEMORY };
    complain(&logger, name, parameter);
    vk::Result::ERROR_INITIALIZATION_FAILED
}

fn complain(logger: &Logger, name: &str, parameter: &str) {
    let message = format_args!("{name}: {parameter} must not be NULL [VUID-{name}-{parameter}-parameter]");
    logger.insist(Level::Error, Topic::Usage, message);
}

/// vkEnumeratePhysicalDevices.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that bad handles and NULL are reported and not followed.
pub unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDevice,
) -> vk::Result {
    const COMMAND: CommandId = command::ENUMERATE_PHYSICAL_DEVICES;
    // SAFETY: the caller vouches for the parameters; the type is the command's.
    unsafe {
        let found = handle::instance(instance, COMMAND);
        if count.is_null() {
            complain(&found.logger, "vkEnumeratePhysicalDevices", "pPhysicalDeviceCount");
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        found.enumerate_for_application(count, out)
    }
}

/// vkEnumeratePhysicalDeviceGroups.
///
/// # Safety
/// As for [`enumerate_physical_devices`].
pub unsafe extern "system" fn enumerate_physical_device_groups(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe { groups(instance, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS, count, out) }
}

/// vkEnumeratePhysicalDeviceGroupsKHR.
///
/// # Safety
/// As for [`enumerate_physical_devices`].
pub unsafe extern "system" fn enumerate_physical_device_groups_khr(
    instance: vk::Instance,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe { groups(instance, command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR, count, out) }
}

unsafe fn groups(
    instance: vk::Instance,
    command: CommandId,
    count: *mut u32,
    out: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters; the type is that of the command and its alias.
    unsafe {
        let found: &Instance = handle::instance(instance, command);
        if count.is_null() {
            complain(&found.logger, command.name().to_str().unwrap_or_default(), "pPhysicalDeviceGroupCount");
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        found.enumerate_groups_for_application(count, out.cast())
    }
}
