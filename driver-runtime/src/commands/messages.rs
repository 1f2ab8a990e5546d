//! The commands of VK_EXT_debug_utils and VK_EXT_debug_report. Names and tags are in `device::attach`.

use core::ffi::CStr;
use core::marker::PhantomData;

use ash::vk::{self, Handle};
use vkload_core::logger::{Listener, Report};
use vkload_core::memory::OutOfMemory;
use vkload_core::registry::parameter::{InOptional, Out};

use crate::calls;
use crate::dispatch::Invariant;
use crate::driver::Driver;
use crate::instance::Instance;
use crate::log::Label;
use crate::object::{Object, ObjectBase, ParentObject, VkObject};

/// The common part of both kinds of listeners: a number among the instance's listeners.
struct Listening<D: Driver, H> {
    number: usize,
    kind: Invariant<(D, H)>,
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
    callbacks: InOptional<'_, vk::AllocationCallbacks<'_>>,
    out: Out<'_, H>,
) -> Result<(), OutOfMemory> {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe {
        let instance = Instance::<D>::from_handle(instance).ok_or(OutOfMemory)?;
        let listeners = instance.root().base().listeners();
        let number = listeners.add(listener)?;
        let listening = Listening::<D, H> { number, kind: PhantomData };
        let object = Object::create(instance, callbacks.as_ptr(), listening)
            .inspect_err(|_| listeners.remove(number))?;
        out.write(object.into_handle());
    }
    Ok(())
}

/// # Safety
/// As specified for the two commands that destroy such objects.
unsafe fn destroy<D: Driver, H: Handle + Copy + 'static>(
    handle: H,
    callbacks: InOptional<'_, vk::AllocationCallbacks<'_>>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe {
        let Some(object) = Object::<Listening<D, H>>::from_handle(handle) else { return };
        object.base().listeners().remove(object.number);
        Object::<Listening<D, H>>::destroy(handle, callbacks.as_ptr());
    }
}

pub(super) fn create_messenger<D: Driver>(
    call: &calls::CreateDebugUtilsMessengerEXT<'_>,
) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    unsafe {
        create::<D, _>(call.instance, Listener::messenger(&call.create_info), call.allocator, call.messenger)
    }
}

pub(super) fn destroy_messenger<D: Driver>(call: &calls::DestroyDebugUtilsMessengerEXT<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { destroy::<D, _>(call.messenger, call.allocator) };
}

pub(super) fn create_report_callback<D: Driver>(
    call: &calls::CreateDebugReportCallbackEXT<'_>,
) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    unsafe {
        create::<D, _>(call.instance, Listener::report(&call.create_info), call.allocator, call.callback)
    }
}

pub(super) fn destroy_report_callback<D: Driver>(call: &calls::DestroyDebugReportCallbackEXT<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { destroy::<D, _>(call.callback, call.allocator) };
}

/// Sends an application's message. Under a loader such messages stay in the loader; without one, they arrive here.
pub(super) fn submit_message<D: Driver>(call: &calls::SubmitDebugUtilsMessageEXT<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, but for NULL; the data is valid for a callback.
    unsafe {
        let instance = Instance::<D>::from_handle(call.instance)?;
        let data = call.callback_data.as_ptr().as_ref()?;
        instance.root().base().listeners().submit(call.message_severity, call.message_types, data);
    }
    Some(())
}

pub(super) fn report_message<D: Driver>(call: &calls::DebugReportMessageEXT<'_>) -> Option<()> {
    let report = Report {
        flags: call.flags,
        kind: call.object_type,
        object: call.object,
        location: call.location,
        code: call.message_code,
        prefix: call.layer_prefix,
        text: call.message,
    };
    // SAFETY: the call obeys the specification.
    unsafe { Instance::<D>::from_handle(call.instance)?.root().base().listeners().report(report) };
    Some(())
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
    ($($handle:ident: $begin:ident $begin_command:ident, $end:ident $end_command:ident, $insert:ident $insert_command:ident;)*) => {$(
        pub(super) fn $begin(call: &calls::$begin_command<'_>) -> Option<()> {
            // SAFETY: the call obeys the specification.
            let (base, label) = unsafe { labelled(call.$handle, call.label_info.as_ptr())? };
            base.begin_label(&label);
            Some(())
        }

        pub(super) fn $end(call: &calls::$end_command<'_>) -> Option<()> {
            // SAFETY: the call obeys the specification.
            unsafe { ObjectBase::of(call.$handle.as_raw())? }.end_label();
            Some(())
        }

        pub(super) fn $insert(call: &calls::$insert_command<'_>) -> Option<()> {
            // SAFETY: the call obeys the specification.
            let (base, label) = unsafe { labelled(call.$handle, call.label_info.as_ptr())? };
            base.insert_label(&label);
            Some(())
        }
    )*};
}

labels! {
    queue: queue_begin QueueBeginDebugUtilsLabelEXT, queue_end QueueEndDebugUtilsLabelEXT,
        queue_insert QueueInsertDebugUtilsLabelEXT;
    command_buffer: commands_begin CmdBeginDebugUtilsLabelEXT, commands_end CmdEndDebugUtilsLabelEXT,
        commands_insert CmdInsertDebugUtilsLabelEXT;
}
