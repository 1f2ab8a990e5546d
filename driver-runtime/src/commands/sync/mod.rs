//! The commands of fences, semaphores and queues.

mod fence;
mod idle;
mod memory;
mod payload;
mod pipeline;
mod semaphore;
mod share;
mod submission;
mod submit;
#[cfg(test)]
mod tests;
mod waiting;

pub(crate) use fence::{create_fence, destroy_fence, get_fence_status, reset_fences, wait_for_fences};
pub(crate) use idle::{device_wait_idle, queue_wait_idle};
pub(crate) use semaphore::{
    create_semaphore, destroy_semaphore, get_semaphore_counter_value, signal_semaphore, wait_semaphores,
};
pub(crate) use share::{
    get_fence_fd, get_physical_device_external_fence_properties,
    get_physical_device_external_semaphore_properties, get_semaphore_fd, get_semaphore_zircon_handle,
    import_fence_fd, import_semaphore_fd, import_semaphore_zircon_handle,
};
pub(crate) use submit::{queue_bind_sparse, queue_submit, queue_submit_2};
