//! Events, between the host and queues and between queues.

use std::sync::atomic::{AtomicU32, Ordering};

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Device, Driver, Object, VkObject, entry_points, vk};

use crate::Transfer;

/// An event: 1 when it is set.
pub(crate) struct Event(AtomicU32);

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Event {
    type Handle = vk::Event;
    type Parent = Device<Transfer>;
}

impl Event {
    pub(crate) fn put(&self, value: u32) {
        self.0.store(value, Ordering::Release);
        Transfer::host().wake(&self.0);
    }

    /// Sleeps until the event is set.
    pub(crate) fn wait(&self) {
        while self.0.load(Ordering::Acquire) == 0 {
            Transfer::host().sleep(&self.0, 0);
        }
    }
}

unsafe extern "system" fn create_event(
    device: vk::Device,
    _: *const vk::EventCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Event,
) -> vk::Result {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe { Object::create_command(device, callbacks, out, Event(AtomicU32::new(0))) }
}

unsafe extern "system" fn get_event_status(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the application passes a live handle.
    match unsafe { Object::<Event>::from_handle(event) } {
        Some(event) if event.0.load(Ordering::Acquire) != 0 => vk::Result::EVENT_SET,
        _ => vk::Result::EVENT_RESET,
    }
}

/// # Safety
/// The handle is live.
unsafe fn put(event: vk::Event, value: u32) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    if let Some(event) = unsafe { Object::<Event>::from_handle(event) } {
        event.put(value);
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn set_event(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the application passes a live handle.
    unsafe { put(event, 1) }
}

unsafe extern "system" fn reset_event(_: vk::Device, event: vk::Event) -> vk::Result {
    // SAFETY: the application passes a live handle.
    unsafe { put(event, 0) }
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Transfer> = unsafe {
    entry_points! {
        CREATE_EVENT: PFN_vkCreateEvent = create_event,
        DESTROY_EVENT: PFN_vkDestroyEvent = Object::<Event>::destroy_command,
        GET_EVENT_STATUS: PFN_vkGetEventStatus = get_event_status,
        SET_EVENT: PFN_vkSetEvent = set_event,
        RESET_EVENT: PFN_vkResetEvent = reset_event,
    }
};
