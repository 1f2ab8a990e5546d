//! vkCreateInstance at the end of the chain.

use core::ffi::CStr;

use ash::vk::{self, Handle};
use loader_core::abi::{array, chain, name};
use loader_core::log::{Level, Topic};
use loader_core::memory::{Application, Box, OutOfMemory};
use loader_core::registry::{ExtensionId, extension};

use super::adopt::adopt;
use super::extensions::{self, OF_INSTANCES, Wanted};
use crate::hal::Driver;
use crate::level::ApiLevel;
use crate::loader::{self, Loader};
use crate::log::Logger;
use crate::objects::{End, Instance, InstanceCommands, InstanceData};
use crate::statistics;

type Callbacks<'a> = vk::AllocationCallbacks<'a>;
type CreateInfo<'a> = vk::InstanceCreateInfo<'a>;

/// Instance extensions of Vulkan 1.0 that 1.1 made core. A driver of 1.0 gets those that it has, so that the loader can offer
/// the commands of 1.1.
const PROMOTED_TO_1_1: [ExtensionId; 5] = [
    extension::KHR_DEVICE_GROUP_CREATION,
    extension::KHR_EXTERNAL_FENCE_CAPABILITIES,
    extension::KHR_EXTERNAL_MEMORY_CAPABILITIES,
    extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
    extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
];

/// vkCreateInstance: has the driver make the instance, with what it knows of what is asked for.
///
/// # Safety
/// The parameters are those of the Vulkan command, or what layers made of them.
pub unsafe extern "system" fn create_instance(
    info: *const CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the caller vouches for the parameters.
    unsafe { create_instance_of(loader, info, callbacks, out) }
}

