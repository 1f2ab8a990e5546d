//! Synchronisation objects: what a driver supplies behind fences and semaphores.
//!
//! A driver lists its types of synchronisation objects in the order in which it prefers them ([`SyncType`]), and makes and
//! signals them ([`SyncObject`]). From the list follows which type serves fences and binary semaphores, how timeline
//! semaphores work ([`TimelineMode`]), how submissions reach the driver ([`SubmitMode`]), and by which handles objects can be
//! shared with other processes ([`HandleKind`]).

mod choice;
mod handles;
mod sync_ref;
mod types;

pub use crate::driver_types::SyncObject;
pub use choice::{SYNC_TYPES, SyncTypeError, SyncTypes};
pub use handles::{Handle, HandleKind, HandleKinds};
pub use sync_ref::SyncRef;
pub(crate) use sync_ref::{Readiness, UninitSyncRef};
pub(crate) use types::Purpose;
pub use types::{Ability, SubmitMode, SyncType, TimelineMode};
