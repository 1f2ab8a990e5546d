//! Fences, semaphores and submission.
//!
//! A driver lists its types of synchronisation objects in the order in which it prefers them ([`SyncType`]), and makes and
//! signals them ([`Primitive`]). From the list follows which type serves fences and binary semaphores, how timeline
//! semaphores work ([`TimelineMode`]), and how submissions reach the driver ([`SubmitMode`]).

mod fence;
mod idle;
mod semaphore;
mod submit;
#[cfg(test)]
mod tests;
mod timeline;
mod types;
mod waiting;

pub(crate) use fence::{create_fence, destroy_fence, get_fence_status, reset_fences, wait_for_fences};
pub(crate) use idle::{device_wait_idle, queue_wait_idle};
pub(crate) use semaphore::{
    create_semaphore, destroy_semaphore, get_semaphore_counter_value, signal_semaphore, wait_semaphores,
};
pub(crate) use submit::{Pipeline, queue_submit, queue_submit_2};
pub use submit::{Signal, Wait, Work};
pub use types::{Ability, SubmitMode, SyncType, SyncTypeError, SyncTypes, TimelineMode};

/// A synchronisation object of a driver: a handle to something that the driver's queues signal and wait for.
///
/// A binary object has the value 0 or 1. A queue that has waited for one sets it back to 0.
pub trait Primitive: Send + Sync + 'static {
    /// The value now.
    fn value(&self) -> u64;

    /// Sets the value from the host, which for a timeline is higher than before.
    fn signal(&self, value: u64);

    /// Sets a binary object back to 0 from the host.
    fn reset(&self);

    /// Whether something was submitted that makes the value so high. Asked only of types with
    /// [`Ability::WAIT_PENDING`].
    fn is_pending(&self, value: u64) -> bool {
        self.value() >= value
    }
}
