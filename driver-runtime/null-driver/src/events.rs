//! Events. Wait commands return at once: a queue's signal was submitted earlier, and the host is assumed to have set
//! the event in time.

use core::sync::atomic::{AtomicBool, Ordering};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::Null;

/// An event, set or not.
struct Event(AtomicBool);

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Event {
    type Handle = vk::Event;
    type Parent = Device<Null>;
}

/// # Safety
/// `event` is a live handle.
unsafe fn put(event: vk::Event, set: bool) {
    // SAFETY: the caller vouches for the handle.
    if let Some(event) = unsafe { Object::<Event>::from_handle(event) } {
        event.0.store(set, Ordering::SeqCst);
    }
}

unsafe extern "system" fn create_event(
    device: vk::Device,
    _: *const vk::EventCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Event,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe { Object::create_command(device, callbacks, out, Event(AtomicBool::new(false))) }
}

unsafe extern "system" fn destroy_event(
    _: vk::Device,
    event: vk::Event,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Event>::destroy(event, callbacks) };
}

unsafe extern "system" fn set_event(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { put(event, true) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn reset_event(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    unsafe { put(event, false) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_event_status(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the caller passes a live handle.
    match unsafe { Object::<Event>::from_handle(event) } {
        Some(event) if event.0.load(Ordering::SeqCst) => vk::Result::EVENT_SET,
        _ => vk::Result::EVENT_RESET,
    }
}

unsafe extern "system" fn cmd_set_event_2(
    _: vk::CommandBuffer,
    event: vk::Event,
    _: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe { put(event, true) };
}

unsafe extern "system" fn cmd_reset_event_2(
    _: vk::CommandBuffer,
    event: vk::Event,
    _: vk::PipelineStageFlags2,
) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe { put(event, false) };
}

/// The commands of events.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_EVENT: PFN_vkCreateEvent = create_event,
        DESTROY_EVENT: PFN_vkDestroyEvent = destroy_event,
        SET_EVENT: PFN_vkSetEvent = set_event,
        RESET_EVENT: PFN_vkResetEvent = reset_event,
        GET_EVENT_STATUS: PFN_vkGetEventStatus = get_event_status,
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CMD_SET_EVENT_2: PFN_vkCmdSetEvent2 = cmd_set_event_2,
        CMD_RESET_EVENT_2: PFN_vkCmdResetEvent2 = cmd_reset_event_2,
    }
};
