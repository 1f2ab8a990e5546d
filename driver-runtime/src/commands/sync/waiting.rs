//! Waiting on the host.

use core::ops::ControlFlow;

use ash::vk;

use crate::device::Device;
use crate::driver::Driver;

/// Waits until `done` breaks or `timeout` nanoseconds have passed. Submissions that are held back without a thread go on
/// meanwhile: nobody else may be there to push them.
///
/// Returns `SUCCESS`, `TIMEOUT` or `ERROR_DEVICE_LOST`.
pub(super) fn wait<D: Driver>(
    device: &Device<D>,
    timeout: u64,
    mut done: impl FnMut() -> ControlFlow<()>,
) -> vk::Result {
    if device.lost().is_err() {
        return vk::Result::ERROR_DEVICE_LOST;
    }
    if done().is_break() {
        return vk::Result::SUCCESS;
    }
    let host = D::host();
    let deadline = host.now().saturating_add(timeout);
    let mut turn = 0u32;
    loop {
        device.push_held();
        if device.check_status().is_err() {
            return vk::Result::ERROR_DEVICE_LOST;
        }
        if done().is_break() {
            return vk::Result::SUCCESS;
        }
        if timeout != u64::MAX && host.now() >= deadline {
            return vk::Result::TIMEOUT;
        }
        D::wait(device, turn);
        turn = turn.saturating_add(1);
    }
}

/// As [`wait`], without an end but loss.
pub(super) fn wait_until<D: Driver>(device: &Device<D>, mut done: impl FnMut() -> bool) -> vk::Result {
    wait(device, u64::MAX, || if done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
}
