//! Fences, semaphores and queues: their state, and their commands.

mod fence;
mod memory;
mod payload;
mod queue;
mod ring;
mod semaphore;
mod share;
#[cfg(test)]
mod tests;
mod timeline;
mod wait;

use crate::dispatch::EntryPoints;
use crate::driver::Driver;
use crate::entry_points;
use crate::object::Object;

pub(crate) use queue::{SubmitQueue, signal_in_order};

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreateFence = fence::create_fence::<D>,
            DestroyFence = |call| Object::<fence::Fence<D>>::destroy(call.fence, call.allocator.as_ptr()),
            ResetFences = fence::reset_fences::<D>,
            GetFenceStatus = fence::get_fence_status::<D>,
            WaitForFences = fence::wait_for_fences::<D>,
            CreateSemaphore = semaphore::create_semaphore::<D>,
            DestroySemaphore = |call| {
                Object::<semaphore::Semaphore<D>>::destroy(call.semaphore, call.allocator.as_ptr());
            },
            GetSemaphoreCounterValue = semaphore::get_semaphore_counter_value::<D>,
            SignalSemaphore = semaphore::signal_semaphore::<D>,
            WaitSemaphores = semaphore::wait_semaphores::<D>,
            ImportFenceFdKHR = share::import_fence_fd::<D>,
            GetFenceFdKHR = share::get_fence_fd::<D>,
            ImportSemaphoreFdKHR = share::import_semaphore_fd::<D>,
            GetSemaphoreFdKHR = share::get_semaphore_fd::<D>,
            ImportSemaphoreZirconHandleFUCHSIA = share::import_semaphore_zircon_handle::<D>,
            GetSemaphoreZirconHandleFUCHSIA = share::get_semaphore_zircon_handle::<D>,
            GetPhysicalDeviceExternalFenceProperties = share::get_external_fence_properties::<D>,
            GetPhysicalDeviceExternalSemaphoreProperties = share::get_external_semaphore_properties::<D>,
            QueueSubmit = queue::queue_submit::<D>,
            QueueSubmit2 = queue::queue_submit_2::<D>,
            QueueBindSparse = queue::queue_bind_sparse::<D>,
            QueueWaitIdle = queue::queue_wait_idle::<D>,
            DeviceWaitIdle = queue::device_wait_idle::<D>,
        }
    }
}
