//! vkCreateInstance and vkDestroyInstance as the application calls them: the upper end of the chain.

use core::ffi::CStr;

use ash::vk::{self, Handle as _};

use super::device_extensions;
use super::instance_links::{comes_from_layers, enter_instance_chain};
use super::instance_table::fill_instance_table;
use super::of_layer;
use crate::abi::{Command, extensions, name};
use crate::discovery::{LayerRequest, LayerScope, Request};
use crate::dispatch::{HandleKind, Table as _};
use crate::layers::{FoundLayers, Layers, warn_of_ignored, warn_of_undeclared};
use crate::loader::Loader;
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::manifest::Version;
use crate::memory::{Application, Box, Escaped, ObjectCallbacks, TryGrow, Vec};
use crate::objects::{
    Instance, OddRequest, Sources, add_under_layers, check_requested, comparable, create_in_drivers, handle,
    instance_at, is_known, layers_below,
};
use crate::registry::{ExtensionSet, command, extension};

type CreateInfo = vk::InstanceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// vkCreateInstance as the application calls it.
///
/// # Safety
/// The parameters are valid for the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn create_instance(
    loader: &'static Loader,
    create_info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> Result<(), vk::Result> {
    let _user = loader.enter();
    // SAFETY: by this function's `# Safety` the parameters that are not NULL are valid for
    // vkCreateInstance.
    unsafe {
        // Dropped last: everything below is allocated from it.
        let (own, allocator) =
            ObjectCallbacks::new(callbacks, Application::process(), vk::SystemAllocationScope::INSTANCE)?;
        let logger = loader.logger_in(allocator)?;
        let (Some(info), Some(out)) = (create_info.as_ref(), out.as_mut()) else {
            let message = format_args!("vkCreateInstance: pCreateInfo and pInstance must not be NULL");
            logger.log_always(Level::Error, Topic::Usage, message);
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        if comes_from_layers(info.p_next) {
            let message = format_args!(
                "vkCreateInstance: an active layer calls it instead of the next layer's; its manifest may name a Vulkan loader \
                 as the layer's library"
            );
            logger.log_always(Level::Error, Topic::Layer, message);
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        logger.listeners.add_chained(info.p_next)?;
        let memory = Instance::reserve(allocator, &logger)?;
        logger.settings.report(logger.sink, &logger);
        check_arrays(info, &logger)?;
        let requested = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let enabled = ExtensionSet::of(requested.clone());
        let request = Request { portability: wants_portability(info, &enabled) };
        let version = requested_version(info, &logger);
        let sources = Sources::new(loader, info, &enabled, request, &logger)?;
        let layers = open_layers(loader, info, version, &sources, &logger, allocator)?;
        if sources.are_none() {
            let of_layers = |name: &CStr| {
                layers.iter().flat_map(|it| &it.instance_extensions).any(|own| name::is(own, name))
            };
            let request = OddRequest {
                api_version: info
                    .p_application_info
                    .as_ref()
                    .map_or(0, |application| application.api_version),
                extension: { requested }.find(|name| !is_known(loader, name) && !of_layers(name)),
            };
            return Err(sources.report_none(loader, &logger, &[], &request));
        }
        let mut available = sources.extensions(loader, &logger)?;
        layers
            .iter()
            .flat_map(|layer| &layer.instance_extensions)
            .try_for_each(|extension| extensions::merge(&mut available, extension))?;
        check_requested(requested, &available, "instance", &logger)?;
        let mut instance = Instance::new(loader, logger, memory, version, enabled, sources, layers)?;
        if !instance.layers().is_empty() {
            instance.of_layer_table = Some(of_layer::table(allocator)?);
        }

        let _turn = instance.turn_in_layers();
        // The handle goes down the chain with the call: the terminator uses it to find the instance.
        let mut handle = instance.handle();
        let mut result = Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        if loader.flavour.handles.are_looked_up() {
            loader.platform.environment.with_layer_settings(&mut |settings| {
                warn_of_ignored(settings, instance.layers(), &instance.logger);
                result = enter(settings, info, callbacks, &mut handle);
            });
        } else {
            result = enter(&[], info, callbacks, &mut handle);
        }
        result?;
        check_made(&instance, handle)?;
        let given = instance
            .handle_for_application(handle.as_raw(), HandleKind::WrappedInstance)
            .inspect_err(|error| destroy_below(&instance, handle, callbacks, *error))?;
        instance.set_chain_handle(handle);
        fill_instance_table(&instance);
        if !instance.layers().is_empty() {
            device_extensions::put_on_top(&mut instance);
        }
        *out = vk::Instance::from_raw(given);
        instance.logger.listeners.created(given);
        instance.callbacks = own;
        Box::leak(instance);
        Ok(())
    }
}

/// Refuses an instance that a layer reports but did not create: the layer has not called down to the drivers,
/// or returns no handle.
fn check_made(instance: &Instance, handle: vk::Instance) -> Result<(), vk::Result> {
    if !instance.drivers.is_empty() && !handle.is_null() {
        return Ok(());
    }
    let message = format_args!(
        "vkCreateInstance: a layer reports success without an instance: it returns none, or did not call the next \
         layer; disable the layers one by one"
    );
    instance.logger.log_always(Level::Error, Topic::Layer, message);
    Err(vk::Result::ERROR_INITIALIZATION_FAILED)
}

/// Lets the layers destroy an instance that they created, if memory runs out above them and the application
/// does not receive it. After other errors, no handle exists that they would know.
///
/// # Safety
/// The chain returned `handle`, and the callbacks come from vkCreateInstance.
unsafe fn destroy_below(
    instance: &Instance,
    handle: vk::Instance,
    callbacks: *const Callbacks,
    error: vk::Result,
) {
    if error != vk::Result::ERROR_OUT_OF_HOST_MEMORY {
        return;
    }
    instance.set_chain_handle(handle);
    if let Some(destroy) = instance.command(command::DESTROY_INSTANCE.name()) {
        // SAFETY: the function has the type of its name; by this function's `# Safety` the layers know the
        // handle, and no other code has received it.
        unsafe { core::mem::transmute::<Command, vk::PFN_vkDestroyInstance>(destroy)(handle, callbacks) };
    }
}

/// # Safety
/// The parameters are valid for vkCreateInstance; no other thread uses the instance of `handle` yet.
unsafe fn enter(
    settings: &[vk::LayerSettingEXT<'static>],
    info: &CreateInfo,
    callbacks: *const Callbacks,
    handle: &mut vk::Instance,
) -> Result<(), vk::Result> {
    // SAFETY: by this function's `# Safety` the parameters are valid for vkCreateInstance, and no other
    // thread uses the instance of `handle` yet.
    unsafe {
        if (*instance_at(*handle)).layers().is_empty() {
            return create_in_drivers(&mut *instance_at(*handle), info, callbacks);
        }
        let instance = &*instance_at(*handle);
        add_under_layers(instance)?;
        let memory = instance.allocator.scoped(vk::SystemAllocationScope::COMMAND);
        enter_instance_chain(instance.layers(), settings, info, callbacks, memory, handle)
    }
}

/// vkDestroyInstance as the application calls it.
///
/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn destroy_instance(handle: vk::Instance, callbacks: *const Callbacks) {
    if handle.is_null() {
        return;
    }
    // SAFETY: a valid handle belongs to a leaked box (`create_instance`); the caller excludes other users.
    unsafe {
        let instance = handle::instance(handle, command::DESTROY_INSTANCE);
        instance.callbacks.set(callbacks);
        instance.logger.listeners.destroying();
        let (allocation, allocator) = (instance_at(instance.handle()), instance.allocator);
        let turn = instance.turn_in_layers();
        // The lower end changes the instance, so no reference to it is used from here on.
        if let Some(destroy) = instance.table.get::<vk::PFN_vkDestroyInstance>(command::DESTROY_INSTANCE) {
            destroy(instance.chain_handle(), callbacks);
        }
        // Before the layers' libraries are closed: the thread that has the dynamic linker's lock may wait for it.
        drop(turn);
        // Outlives the instance, whose memory it is.
        let _own = (*allocation).callbacks.take(core::ptr::null());
        drop(Box::from_raw_in(allocation, allocator));
    }
}

/// # Safety
/// The create info comes from vkCreateInstance.
unsafe fn open_layers(
    loader: &'static Loader,
    info: &CreateInfo,
    api_version: u32,
    sources: &Sources,
    logger: &Logger,
    allocator: Application,
) -> Result<Layers, vk::Result> {
    let mut enabled = Vec::new();
    // SAFETY: by this function's `# Safety` the create info comes from vkCreateInstance, whose layer names
    // are a counted array of C strings.
    for name in unsafe { name::list(info.pp_enabled_layer_names, info.enabled_layer_count) } {
        enabled.try_push(name)?;
    }
    let request = LayerRequest { enabled: &enabled, api_version: Version::from_encoded(api_version) };
    // Other explicit layers matter to readers of the log only.
    let scope = match enabled.is_empty() && logger.is_silent() {
        true => LayerScope::Instance,
        false => LayerScope::All,
    };
    let found = loader.layers(scope, logger)?;
    let turn = || loader.turn_in_layers();
    let below = || match loader.flavour.handles.are_looked_up() {
        true => layers_below(sources),
        false => Ok(Vec::new()),
    };
    let layers = FoundLayers::open(&found, loader.platform, &request, logger, allocator, &turn, &below)?;
    if !layers.is_empty() {
        // SAFETY: by this function's `# Safety` the chain is that of vkCreateInstance.
        unsafe { warn_of_undeclared(info.p_next, &layers, loader.platform.files, logger) };
    }
    Ok(layers)
}

fn check_arrays(info: &CreateInfo, logger: &Logger) -> Result<(), vk::Result> {
    if info.enabled_layer_count > 0 && info.pp_enabled_layer_names.is_null() {
        crate::log!(logger, Error, Layer:
            "vkCreateInstance: ppEnabledLayerNames is NULL, its count is not 0");
        return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
    }
    if info.enabled_extension_count > 0 && info.pp_enabled_extension_names.is_null() {
        crate::log!(logger, Error, Usage:
            "vkCreateInstance: ppEnabledExtensionNames is NULL, its count is not 0");
        return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    Ok(())
}

/// Returns the version that the application was written for, after logging its request and anything odd about
/// it.
///
/// # Safety
/// The create info comes from vkCreateInstance.
unsafe fn requested_version(info: &CreateInfo, logger: &Logger) -> u32 {
    let none = vk::ApplicationInfo::default();
    // SAFETY: by this function's `# Safety` `p_application_info` comes from vkCreateInstance: NULL or valid.
    let application = unsafe { info.p_application_info.as_ref() }.unwrap_or(&none);
    let version = application.api_version;
    if logger.wants(Level::Info, Topic::Loader) {
        // SAFETY: by this function's `# Safety` the create info comes from vkCreateInstance; `application` is
        // its application info or the default.
        unsafe { log_request(info, application, logger) };
    }
    if vk::api_version_variant(version) != 0 {
        crate::log!(logger, Warning, Loader:
            "the application's apiVersion {version:#x} belongs to another variant of Vulkan");
    } else if version != 0 && version < vk::API_VERSION_1_0 {
        crate::log!(logger, Error, Loader:
            "the application's apiVersion {version:#x} is below 1.0: make it with VK_MAKE_API_VERSION");
    }
    comparable(version)
}

/// # Safety
/// The create info comes from vkCreateInstance, and `application` is its application info or the default.
unsafe fn log_request(info: &CreateInfo, application: &vk::ApplicationInfo<'_>, logger: &Logger) {
    // SAFETY: by this function's `# Safety` both come from vkCreateInstance: the names are NULL or valid C
    // strings, the extensions a counted array of them.
    unsafe {
        let said = |name: *const core::ffi::c_char| if name.is_null() { c"" } else { CStr::from_ptr(name) };
        let (name, engine) = (said(application.p_application_name), said(application.p_engine_name));
        crate::log!(logger, Info, Loader:
            "application \"{}\" version {}, engine \"{}\" version {}, asks for Vulkan {}",
            Escaped(name.to_bytes()),
            application.application_version,
            Escaped(engine.to_bytes()),
            application.engine_version,
            Version::from_encoded(application.api_version));
        for extension in name::list(info.pp_enabled_extension_names, info.enabled_extension_count) {
            crate::log!(logger, Info, Loader: "the application asks for {}", Escaped(extension.to_bytes()));
        }
    }
}

fn wants_portability(info: &CreateInfo, enabled: &ExtensionSet) -> bool {
    info.flags.contains(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR)
        && enabled.contains(extension::KHR_PORTABILITY_ENUMERATION)
}
