//! Messengers (VK_EXT_debug_utils) and report callbacks (VK_EXT_debug_report).
//!
//! Each is one loader object, which receives the messages of the loader and of the application. It represents
//! an object in every driver that has the extension, so that drivers can send messages of their own. The
//! application's messages stay in the loader: a driver that received them as well would call the same
//! callback again.

use core::ffi::{c_char, c_void};

use ash::vk;

use crate::abi::array;
use crate::log::{CommandText as _, Level, Topic};
use crate::logger::{Listener, Report};
use crate::memory::{Application, Box, ObjectCallbacks, OutOfMemory, TryGrow, Vec};
use crate::objects::handle;
use crate::objects::instance::Instance;
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateFn =
    unsafe extern "system" fn(vk::Instance, *const c_void, *const Callbacks, *mut u64) -> vk::Result;
type DestroyFn = unsafe extern "system" fn(vk::Instance, u64, *const Callbacks);

struct Messenger {
    listener: usize,
    /// Each driver's handle for its own object, 0 if it has none.
    of_drivers: Vec<u64, Application>,
    /// The callbacks behind the memory of this. Outlives it.
    callbacks: ObjectCallbacks,
}

/// Defines the terminators of the commands that create and destroy a kind of object.
macro_rules! terminators {
    ($create:ident($info:ident, $create_command:ident, $listener:ident); $destroy:ident($destroy_command:ident)) => {
        pub(super) unsafe extern "system" fn $create(
            instance: vk::Instance,
            info: *const vk::$info<'static>,
            callbacks: *const Callbacks,
            out: *mut u64,
        ) -> vk::Result {
            const COMMANDS: [CommandId; 2] = [command::$create_command, command::$destroy_command];
            // SAFETY: the layer above passes the parameters of a valid call of the command; NULL is checked
            // here and in `create`.
            unsafe {
                let listener = info.as_ref().map(Listener::$listener);
                create(instance, COMMANDS, listener, info.cast(), callbacks, out)
            }
        }

        pub(super) unsafe extern "system" fn $destroy(
            instance: vk::Instance,
            object: u64,
            callbacks: *const Callbacks,
        ) {
            // SAFETY: the layer above passes the parameters of a valid call: an object that `create` made,
            // externally synchronised, and callbacks that are NULL or valid.
            unsafe { destroy(instance, command::$destroy_command, object, callbacks) }
        }
    };
}

terminators!(create_messenger(DebugUtilsMessengerCreateInfoEXT, CREATE_DEBUG_UTILS_MESSENGER_EXT, messenger);
    destroy_messenger(DESTROY_DEBUG_UTILS_MESSENGER_EXT));
terminators!(create_report(DebugReportCallbackCreateInfoEXT, CREATE_DEBUG_REPORT_CALLBACK_EXT, report);
    destroy_report(DESTROY_DEBUG_REPORT_CALLBACK_EXT));

/// # Safety
/// The parameters are valid for `commands[0]`, except that NULL is reported and not
/// dereferenced; `info` is its create info.
unsafe fn create(
    instance: vk::Instance,
    commands: [CommandId; 2],
    listener: Option<Listener>,
    info: *const c_void,
    callbacks: *const Callbacks,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` the parameters are valid for the command; NULL is
    // checked before it is dereferenced.
    unsafe {
        let instance = handle::instance(instance, commands[0]);
        let (Some(listener), Some(out)) = (listener, out.as_mut()) else {
            let name = commands[0].text();
            instance.logger.log_always(
                Level::Error,
                Topic::Usage,
                format_args!("{name}: neither the create info nor the handle may be NULL"),
            );
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

/// # Safety
/// `info` is the create info of `create`, `destroy` is the command for what that creates, and the
/// callbacks are valid or NULL.
unsafe fn make(
    instance: &Instance,
    [create, destroy]: [CommandId; 2],
    listener: Listener,
    info: *const c_void,
    callbacks: *const Callbacks,
) -> Result<Box<Messenger, Application>, vk::Result> {
    // SAFETY: by this function's `# Safety` `info` belongs to the commands, and the callbacks are valid or
    // NULL; on failure no other code knows the drivers' objects.
    unsafe {
        let (own, allocator) =
            ObjectCallbacks::new(callbacks, instance.allocator, vk::SystemAllocationScope::OBJECT)?;
        let (of_drivers, none) = (Vec::new_in(allocator), ObjectCallbacks::none());
        let empty = Messenger { listener: 0, of_drivers, callbacks: none };
        let mut object = Box::try_new_in(empty, allocator).map_err(OutOfMemory::from)?;
        let made = make_each(instance, create, info, callbacks, &mut object.of_drivers)
            .and_then(|()| Ok(instance.logger.listeners.add(listener)?));
        match made {
            Ok(number) => {
                object.listener = number;
                object.callbacks = own;
                Ok(object)
            }
            Err(error) => {
                destroy_each(instance, destroy, &object.of_drivers, callbacks);
                Err(error)
            }
        }
    }
}

