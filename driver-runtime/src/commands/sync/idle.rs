//! Waiting until queues have done everything.

use ash::vk;

use super::waiting::{Awaited, wait, wait_until};
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::Object;
use crate::result::SubmitError;
use crate::sync::{HandleKinds, Pending, Purpose, Submissions, SyncRef};

/// # Safety
/// As specified for `vkQueueWaitIdle`.
pub(crate) unsafe extern "system" fn queue_wait_idle<D: Driver>(queue: vk::Queue) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    match unsafe { Object::from_handle(queue) } {
        Some(queue) => wait_idle::<D>(queue),
        None => vk::Result::ERROR_DEVICE_LOST,
    }
}

/// Waits for every queue, and returns the first error.
///
/// # Safety
/// As specified for `vkDeviceWaitIdle`.
pub(crate) unsafe extern "system" fn device_wait_idle<D: Driver>(device: vk::Device) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    let Some(device) = (unsafe { Device::<D>::from_handle(device) }) else {
        return vk::Result::ERROR_DEVICE_LOST;
    };
    let mut first = vk::Result::SUCCESS;
    for queue in device.queues() {
        let result = wait_idle::<D>(queue);
        if first == vk::Result::SUCCESS {
            first = result;
        }
    }
    first
}

/// Submits nothing but a signal, and waits for that.
fn wait_idle<D: Driver>(queue: &Queue<D>) -> vk::Result {
    let device = queue.parent();
    let Some(kind) = device.sync_types().choose(Purpose::Idle, HandleKinds::NONE, HandleKinds::NONE) else {
        return wait_until(device, || queue.pipeline().is_empty());
    };
    let signal = || -> Result<SyncRef<D>, SubmitError> {
        let sync = match queue.pipeline().take_idle() {
            Some(sync) => sync,
            None => SyncRef::create(device, kind, 0)?,
        };
        let mut list = Submissions::new();
        list.push(queue.submission()?);
        super::submit::submit_all(queue, list, Some(sync.clone()))?;
        Ok(sync)
    };
    let sync = match signal() {
        Ok(sync) => sync,
        Err(error) => return error.into(),
    };
    let look = &mut |_: usize, pending: Option<&mut Pending<D>>| {
        let is_reached = sync.current() != 0;
        if let (false, Some(pending)) = (is_reached, pending) {
            pending.add_binary(sync.clone())?;
        }
        Ok(is_reached)
    };
    let result = wait(device, u64::MAX, Awaited { count: 1, all: true, look });
    queue.pipeline().free_done();
    queue.pipeline().keep_idle(sync);
    result
}
