//! vkCreateInstance and vkDestroyInstance.

use core::ffi::{CStr, c_char};

use ash::vk::{self, Handle as _};
use vkload_core::abi::layer_interface::FindInstanceCommand;
use vkload_core::abi::{array, name};
use vkload_core::dispatch::{Command, Table as _};
use vkload_core::memory::{Box, CopiedCallbacks, Escaped, OutOfMemory, TryGrow, Vec};
use vkload_core::registry::{CommandId, ExtensionSet, command, extension};

use super::chain::{Chain, Structures, attach, detach};
use super::table;
use super::{enumerate, names, nothing_created, null, report_missing};
use crate::layers::ActiveLayer;
use crate::loader::SystemLoader;
use crate::system_log::{SystemLogCallback, wants_system_log};
use platform_android::driver;
use platform_android::log::Logger;
use platform_android::objects::{free, hand_out, instance_of};

type Callbacks = vk::AllocationCallbacks<'static>;

/// vkCreateInstance.
///
/// # Safety
/// The parameters meet the valid usage of vkCreateInstance, except that NULL is reported and not
/// followed.
pub unsafe fn create_instance(
    loader: &'static SystemLoader,
    info: *const vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
    out: *mut vk::Instance,
) -> vk::Result {
    loader.enter();
    // SAFETY: by this function's `# Safety` the pointers are NULL or valid; `info` and `out` are
    // checked for NULL first.
    unsafe {
        let Some(info) = info.as_ref() else { return null(loader, "vkCreateInstance", "pCreateInfo") };
        if out.is_null() {
            return null(loader, "vkCreateInstance", "pInstance");
        }
        hand_out(create(loader, info, callbacks), out)
    }
}

/// # Safety
/// The parameters meet the valid usage of vkCreateInstance.
unsafe fn create(
    loader: &'static SystemLoader,
    info: &vk::InstanceCreateInfo<'static>,
    callbacks: *const Callbacks,
) -> Result<vk::Instance, vk::Result> {
    if loader.hal.driver(loader).is_err() {
        return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
    }
    // SAFETY: by this function's `# Safety` the callbacks are NULL or valid, `p_next` is a pNext
    // chain, and both arrays of names are counted arrays of valid C strings; `enter` returned the
    // instance from this chain.
    unsafe {
        let memory = CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::COMMAND);
        let lasting = memory.scoped(vk::SystemAllocationScope::INSTANCE);
        let logger = Logger::new(loader, memory);
        logger.listeners.add_chained(info.p_next)?;
        let wanted = name::list(info.pp_enabled_layer_names, info.enabled_layer_count);
        let layers = loader.layers.choose(&*loader.layers.found(loader)?, wanted, &logger)?;
        let extensions = name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
        check_extensions(loader, &layers, extensions.clone(), &logger)?;
        let enabled = Enabled::new(loader, extensions, memory)?;
        // Everything that needs memory is done before anything has to be undone.
        let chain = Box::try_new_in(Chain::new(layers, lasting), lasting).map_err(OutOfMemory::from)?;
        let instance = enter(&chain, info, &enabled, callbacks, (memory, &logger))?;
        complete(chain, instance, &enabled, callbacks, &logger)?;
        Ok(instance)
    }
}

struct Enabled {
    names: Vec<*const c_char, CopiedCallbacks>,
    set: ExtensionSet,
    /// Whether layer messages are written to the system's log; this needs an extension that the
    /// application may not have enabled.
    system_log: bool,
}

impl Enabled {
    fn new<'a>(
        loader: &SystemLoader,
        asked_for: impl Iterator<Item = &'a CStr> + Clone,
        memory: CopiedCallbacks,
    ) -> Result<Self, OutOfMemory> {
        let system_log = wants_system_log(loader.system);
        let mut set = ExtensionSet::of(asked_for.clone());
        let mut names = Vec::new_in(memory);
        for name in asked_for {
            names.try_push(name.as_ptr())?;
        }
        if system_log && !set.contains(extension::EXT_DEBUG_REPORT) {
            set.insert(extension::EXT_DEBUG_REPORT);
            names.try_push(c"VK_EXT_debug_report".as_ptr())?;
        }
        Ok(Self { names, set, system_log })
    }
}

/// Checks that every enabled extension is one of the driver level's or of an active layer.
fn check_extensions<'a>(
    loader: &'static SystemLoader,
    layers: &[ActiveLayer],
    enabled: impl Iterator<Item = &'a CStr> + Clone,
    logger: &Logger,
) -> Result<(), vk::Result> {
    if enabled.clone().next().is_none() {
        return Ok(());
    }
    let known = enumerate::instance_extensions(loader)?;
    for extension in enabled {
        let is_it = |known: &vk::ExtensionProperties| name::is(known, extension);
        let of_layer = || layers.iter().any(|layer| layer.instance_extensions.iter().any(is_it));
        if !(known.iter().any(is_it) || of_layer()) {
            vkload_core::log!(logger, Error, Usage:
                "vkCreateInstance: the instance extension {} is not there: neither the driver nor a layer \
                 that is enabled has it; enable only what vkEnumerateInstanceExtensionProperties lists",
                Escaped(extension.to_bytes()));
            return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        }
    }
    Ok(())
}

