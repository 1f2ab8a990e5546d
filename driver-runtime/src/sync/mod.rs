//! Fences, semaphores and submission.
//!
//! A driver lists its types of synchronisation objects in the order in which it prefers them ([`SyncType`]), and makes and
//! signals them ([`Primitive`]). From the list follows which type serves fences and binary semaphores, how timeline
//! semaphores work ([`TimelineMode`]), how submissions reach the driver ([`SubmitMode`]), and by which handles objects can be
//! shared with other processes ([`HandleKind`]).

mod bell;
mod chosen;
#[cfg(all(feature = "linux", any(target_os = "linux", target_os = "android")))]
pub mod drm;
mod handles;
mod host_wait;
mod payload;
mod pipeline;
mod ring;
mod semaphore;
mod submission;
mod submissions;
mod timeline;
mod types;
mod work;

pub use crate::parts::Primitive;
pub(crate) use bell::Bell;
pub use chosen::{SYNC_TYPES, SyncTypeError, SyncTypes};
pub use handles::{Handle, HandleKind, HandleKinds};
pub use host_wait::HostWait;
pub(crate) use host_wait::Pending;
pub use payload::SyncRef;
pub(crate) use payload::{PayloadRoom, Payloads};
pub(crate) use pipeline::{Next, Pipeline};
pub(crate) use semaphore::Semaphore;
pub(crate) use submission::{Submission, Submitted};
pub(crate) use submissions::Submissions;
pub(crate) use timeline::Timeline;
pub(crate) use types::Purpose;
pub use types::{Ability, SubmitMode, SyncType, TimelineMode};
pub use work::{Binds, BufferBinds, ImageBinds, ImageOpaqueBinds, Signal, Wait, Work};

/// Whether the driver can take a wait, if its queues wait only for submitted work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Readiness {
    /// Yes.
    Ready,
    /// Another process may make it so at any moment.
    Elsewhere,
    /// Something in this process has to happen first.
    Held,
}
