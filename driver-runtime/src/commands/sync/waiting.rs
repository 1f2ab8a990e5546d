//! Waiting on the host.

use ash::vk;
use loader_core::memory::OutOfMemory;

use crate::device::Device;
use crate::driver::Driver;
use crate::object::ParentObject;
use crate::sync::{HostWait, Pending};

/// The maximum sleep, in nanoseconds, before a thread checks whether the device was lost.
const STATUS_INTERVAL: u64 = 100_000_000;

/// Looks at one of several things that are waited for. Returns whether it was reached; if not, it is noted in the list that is
/// passed, if one is.
pub(super) type Look<'a, D> = dyn FnMut(usize, Option<&mut Pending<D>>) -> Result<bool, OutOfMemory> + 'a;

/// Several things that are waited for.
pub(super) struct Awaited<'a, D: Driver> {
    pub(super) count: usize,
    /// Whether all of them are waited for, or any.
    pub(super) all: bool,
    pub(super) look: &'a mut Look<'a, D>,
}

impl<D: Driver> Awaited<'_, D> {
    /// Returns whether the wait is over; if not, `pending` receives the unreached part.
    fn is_over(&mut self, mut pending: Option<&mut Pending<D>>) -> Result<bool, OutOfMemory> {
        let mut reached = 0usize;
        for place in 0..self.count {
            let is_reached = (self.look)(place, pending.as_deref_mut())?;
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

/// Waits until it is over or `timeout` nanoseconds have passed. In the meantime it advances held submissions on
/// queues without a thread, since no other thread may do so.
///
/// Returns `SUCCESS`, `TIMEOUT`, `ERROR_OUT_OF_HOST_MEMORY` or `ERROR_DEVICE_LOST`.
pub(super) fn wait<D: Driver>(device: &Device<D>, timeout: u64, mut awaited: Awaited<'_, D>) -> vk::Result {
    if device.lost().is_err() {
        return vk::Result::ERROR_DEVICE_LOST;
    }
    if awaited.is_over(None) == Ok(true) {
        return vk::Result::SUCCESS;
    }
    wait_longer(device, timeout, awaited).unwrap_or_else(Into::into)
}

#[cold]
fn wait_longer<D: Driver>(
    device: &Device<D>,
    timeout: u64,
    mut awaited: Awaited<'_, D>,
) -> Result<vk::Result, OutOfMemory> {
    let host = D::host();
    let deadline = host.now().saturating_add(timeout);
    let mut pending = Pending::new(device.root().shared_memory());
    let mut turn = 0u32;
    loop {
        // Listen before any check: later changes ring.
        let listener = device.bell().listen();
        let depends_on_others = device.push_held();
        if device.check_status().is_err() {
            return Ok(vk::Result::ERROR_DEVICE_LOST);
        }
        pending.clear();
        if awaited.is_over(Some(&mut pending))? {
            return Ok(vk::Result::SUCCESS);
        }
        let now = host.now();
        if timeout != u64::MAX && now >= deadline {
            return Ok(vk::Result::TIMEOUT);
        }
        let until = deadline.min(now.saturating_add(STATUS_INTERVAL));
        let wakes = !pending.silent && !depends_on_others;
        if !pending.held {
            let (objects, all, listener) = (&*pending.objects, awaited.all, &listener);
            D::wait(device, &HostWait { objects, all, deadline: until, turn, listener, wakes });
        } else if wakes {
            listener.sleep(host, until);
        } else {
            host.wait(turn);
        }
        turn = turn.saturating_add(1);
    }
}

/// Waits for an event that does not ring the bell, or for the loss of the device.
pub(super) fn wait_until<D: Driver>(device: &Device<D>, mut done: impl FnMut() -> bool) -> vk::Result {
    let mut turn = 0u32;
    loop {
        device.push_held();
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
