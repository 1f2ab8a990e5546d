//! Waiting until queues have done everything.

use core::ops::ControlFlow;

use ash::vk;
use loader_core::memory::Counted;

use super::Primitive;
use super::submit::{Finish, Submission};
use super::waiting::wait;
use crate::device::{Device, Queue};
use crate::driver::Driver;
use crate::object::Object;

/// # Safety
/// As the specification has it for `vkQueueWaitIdle`.
pub(crate) unsafe extern "system" fn queue_wait_idle<D: Driver>(queue: vk::Queue) -> vk::Result {
    // SAFETY: the caller vouches for the handle.
    match unsafe { Object::from_handle(queue) } {
        Some(queue) => wait_idle::<D>(queue),
        None => vk::Result::ERROR_DEVICE_LOST,
    }
}

/// Every queue is waited for; the first error counts.
///
/// # Safety
/// As the specification has it for `vkDeviceWaitIdle`.
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
    let Some(kind) = device.sync_types().fence() else { return vk::Result::SUCCESS };
    let sync = D::create_sync(device, kind, 0).map_err(vk::Result::from);
    let made = sync.and_then(|sync| Counted::try_new(sync).map_err(vk::Result::from));
    let sync = match made {
        Ok(sync) => sync,
        Err(error) => return error,
    };
    let submission = Submission::ending_with(Finish::Idle(sync.clone()));
    if let Err(error) = queue.submit_one(submission) {
        return error.into();
    }
    wait(
        device,
        u64::MAX,
        || {
            if sync.value() == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )
}
