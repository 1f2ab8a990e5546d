//! The commands of VK_EXT_debug_utils and VK_EXT_debug_report. Names and tags are in `device::attach`.

use core::ffi::{CStr, c_char};
use core::marker::PhantomData;

use ash::vk::{self, Handle};
use vkload_core::logger::{Listener, Report};

use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::entry_points;
use crate::instance::Instance;
use crate::log::Label;
use crate::object::{Object, ObjectBase, ParentObject, VkObject};

/// The common part of both kinds of listeners: a number among the instance's listeners.
struct Listening<D: Driver, H> {
    number: usize,
    kind: PhantomData<(D, fn() -> H)>,
}

// SAFETY: no other type is behind such handles.
unsafe impl<D: Driver, H: Handle + Copy + 'static> VkObject for Listening<D, H> {
    type Handle = H;
    type Parent = Instance<D>;
}

/// # Safety
/// As the specification requires for the two commands that create such objects; the listener is built from their
/// parameters.
unsafe fn create<D: Driver, H: Handle + Copy + 'static>(
    instance: vk::Instance,
    listener: Listener,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut H,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(instance) = Instance::<D>::from_handle(instance) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let listeners = instance.root().base().listeners();
        let made = listeners.add(listener).and_then(|number| {
            Object::create(instance, callbacks, Listening::<D, H> { number, kind: PhantomData })
                .inspect_err(|_| listeners.remove(number))
        });
        match made {
            Ok(object) => out.write(object.into_handle()),
            Err(error) => return error.into(),
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for the two commands that destroy such objects.
unsafe fn destroy<D: Driver, H: Handle + Copy + 'static>(
    handle: H,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe {
        let Some(object) = Object::<Listening<D, H>>::from_handle(handle) else { return };
        object.base().listeners().remove(object.number);
        Object::<Listening<D, H>>::destroy(handle, callbacks);
    }
}

unsafe extern "system" fn create_messenger<D: Driver>(
    instance: vk::Instance,
    info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create::<D, _>(instance, Listener::messenger(&*info), callbacks, out) }
}

unsafe extern "system" fn destroy_messenger<D: Driver>(
    _: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { destroy::<D, _>(messenger, callbacks) };
}

unsafe extern "system" fn create_report_callback<D: Driver>(
    instance: vk::Instance,
    info: *const vk::DebugReportCallbackCreateInfoEXT<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DebugReportCallbackEXT,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { create::<D, _>(instance, Listener::report(&*info), callbacks, out) }
}

unsafe extern "system" fn destroy_report_callback<D: Driver>(
    _: vk::Instance,
    callback: vk::DebugReportCallbackEXT,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { destroy::<D, _>(callback, callbacks) };
}

/// Sends an application's message. Under a loader such messages stay in the loader; without one, they arrive here.
unsafe extern "system" fn submit_message<D: Driver>(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    // SAFETY: the caller passes a live handle and data that is valid for a callback.
    unsafe {
        if let (Some(instance), Some(data)) = (Instance::<D>::from_handle(instance), data.as_ref()) {
            instance.root().base().listeners().submit(severity, types, data);
        }
    }
}

unsafe extern "system" fn report_message<D: Driver>(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    kind: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    code: i32,
    prefix: *const c_char,
    text: *const c_char,
) {
    // SAFETY: the caller passes a live handle and C strings.
    unsafe {
        let Some(instance) = Instance::<D>::from_handle(instance) else { return };
        let report = Report { flags, kind, object, location, code, prefix, text };
        instance.root().base().listeners().report(report);
    }
}

/// Returns the base of a queue or command buffer and a label for it.
///
/// # Safety
/// A live handle and a valid pointer.
unsafe fn labelled<'a>(
    object: impl Handle,
    info: *const vk::DebugUtilsLabelEXT<'a>,
) -> Option<(&'a ObjectBase, Label<'a>)> {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let (base, info) = (ObjectBase::of(object.as_raw())?, info.as_ref()?);
        let name = if info.p_label_name.is_null() { c"" } else { CStr::from_ptr(info.p_label_name) };
        Some((base, Label { name, color: info.color }))
    }
}

/// The commands are the same for queues and command buffers: both label an object.
macro_rules! labels {
    ($($begin:ident, $end:ident, $insert:ident: $handle:ty;)*) => {$(
        unsafe extern "system" fn $begin(object: $handle, info: *const vk::DebugUtilsLabelEXT<'_>) {
            // SAFETY: the caller passes a live handle and a valid pointer.
            if let Some((base, label)) = unsafe { labelled(object, info) } {
                base.begin_label(&label);
            }
        }

        unsafe extern "system" fn $end(object: $handle) {
            // SAFETY: the caller passes a live handle.
            if let Some(base) = unsafe { ObjectBase::of(object.as_raw()) } {
                base.end_label();
            }
        }

        unsafe extern "system" fn $insert(object: $handle, info: *const vk::DebugUtilsLabelEXT<'_>) {
            // SAFETY: the caller passes a live handle and a valid pointer.
            if let Some((base, label)) = unsafe { labelled(object, info) } {
                base.insert_label(&label);
            }
        }
    )*};
}

labels! {
    queue_begin, queue_end, queue_insert: vk::Queue;
    commands_begin, commands_end, commands_insert: vk::CommandBuffer;
}

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CREATE_DEBUG_UTILS_MESSENGER_EXT: PFN_vkCreateDebugUtilsMessengerEXT = create_messenger::<D>,
            DESTROY_DEBUG_UTILS_MESSENGER_EXT: PFN_vkDestroyDebugUtilsMessengerEXT = destroy_messenger::<D>,
            SUBMIT_DEBUG_UTILS_MESSAGE_EXT: PFN_vkSubmitDebugUtilsMessageEXT = submit_message::<D>,
            CREATE_DEBUG_REPORT_CALLBACK_EXT: PFN_vkCreateDebugReportCallbackEXT = create_report_callback::<D>,
            DESTROY_DEBUG_REPORT_CALLBACK_EXT: PFN_vkDestroyDebugReportCallbackEXT = destroy_report_callback::<D>,
            DEBUG_REPORT_MESSAGE_EXT: PFN_vkDebugReportMessageEXT = report_message::<D>,
            QUEUE_BEGIN_DEBUG_UTILS_LABEL_EXT: PFN_vkQueueBeginDebugUtilsLabelEXT = queue_begin,
            QUEUE_END_DEBUG_UTILS_LABEL_EXT: PFN_vkQueueEndDebugUtilsLabelEXT = queue_end,
            QUEUE_INSERT_DEBUG_UTILS_LABEL_EXT: PFN_vkQueueInsertDebugUtilsLabelEXT = queue_insert,
            CMD_BEGIN_DEBUG_UTILS_LABEL_EXT: PFN_vkCmdBeginDebugUtilsLabelEXT = commands_begin,
            CMD_END_DEBUG_UTILS_LABEL_EXT: PFN_vkCmdEndDebugUtilsLabelEXT = commands_end,
            CMD_INSERT_DEBUG_UTILS_LABEL_EXT: PFN_vkCmdInsertDebugUtilsLabelEXT = commands_insert,
        }
    }
}
