//! Fences, semaphores and submission.
//!
//! A driver lists its types of synchronisation objects in the order in which it prefers them ([`SyncType`]), and makes and
//! signals them ([`Primitive`]). From the list follows which type serves fences and binary semaphores, how timeline
//! semaphores work ([`TimelineMode`]), how submissions reach the driver ([`SubmitMode`]), and by which handles objects can be
//! shared with other processes ([`HandleKind`]).

mod fence;
mod handles;
mod idle;
mod memory;
mod payload;
mod pipeline;
mod semaphore;
mod share;
mod submission;
mod submissions;
mod submit;
#[cfg(test)]
mod tests;
mod timeline;
mod types;
mod waiting;
mod work;

pub(crate) use fence::{create_fence, destroy_fence, get_fence_status, reset_fences, wait_for_fences};
pub use handles::{Handle, HandleKind, HandleKinds};
pub(crate) use idle::{device_wait_idle, queue_wait_idle};
pub use payload::SyncRef;
pub(crate) use pipeline::Pipeline;
pub(crate) use semaphore::{
    create_semaphore, destroy_semaphore, get_semaphore_counter_value, signal_semaphore, wait_semaphores,
};
pub(crate) use share::{
    get_fence_fd, get_physical_device_external_fence_properties,
    get_physical_device_external_semaphore_properties, get_semaphore_fd, get_semaphore_zircon_handle,
    import_fence_fd, import_semaphore_fd, import_semaphore_zircon_handle,
};
use submissions::Submissions;
pub(crate) use submit::{queue_bind_sparse, queue_submit, queue_submit_2};
pub use types::{Ability, SubmitMode, SyncType, SyncTypeError, SyncTypes, TimelineMode};
#[cfg(test)]
use types::{Purpose, choose};
pub use work::{Binds, BufferBinds, ImageBinds, ImageOpaqueBinds, Signal, Wait, Work};

/// A synchronisation object of a driver: a handle to something that the driver's queues signal and wait for.
///
/// A binary object has the value 0 or 1.
pub trait Primitive: Send + Sync + 'static {
    /// The value now.
    fn value(&self) -> u64;

    /// Sets the value from the host, which for a timeline is higher than before.
    fn signal(&self, value: u64);

    /// Sets a binary object back to 0 from the host.
    fn reset(&self);

    /// Whether something was submitted, by whichever process, that makes the value so high. Asked only of types with
    /// [`Ability::WAIT_PENDING`].
    fn is_pending(&self, value: u64) -> bool {
        self.value() >= value
    }
}

/// Whether a wait can be given to a driver whose queues wait only for what was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Readiness {
    /// Yes.
    Ready,
    /// Another process may make it so at any moment.
    Elsewhere,
    /// Something in this process has to happen first.
    Held,
}
