//! Messengers (VK_EXT_debug_utils) and report callbacks (VK_EXT_debug_report): one object of the loader for one of each
//! driver that has the extension.

use core::ffi::c_void;

use ash::vk;

use super::handle;
use super::instance::Instance;
use super::naming::{drivers_name, kind_of_report};
use super::terminators::Terminator;
use crate::abi::function;
use crate::dispatch::Table as _;
use crate::memory::{Application, Box, OutOfMemory, Process, TryGrow, Vec};
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateFn =
    unsafe extern "system" fn(vk::Instance, *const c_void, *const Callbacks, *mut u64) -> vk::Result;
type DestroyFn = unsafe extern "system" fn(vk::Instance, u64, *const Callbacks);

/// The commands of this file.
pub(super) const TERMINATORS: &[Terminator] = &[
    (command::CREATE_DEBUG_UTILS_MESSENGER_EXT, function!(create_messenger)),
    (command::DESTROY_DEBUG_UTILS_MESSENGER_EXT, function!(destroy_messenger)),
    (command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT, function!(submit_message)),
    (command::CREATE_DEBUG_REPORT_CALLBACK_EXT, function!(create_report)),
    (command::DESTROY_DEBUG_REPORT_CALLBACK_EXT, function!(destroy_report)),
    (command::DEBUG_REPORT_MESSAGE_EXT, function!(report_message)),
];

/// What the handles of messengers and report callbacks point to: what each driver of the instance calls its own, 0 if it
/// has none.
struct PerDriver(Vec<u64, Application>);

unsafe extern "system" fn create_messenger(
    instance: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    const COMMANDS: [CommandId; 2] =
        [command::CREATE_DEBUG_UTILS_MESSENGER_EXT, command::DESTROY_DEBUG_UTILS_MESSENGER_EXT];
    // SAFETY: the chain passes what the application vouches for.
    unsafe { create(instance, COMMANDS, info, callbacks, out) }
}

unsafe extern "system" fn destroy_messenger(
    instance: vk::Instance,
    object: u64,
    callbacks: *const Callbacks,
) {
    // SAFETY: as above.
    unsafe { destroy(instance, command::DESTROY_DEBUG_UTILS_MESSENGER_EXT, object, callbacks) }
}

unsafe extern "system" fn create_report(
    instance: vk::Instance,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    const COMMANDS: [CommandId; 2] =
        [command::CREATE_DEBUG_REPORT_CALLBACK_EXT, command::DESTROY_DEBUG_REPORT_CALLBACK_EXT];
    // SAFETY: as above.
    unsafe { create(instance, COMMANDS, info, callbacks, out) }
}

unsafe extern "system" fn destroy_report(instance: vk::Instance, object: u64, callbacks: *const Callbacks) {
    // SAFETY: as above.
    unsafe { destroy(instance, command::DESTROY_DEBUG_REPORT_CALLBACK_EXT, object, callbacks) }
}

unsafe fn create(
    instance: vk::Instance,
    [create, destroy]: [CommandId; 2],
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let instance = handle::instance(instance, create);
        let allocator = instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT);
        let mut objects = PerDriver(Vec::new_in(allocator));
        match make_each(instance, create, info, callbacks, &mut objects).and_then(|()| {
            Ok(Box::try_new_in(PerDriver(Vec::new_in(allocator)), allocator).map_err(OutOfMemory::from)?)
        }) {
            Ok(mut object) => {
                core::mem::swap(&mut *object, &mut objects);
                *out = core::ptr::from_ref(Box::leak(object)).expose_provenance() as u64;
                vk::Result::SUCCESS
            }
            Err(error) => {
                destroy_each(instance, destroy, &objects, callbacks);
                error
            }
        }
    }
}

unsafe fn make_each(
    instance: &Instance,
    command: CommandId,
    info: *const c_void,
    callbacks: *const Callbacks,
    objects: &mut PerDriver,
) -> Result<(), vk::Result> {
    objects.0.try_reserve_exact(instance.drivers.len()).map_err(|_| OutOfMemory)?;
    for driver in &instance.drivers {
        let mut own = 0;
        // SAFETY: the type is that of both commands; the caller vouches for the parameters.
        unsafe {
            let has = command.providers().any(|provider| driver.enabled.contains(provider.extension));
            if let Some(create) = driver.table.get::<CreateFn>(command).filter(|_| has) {
                crate::abi::array::check(create(driver.handle, info, callbacks, &mut own))?;
            }
        }
        objects.0.try_push(own)?;
    }
    Ok(())
}

unsafe fn destroy(instance: vk::Instance, command: CommandId, object: u64, callbacks: *const Callbacks) {
    let Ok(address) = usize::try_from(object) else { return };
    let object = core::ptr::with_exposed_provenance_mut::<PerDriver>(address);
    // SAFETY: the application vouches for the handles, and that nobody else uses them; `create` leaked the box.
    unsafe {
        let instance = handle::instance(instance, command);
        let Some(objects) = object.as_ref() else { return };
        destroy_each(instance, command, objects, callbacks);
        let allocator = *objects.0.allocator();
        drop(Box::from_raw_in(object, allocator));
    }
}

unsafe fn destroy_each(
    instance: &Instance,
    command: CommandId,
    objects: &PerDriver,
    callbacks: *const Callbacks,
) {
    for (driver, own) in instance.drivers.iter().zip(&objects.0).filter(|(_, own)| **own != 0) {
        // SAFETY: the type is that of both commands, and the object is the driver's own.
        unsafe {
            if let Some(destroy) = driver.table.get::<DestroyFn>(command) {
                destroy(driver.handle, *own, callbacks);
            }
        }
    }
}

unsafe extern "system" fn submit_message(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kinds: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'static>,
) {
    const COMMAND: CommandId = command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT;
    // SAFETY: the chain passes what the application vouches for; the type is the command's.
    unsafe {
        let instance = handle::instance(instance, COMMAND);
        let data = &*data;
        let count = if data.p_objects.is_null() { 0 } else { data.object_count as usize };
        let mut objects = Vec::new_in(Process);
        for driver in &instance.drivers {
            let Some(submit) = driver.table.get::<vk::PFN_vkSubmitDebugUtilsMessageEXT>(COMMAND) else {
                continue;
            };
            objects.clear();
            for index in 0..count {
                let object = &*data.p_objects.add(index);
                let own = drivers_name(instance, driver, object.object_type, object.object_handle);
                let own = vk::DebugUtilsObjectNameInfoEXT { object_handle: own, ..*object };
                if objects.try_push(own).is_err() {
                    return;
                }
            }
            let own = vk::DebugUtilsMessengerCallbackDataEXT { p_objects: objects.as_ptr(), ..*data };
            submit(driver.handle, severity, kinds, &own);
        }
    }
}

unsafe extern "system" fn report_message(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    kind: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    code: i32,
    prefix: *const core::ffi::c_char,
    message: *const core::ffi::c_char,
) {
    const COMMAND: CommandId = command::DEBUG_REPORT_MESSAGE_EXT;
    // SAFETY: as above.
    unsafe {
        let loaders = handle::instance(instance, COMMAND);
        for driver in &loaders.drivers {
            if let Some(report) = driver.table.get::<vk::PFN_vkDebugReportMessageEXT>(COMMAND) {
                let own = drivers_name(loaders, driver, kind_of_report(kind), object);
                report(driver.handle, flags, kind, own, location, code, prefix, message);
            }
        }
    }
}
