//! Semaphores: binary, and timelines of the driver or the runtime.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{OutOfMemory, UninitArc};

use super::payload::Payloads;
use super::timeline::{SharedTimeline, Timeline, ValueState};
use super::wait::{PendingWaits, WaitList, wait};
use crate::calls;
use crate::device::{Device, device_object};
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::object::{Object, ParentObject};
use crate::sync_object::{HandleKinds, Purpose, SyncRef, TimelineMode};

/// A semaphore: binary, or a timeline of the driver or the runtime.
pub(crate) enum Semaphore<D: DriverTypes> {
    Binary(Payloads<D>),
    Timeline(Payloads<D>),
    Emulated(SharedTimeline<D>),
}

impl<D: DriverTypes> Semaphore<D> {
    /// Returns the payloads and their purpose. An emulated semaphore has none, since it cannot be shared.
    pub(crate) fn payloads(&self) -> Option<(&Payloads<D>, Purpose)> {
        match self {
            Self::Binary(payloads) => Some((payloads, Purpose::Semaphore)),
            Self::Timeline(payloads) => Some((payloads, Purpose::Timeline)),
            Self::Emulated(_) => None,
        }
    }

    /// Returns whether a timeline has reached the value. If not, adds the missing signal to `pending`.
    pub(crate) fn has_reached(
        &self,
        value: u64,
        pending: Option<&mut PendingWaits<D>>,
    ) -> Result<bool, OutOfMemory> {
        if self.value() >= value {
            return Ok(true);
        }
        let Some(pending) = pending else { return Ok(false) };
        match self {
            Self::Binary(payloads) => pending.add_binary(payloads.active())?,
            Self::Timeline(payloads) => pending.add_timeline(payloads.active(), value)?,
            Self::Emulated(timeline) => match timeline.state_of(value) {
                ValueState::Reached => return Ok(true),
                ValueState::Submitted(sync) => pending.add(sync, 1)?,
                ValueState::NotSubmitted => pending.not_submitted = true,
            },
        }
        Ok(false)
    }

    pub(crate) fn value(&self) -> u64 {
        match self {
            Self::Binary(payloads) | Self::Timeline(payloads) => payloads.value(),
            Self::Emulated(timeline) => timeline.value(),
        }
    }
}

device_object! { <D: DriverTypes> Semaphore<D> = Semaphore }

impl<D: Driver> Semaphore<D> {
    /// Creates a semaphore whose type has all these handles, or returns `ERROR_UNKNOWN` if no type has them: as for
    /// fences.
    fn new(
        device: &Device<D>,
        purpose: Purpose,
        exports: HandleKinds,
        initial: u64,
    ) -> Result<Self, vk::Result> {
        let kind = device.sync_types().choose(purpose, HandleKinds::NONE, exports);
        let kind = kind.ok_or(vk::Result::ERROR_UNKNOWN)?;
        if purpose == Purpose::Timeline && device.sync_types().timeline_mode() == TimelineMode::Emulated {
            let memory = device.root().shared_memory();
            return Ok(Self::Emulated(UninitArc::try_new_in(memory)?.fill(Timeline::new(memory, initial))));
        }
        let payloads = Payloads::new(SyncRef::create(device, kind, initial)?);
        Ok(if purpose == Purpose::Timeline { Self::Timeline(payloads) } else { Self::Binary(payloads) })
    }
}

pub(super) fn create_semaphore<D: Driver>(call: &calls::CreateSemaphore<'_>) -> Result<(), vk::Result> {
    let info = &call.create_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        let (purpose, initial) = purpose(info.p_next);
        let exports = chain::find::<vk::ExportSemaphoreCreateInfo<'_>>(info.p_next)
            .map_or(Some(HandleKinds::NONE), |info| HandleKinds::of_semaphore(info.handle_types));
        let exports = exports.ok_or(vk::Result::ERROR_UNKNOWN)?;
        let semaphore = Semaphore::new(device, purpose, exports, initial)?;
        Ok(Object::create_handle(device, call.allocator.as_ptr(), call.semaphore.as_ptr(), semaphore)?)
    }
}

/// Returns a semaphore's purpose and its first value.
///
/// # Safety
/// `chain` begins a pNext chain.
pub(super) unsafe fn purpose(chain: *const core::ffi::c_void) -> (Purpose, u64) {
    // SAFETY: the caller vouches for the chain.
    match unsafe { chain::find::<vk::SemaphoreTypeCreateInfo<'_>>(chain) } {
        Some(info) if info.semaphore_type == vk::SemaphoreType::TIMELINE => {
            (Purpose::Timeline, info.initial_value)
        }
        _ => (Purpose::Semaphore, 0),
    }
}

pub(super) fn get_semaphore_counter_value<D: Driver>(
    call: &calls::GetSemaphoreCounterValue<'_>,
) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification.
    let (device, semaphore) = unsafe {
        (Device::<D>::from_handle(call.device), Object::<Semaphore<D>>::from_handle(call.semaphore))
    };
    let device = device.ok_or(vk::Result::ERROR_DEVICE_LOST)?;
    device.advance();
    device.lost()?;
    call.value.write(semaphore.map_or(0, |semaphore| semaphore.value()));
    Ok(())
}

pub(super) fn signal_semaphore<D: Driver>(call: &calls::SignalSemaphore<'_>) -> Result<(), vk::Result> {
    let info = &call.signal_info;
    // SAFETY: the call obeys the specification.
    let (device, semaphore) = unsafe {
        (Device::<D>::from_handle(call.device), Object::<Semaphore<D>>::from_handle(info.semaphore))
    };
    let device = device.ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    match semaphore.map(|semaphore| &**semaphore) {
        Some(Semaphore::Binary(payloads) | Semaphore::Timeline(payloads)) => {
            payloads.active().signal(info.value);
        }
        Some(Semaphore::Emulated(timeline)) => {
            timeline.signal(info.value);
            device.event_count().notify(D::host);
        }
        None => {}
    }
    device.flush();
    Ok(())
}

pub(super) fn wait_semaphores<D: Driver>(call: &calls::WaitSemaphores<'_>) -> vk::Result {
    let info = &call.wait_info;
    // SAFETY: the call obeys the specification: live handles in counted arrays.
    unsafe {
        let Some(device) = Device::<D>::from_handle(call.device) else {
            return vk::Result::ERROR_DEVICE_LOST;
        };
        let check = &mut |index: usize, pending: Option<&mut PendingWaits<D>>| {
            let semaphore = Object::<Semaphore<D>>::from_handle(info.p_semaphores.add(index).read());
            let Some(semaphore) = semaphore else { return Ok(false) };
            semaphore.has_reached(info.p_values.add(index).read(), pending)
        };
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        wait(device, call.timeout, WaitList { count: info.semaphore_count as usize, all, check })
    }
}
