//! Events. Wait commands return at once: a queue's signal was submitted earlier, and the host is assumed to have set
//! the event in time.

use core::sync::atomic::{AtomicBool, Ordering};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Object, calls, entry_points, vk};

use crate::Null;
use crate::device::device_objects;

struct Event(AtomicBool);

device_objects! { Event = Event }

/// # Safety
/// `event` is a live handle.
unsafe fn put(event: vk::Event, set: bool) {
    // SAFETY: the caller vouches for the handle.
    if let Some(event) = unsafe { Object::<Event>::from_handle(event) } {
        event.0.store(set, Ordering::SeqCst);
    }
}

fn set_event(call: &calls::SetEvent<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe { put(call.event, true) };
    vk::Result::SUCCESS
}

fn reset_event(call: &calls::ResetEvent<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe { put(call.event, false) };
    vk::Result::SUCCESS
}

fn get_event_status(call: &calls::GetEventStatus<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    match unsafe { Object::<Event>::from_handle(call.event) } {
        Some(event) if event.0.load(Ordering::SeqCst) => vk::Result::EVENT_SET,
        _ => vk::Result::EVENT_RESET,
    }
}

fn cmd_set_event_2(call: &calls::CmdSetEvent2<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { put(call.event, true) };
}

fn cmd_reset_event_2(call: &calls::CmdResetEvent2<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { put(call.event, false) };
}

/// The commands of events.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateEvent = |call| {
            let event = Event(AtomicBool::new(false));
            Object::create_command(call.device, call.allocator.as_ptr(), call.event.as_ptr(), event)
        },
        DestroyEvent = |call| Object::<Event>::destroy(call.event, call.allocator.as_ptr()),
        SetEvent = set_event,
        ResetEvent = reset_event,
        GetEventStatus = get_event_status,
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CmdSetEvent2 = cmd_set_event_2,
        CmdResetEvent2 = cmd_reset_event_2,
    }
};
