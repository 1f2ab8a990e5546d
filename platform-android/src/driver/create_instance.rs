//! vkCreateInstance at the end of the chain.

use core::ffi::CStr;
use core::sync::atomic::AtomicPtr;

use ash::vk::{self, Handle};
use vkload_core::abi::{array, chain, name};
use vkload_core::memory::{Box, CopiedCallbacks};
use vkload_core::registry::{ExtensionId, extension};

use super::adopt::adopt;
use super::extensions::{self, Wanted};
use crate::hal::Driver;
use crate::host::Host;
use crate::loader::{self, Loader};
use crate::log::Logger;
use crate::objects::{End, Instance, InstanceCommands, InstanceData, hand_out};
use crate::statistics;
use crate::switches::Switch;
use crate::trace::slice;

type Callbacks<'a> = vk::AllocationCallbacks<'a>;
type CreateInfo<'a> = vk::InstanceCreateInfo<'a>;

/// Instance extensions of Vulkan 1.0 that 1.1 made core. A driver for 1.0 gets those that it has,
/// so that the loader can offer the commands of 1.1.
const PROMOTED_TO_1_1: [ExtensionId; 5] = [
    extension::KHR_DEVICE_GROUP_CREATION,
    extension::KHR_EXTERNAL_FENCE_CAPABILITIES,
    extension::KHR_EXTERNAL_MEMORY_CAPABILITIES,
    extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
    extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
];

/// vkCreateInstance: lets the driver create the instance, with the requested extensions that it
/// knows.
///
/// # Safety
/// The parameters meet the valid usage of the Vulkan command, or layers derived them from such
/// parameters.
pub unsafe extern "system" fn create_instance(
    info: *const CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let Some(loader) = loader::current() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: by this function's `# Safety`, which equals `create_instance_of`'s.
    unsafe { create_instance_of(loader, info, callbacks, out) }
}

/// vkCreateInstance of this loader's driver.
///
/// # Safety
/// As for [`create_instance`].
pub unsafe fn create_instance_of(
    loader: &'static Loader,
    info: *const CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `info` and `out` are valid, and the callbacks NULL or
    // valid.
    unsafe {
        let created = create(loader, &*info, callbacks);
        hand_out(created.inspect(|_| statistics::count_instance(loader.system, &*info)), out)
    }
}

