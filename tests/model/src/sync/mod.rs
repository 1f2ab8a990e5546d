//! The core's module of this name, compiled with loom's words and cells.

pub(crate) mod atomic;
pub(crate) mod cell;
#[path = "../../../../loader-core/src/sync/event_count.rs"]
mod event_count;
#[path = "../../../../loader-core/src/sync/turns.rs"]
mod turns;
#[path = "../../../../loader-core/src/sync/waiting.rs"]
mod waiting;
#[path = "../../../../loader-core/src/sync/watcher.rs"]
mod watcher;

/// Threads sleep at once: while they poll, others run.
const POLLS: u32 = 0;

pub(crate) use event_count::EventCount;
pub(crate) use turns::Turns;
pub(crate) use waiting::{Lock, Waiting, forked};
pub(crate) use watcher::{add, read};
