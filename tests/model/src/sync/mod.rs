//! The core's module of this name, compiled with loom's words and cells.

pub(crate) mod atomic;
pub(crate) mod cell;
#[path = "../../../../loader-core/src/sync/turns.rs"]
mod turns;
#[path = "../../../../loader-core/src/sync/waiting.rs"]
mod waiting;
#[path = "../../../../loader-core/src/sync/watcher.rs"]
mod watcher;

pub(crate) use turns::Turns;
pub(crate) use waiting::{Lock, Waiting, forked};
pub(crate) use watcher::{add, read};
