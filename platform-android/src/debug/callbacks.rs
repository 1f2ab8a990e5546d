//! Messengers (VK_EXT_debug_utils) and report callbacks (VK_EXT_debug_report).
//!
//! What the application sends stays in the loader: a driver that was told, too, would call the same callback again.

use core::ffi::c_char;

use ash::vk::{self, Handle};
use loader_core::abi::array;
use loader_core::log::{Level, Topic};
use loader_core::logger::{Listener, Report};
use loader_core::memory::{Application, Box, OutOfMemory};

use crate::objects::{Instance, instance_of};

type Callbacks<'a> = vk::AllocationCallbacks<'a>;
type CreateFn<I, H> =
    unsafe extern "system" fn(vk::Instance, *const I, *const Callbacks<'_>, *mut H) -> vk::Result;
type DestroyFn<H> = unsafe extern "system" fn(vk::Instance, H, *const Callbacks<'_>);

/// What the handles of messengers and report callbacks point to.
struct Callback<H> {
    /// Its number among those who listen to the instance.
    listener: u64,
    /// What the driver calls its own, NULL if it has none.
    of_driver: H,
    /// Where this is.
    memory: Application,
}

/// vkCreateDebugReportCallbackEXT.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn create_debug_report_callback(
    instance: vk::Instance,
    info: *const vk::DebugReportCallbackCreateInfoEXT<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::DebugReportCallbackEXT,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let instance = instance_of(instance.as_raw());
        let drivers =
            (instance.driver.create_debug_report_callback, instance.driver.destroy_debug_report_callback);
        create(instance, drivers, info.as_ref().map(Listener::report), info.cast(), callbacks, out)
    }
}

/// vkDestroyDebugReportCallbackEXT.
///
/// # Safety
/// As above.
pub unsafe extern "system" fn destroy_debug_report_callback(
    instance: vk::Instance,
    callback: vk::DebugReportCallbackEXT,
    callbacks: *const Callbacks<'_>,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let instance = instance_of(instance.as_raw());
        destroy(instance, instance.driver.destroy_debug_report_callback, callback, callbacks);
    }
}

/// vkDebugReportMessageEXT.
///
/// # Safety
/// As above.
pub unsafe extern "system" fn debug_report_message(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    kind: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    code: i32,
    prefix: *const c_char,
    text: *const c_char,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let report = Report { flags, kind, object, location, code, prefix, text };
        instance_of(instance.as_raw()).logger.listeners.report(report);
    }
}

/// vkCreateDebugUtilsMessengerEXT.
///
/// # Safety
/// As above.
pub unsafe extern "system" fn create_debug_utils_messenger(
    instance: vk::Instance,
    info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    callbacks: *const Callbacks<'_>,
    out: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let instance = instance_of(instance.as_raw());
        let drivers =
            (instance.driver.create_debug_utils_messenger, instance.driver.destroy_debug_utils_messenger);
        create(instance, drivers, info.as_ref().map(Listener::messenger), info.cast(), callbacks, out)
    }
}

/// vkDestroyDebugUtilsMessengerEXT.
///
/// # Safety
/// As above.
pub unsafe extern "system" fn destroy_debug_utils_messenger(
    instance: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    callbacks: *const Callbacks<'_>,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        let instance = instance_of(instance.as_raw());
        destroy(instance, instance.driver.destroy_debug_utils_messenger, messenger, callbacks);
    }
}

/// vkSubmitDebugUtilsMessageEXT.
///
/// # Safety
/// As above.
pub unsafe extern "system" fn submit_debug_utils_message(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    // SAFETY: the caller vouches for the parameters.
    unsafe {
        if let Some(data) = data.as_ref() {
            instance_of(instance.as_raw()).logger.listeners.submit(severity, types, data);
        }
    }
}

/// Makes the driver's object, if it can have one, and then ours. The functions are the driver's for creating and destroying.
unsafe fn create<I, H: Handle + Copy>(
    instance: &Instance,
    drivers: (Option<CreateFn<I, H>>, Option<DestroyFn<H>>),
    listener: Option<Listener>,
    info: *const I,
    callbacks: *const Callbacks<'_>,
    out: *mut H,
) -> vk::Result {
    let (Some(listener), false) = (listener, out.is_null()) else {
        instance.logger.log(
            Level::Error,
            Topic::Usage,
            format_args!("{:?}: neither the create info nor the place of the handle may be NULL", H::TYPE),
        );
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the caller vouches for the parameters; the functions are the driver's for this kind of object.
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

unsafe fn make<H>(
    instance: &Instance,
    listener: Listener,
    of_driver: H,
    callbacks: *const Callbacks<'_>,
) -> Result<Box<Callback<H>, Application>, OutOfMemory> {
    // SAFETY: the caller vouches for the callbacks.
    let memory = unsafe { instance.allocator.or(callbacks, vk::SystemAllocationScope::OBJECT) };
    let mut object = Box::try_new_in(Callback { listener: 0, of_driver, memory }, memory)?;
    object.listener = instance.logger.listeners.add(listener)?;
    Ok(object)
}

unsafe fn destroy<H: Handle + Copy>(
    instance: &Instance,
    drivers: Option<DestroyFn<H>>,
    object: H,
    callbacks: *const Callbacks<'_>,
) {
    let place = core::ptr::with_exposed_provenance_mut::<Callback<H>>(object.as_raw() as usize);
    // SAFETY: the application vouches for the handle, and that nobody else uses it; `create` leaked the box.
    unsafe {
        let Some(&Callback { listener, of_driver, memory }) = place.as_ref() else { return };
        instance.logger.listeners.remove(listener);
        destroy_drivers(instance, drivers, of_driver, callbacks);
        drop(Box::from_raw_in(place, memory));
    }
}

unsafe fn destroy_drivers<H: Handle + Copy>(
    instance: &Instance,
    destroy: Option<DestroyFn<H>>,
    of_driver: H,
    callbacks: *const Callbacks<'_>,
) {
    if let Some(destroy) = destroy.filter(|_| !of_driver.is_null()) {
        // SAFETY: the caller vouches for the function and the object, which are the driver's.
        unsafe { destroy(instance.handle, of_driver, callbacks) };
    }
}