/// # Safety
/// As for [`create_instance`].
unsafe fn create(
    loader: &'static Loader,
    info: &CreateInfo<'_>,
    callbacks: *const Callbacks<'_>,
) -> Result<vk::Instance, vk::Result> {
    let driver = loader.hal.driver(loader).map_err(|_| vk::Result::ERROR_INITIALIZATION_FAILED)?;
    // SAFETY: by this function's `# Safety` the callbacks are NULL or valid, the create info is
    // valid, `p_next` is a pNext chain and the extension names are a counted array of valid C
    // strings. The driver gets its own handles; the box is leaked only once it is complete.
    unsafe {
        let allocator = CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::INSTANCE);
        let mut instance = make(loader, &driver, allocator, info)?;
        let available = extensions::of_driver(&driver)?;
        let wishes = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        let memory = allocator.scoped(vk::SystemAllocationScope::COMMAND);
        let treatment = |id| extensions::treatment(loader, id);
        let mut wanted = Wanted::new(wishes, &available, treatment, memory)?;
        if instance.driver_version < vk::API_VERSION_1_1 {
            for promoted in PROMOTED_TO_1_1 {
                wanted.pass(promoted.name(), &available)?;
            }
        }
        instance.extensions = wanted.enabled;

        let mut own = sanitised(info, &wanted);
        let application = own.p_application_info.as_ref().map(|application| vk::ApplicationInfo {
            api_version: clamped(application.api_version, instance.driver_version, loader),
            ..*application
        });
        own.p_application_info = application.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        let mut handle = vk::Instance::null();
        let created = {
            let _slice = slice(c"driver.CreateInstance");
            (driver.create_instance)(&own, callbacks, &mut handle)
        };
        array::check(created)?;
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

/// Creates an instance that has no handle yet.
///
/// # Safety
/// The create info is valid, `p_next` is a pNext chain, and its callbacks may be called until the
/// instance is destroyed.
unsafe fn make(
    loader: &'static Loader,
    driver: &Driver,
    allocator: CopiedCallbacks,
    info: &CreateInfo<'_>,
) -> Result<Box<Instance, CopiedCallbacks>, vk::Result> {
    // SAFETY: by this function's `# Safety` the application info is NULL or a valid pointer.
    let asked = unsafe { info.p_application_info.as_ref() }.map_or(0, |application| application.api_version);
    let logger = Logger::new(loader, allocator);
    // SAFETY: by this function's `# Safety` `p_next` is a pNext chain whose callbacks may be called
    // until the instance is destroyed; the logger is dropped with the instance.
    unsafe { logger.listeners.add_chained(info.p_next)? };
    Ok(Instance::try_new(
        InstanceData {
            logger,
            handle: vk::Instance::null(),
            upper: AtomicPtr::default(),
            allocator,
            driver: InstanceCommands::default(),
            extensions: Default::default(),
            api_version: without_patch(asked).max(vk::API_VERSION_1_0),
            driver_version: version_of(loader, driver)?,
            end: End::default(),
        },
        allocator,
    )?)
}

/// Returns the Vulkan version of the driver's instances, without its patch.
fn version_of(loader: &Loader, driver: &Driver) -> Result<u32, vk::Result> {
    let mut version = vk::API_VERSION_1_0;
    // SAFETY: the lookup function accepts any name without an instance and returns a function of
    // the named type; `version` is a local.
    unsafe {
        let name = c"vkEnumerateInstanceVersion".as_ptr();
        let found = (driver.get_instance_proc_addr)(vk::Instance::null(), name);
        let enumerate =
            core::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkEnumerateInstanceVersion>>(found);
        if let Some(enumerate) = enumerate
            && let Err(error) = array::check(enumerate(&mut version))
        {
            vkload_core::log!(loader, Error, Driver:
                "the driver's vkEnumerateInstanceVersion fails ({error:?}): no instance can be made; look \
                 for the driver's own messages");
            return Err(error);
        }
    }
    Ok(without_patch(version))
}

fn without_patch(version: u32) -> u32 {
    version & !0xFFF
}

/// Returns the version that the driver sees: a driver for Vulkan 1.0 would refuse any newer one, as
/// the specification then said. A loader that knows 1.4 does not ask a driver for 1.3 for later
/// ones either.
fn clamped(asked: u32, driver: u32, host: &Host) -> u32 {
    let next = driver.saturating_add(1 << 12);
    let clamps =
        driver == vk::API_VERSION_1_0 || (driver == vk::API_VERSION_1_3 && host.is_on(Switch::Vulkan14));
    if clamps && asked >= next { driver } else { asked }
}

/// Returns the create info for the driver: without layers and without the links that the loader put
/// in front of the chain for them.
///
/// # Safety
/// `p_next` of the create info is a pNext chain.
unsafe fn sanitised<'a>(info: &CreateInfo<'a>, wanted: &Wanted) -> CreateInfo<'a> {
    // SAFETY: `p_next` is a pNext chain by this function's `# Safety`.
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

/// Finds the functions of the driver's instance and sets the first word of its handle to the
/// loader's data.
///
/// # Errors
/// `ERROR_INCOMPATIBLE_DRIVER` if a function that the loader needs is missing, or if the handle's
/// first word is not free. The caller must then destroy the driver's instance.
///
/// # Safety
/// The driver's vkCreateInstance returned the handle for `instance`, and `find` is the driver's
/// lookup function.
unsafe fn complete(
    instance: &mut Instance,
    handle: vk::Instance,
    find: vk::PFN_vkGetInstanceProcAddr,
    wanted: &Wanted,
) -> Result<(), vk::Result> {
    instance.handle = handle;
    // SAFETY: by this function's `# Safety` the handle is the driver's and `find` its lookup
    // function, which returns functions of the named type.
    unsafe {
        let enabled = |extension: &CStr| wanted.passes(extension);
        instance.driver = InstanceCommands::find(|name| find(handle, name.as_ptr()), enabled);
        if let Some(missing) = instance.driver.missing(enabled) {
            vkload_core::log!(instance.logger, Error, Driver:
                "the driver's instance lacks {missing}: the driver has to be corrected");
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
        if !adopt(handle, &*instance, &instance.logger) {
            return Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER);
        }
    }
    Ok(())
}
