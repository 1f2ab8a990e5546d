//! Submissions that take longer. The driver executes them at its own speed; a program notices their end late.

use std::thread::sleep;
use std::time::{Duration, Instant};

use ash::vk::{self, Handle as _};
use vkload_layer_runtime::commands::{GetFenceStatus, QueueWaitIdle, WaitForFences};
use vkload_layer_runtime::registry::{CommandId, command};
use vkload_layer_runtime::{Call, Command, Returned};

use crate::{FaultsLayer, device, settings};

/// Returns whether calls of a command have to be seen.
pub(crate) fn concerns(command: CommandId) -> bool {
    const COMMANDS: [CommandId; 10] = [
        command::QUEUE_SUBMIT,
        command::QUEUE_SUBMIT_2,
        command::QUEUE_BIND_SPARSE,
        command::WAIT_FOR_FENCES,
        command::GET_FENCE_STATUS,
        command::RESET_FENCES,
        command::DESTROY_FENCE,
        command::QUEUE_WAIT_IDLE,
        command::DEVICE_WAIT_IDLE,
        command::WAIT_SEMAPHORES,
    ];
    settings::get().delay > 0 && COMMANDS.contains(&command.canonical())
}

/// Submits to the queue in the first parameter, with the fence in the last one. A submission ends after the earlier ones of its queue.
pub(crate) fn submitted<'c, C: Command>(call: Call<'c, FaultsLayer, C>) -> Returned<'c, C> {
    let delay = Duration::from_millis(settings::get().delay.into());
    let (device, numbers) = (call.device(), call.numbers());
    let [queue, .., fence] = *numbers.as_ref() else { return call.next() };
    let returned = call.next();
    if returned.succeeded() && !delay.is_zero() {
        device::with(device, |device| {
            let now = Instant::now();
            let end = device.ends.queues.entry(queue).or_insert(now);
            *end = now.max(*end).checked_add(delay).unwrap_or(now);
            if fence != 0 {
                device.ends.fences.insert(fence, *end);
            }
        });
    }
    returned
}

pub(crate) fn forget<C: Command>(call: &Call<'_, FaultsLayer, C>, fences: &[vk::Fence]) {
    device::with(call.device(), |device| {
        device.ends.fences.retain(|known, _| !fences.iter().any(|fence| fence.as_raw() == *known));
    });
}

/// Waits for fences. Returns `VK_TIMEOUT` if their submissions end later.
pub(crate) fn waited_for_fences<'c>(
    call: Call<'c, FaultsLayer, WaitForFences>,
) -> Returned<'c, WaitForFences> {
    let parameters = call.parameters();
    let end = device::with(call.device(), |device| {
        let ends = parameters.fences().iter().map(|fence| device.ends.fences.get(&fence.as_raw()).copied());
        if parameters.wait_all != vk::FALSE { ends.flatten().max() } else { ends.min().flatten() }
    });
    if wait_until(end, parameters.timeout) {
        return call.next();
    }
    // SAFETY: the command has no output.
    unsafe { call.returns(vk::Result::TIMEOUT) }
}

/// Returns `VK_NOT_READY` for a fence whose submission has not ended.
pub(crate) fn fence_status<'c>(call: Call<'c, FaultsLayer, GetFenceStatus>) -> Returned<'c, GetFenceStatus> {
    let fence = call.parameters().fence.as_raw();
    let end = device::with(call.device(), |device| device.ends.fences.get(&fence).copied());
    if wait_until(end, 0) {
        return call.next();
    }
    // SAFETY: the command has no output.
    unsafe { call.returns(vk::Result::NOT_READY) }
}

pub(crate) fn wait_for_queue(call: &Call<'_, FaultsLayer, QueueWaitIdle>) {
    let queue = call.parameters().queue.as_raw();
    wait_until(device::with(call.device(), |device| device.ends.queues.get(&queue).copied()), u64::MAX);
}

/// Waits until all queues are idle, for up to so many nanoseconds.
pub(crate) fn wait_for_device<C: Command>(call: &Call<'_, FaultsLayer, C>, timeout: u64) {
    wait_until(device::with(call.device(), |device| device.ends.queues.values().copied().max()), timeout);
}

/// Waits for up to so many nanoseconds. Returns whether it is later than that.
fn wait_until(end: Option<Instant>, timeout: u64) -> bool {
    let rest = end.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()));
    sleep(rest.min(Duration::from_nanos(timeout)));
    rest <= Duration::from_nanos(timeout)
}
