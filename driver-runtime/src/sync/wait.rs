//! Waiting on the host.

use ash::vk;
use vkload_core::memory::{OutOfMemory, TryGrow, Vec};

use crate::device::Device;
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::object::{ParentMemory, ParentObject};
use crate::sync_object::{Readiness, SyncRef};
use crate::work::HostWait;

/// The maximum sleep, in nanoseconds, before a thread checks whether the device was lost.
const STATUS_INTERVAL: u64 = 100_000_000;

/// Checks the entry with this number of a wait list. Returns whether it was reached; if not, adds it to the list that is
/// passed, if one is.
pub(super) type Check<'a, D> =
    dyn FnMut(usize, Option<&mut PendingWaits<D>>) -> Result<bool, OutOfMemory> + 'a;

pub(super) struct WaitList<'a, D: Driver> {
    pub(super) count: usize,
    /// Whether the wait is for all of them, or any.
    pub(super) all: bool,
    pub(super) check: &'a mut Check<'a, D>,
}

impl<D: Driver> WaitList<'_, D> {
    /// Returns whether the wait is over; if not, `pending` receives the unreached part.
    fn is_over(&mut self, mut pending: Option<&mut PendingWaits<D>>) -> Result<bool, OutOfMemory> {
        let mut reached = 0usize;
        for index in 0..self.count {
            let is_reached = (self.check)(index, pending.as_deref_mut())?;
            match (is_reached, self.all) {
                (true, false) => return Ok(true),
                (true, true) => reached = reached.saturating_add(1),
                // Later entries matter only to callers that want a list.
                (false, true) if pending.is_none() => return Ok(false),
                (false, _) => {}
            }
        }
        Ok(self.all && reached == self.count)
    }
}

/// The unreached part of a wait list.
pub(super) struct PendingWaits<D: DriverTypes> {
    pub(super) objects: Vec<(SyncRef<D>, u64), ParentMemory>,
    /// The driver has not received one of the signals. This process notifies the event count when it has.
    pub(super) not_submitted: bool,
    /// Some awaited changes do not notify the event count.
    pub(super) silent: bool,
}

impl<D: DriverTypes> PendingWaits<D> {
    pub(super) fn new(memory: ParentMemory) -> Self {
        Self { objects: Vec::new_in(memory), not_submitted: false, silent: false }
    }

    /// Clears the list before the next check.
    pub(super) fn clear(&mut self) {
        self.objects.clear();
        (self.not_submitted, self.silent) = (false, false);
    }

    /// Adds a binary object to wait for.
    pub(super) fn add_binary(&mut self, sync: SyncRef<D>) -> Result<(), OutOfMemory> {
        self.not_submitted |= !sync.is_submitted_here();
        self.add(sync, 1)
    }

    /// Adds a value of a driver timeline to wait for.
    pub(super) fn add_timeline(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.not_submitted |= sync.timeline_readiness(value) != Readiness::Ready;
        self.add(sync, value)
    }

    /// Adds an object to wait for, which the driver has received.
    pub(super) fn add(&mut self, sync: SyncRef<D>, value: u64) -> Result<(), OutOfMemory> {
        self.silent |= !sync.wakes();
        self.objects.try_push((sync, value))
    }
}

/// Waits until it is over or `timeout` nanoseconds have passed. In the meantime it advances queued submissions on
/// queues without a thread, since no other thread may do so.
///
/// Returns `SUCCESS`, `TIMEOUT`, `ERROR_OUT_OF_HOST_MEMORY` or `ERROR_DEVICE_LOST`.
pub(super) fn wait<D: Driver>(device: &Device<D>, timeout: u64, mut list: WaitList<'_, D>) -> vk::Result {
    if device.lost().is_err() {
        return vk::Result::ERROR_DEVICE_LOST;
    }
    if list.is_over(None) == Ok(true) {
        return vk::Result::SUCCESS;
    }
    wait_longer(device, timeout, list).unwrap_or_else(Into::into)
}

#[cold]
fn wait_longer<D: Driver>(
    device: &Device<D>,
    timeout: u64,
    mut list: WaitList<'_, D>,
) -> Result<vk::Result, OutOfMemory> {
    let host = D::host();
    let deadline = host.now().saturating_add(timeout);
    let mut pending = PendingWaits::new(device.root().shared_memory());
    let mut turn = 0u32;
    loop {
        // Before any check: later changes notify.
        let waiter = device.event_count().prepare_wait();
        let depends_on_others = device.advance();
        if device.check_status().is_err() {
            return Ok(vk::Result::ERROR_DEVICE_LOST);
        }
        pending.clear();
        if list.is_over(Some(&mut pending))? {
            return Ok(vk::Result::SUCCESS);
        }
        let now = host.now();
        if timeout != u64::MAX && now >= deadline {
            return Ok(vk::Result::TIMEOUT);
        }
        let until = deadline.min(now.saturating_add(STATUS_INTERVAL));
        let wakes = !pending.silent && !depends_on_others;
        if !pending.not_submitted {
            let (objects, all, waiter) = (&*pending.objects, list.all, &waiter);
            D::wait(device, &HostWait { objects, all, deadline: until, turn, waiter, wakes });
        } else if wakes {
            waiter.sleep(host, until);
        } else {
            host.wait(turn);
        }
        turn = turn.saturating_add(1);
    }
}

/// Waits for an event that does not notify the event count, or for the loss of the device.
pub(super) fn wait_until<D: Driver>(device: &Device<D>, mut done: impl FnMut() -> bool) -> vk::Result {
    let mut turn = 0u32;
    loop {
        device.advance();
        if device.check_status().is_err() {
            return vk::Result::ERROR_DEVICE_LOST;
        }
        if done() {
            return vk::Result::SUCCESS;
        }
        D::host().wait(turn);
        turn = turn.saturating_add(1);
    }
}
