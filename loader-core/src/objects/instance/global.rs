//! The commands that need no instance, at both ends of the call chain.

use core::ffi::{CStr, c_char, c_void};

use ash::vk;

use super::extensions::instance_extensions;
use crate::abi::array;
use crate::abi::layer_interface::{ExtensionsFn, LayersFn, VersionFn};
use crate::discovery::{LayerRequest, LayerScope, Request};
use crate::layers::{FoundLayers, global, layer_properties};
use crate::loader::{self, Loader};
use crate::log::{CommandText as _, Level, Topic};
use crate::logger::Logger;
use crate::memory::{TryGrow, Vec};
use crate::registry::{CommandId, HEADER_VERSION, command};

pub(super) unsafe extern "system" fn version_terminator(version: *mut u32) -> vk::Result {
    // SAFETY: by valid usage of the command `version` is a valid pointer.
    unsafe { last_of_version(core::ptr::null(), version) }
}

pub(super) unsafe extern "system" fn extensions_terminator(
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: by valid usage of the command `layer` is NULL or a valid C string; `count` and
    // `out` are a counted out-array.
    unsafe { last_of_extensions(core::ptr::null(), layer, count, out) }
}

pub(super) unsafe extern "system" fn layers_terminator(
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: by valid usage of the command `count` and `out` are a counted out-array.
    unsafe { last_of_layers(core::ptr::null(), count, out) }
}

/// The lower end of vkEnumerateInstanceVersion.
///
/// # Safety
/// `version` is a valid pointer.
unsafe extern "system" fn last_of_version(_link: *const c_void, version: *mut u32) -> vk::Result {
    // SAFETY: by this function's `# Safety` `version` is a valid pointer.
    unsafe { *version = HEADER_VERSION };
    vk::Result::SUCCESS
}

/// vkEnumerateInstanceVersion: the version of the registry that the loader was built from, whatever
/// the drivers have.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that NULL is reported and not
/// dereferenced.
pub unsafe fn enumerate_instance_version(loader: &'static Loader, version: *mut u32) -> vk::Result {
    let _user = loader.enter();
    if version.is_null() {
        return null(loader, command::ENUMERATE_INSTANCE_VERSION, "pApiVersion");
    }
    let run = || {
        let found = loader.layers(LayerScope::Active, &loader.logger()?)?;
        // SAFETY: by this function's `# Safety` `version` is a valid pointer, as NULL was checked;
        // both function types are the command's.
        unsafe {
            global::enter_global_chain(
                global::VERSION,
                loader.platform,
                &found,
                last_of_version as VersionFn,
                || last_of_version(core::ptr::null(), version),
                |function, link| function(link, version),
            )
        }
    };
    global::flatten(run())
}

/// # Safety
/// The parameters are valid for the Vulkan command, except that NULL is reported and not
/// dereferenced.
pub unsafe fn enumerate_instance_extension_properties(
    loader: &'static Loader,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let _user = loader.enter();
    if count.is_null() {
        return null(loader, command::ENUMERATE_INSTANCE_EXTENSION_PROPERTIES, "pPropertyCount");
    }
    let run = || {
        let logger = loader.logger()?;
        // SAFETY: by this function's `# Safety` `layer` is NULL or a valid C string, and `count`
        // and `out` are a counted out-array, as NULL was checked; both function types are the
        // command's.
        unsafe {
            let found = loader.layers(scope_for(global::layer_name(layer)), &logger)?;
            global::enter_global_chain(
                global::EXTENSIONS,
                loader.platform,
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
///
/// # Safety
/// `layer` is NULL or a valid C string; `count` and `out` are a counted out-array.
unsafe extern "system" fn last_of_extensions(
    _link: *const c_void,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let Ok(logger) = loader.logger() else { return vk::Result::ERROR_OUT_OF_HOST_MEMORY };
    // SAFETY: by this function's `# Safety` `layer` is NULL or a valid C string; `count` and `out`
    // are a counted out-array.
    unsafe {
        let layer = global::layer_name(layer);
        let found = loader.layers(scope_for(layer), &logger).map_err(vk::Result::from);
        array::deliver_result(found.and_then(|found| extensions(loader, &found, layer, &logger)), count, out)
    }
}

/// Returns the layers that must be known to list the extensions of `layer`, or else of the layers that are
/// always active.
fn scope_for(layer: Option<&CStr>) -> LayerScope {
    if layer.is_some() { LayerScope::All } else { LayerScope::Active }
}

/// Returns the instance extensions of `layer`, or else of the drivers and of the layers that are always
/// active.
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
    let mut all = instance_extensions(loader, Some(&drivers), logger)?;
    let active = found.plan.activate(&LayerRequest::default())?;
    found.add_instance_extensions(&active, &mut all)?;
    Ok(all)
}

/// # Safety
/// The parameters are valid for the Vulkan command, except that NULL is reported and not
/// dereferenced.
pub unsafe fn enumerate_instance_layer_properties(
    loader: &'static Loader,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    let _user = loader.enter();
    if count.is_null() {
        return null(loader, command::ENUMERATE_INSTANCE_LAYER_PROPERTIES, "pPropertyCount");
    }
    let run = || {
        let found = loader.layers(LayerScope::All, &loader.logger()?)?;
        // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array, as NULL
        // was checked; both function types are the command's.
        unsafe {
            global::enter_global_chain(
                global::LAYERS,
                loader.platform,
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
///
/// # Safety
/// `count` and `out` are a counted out-array.
unsafe extern "system" fn last_of_layers(
    _link: *const c_void,
    count: *mut u32,
    out: *mut vk::LayerProperties,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let find = || loader.layers(LayerScope::All, &loader.logger()?);
    let found = find().map_err(vk::Result::from);
    // SAFETY: by this function's `# Safety` `count` and `out` are a counted out-array.
    unsafe { array::deliver_result(found.and_then(|found| layers(&found)), count, out) }
}

fn layers(found: &FoundLayers) -> Result<Vec<vk::LayerProperties>, vk::Result> {
    let mut all = Vec::new();
    for manifest in found.listed() {
        all.try_push(layer_properties(manifest))?;
    }
    Ok(all)
}

fn null(loader: &Loader, command: CommandId, parameter: &str) -> vk::Result {
    let Ok(logger) = loader.logger() else { return vk::Result::ERROR_OUT_OF_HOST_MEMORY };
    complain_of_null(&logger, command, parameter);
    vk::Result::ERROR_INITIALIZATION_FAILED
}

pub(crate) fn complain_of_null(logger: &Logger, command: CommandId, parameter: &str) {
    let name = command.text();
    logger.log_always(
        Level::Error,
        Topic::Usage,
        format_args!("{name}: {parameter} must not be NULL [VUID-{name}-{parameter}-parameter]"),
    );
}
