//! Semaphores: binary, and timelines of the driver or the runtime.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{OutOfMemory, UninitArc};

use super::payload::Payloads;
use super::timeline::{SharedTimeline, Timeline, ValueState};
use super::wait::{PendingWaits, WaitList, wait};
use crate::device::Device;
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::object::{Object, ParentObject, VkObject};
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

// SAFETY: no other type is behind such handles.
unsafe impl<D: DriverTypes> VkObject for Semaphore<D> {
    type Handle = vk::Semaphore;
    type Parent = Device<D>;
}

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

/// # Safety
/// As specified for `vkCreateSemaphore`.
pub(crate) unsafe extern "system" fn create_semaphore<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let (purpose, initial) = purpose((*info).p_next);
        let exports = chain::find::<vk::ExportSemaphoreCreateInfo<'_>>((*info).p_next)
            .map_or(Some(HandleKinds::NONE), |info| HandleKinds::of_semaphore(info.handle_types));
        let made = exports.ok_or(vk::Result::ERROR_UNKNOWN);
        let made = made.and_then(|exports| Semaphore::new(device, purpose, exports, initial));
        let made = made.and_then(|semaphore| {
            Object::<Semaphore<D>>::create(device, callbacks, semaphore).map_err(Into::into)
        });
        match made {
            Ok(semaphore) => out.write(semaphore.into_handle()),
            Err(error) => return error,
        }
    }
    vk::Result::SUCCESS
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

/// # Safety
/// As specified for `vkDestroySemaphore`.
pub(crate) unsafe extern "system" fn destroy_semaphore<D: Driver>(
    _: vk::Device,
    semaphore: vk::Semaphore,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<Semaphore<D>>::destroy(semaphore, callbacks) };
}

/// # Safety
/// As specified for `vkGetSemaphoreCounterValue`.
pub(crate) unsafe extern "system" fn get_semaphore_counter_value<D: Driver>(
    device: vk::Device,
    semaphore: vk::Semaphore,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointer.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else { return vk::Result::ERROR_DEVICE_LOST };
        device.advance();
        if device.lost().is_err() {
            return vk::Result::ERROR_DEVICE_LOST;
        }
        out.write(Object::<Semaphore<D>>::from_handle(semaphore).map_or(0, |semaphore| semaphore.value()));
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for `vkSignalSemaphore`.
pub(crate) unsafe extern "system" fn signal_semaphore<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreSignalInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointer.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        if let Some(semaphore) = Object::<Semaphore<D>>::from_handle((*info).semaphore) {
            match &**semaphore {
                Semaphore::Binary(payloads) | Semaphore::Timeline(payloads) => {
                    payloads.active().signal((*info).value);
                }
                Semaphore::Emulated(timeline) => {
                    timeline.signal((*info).value);
                    device.event_count().notify(D::host);
                }
            }
        }
        device.flush();
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As specified for `vkWaitSemaphores`.
pub(crate) unsafe extern "system" fn wait_semaphores<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles and counted arrays.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else { return vk::Result::ERROR_DEVICE_LOST };
        let info = &*info;
        let check = &mut |index: usize, pending: Option<&mut PendingWaits<D>>| {
            let semaphore = Object::<Semaphore<D>>::from_handle(info.p_semaphores.add(index).read());
            let Some(semaphore) = semaphore else { return Ok(false) };
            semaphore.has_reached(info.p_values.add(index).read(), pending)
        };
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        wait(device, timeout, WaitList { count: info.semaphore_count as usize, all, check })
    }
}
