//! Events, for drivers whose queues set them and wait for them on the host's processors.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk;

use crate::device::device_object;
use crate::dispatch::{EntryPoints, Invariant};
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::entry_points;
use crate::object::Object;

/// An event.
pub struct Event<D: DriverTypes> {
    /// 1 while it is set.
    state: AtomicU32,
    of: Invariant<D>,
}

device_object! { <D: DriverTypes> Event<D> = Event }

/// The longest sleep before the device is looked at again, in nanoseconds.
const NAP: u64 = 100_000_000;

impl<D: DriverTypes> Event<D> {
    /// Returns whether it is set.
    pub fn is_set(&self) -> bool {
        self.state.load(Ordering::Acquire) != 0
    }

    /// Sets it, and wakes the threads that wait for it.
    pub fn set(&self) {
        self.state.swap(1, Ordering::AcqRel);
        D::host().wake(&self.state);
    }

    /// Resets it.
    pub fn reset(&self) {
        self.state.swap(0, Ordering::AcqRel);
    }
}

impl<D: DriverTypes> Object<Event<D>> {
    /// Sleeps until it is set or the device is lost.
    pub fn wait(&self) {
        while !self.is_set() && self.parent().lost_reason().is_none() {
            D::host().sleep_until(&self.state, 0, D::host().now().saturating_add(NAP));
        }
    }
}

/// Calls `then` with the event of a handle.
///
/// # Safety
/// The handle is live.
unsafe fn with<D: DriverTypes>(event: vk::Event, then: impl FnOnce(&Object<Event<D>>)) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::from_handle(event) }.map(then);
    vk::Result::SUCCESS
}

/// Returns the commands of events, for [`Driver::COMMANDS`].
#[must_use]
pub const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreateEvent = |call| {
                let event = Event::<D> { state: AtomicU32::new(0), of: PhantomData };
                Object::create_command(call.device, call.allocator.as_ptr(), call.event.as_ptr(), event)
            },
            DestroyEvent = |call| Object::<Event<D>>::destroy(call.event, call.allocator.as_ptr()),
            GetEventStatus = |call| {
                let is_set = Object::<Event<D>>::from_handle(call.event).is_some_and(|event| event.is_set());
                if is_set { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET }
            },
            SetEvent = |call| with::<D>(call.event, |event| event.set()),
            ResetEvent = |call| with::<D>(call.event, |event| event.reset()),
        }
    }
}

/// Returns the recorded commands of events, for drivers with [recorded](crate::command_buffer::Recording) command buffers
/// whose queues have [threads](Driver::submits_slowly): waiting on the application's own thread would wait for ever.
#[must_use]
pub const fn recorded<D: Driver>() -> EntryPoints<D> {
    // SAFETY: as above.
    unsafe {
        entry_points! {
            CmdSetEvent2 = |call| _ = with::<D>(call.event, |event| event.set()),
            CmdResetEvent2 = |call| _ = with::<D>(call.event, |event| event.reset()),
            CmdWaitEvents2 = |call| {
                call.events().iter().for_each(|event| _ = with::<D>(*event, |event| event.wait()));
            },
        }
    }
}
