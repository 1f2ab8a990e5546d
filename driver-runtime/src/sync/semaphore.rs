//! Semaphores.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use loader_core::abi::chain;

use super::timeline::{Reach, Timeline};
use super::waiting::wait;
use super::{Primitive, TimelineMode};
use crate::device::Device;
use crate::driver::Driver;
use crate::object::{Object, VkObject};
use crate::result::SubmitError;

/// What is kept of a semaphore.
pub(crate) enum Semaphore<D: Driver> {
    /// A binary semaphore.
    Binary {
        sync: D::Sync,
        /// How many signals the driver was given that no wait has used up. Only counted where submissions are held back.
        promised: AtomicU32,
    },
    /// A timeline of the driver.
    Timeline(D::Sync),
    /// A timeline of the runtime.
    Emulated(Timeline<D>),
}

impl<D: Driver> VkObject for Semaphore<D> {
    type Handle = vk::Semaphore;
    type Parent = Device<D>;
}

impl<D: Driver> Semaphore<D> {
    fn new(device: &Device<D>, kind: vk::SemaphoreType, initial: u64) -> Result<Self, SubmitError> {
        let types = device.sync_types();
        let make = |kind: Option<usize>, initial| {
            kind.ok_or(SubmitError::OutOfDeviceMemory).and_then(|kind| D::create_sync(device, kind, initial))
        };
        if kind != vk::SemaphoreType::TIMELINE {
            return Ok(Self::Binary { sync: make(types.semaphore(), 0)?, promised: AtomicU32::new(0) });
        }
        match types.timeline_mode() {
            TimelineMode::Emulated => Ok(Self::Emulated(Timeline::new(initial))),
            _ => Ok(Self::Timeline(make(types.timeline(), initial)?)),
        }
    }

    /// The value of a timeline.
    fn value(&self) -> u64 {
        match self {
            Self::Binary { sync, .. } | Self::Timeline(sync) => sync.value(),
            Self::Emulated(timeline) => timeline.value(),
        }
    }

    /// Whether the driver was given everything that a wait for the value needs.
    pub(super) fn is_submitted(&self, value: u64) -> bool {
        match self {
            Self::Binary { promised, .. } => promised.load(Ordering::Acquire) > 0,
            Self::Timeline(sync) => sync.is_pending(value),
            Self::Emulated(timeline) => !matches!(timeline.reach(value), Reach::NotSubmitted),
        }
    }
}

/// # Safety
/// As the specification has it for `vkCreateSemaphore`.
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
        let (kind, initial) = chain::find::<vk::SemaphoreTypeCreateInfo<'_>>((*info).p_next)
            .map_or((vk::SemaphoreType::BINARY, 0), |info| (info.semaphore_type, info.initial_value));
        let semaphore = match Semaphore::new(device, kind, initial) {
            Ok(semaphore) => semaphore,
            Err(error) => return error.into(),
        };
        match Object::create(device, callbacks, semaphore) {
            Ok(semaphore) => out.write(semaphore.into_handle()),
            Err(error) => return error.into(),
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As the specification has it for `vkDestroySemaphore`.
pub(crate) unsafe extern "system" fn destroy_semaphore<D: Driver>(
    _: vk::Device,
    semaphore: vk::Semaphore,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for handle and callbacks.
    unsafe { Object::<Semaphore<D>>::destroy(semaphore, callbacks) };
}

/// # Safety
/// As the specification has it for `vkGetSemaphoreCounterValue`.
pub(crate) unsafe extern "system" fn get_semaphore_counter_value<D: Driver>(
    device: vk::Device,
    semaphore: vk::Semaphore,
    out: *mut u64,
) -> vk::Result {
    // SAFETY: the caller vouches for handles and pointer.
    unsafe {
        if Device::<D>::from_handle(device).is_none_or(|device| device.lost().is_err()) {
            return vk::Result::ERROR_DEVICE_LOST;
        }
        out.write(Object::<Semaphore<D>>::from_handle(semaphore).map_or(0, |semaphore| semaphore.value()));
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As the specification has it for `vkSignalSemaphore`.
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
                Semaphore::Binary { sync, .. } | Semaphore::Timeline(sync) => sync.signal((*info).value),
                Semaphore::Emulated(timeline) => timeline.signal((*info).value),
            }
        }
        device.flush();
    }
    vk::Result::SUCCESS
}

/// # Safety
/// As the specification has it for `vkWaitSemaphores`.
pub(crate) unsafe extern "system" fn wait_semaphores<D: Driver>(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    // SAFETY: the caller vouches for the handles and counted arrays.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else { return vk::Result::ERROR_DEVICE_LOST };
        let info = &*info;
        wait(device, timeout, || {
            let mut reached = (0..info.semaphore_count as usize).map(|place| {
                let semaphore = info.p_semaphores.add(place).read();
                Object::<Semaphore<D>>::from_handle(semaphore)
                    .is_some_and(|semaphore| semaphore.value() >= info.p_values.add(place).read())
            });
            let any = info.flags.contains(vk::SemaphoreWaitFlags::ANY);
            let done = if any { reached.any(|it| it) } else { reached.all(|it| it) };
            if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}