/// vkCreateInstance of the driver of this loader.
///
/// # Safety
/// As for [`create_instance`].
pub(crate) unsafe fn create_instance_of(
    loader: &'static Loader,
    info: *const CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        match create(loader, &*info, callbacks) {
            Ok(handle) => {
                statistics::count_instance(loader.system, &*info);
                out.write(handle);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

unsafe fn create(
    loader: &'static Loader,
    info: &CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
) -> Result<vk::Instance, vk::Result> {
    let driver = loader.hal.driver(loader).map_err(|_| vk::Result::ERROR_INITIALIZATION_FAILED)?;
    // SAFETY: the caller vouches for the callbacks, for the create info and its chain. Handles are used as the driver gave them.
    unsafe {
        let allocator = Application::new(callbacks, vk::SystemAllocationScope::INSTANCE);
        let mut instance = make(loader, &driver, allocator, info)?;
        let available = extensions::of_driver(&driver)?;
        let wishes = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let memory = allocator.scoped(vk::SystemAllocationScope::COMMAND);
        let mut wanted = Wanted::new(wishes, &available, OF_INSTANCES, memory)?;
        if instance.driver_version < vk::API_VERSION_1_1 {
            for promoted in PROMOTED_TO_1_1 {
                wanted.pass(promoted.name(), &available)?;
            }
        }
        instance.extensions = wanted.enabled;

        let mut own = sanitised(info, &wanted);
        let application = own.p_application_info.as_ref().map(|application| vk::ApplicationInfo {
            api_version: clamped(application.api_version, instance.driver_version, loader.level),
            ..*application
        });
        own.p_application_info = application.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        let mut handle = vk::Instance::null();
        array::check((driver.create_instance)(&own, callbacks, &mut handle))?;
        if let Err(error) = complete(&mut instance, handle, driver.get_instance_proc_addr, &wanted) {
            if let Some(destroy) = instance.driver.destroy_instance {
                destroy(handle, callbacks);
            }
            return Err(error);
        }
        instance.logger.listeners.created(handle.as_raw());
        Box::leak(instance);
        Ok(handle)
    }
}

/// An instance that has no handle yet.
///
/// # Safety
/// The create info's chain is a pNext chain.
unsafe fn make(
    loader: &'static Loader,
    driver: &Driver,
    allocator: Application,
    info: &CreateInfo<'_>,
) -> Result<Box<Instance, Application>, OutOfMemory> {
    // SAFETY: the caller vouches for the create info.
    let asked = unsafe { info.p_application_info.as_ref() }.map_or(0, |application| application.api_version);
    let logger = Logger::new(loader, allocator);
    // SAFETY: as above; what listens is called until the instance is destroyed at most.
    unsafe { logger.listeners.add_chained(info.p_next)? };
    Instance::try_new(
        InstanceData {
            logger,
            handle: vk::Instance::null(),
            chain: Default::default(),
            allocator,
            driver: InstanceCommands::default(),
            extensions: Default::default(),
            api_version: without_patch(asked).max(vk::API_VERSION_1_0),
            driver_version: version_of(driver),
            end: End::default(),
        },
        allocator,
    )
}

/// The version of Vulkan that the driver's instances are of, without its patch.
fn version_of(driver: &Driver) -> u32 {
    let mut version = vk::API_VERSION_1_0;
    // SAFETY: without an instance any name may be asked for; what is found has the type of its name.
    unsafe {
        let name = c"vkEnumerateInstanceVersion".as_ptr();
        let found = (driver.get_instance_proc_addr)(vk::Instance::null(), name);
        let enumerate =
            core::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkEnumerateInstanceVersion>>(found);
        if let Some(enumerate) = enumerate
            && enumerate(&mut version) != vk::Result::SUCCESS
        {
            return vk::API_VERSION_1_0;
        }
    }
    without_patch(version)
}

fn without_patch(version: u32) -> u32 {
    version & !0xFFF
}

/// The version that the driver gets to see: one of Vulkan 1.0 would refuse any newer one, as the specification then said. Since
/// Android 17 one of 1.3 is not asked for what came later either.
fn clamped(asked: u32, driver: u32, level: ApiLevel) -> u32 {
    let next = driver.saturating_add(1 << 12);
    let clamps =
        driver == vk::API_VERSION_1_0 || (driver == vk::API_VERSION_1_3 && level >= ApiLevel::ANDROID_17);
    if clamps && asked >= next { driver } else { asked }
}

/// The create info as the driver gets it: without layers and without what the loader put before the chain for them.
///
/// # Safety
/// The create info's chain is a pNext chain.
unsafe fn sanitised<'a>(info: &CreateInfo<'a>, wanted: &Wanted) -> CreateInfo<'a> {
    // SAFETY: the caller vouches for the chain.
    let rest = unsafe { chain::structures(info.p_next) }
        .find(|structure| structure.s_type != vk::StructureType::LOADER_INSTANCE_CREATE_INFO);
    let mut own = *info;
    own.p_next = rest.map_or(core::ptr::null(), |structure| core::ptr::from_ref(structure).cast());
    own.enabled_layer_count = 0;
    own.pp_enabled_layer_names = core::ptr::null();
    own.enabled_extension_count = u32::try_from(wanted.names.len()).unwrap_or(u32::MAX);
    own.pp_enabled_extension_names = wanted.names.as_ptr();
    own
}

/// Finds the functions of the driver's instance and makes its handle lead to ours.
///
/// # Errors
/// `ERROR_INCOMPATIBLE_DRIVER` if a function is missing that the loader needs, or if the handle is not as it must be. The
/// driver's instance has to be destroyed then.
///
/// # Safety
/// The handle is what the driver's vkCreateInstance gave.
unsafe fn complete(
    instance: &mut Instance,
    handle: vk::Instance,
    find: vk::PFN_vkGetInstanceProcAddr,
    wanted: &Wanted,
) -> Result<(), vk::Result> {
    instance.handle = handle;
    // SAFETY: the driver's function returns functions of the type of their name; the handle is the driver's.
    unsafe {
        let enabled = |extension: &CStr| wanted.passes(extension);
        instance.driver = InstanceCommands::find(|name| find(handle, name.as_ptr()), enabled);
        if let Some(missing) = instance.driver.missing(enabled) {
            instance.logger.log(
                Level::Error,
                Topic::Driver,
                format_args!("the driver's instance lacks {missing}: the driver has to be corrected"),
            );
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
        if !adopt(handle, &*instance, &instance.logger) {
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
    }
    Ok(())
}
