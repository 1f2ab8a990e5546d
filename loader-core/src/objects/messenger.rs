//! Messengers (VK_EXT_debug_utils) and report callbacks (VK_EXT_debug_report).
//!
//! Each is one object of the loader, which listens to the loader's own messages and to those of the application, and
//! which stands for an object of every driver that has the extension, so that drivers can send messages of their own.
//! What the application sends stays in the loader: any driver that was told, too, would call the same callback again.

use core::ffi::{c_char, c_void};

use ash::vk;

use super::handle;
use super::instance::Instance;
use super::terminator::Terminator;
use crate::abi::{array, function};
use crate::dispatch::Table as _;
use crate::log::{Level, Topic};
use crate::logger::{Listener, Report};
use crate::memory::{Application, Box, OutOfMemory, TryGrow, Vec};
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

/// What the handles of messengers and report callbacks point to.
struct Messenger {
    /// Its number among those who listen to the instance.
    listener: u64,
    /// What each driver of the instance calls its own, 0 if it has none.
    of_drivers: Vec<u64, Application>,
}

/// Terminator of vkCreateDebugUtilsMessengerEXT.
///
/// # Safety
/// The parameters are those that the chain was entered with, except that NULL is reported and not followed.
unsafe extern "system" fn create_messenger(
    instance: vk::Instance,
    info: *const vk::DebugUtilsMessengerCreateInfoEXT<'static>,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    const COMMANDS: [CommandId; 2] =
        [command::CREATE_DEBUG_UTILS_MESSENGER_EXT, command::DESTROY_DEBUG_UTILS_MESSENGER_EXT];
    // SAFETY: the chain passes what the application vouches for, unless it is NULL.
    unsafe {
        let listener = info.as_ref().map(Listener::messenger);
        create(instance, COMMANDS, listener, info.cast(), callbacks, out)
    }
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
    info: *const vk::DebugReportCallbackCreateInfoEXT<'static>,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    const COMMANDS: [CommandId; 2] =
        [command::CREATE_DEBUG_REPORT_CALLBACK_EXT, command::DESTROY_DEBUG_REPORT_CALLBACK_EXT];
    // SAFETY: as above.
    unsafe {
        let listener = info.as_ref().map(Listener::report);
        create(instance, COMMANDS, listener, info.cast(), callbacks, out)
    }
}

unsafe extern "system" fn destroy_report(instance: vk::Instance, object: u64, callbacks: *const Callbacks) {
    // SAFETY: as above.
    unsafe { destroy(instance, command::DESTROY_DEBUG_REPORT_CALLBACK_EXT, object, callbacks) }
}

/// Makes who listens, and the drivers' own.
///
/// # Safety
/// As for the command whose parameters these are, except that NULL is reported and not followed. `info` is its create info.
unsafe fn create(
    instance: vk::Instance,
    commands: [CommandId; 2],
    listener: Option<Listener>,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters that are not NULL.
    unsafe {
        let instance = handle::instance(instance, commands[0]);
        let (Some(listener), Some(out)) = (listener, out.as_mut()) else {
            let name = commands[0].name().to_str().unwrap_or_default();
            let message = format_args!("{name}: neither the create info nor the handle may be NULL");
            instance.logger.insist(Level::Error, Topic::Usage, message);
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        match make(instance, commands, listener, info, callbacks) {
            Ok(object) => {
                *out = Box::into_non_null(object).as_ptr().expose_provenance() as u64;
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }
}

/// Makes it in every driver that has the command.
///
/// # Safety
/// `info` is the create info of both commands, and the callbacks are valid or NULL.
unsafe fn make(
    instance: &Instance,
    [create, destroy]: [CommandId; 2],
    listener: Listener,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<Box<Messenger, Application>, vk::Result> {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let allocator = instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT);
        let empty = Messenger { listener: 0, of_drivers: Vec::new_in(allocator) };
        let mut object = Box::try_new_in(empty, allocator).map_err(OutOfMemory::from)?;
        let made = make_each(instance, create, info, callbacks, &mut object.of_drivers)
            .and_then(|()| Ok(instance.logger.listeners.add(listener)?));
        match made {
            Ok(number) => {
                object.listener = number;
                Ok(object)
            }
            Err(error) => {
                destroy_each(instance, destroy, &object.of_drivers, callbacks);
                Err(error)
            }
        }
    }
}

/// Makes one in each driver, and notes it in `of_drivers`.
///
/// # Safety
/// As for [`make`]; `command` creates what `info` describes.
unsafe fn make_each(
    instance: &Instance,
    command: CommandId,
    info: *const c_void,
    callbacks: *const Callbacks,
    of_drivers: &mut Vec<u64, Application>,
) -> Result<(), vk::Result> {
    of_drivers.try_reserve_exact(instance.drivers.len()).map_err(|_| OutOfMemory)?;
    for driver in &instance.drivers {
        let mut own = 0;
        // SAFETY: the type is that of both commands; the caller vouches for the parameters.
        unsafe {
            let has = command.providers().any(|provider| driver.enabled.contains(provider));
            if let Some(create) = driver.table.get::<CreateFn>(command).filter(|_| has) {
                array::created(create(driver.handle, info, callbacks, &mut own))?;
            }
        }
        of_drivers.try_push(own)?;
    }
    Ok(())
}

/// Destroys who listens, and the drivers' own.
///
/// # Safety
/// `object` is NULL or was made by [`create`], and nobody else uses it.
unsafe fn destroy(instance: vk::Instance, command: CommandId, object: u64, callbacks: *const Callbacks) {
    let Ok(address) = usize::try_from(object) else { return };
    let object = core::ptr::with_exposed_provenance_mut::<Messenger>(address);
    // SAFETY: the application vouches for the handles, and that nobody else uses them; `create` leaked the box.
    unsafe {
        let instance = handle::instance(instance, command);
        let Some(messenger) = object.as_ref() else { return };
        instance.logger.listeners.remove(messenger.listener);
        destroy_each(instance, command, &messenger.of_drivers, callbacks);
        let allocator = *messenger.of_drivers.allocator();
        drop(Box::from_raw_in(object, allocator));
    }
}

unsafe fn destroy_each(
    instance: &Instance,
    command: CommandId,
    of_drivers: &[u64],
    callbacks: *const Callbacks,
) {
    for (driver, own) in instance.drivers.iter().zip(of_drivers).filter(|(_, own)| **own != 0) {
        // SAFETY: the type is that of both commands, and the object is the driver's own.
        unsafe {
            if let Some(destroy) = driver.table.get::<DestroyFn>(command) {
                destroy(driver.handle, *own, callbacks);
            }
        }
    }
}

/// Terminator of vkSubmitDebugUtilsMessageEXT.
///
/// # Safety
/// The parameters are those that the chain was entered with, except that NULL is reported and not followed.
unsafe extern "system" fn submit_message(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'static>,
) {
    // SAFETY: the chain passes what the application vouches for, unless it is NULL.
    unsafe {
        let instance = handle::instance(instance, command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT);
        if let Some(data) = data.as_ref() {
            instance.logger.listeners.submit(severity, types, data);
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
    prefix: *const c_char,
    text: *const c_char,
) {
    // SAFETY: as above.
    unsafe {
        let instance = handle::instance(instance, command::DEBUG_REPORT_MESSAGE_EXT);
        let report = Report { flags, kind, object, location, code, prefix, text };
        instance.logger.listeners.report(report);
    }
}