/// Calls vkCreateInstance at the head of the chain, with the links to its layers.
///
/// # Safety
/// As for [`create`].
unsafe fn enter(
    chain: &Chain,
    info: &vk::InstanceCreateInfo<'static>,
    enabled: &Enabled,
    callbacks: *const Callbacks,
    (memory, logger): (CopiedCallbacks, &Logger),
) -> Result<vk::Instance, vk::Result> {
    let names = names(&chain.layers, memory)?;
    let mut links = chain.instance_links(memory)?;
    let mut structures = Structures::of_instance(links.as_mut_ptr(), info.p_next);
    let mut own = *info;
    own.enabled_layer_count = names.len() as u32;
    own.pp_enabled_layer_names = names.as_ptr();
    own.enabled_extension_count = enabled.names.len() as u32;
    own.pp_enabled_extension_names = enabled.names.as_ptr();
    if !links.is_empty() {
        own.p_next = structures.first();
    }
    let mut instance = vk::Instance::null();
    // SAFETY: lookup functions accept a NULL instance for global commands and return a function of
    // the named type; the parameters are valid by this function's `# Safety`, and everything that
    // `own` points to lives until the call returns.
    unsafe {
        let create = (chain.head)(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let create = create.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let create = core::mem::transmute::<Command, vk::PFN_vkCreateInstance>(create);
        array::check(create(&own, callbacks, &mut instance))?;
    }
    if instance.is_null() {
        return Err(nothing_created(logger, "Instance"));
    }
    Ok(instance)
}

/// Fills the table of the instance that the chain returned, and stores the chain in it. Destroys
/// the instance if that fails.
///
/// # Safety
/// The chain created the instance in vkCreateInstance with these callbacks.
unsafe fn complete(
    mut chain: Box<Chain, CopiedCallbacks>,
    instance: vk::Instance,
    enabled: &Enabled,
    callbacks: *const Callbacks,
    logger: &Logger,
) -> Result<(), vk::Result> {
    let head: FindInstanceCommand = chain.head;
    // SAFETY: by this function's `# Safety` the handle is valid: the driver level set its first
    // word, or the layer that returned another handle set it with `set_instance_data`.
    unsafe {
        let known = instance_of(instance.as_raw());
        let has_layers = !chain.layers.is_empty();
        let find = |command: CommandId| match command.const_name().as_ptr().cast() {
            name if has_layers => head(instance, name),
            name => driver::instance_command(instance, Some(command), name),
        };
        let Err(missing) = table::fill(&known.table, &enabled.set, find) else {
            chain.handle = instance;
            if enabled.system_log {
                chain.system_log = SystemLogCallback::create(logger.loader, instance, head);
            }
            attach(known, chain);
            return Ok(());
        };
        report_missing(logger, "Instance", missing);
        if let Some(destroy) = head(instance, c"vkDestroyInstance".as_ptr()) {
            leave(core::mem::transmute::<Command, vk::PFN_vkDestroyInstance>(destroy), instance, callbacks);
        }
        Err(vk::Result::ERROR_INITIALIZATION_FAILED)
    }
}

/// vkDestroyInstance.
///
/// # Safety
/// The parameters meet the valid usage of vkDestroyInstance.
pub unsafe extern "system" fn destroy_instance(instance: vk::Instance, callbacks: *const Callbacks) {
    if instance.is_null() {
        return;
    }
    // SAFETY: by this function's `# Safety` the instance is a valid handle, externally
    // synchronised; the type is the command's.
    unsafe {
        let known = instance_of(instance.as_raw());
        // The layers stay open until the chain has returned.
        let mut chain = detach(known);
        if let Some(callback) = chain.as_mut().and_then(|chain| chain.system_log.take()) {
            callback.destroy(instance);
        }
        if let Some(destroy) = known.table.get::<vk::PFN_vkDestroyInstance>(command::DESTROY_INSTANCE) {
            leave(destroy, instance, callbacks);
        }
        drop(chain);
    }
}

/// Calls the chain's vkDestroyInstance, then frees the loader's data of the instance.
///
/// # Safety
/// As for [`destroy_instance`]; the instance is not NULL, and `destroy` is its chain's
/// vkDestroyInstance.
unsafe fn leave(destroy: vk::PFN_vkDestroyInstance, instance: vk::Instance, callbacks: *const Callbacks) {
    // SAFETY: by this function's `# Safety` the instance is valid and no other thread uses it.
    // `create_instance` of the driver level leaked the box; `outlasts` returns true only if no
    // other code frees it.
    unsafe {
        let known = instance_of(instance.as_raw());
        if known.end.outlasts(|| destroy(instance, callbacks)) {
            free(known, known.allocator);
        }
    }
}
