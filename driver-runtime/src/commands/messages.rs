//! The commands of VK_EXT_debug_utils and VK_EXT_debug_report. Names and tags are in `device::attach`.

use core::ffi::CStr;
use core::marker::PhantomData;

use ash::vk::{self, Handle};
use vkload_core::logger::{Listener, Report};
use vkload_core::memory::OutOfMemory;
use vkload_core::registry::parameter::{In, InOptional, Out};

use crate::dispatch::{EntryPoints, Invariant};
use crate::driver::Driver;
use crate::entry_points;
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

/// Calls `then` with the base of a queue or command buffer and a label for it.
///
/// # Safety
/// A live handle and a valid pointer.
unsafe fn with_label(
    object: impl Handle,
    info: In<'_, vk::DebugUtilsLabelEXT<'_>>,
    then: impl FnOnce(&ObjectBase, &Label<'_>),
) -> Option<()> {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let (base, info) = (ObjectBase::of(object.as_raw())?, info.as_ptr().as_ref()?);
        let name = if info.p_label_name.is_null() { c"" } else { CStr::from_ptr(info.p_label_name) };
        then(base, &Label { name, color: info.color });
    }
    Some(())
}

pub(super) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver; the calls obey the
    // specification. Where NULL is accepted, it is checked.
    unsafe {
        entry_points! {
            CreateDebugUtilsMessengerEXT = |call| {
                let listener = Listener::messenger(&call.create_info);
                create::<D, _>(call.instance, listener, call.allocator, call.messenger)
            },
            DestroyDebugUtilsMessengerEXT = |call| destroy::<D, _>(call.messenger, call.allocator),
            CreateDebugReportCallbackEXT = |call| {
                let listener = Listener::report(&call.create_info);
                create::<D, _>(call.instance, listener, call.allocator, call.callback)
            },
            DestroyDebugReportCallbackEXT = |call| destroy::<D, _>(call.callback, call.allocator),
            // Under a loader, an application's messages stay in the loader; without one, they arrive here.
            SubmitDebugUtilsMessageEXT = |call| {
                let instance = Instance::<D>::from_handle(call.instance)?;
                let data = call.callback_data.as_ptr().as_ref()?;
                let listeners = instance.root().base().listeners();
                listeners.submit(call.message_severity, call.message_types, data);
                Some(())
            },
            DebugReportMessageEXT = |call| {
                let report = Report {
                    flags: call.flags,
                    kind: call.object_type,
                    object: call.object,
                    location: call.location,
                    code: call.message_code,
                    prefix: call.layer_prefix,
                    text: call.message,
                };
                Instance::<D>::from_handle(call.instance)?.root().base().listeners().report(report);
                Some(())
            },
            QueueBeginDebugUtilsLabelEXT = |call| {
                with_label(call.queue, call.label_info, ObjectBase::begin_label)
            },
            QueueEndDebugUtilsLabelEXT = |call| ObjectBase::of(call.queue.as_raw()).map(ObjectBase::end_label),
            QueueInsertDebugUtilsLabelEXT = |call| {
                with_label(call.queue, call.label_info, ObjectBase::insert_label)
            },
            CmdBeginDebugUtilsLabelEXT = |call| {
                with_label(call.command_buffer, call.label_info, ObjectBase::begin_label)
            },
            CmdEndDebugUtilsLabelEXT = |call| {
                ObjectBase::of(call.command_buffer.as_raw()).map(ObjectBase::end_label)
            },
            CmdInsertDebugUtilsLabelEXT = |call| {
                with_label(call.command_buffer, call.label_info, ObjectBase::insert_label)
            },
        }
    }
}
