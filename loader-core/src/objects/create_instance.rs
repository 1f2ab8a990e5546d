//! vkCreateInstance and vkDestroyInstance, at both ends of the chain.

use core::ffi::CStr;

use ash::vk::{self, Handle as _};

use super::driver::{DriverInstance, DriverOfInstance, OpenError, refused};
use super::extensions;
use super::handle::Kind;
use super::instance::Instance;
use super::sources::Sources;
use super::surface;
use super::terminators::fill_instance_table;
use crate::abi::name;
use crate::chain::known::instance_under_creation;
use crate::chain::{FoundLayers, Layers, TakenOut, comes_from_layers, enter_instance_chain, warn_of_unheard};
use crate::discovery::{LayerRequest, LayerScope, Outcome, Request};
use crate::dispatch::Table as _;
use crate::flavour::FOREIGN_HANDLES;
use crate::loader::{self, Loader, log_outcome};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::manifest::Version;
use crate::memory::{Application, Box, OutOfMemory, Shown, TryGrow, Vec};
use crate::negotiation::CHECKED_VERSION_INTERFACE;
use crate::platform::variables;
use crate::registry::{ExtensionSet, command, extension, find_extension};

type CreateInfo = vk::InstanceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// vkCreateInstance as the application calls it.
///
/// # Errors
/// The result for the application.
///
/// # Safety
/// The parameters are those of the Vulkan command, except that NULL is reported and not followed.
pub unsafe fn create_instance(
    loader: &'static Loader,
    create_info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> Result<(), vk::Result> {
    let _user = loader.enter();
    // SAFETY: the caller vouches for the parameters that are not NULL.
    unsafe {
        let allocator = Application::new(callbacks, vk::SystemAllocationScope::INSTANCE);
        let logger = loader.logger_in(allocator)?;
        let (Some(info), Some(out)) = (create_info.as_ref(), out.as_mut()) else {
            let message = format_args!("vkCreateInstance: pCreateInfo and pInstance must not be NULL");
            logger.insist(Level::Error, Topic::Usage, message);
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        if comes_from_layers(info.p_next) {
            let message = format_args!(
                "vkCreateInstance: an active layer calls it in place of the next layer's; its manifest may name a Vulkan loader \
                 as the layer's library"
            );
            logger.insist(Level::Error, Topic::Layer, message);
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        logger.listeners.add_chained(info.p_next)?;
        let place = Instance::reserve(allocator, &logger)?;
        logger.settings.report(logger.sink, &logger);
        check_arrays(info, &logger)?;
        let requested = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let enabled = ExtensionSet::of(requested.clone());
        let request = Request { portability: wants_portability(info, &enabled) };
        let sources = Sources::new(loader, info, &enabled, request, &logger)?;
        let version = requested_version(info, &logger);
        let layers = open_layers(loader, info, version, &logger, allocator)?;
        if sources.are_none() {
            return Err(sources.report_none(loader, &logger, &[]));
        }
        let mut available = sources.extensions(loader, &logger)?;
        layers
            .iter()
            .flat_map(|layer| &layer.instance_extensions)
            .try_for_each(|extension| extensions::merge_of_layer(&mut available, extension))?;
        extensions::check_requested(requested, &available, "instance", &logger)?;
        let instance = Instance::new(loader, logger, place, version, enabled, sources, layers)?;

        // The handle goes down the chain with the call: the terminator finds the instance by it.
        let mut handle = instance.handle();
        let mut result = Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        if FOREIGN_HANDLES {
            loader.platform.environment.with_layer_settings(&mut |settings| {
                warn_of_unheard(settings, instance.layers(), &instance.logger);
                result = enter(settings, info, callbacks, &mut handle);
            });
        } else {
            result = enter(&[], info, callbacks, &mut handle);
        }
        result?;
        check_made(&instance, handle)?;
        let given = instance.handle_for_application(handle.as_raw(), Kind::InstanceOfLayer)?;
        instance.set_chain_handle(handle);
        fill_instance_table(&instance);
        *out = vk::Instance::from_raw(given);
        instance.logger.listeners.created(given);
        loader.instances.add(&instance);
        Box::leak(instance);
        Ok(())
    }
}

/// Refuses what a layer reports as an instance and is none: it has not called down to the drivers, or gives no handle.
fn check_made(instance: &Instance, handle: vk::Instance) -> Result<(), vk::Result> {
    if !instance.drivers.is_empty() && !handle.is_null() {
        return Ok(());
    }
    let message = format_args!(
        "vkCreateInstance: a layer reports success, and there is no instance: it gives none, or has not called the next \
         layer; leave out one layer after the other"
    );
    instance.logger.insist(Level::Error, Topic::Layer, message);
    Err(vk::Result::ERROR_INITIALIZATION_FAILED)
}

/// Goes down to the drivers, through the layers if there are any.
unsafe fn enter(
    settings: &[vk::LayerSettingEXT<'static>],
    info: &CreateInfo,
    callbacks: *const Callbacks,
    handle: &mut vk::Instance,
) -> Result<(), vk::Result> {
    // SAFETY: the caller vouches for all parameters; the handle is that of an instance which nobody else uses yet.
    unsafe {
        if (*instance_at(*handle)).layers().is_empty() {
            return make_drivers(&mut *instance_at(*handle), info, callbacks);
        }
        let instance = &*instance_at(*handle);
        instance.loader.known.add_instance(instance.loader.platform.waiting, instance)?;
        let memory = instance.allocator.scoped(vk::SystemAllocationScope::COMMAND);
        enter_instance_chain(instance.layers(), settings, info, callbacks, memory, handle)
    }
}

/// vkDestroyInstance as the application calls it.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn destroy_instance(handle: vk::Instance, callbacks: *const Callbacks) {
    if handle.is_null() {
        return;
    }
    // SAFETY: a valid handle belongs to a leaked box (`create_instance`); the caller excludes other users.
    unsafe {
        let instance = super::handle::instance(handle, command::DESTROY_INSTANCE);
        instance.loader.instances.remove(instance);
        instance.logger.listeners.destroying();
        let (place, allocator) = (instance_at(instance.handle()), instance.allocator);
        // The lower end changes the instance, so that no reference to it is used from here on.
        if let Some(destroy) = instance.table.get::<vk::PFN_vkDestroyInstance>(command::DESTROY_INSTANCE) {
            destroy(instance.chain_handle(), callbacks);
        }
        drop(Box::from_raw_in(place, allocator));
    }
}

/// Terminator of vkDestroyInstance: destroys the instances of the drivers.
///
/// # Safety
/// The parameters are those that the chain was entered with.
pub(super) unsafe extern "system" fn destroy_terminator(handle: vk::Instance, _callbacks: *const Callbacks) {
    // SAFETY: the chain passes the handle, and the application excludes other users of the instance.
    unsafe {
        let _ = super::handle::instance(handle, command::DESTROY_INSTANCE);
        Instance::finish(instance_at(handle));
    }
}

/// Opens the layers that are active in the instance.
unsafe fn open_layers(
    loader: &'static Loader,
    info: &CreateInfo,
    api_version: u32,
    logger: &Logger,
    allocator: Application,
) -> Result<Layers, vk::Result> {
    let mut enabled = Vec::new();
    // SAFETY: the caller of vkCreateInstance vouches for the array.
    for name in unsafe { name::list(info.pp_enabled_layer_names, info.enabled_layer_count) } {
        enabled.try_push(name)?;
    }
    let request = LayerRequest { enabled: &enabled, api_version: Version::from_encoded(api_version) };
    FoundLayers::open(&loader.layers(LayerScope::All, logger)?, loader, &request, logger, allocator)
}

/// Refuses arrays that are NULL though their count is not.
fn check_arrays(info: &CreateInfo, logger: &Logger) -> Result<(), vk::Result> {
    if info.enabled_layer_count > 0 && info.pp_enabled_layer_names.is_null() {
        let message = format_args!("vkCreateInstance: ppEnabledLayerNames is NULL, its count is not 0");
        logger.log(Level::Error, Topic::Layer, message);
        return Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
    }
    if info.enabled_extension_count > 0 && info.pp_enabled_extension_names.is_null() {
        let message = format_args!("vkCreateInstance: ppEnabledExtensionNames is NULL, its count is not 0");
        logger.log(Level::Error, Topic::Usage, message);
        return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    Ok(())
}

/// The version that the application was written for, after saying what it asks for and what is odd about it.
unsafe fn requested_version(info: &CreateInfo, logger: &Logger) -> u32 {
    let none = vk::ApplicationInfo::default();
    // SAFETY: the caller vouches for the create info.
    let application = unsafe { info.p_application_info.as_ref() }.unwrap_or(&none);
    let version = application.api_version;
    if logger.wants(Level::Info, Topic::Loader) {
        // SAFETY: as above.
        unsafe { log_request(info, application, logger) };
    }
    if vk::api_version_variant(version) != 0 {
        let message =
            format_args!("the application's apiVersion {version:#x} is of another variant of Vulkan");
        logger.log(Level::Warning, Topic::Loader, message);
    } else if version != 0 && version < vk::API_VERSION_1_0 {
        let message = format_args!(
            "the application's apiVersion {version:#x} is below 1.0: it should be made by VK_MAKE_API_VERSION"
        );
        logger.log(Level::Error, Topic::Loader, message);
    }
    comparable(version)
}

/// Versions of another variant are compared as if they were of this one.
fn comparable(version: u32) -> u32 {
    (version & !(7 << 29)).max(vk::API_VERSION_1_0)
}

/// Logs what the application says about itself and which extensions it wants.
unsafe fn log_request(info: &CreateInfo, application: &vk::ApplicationInfo<'_>, logger: &Logger) {
    // SAFETY: the caller vouches for the names and the array of extensions.
    unsafe {
        let said = |name: *const core::ffi::c_char| if name.is_null() { c"" } else { CStr::from_ptr(name) };
        let (name, engine) = (said(application.p_application_name), said(application.p_engine_name));
        logger.log(
            Level::Info,
            Topic::Loader,
            format_args!(
                "application \"{}\" version {}, engine \"{}\" version {}, asks for Vulkan {}",
                Shown(name.to_bytes()),
                application.application_version,
                Shown(engine.to_bytes()),
                application.engine_version,
                Version::from_encoded(application.api_version)
            ),
        );
        for extension in name::list(info.pp_enabled_extension_names, info.enabled_extension_count) {
            let message = format_args!("the application asks for {}", Shown(extension.to_bytes()));
            logger.log(Level::Info, Topic::Loader, message);
        }
    }
}

fn wants_portability(info: &CreateInfo, enabled: &ExtensionSet) -> bool {
    info.flags.contains(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR)
        && enabled.contains(extension::KHR_PORTABILITY_ENUMERATION)
}

/// Terminator of vkCreateInstance: makes an instance of every driver. `handle` points to the handle of the loader's
/// instance.
///
/// # Safety
/// The parameters are those that the chain was entered with.
pub(super) unsafe extern "system" fn terminator(
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    handle: *mut vk::Instance,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: `create_instance` put a handle there that nobody else uses yet, which is checked.
    unsafe {
        let _ = instance_under_creation(loader, (*handle).as_raw());
        if !(*instance_at(*handle)).drivers.is_empty() {
            let message = format_args!(
                "vkCreateInstance: a layer calls the next one a second time for one instance; the second call is refused"
            );
            (*instance_at(*handle)).logger.insist(Level::Error, Topic::Layer, message);
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        let _for_layers_only = if FOREIGN_HANDLES { TakenOut::of((*info).p_next) } else { None };
        match make_drivers(&mut *instance_at(*handle), &*info, callbacks) {
            Ok(()) => vk::Result::SUCCESS,
            Err(error) => error,
        }
    }
}

/// Where the instance with this handle is.
fn instance_at(handle: vk::Instance) -> *mut Instance {
    core::ptr::with_exposed_provenance_mut(handle.as_raw() as usize)
}

unsafe fn make_drivers(
    instance: &mut Instance,
    info: &CreateInfo,
    callbacks: *const Callbacks,
) -> Result<(), vk::Result> {
    // A layer may have changed it on the way.
    // SAFETY: the caller vouches for the create info.
    let application = unsafe { info.p_application_info.as_ref() };
    instance.api_version = comparable(application.map_or(0, |application| application.api_version));
    let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
    let direct = core::mem::take(&mut instance.sources.direct);
    let discovered = instance.sources.discovered.clone();
    let mut sources: Vec<(Option<usize>, DriverOfInstance)> = Vec::new();
    for driver in direct {
        let owned = Box::try_new_in(driver, instance.allocator).map_err(OutOfMemory::from)?;
        sources.try_push((None, DriverOfInstance::Direct(owned)))?;
    }
    for (place, driver) in discovered.iter().flat_map(|drivers| &drivers.open) {
        sources.try_push((Some(*place), DriverOfInstance::Discovered(*driver)))?;
    }
    for (place, driver) in sources {
        // SAFETY: the caller vouches for the parameters.
        match unsafe { make_driver(instance, info, callbacks, driver, place) } {
            Ok(made) => {
                note_faults(instance, &made);
                let made = Box::try_new_in(made, instance.allocator).map_err(OutOfMemory::from)?;
                instance.drivers.try_push(made)?;
            }
            Err(OpenError::OutOfMemory) => return Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
            Err(OpenError::Refused(outcome)) => match (place, &discovered) {
                (Some(place), Some(discovered)) => {
                    discovered.log_outcome(&instance.logger, place, &outcome);
                    outcomes.try_push((place, outcome))?;
                }
                _ => log_outcome(&instance.logger, b"a driver that the application gave", &outcome),
            },
        }
    }
    if instance.drivers.is_empty() {
        return Err(instance.sources.report_none(instance.loader, &instance.logger, &outcomes));
    }
    instance.sorted = instance.loader.flavour.sorts_devices
        && !instance.loader.switch(variables::VK_LOADER_DISABLE_SELECT)?
        && (instance.knows_properties2()
            || instance
                .drivers
                .iter()
                .any(|driver| driver.enabled.contains(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2)));
    Ok(())
}

/// Makes an instance of one driver, with only what the driver knows (LDP_LOADER_7, LDP_LOADER_9).
unsafe fn make_driver(
    instance: &Instance,
    info: &CreateInfo,
    callbacks: *const Callbacks,
    driver: DriverOfInstance,
    place: Option<usize>,
) -> Result<DriverInstance, OpenError> {
    let available = driver.instance_extensions().map_err(refused)?;
    // SAFETY: the caller vouches for the create info.
    let requested = unsafe { name::list(info.pp_enabled_extension_names, info.enabled_extension_count) };
    let has = |wanted: &CStr| available.iter().any(|extension| name::is(extension, wanted));
    let mut names: Vec<*const core::ffi::c_char> = Vec::new();
    let mut enabled = ExtensionSet::default();
    for wanted in requested.filter(|wanted| has(wanted)) {
        names.try_push(wanted.as_ptr())?;
        if let Some(id) = find_extension(wanted.to_bytes()) {
            enabled.insert(id);
        }
    }
    let old = driver.api_version < Version::new(1, 1, 0);
    // Sorting asks for properties that drivers of Vulkan 1.0 only have through this extension.
    let properties2 = extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2;
    if (old || instance.api_version < vk::API_VERSION_1_1)
        && instance.loader.flavour.sorts_devices
        && has(properties2.name())
        && !enabled.contains(properties2)
    {
        names.try_push(properties2.name().as_ptr())?;
        enabled.insert(properties2);
    }
    // SAFETY: the caller vouches for the create info.
    let mut application = unsafe { info.p_application_info.as_ref() }.copied().unwrap_or_default();
    // Whatever the variant: a driver of 1.0 knows of none.
    let newer = application.api_version >= vk::API_VERSION_1_1;
    application.api_version = vk::API_VERSION_1_0;
    let mut own = *info;
    own.enabled_layer_count = 0;
    own.pp_enabled_layer_names = core::ptr::null();
    own.enabled_extension_count = u32::try_from(names.len()).unwrap_or(u32::MAX);
    own.pp_enabled_extension_names = names.as_ptr();
    if old && newer {
        own.p_application_info = &raw const application;
    }
    if !has(extension::KHR_PORTABILITY_ENUMERATION.name()) {
        own.flags &= !vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
    }
    // SAFETY: everything that the structure points to is alive, and nobody else knows the driver's instance.
    unsafe {
        let handle = driver.create_instance(&own, callbacks)?;
        DriverInstance::new(driver, handle, place, enabled, instance.allocator)
    }
}

/// Says what a driver that is used does not do as it should.
fn note_faults(instance: &Instance, made: &DriverInstance) {
    let (api_version, interface) = (made.driver.api_version, made.driver.interface.version);
    if api_version >= Version::new(1, 1, 0) && interface < CHECKED_VERSION_INTERFACE {
        let fault = Outcome::OldInterface { interface, api_version };
        log_outcome(&instance.logger, &made.driver.library_path, &fault);
    }
    if let Some(fault) = surface::fault_of_own_surfaces(made) {
        log_outcome(&instance.logger, &made.driver.library_path, &fault);
    }
}
