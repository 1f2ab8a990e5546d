//! Messengers (VK_EXT_debug_utils) and report callbacks (VK_EXT_debug_report).
//!
//! The application's messages stay in the loader: a driver that also got them would call the same
//! callback again.

use ash::vk::{self, Handle};
use vkload_core::abi::array;
use vkload_core::logger::{Listener, Report};
use vkload_core::memory::{Box, CopiedCallbacks, OutOfMemory};
use vkload_core::registry::calls::{
    CreateDebugReportCallbackEXT, CreateDebugUtilsMessengerEXT, DebugReportMessageEXT,
    DestroyDebugReportCallbackEXT, DestroyDebugUtilsMessengerEXT, SubmitDebugUtilsMessageEXT,
};

use crate::objects::{Instance, instance_of};

type Callbacks<'a> = vk::AllocationCallbacks<'a>;
type CreateFn<I, H> =
    unsafe extern "system" fn(vk::Instance, *const I, *const Callbacks<'_>, *mut H) -> vk::Result;
type DestroyFn<H> = unsafe extern "system" fn(vk::Instance, H, *const Callbacks<'_>);

/// The target of the handles of messengers and report callbacks.
struct Callback<H> {
    /// Its number among the listeners of the instance.
    listener: usize,
    /// The driver's handle for it, NULL if the driver has none.
    of_driver: H,
    memory: CopiedCallbacks,
}

/// Defines the commands that create and destroy one kind of listener.
macro_rules! commands {
    ($($listener:ident, $handle:ident: $create:ident($creation:ident), $destroy:ident($destruction:ident);)*) => {$(
        pub fn $create(call: &$creation<'_>) -> vk::Result {
            let (info, out) = (call.create_info.as_ptr(), call.$handle.as_ptr());
            // SAFETY: by valid usage of the command the instance is a valid handle and the callbacks are NULL or
            // valid. The create info and the target of the handle may be NULL.
            unsafe {
                let instance = instance_of(call.instance.as_raw());
                let drivers = (instance.driver.$create, instance.driver.$destroy);
                let listener = info.as_ref().map(Listener::$listener);
                create(instance, drivers, listener, info.cast(), call.allocator.as_ptr(), out)
            }
        }

        pub fn $destroy(call: &$destruction<'_>) {
            // SAFETY: by valid usage of the command the instance is a valid handle, and the object NULL or one
            // that no other thread uses.
            unsafe {
                let instance = instance_of(call.instance.as_raw());
                destroy(instance, instance.driver.$destroy, call.$handle, call.allocator.as_ptr());
            }
        }
    )*};
}

commands! {
    report, callback: create_debug_report_callback(CreateDebugReportCallbackEXT),
        destroy_debug_report_callback(DestroyDebugReportCallbackEXT);
    messenger, messenger: create_debug_utils_messenger(CreateDebugUtilsMessengerEXT),
        destroy_debug_utils_messenger(DestroyDebugUtilsMessengerEXT);
}

pub fn debug_report_message(call: &DebugReportMessageEXT<'_>) {
    let report = Report {
        flags: call.flags,
        kind: call.object_type,
        object: call.object,
        location: call.location,
        code: call.message_code,
        prefix: call.layer_prefix,
        text: call.message,
    };
    // SAFETY: by valid usage of the command the instance is a valid handle, and both texts are valid C
    // strings.
    unsafe { instance_of(call.instance.as_raw()).logger.listeners.report(report) };
}

pub fn submit_debug_utils_message(call: &SubmitDebugUtilsMessageEXT<'_>) {
    // SAFETY: by valid usage of the command the instance is a valid handle; the data may be NULL.
    unsafe {
        if let Some(data) = call.callback_data.as_ptr().as_ref() {
            let listeners = &instance_of(call.instance.as_raw()).logger.listeners;
            listeners.submit(call.message_severity, call.message_types, data);
        }
    }
}

/// Creates the driver's object, if the driver has such objects, and then ours.
///
/// # Safety
/// `drivers` are the driver's functions that create and destroy this kind of object. `info` and the
/// callbacks are valid for the former; `out` is NULL or valid for a write.
unsafe fn create<I, H: Handle + Copy>(
    instance: &Instance,
    drivers: (Option<CreateFn<I, H>>, Option<DestroyFn<H>>),
    listener: Option<Listener>,
    info: *const I,
    callbacks: *const Callbacks<'_>,
    out: *mut H,
) -> vk::Result {
    let (Some(listener), false) = (listener, out.is_null()) else {
        vkload_core::log!(instance.logger, Error, Usage:
            "{:?}: neither the create info nor the place of the handle may be NULL", H::TYPE);
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: by this function's `# Safety` the functions are the driver's for this kind of object
    // and the parameters are valid for them; `out` is not NULL, which was checked.
    unsafe {
        let mut of_driver = H::from_raw(0);
        if let (Some(create), Some(_)) = drivers
            && let Err(error) = array::check(create(instance.handle, info, callbacks, &mut of_driver))
        {
            return error;
        }
        match make(instance, listener, of_driver, callbacks) {
            Ok(object) => {
                out.write(H::from_raw(core::ptr::from_ref(Box::leak(object)).expose_provenance() as u64));
                vk::Result::SUCCESS
            }
            Err(OutOfMemory) => {
                destroy_drivers(instance, drivers.1, of_driver, callbacks);
                vk::Result::ERROR_OUT_OF_HOST_MEMORY
            }
        }
    }
}

/// # Safety
/// The callbacks are NULL or a valid `VkAllocationCallbacks`; the listener may be called until it
/// is removed.
unsafe fn make<H>(
    instance: &Instance,
    listener: Listener,
    of_driver: H,
    callbacks: *const Callbacks<'_>,
) -> Result<Box<Callback<H>, CopiedCallbacks>, OutOfMemory> {
    // SAFETY: by this function's `# Safety` the callbacks are NULL or a valid
    // `VkAllocationCallbacks`.
    let memory = unsafe { instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT) };
    let mut object = Box::try_new_in(Callback { listener: 0, of_driver, memory }, memory)?;
    object.listener = instance.logger.listeners.add(listener)?;
    Ok(object)
}

/// # Safety
/// The object is NULL or a valid handle from [`create`] that no other thread uses, `drivers`
/// destroys this kind of object, and the callbacks are valid for it.
unsafe fn destroy<H: Handle + Copy>(
    instance: &Instance,
    drivers: Option<DestroyFn<H>>,
    object: H,
    callbacks: *const Callbacks<'_>,
) {
    let pointer = core::ptr::with_exposed_provenance_mut::<Callback<H>>(object.as_raw() as usize);
    // SAFETY: by this function's `# Safety` the handle is NULL or leads to the box that `create`
    // leaked, and no other thread uses it; only this function frees it.
    unsafe {
        let Some(&Callback { listener, of_driver, memory }) = pointer.as_ref() else { return };
        instance.logger.listeners.remove(listener);
        destroy_drivers(instance, drivers, of_driver, callbacks);
        drop(Box::from_raw_in(pointer, memory));
    }
}

/// # Safety
/// `of_driver` is NULL or a valid object of the driver that `destroy` destroys with these
/// callbacks.
unsafe fn destroy_drivers<H: Handle + Copy>(
    instance: &Instance,
    destroy: Option<DestroyFn<H>>,
    of_driver: H,
    callbacks: *const Callbacks<'_>,
) {
    if let Some(destroy) = destroy.filter(|_| !of_driver.is_null()) {
        // SAFETY: by this function's `# Safety` the object is the driver's, and `destroy` is the
        // driver's function for it.
        unsafe { destroy(instance.handle, of_driver, callbacks) };
    }
}