/// Creates one object in each driver, and notes it in `of_drivers`.
///
/// # Safety
/// `info` is the create info of `command`, and the callbacks are valid or NULL.
unsafe fn make_each(
    instance: &Instance,
    command: CommandId,
    info: *const c_void,
    callbacks: *const Callbacks,
    of_drivers: &mut Vec<u64, Application>,
) -> Result<(), vk::Result> {
    of_drivers.try_fit(instance.drivers.len())?;
    for driver in &instance.drivers {
        let mut own = 0;
        // SAFETY: `CreateFn` is the type of both commands. By this function's `# Safety` `info` and
        // the callbacks are valid for `command`; the instance is the driver's own.
        unsafe {
            let has = command.providers().any(|provider| driver.enabled.contains(provider));
            if let Some(create) = driver.get::<CreateFn>(command).filter(|_| has) {
                array::created(create(driver.handle, info, callbacks, &mut own))?;
            }
        }
        of_drivers.try_push(own)?;
    }
    Ok(())
}

/// # Safety
/// `object` is NULL or was made by [`create`], and no other thread uses it; the callbacks are valid or
/// NULL.
unsafe fn destroy(instance: vk::Instance, command: CommandId, object: u64, callbacks: *const Callbacks) {
    let Ok(address) = usize::try_from(object) else { return };
    let object = core::ptr::with_exposed_provenance_mut::<Messenger>(address);
    // SAFETY: by this function's `# Safety` `object` is NULL or a box that `create` leaked, which
    // no other thread uses and only this function frees, with the allocator that it came from.
    // `handle::instance` aborts for a bad handle.
    unsafe {
        let instance = handle::instance(instance, command);
        let Some(messenger) = object.as_ref() else { return };
        instance.logger.listeners.remove(messenger.listener);
        destroy_each(instance, command, &messenger.of_drivers, callbacks);
        let allocator = *messenger.of_drivers.allocator();
        // Outlives the object, whose memory it is.
        let _own = (*object).callbacks.take(callbacks);
        drop(Box::from_raw_in(object, allocator));
    }
}

/// # Safety
/// No other thread uses them; the callbacks are valid or NULL.
unsafe fn destroy_each(
    instance: &Instance,
    command: CommandId,
    of_drivers: &[u64],
    callbacks: *const Callbacks,
) {
    for (driver, own) in instance.drivers.iter().zip(of_drivers).filter(|(_, own)| **own != 0) {
        // SAFETY: `DestroyFn` is the type of both commands. By this function's `# Safety` the
        // object is the driver's own, and no other thread uses it.
        unsafe {
            if let Some(destroy) = driver.get::<DestroyFn>(command) {
                destroy(driver.handle, *own, callbacks);
            }
        }
    }
}

/// Terminator of vkSubmitDebugUtilsMessageEXT.
///
/// # Safety
/// The parameters are valid for the command, passed down the call chain, except that
/// NULL is reported.
pub(super) unsafe extern "system" fn submit_message(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'static>,
) {
    // SAFETY: by this function's `# Safety` `data` is NULL, which is checked, or valid for a
    // callback. `handle::instance` aborts for a bad handle.
    unsafe {
        let instance = handle::instance(instance, command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT);
        if let Some(data) = data.as_ref() {
            instance.logger.listeners.submit(severity, types, data);
        }
    }
}

pub(super) unsafe extern "system" fn report_message(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    kind: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    code: i32,
    prefix: *const c_char,
    text: *const c_char,
) {
    // SAFETY: the layer above passes the parameters of a valid call of vkDebugReportMessageEXT;
    // `handle::instance` aborts for a bad handle.
    unsafe {
        let instance = handle::instance(instance, command::DEBUG_REPORT_MESSAGE_EXT);
        let report = Report { flags, kind, object, location, code, prefix, text };
        instance.logger.listeners.report(report);
    }
}
