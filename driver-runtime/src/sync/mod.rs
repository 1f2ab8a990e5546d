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

pub(crate) use fence::{create_fence, destroy_fence, get_fence_status, reset_fences, wait_for_fences};
pub(crate) use queue::SubmitQueue;
pub(crate) use queue::{device_wait_idle, queue_bind_sparse, queue_submit, queue_submit_2, queue_wait_idle};
pub(crate) use semaphore::{
    create_semaphore, destroy_semaphore, get_semaphore_counter_value, signal_semaphore, wait_semaphores,
};
pub(crate) use share::{
    get_fence_fd, get_physical_device_external_fence_properties,
    get_physical_device_external_semaphore_properties, get_semaphore_fd, get_semaphore_zircon_handle,
    import_fence_fd, import_semaphore_fd, import_semaphore_zircon_handle,
};
