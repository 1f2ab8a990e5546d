//! vkCreateInstance and vkDestroyInstance at the lower end of the call chain: the drivers'
//! instances.

use core::ffi::CStr;

use ash::vk::{self, Handle as _};

use super::Instance;
use super::driver::{DriverInstance, DriverOfInstance};
use super::sources::OddRequest;
use super::under_creation::instance_under_creation;
use crate::abi::name;
use crate::drivers::{log_outcome, note, refused};
use crate::layers::DetachedSettings;
use crate::loader;
use crate::log::{Level, Topic};
use crate::manifest::Version;
use crate::memory::{Box, CopiedCallbacks, OrOutOfMemory, OutOfMemory, TryGrow, Vec};
use crate::negotiation::CHECKED_VERSION_INTERFACE;
use crate::negotiation::DriverStatus;
use crate::objects::handle;
use crate::objects::surface;
use crate::platform::variables;
use crate::registry::{ExtensionSet, command, extension, find_extension};

type CreateInfo = vk::InstanceCreateInfo<'static>;
type Callbacks = vk::AllocationCallbacks<'static>;

/// Terminator of vkDestroyInstance: destroys the drivers' instances.
///
/// # Safety
/// The parameters are valid for the command, passed down the call chain with the
/// loader's handle.
pub(super) unsafe extern "system" fn destroy_terminator(handle: vk::Instance, callbacks: *const Callbacks) {
    // SAFETY: `handle::instance` aborts unless the handle is a live instance, whose memory
    // `destroy_instance` frees only after the chain has returned. Valid usage of vkDestroyInstance
    // obliges the application to synchronise the instance externally.
    unsafe {
        let _ = handle::instance(handle, command::DESTROY_INSTANCE);
        Instance::finish(instance_at(handle), callbacks);
    }
}

/// Treats versions of another variant as versions of this one.
pub(crate) fn comparable(version: u32) -> u32 {
    (version & !(7 << 29)).max(vk::API_VERSION_1_0)
}

/// Terminator of vkCreateInstance: creates an instance in every driver. `handle` points to the
/// handle for the loader's instance.
///
/// # Safety
/// The parameters are valid for the command, passed down the call chain, which was
/// entered with a noted instance.
pub(super) unsafe extern "system" fn terminator(
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    handle: *mut vk::Instance,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: `create_instance` put the instance's handle there, which no other thread uses yet;
    // `instance_under_creation` aborts if a layer has replaced it. By this function's `# Safety`
    // the other parameters are valid for vkCreateInstance.
    unsafe {
        let _ = instance_under_creation(loader, (*handle).as_raw());
        if !(*instance_at(*handle)).drivers.is_empty() {
            let message = format_args!(
                "vkCreateInstance: a layer calls the next one a second time for one instance; the second call is refused"
            );
            (*instance_at(*handle)).logger.log_always(Level::Error, Topic::Layer, message);
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        let _for_layers_only =
            if loader.flavour.handles.are_looked_up() { DetachedSettings::of((*info).p_next) } else { None };
        match create_in_drivers(&mut *instance_at(*handle), &*info, callbacks) {
            Ok(()) => vk::Result::SUCCESS,
            Err(error) => error,
        }
    }
}

pub(crate) fn instance_at(handle: vk::Instance) -> *mut Instance {
    core::ptr::with_exposed_provenance_mut(handle.as_raw() as usize)
}

/// Creates an instance in every driver of `instance`'s sources.
///
/// # Safety
/// The create info and the callbacks come from a valid call of vkCreateInstance.
pub(crate) unsafe fn create_in_drivers(
    instance: &mut Instance,
    info: &CreateInfo,
    callbacks: *const Callbacks,
) -> Result<(), vk::Result> {
    // A layer may have changed the version on the way down.
    // SAFETY: by this function's `# Safety` the create info is valid: `pApplicationInfo` is NULL or
    // a valid pointer.
    let application = unsafe { info.p_application_info.as_ref() };
    instance.api_version = comparable(application.map_or(0, |application| application.api_version));
    // SAFETY: by this function's `# Safety` the names are a counted array of valid C strings.
    let requested = unsafe { name::list(info.pp_enabled_extension_names, info.enabled_extension_count) };
    instance.lower_extensions = instance.extensions;
    // SAFETY: by this function's `# Safety` the callbacks are NULL or valid.
    instance.created_with = unsafe { CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::INSTANCE) };
    if !instance.layers().is_empty() {
        instance.lower_extensions.extend(&ExtensionSet::of(requested));
    }
    let mut drivers: Vec<(Option<usize>, DriverOfInstance)> = Vec::new();
    for driver in core::mem::take(&mut instance.sources.direct) {
        let owned = Box::try_new_in(driver, instance.allocator).map_err(OutOfMemory::from)?;
        drivers.try_push((None, DriverOfInstance::Direct(owned)))?;
    }
    let discovered = instance.sources.discovered.clone();
    for (index, driver) in discovered.iter().flat_map(|found| &found.open) {
        drivers.try_push((Some(*index), DriverOfInstance::Discovered(*driver)))?;
    }
    let mut outcomes: Vec<(usize, DriverStatus)> = Vec::new();
    for (index, driver) in drivers {
        // SAFETY: by this function's `# Safety` the create info and the callbacks come from a valid call of
        // vkCreateInstance.
        match unsafe { create_in_driver(instance, info, callbacks, driver) } {
            Ok(made) => {
                note_faults(instance, &made);
                let made = Box::try_new_in(made, instance.allocator).map_err(OutOfMemory::from)?;
                instance.drivers.try_push(made)?;
            }
            Err(OrOutOfMemory::OutOfMemory) => return Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
            Err(OrOutOfMemory::Failed(outcome)) => match (index, &discovered) {
                (Some(index), Some(discovered)) => {
                    discovered.log_outcome(&instance.logger, index, &outcome);
                    note(&mut outcomes, index, outcome)?;
                }
                _ => log_outcome(&instance.logger, b"a driver that the application gave", &outcome),
            },
        }
    }
    if instance.drivers.is_empty() {
        let api_version = application.map_or(0, |application| application.api_version);
        let request = OddRequest { api_version, extension: None };
        return Err(instance.sources.report_none(instance.loader, &instance.logger, &outcomes, &request));
    }
    instance.sorted = instance.loader.flavour.sorts_devices
        && !instance.loader.platform.switch(variables::VK_LOADER_DISABLE_SELECT)?
        && (instance.knows_properties2()
            || instance
                .drivers
                .iter()
                .any(|driver| driver.enabled.contains(extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2)));
    Ok(())
}

