//! Binding memory to sparse resources: the driver has none, but such a submission still waits and signals.

use alloc::vec;

use vkload_core::abi::chain;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{entry_points, vk};

use crate::device::list;
use crate::runtime::runtime;

unsafe extern "system" fn queue_bind_sparse(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::BindSparseInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller passes live handles and counted arrays.
    unsafe {
        for info in list(infos, count) {
            let waits = list(info.p_wait_semaphores, info.wait_semaphore_count);
            let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
            let mut values = vk::TimelineSemaphoreSubmitInfo::default();
            if let Some(given) = chain::find::<vk::TimelineSemaphoreSubmitInfo<'_>>(info.p_next) {
                values = vk::TimelineSemaphoreSubmitInfo { p_next: core::ptr::null(), ..*given };
            }
            let work = vk::SubmitInfo::default()
                .wait_semaphores(waits)
                .wait_dst_stage_mask(&stages)
                .signal_semaphores(list(info.p_signal_semaphores, info.signal_semaphore_count))
                .push_next(&mut values);
            let result = submit(queue, &work, vk::Fence::null());
            if result != vk::Result::SUCCESS {
                return result;
            }
        }
        if fence == vk::Fence::null() {
            return vk::Result::SUCCESS;
        }
        submit(queue, &vk::SubmitInfo::default(), fence)
    }
}

/// Submits work by way of the runtime.
///
/// # Safety
/// The handles are live or, for the fence, null.
unsafe fn submit(queue: vk::Queue, work: &vk::SubmitInfo<'_>, fence: vk::Fence) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    unsafe {
        match runtime!(QUEUE_SUBMIT: PFN_vkQueueSubmit) {
            Some(submit) => submit(queue, 1, work, fence),
            None => vk::Result::ERROR_DEVICE_LOST,
        }
    }
}

/// The command.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<crate::Null> = unsafe {
    entry_points! {
        QUEUE_BIND_SPARSE: PFN_vkQueueBindSparse = queue_bind_sparse,
    }
};