/// Creates an instance in one driver, passing on only the features that it supports (LDP_LOADER_7,
/// LDP_LOADER_9).
///
/// # Safety
/// The create info and the callbacks come from a valid call of vkCreateInstance.
unsafe fn create_in_driver(
    instance: &Instance,
    info: &CreateInfo,
    callbacks: *const Callbacks,
    driver: DriverOfInstance,
) -> Result<DriverInstance, OrOutOfMemory<DriverStatus>> {
    let (available, api_version) = (driver.instance_extensions().map_err(refused)?, driver.api_version());
    // SAFETY: by this function's `# Safety` the names are a counted array of valid C strings.
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
    let old = api_version < Version::new(1, 1, 0);
    // Sorting queries properties that Vulkan 1.0 drivers have only through this extension.
    let properties2 = extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2;
    if (old || instance.api_version < vk::API_VERSION_1_1)
        && instance.loader.flavour.sorts_devices
        && has(properties2.name())
        && !enabled.contains(properties2)
    {
        names.try_push(properties2.name().as_ptr())?;
        enabled.insert(properties2);
    }
    // SAFETY: by this function's `# Safety` `pApplicationInfo` is NULL or a valid pointer.
    let mut application = unsafe { info.p_application_info.as_ref() }.copied().unwrap_or_default();
    // Applies to all variants: a 1.0 driver knows no variants.
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
    // SAFETY: everything that the structure points to lives until the end of this function, the callbacks are
    // valid by its `# Safety`, and no other code knows the driver's new instance.
    unsafe {
        let handle = driver.create_instance(&own, callbacks)?;
        DriverInstance::new(driver, handle, enabled, instance.allocator, callbacks)
    }
}

fn note_faults(instance: &Instance, made: &DriverInstance) {
    let (api_version, interface) = (made.driver.api_version(), made.driver.interface.version);
    let answered = made.driver.interface.answered;
    if answered > interface {
        let fault = DriverStatus::InterfaceAboveOffer { answered, offered: interface };
        log_outcome(&instance.logger, &made.driver.library_path, &fault);
    }
    if api_version >= Version::new(1, 1, 0) && interface < CHECKED_VERSION_INTERFACE {
        let fault = DriverStatus::OldInterface { interface, api_version };
        log_outcome(&instance.logger, &made.driver.library_path, &fault);
    }
    if let Some(fault) = surface::fault_of_old_driver(made) {
        log_outcome(&instance.logger, &made.driver.library_path, &fault);
    }
}
