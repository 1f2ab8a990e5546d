//! How threads wait for each other: locks that are held for a few instructions, and turns that last while
//! something is called.

mod event_count;
mod turns;
mod waiting;
mod watcher;

/// How often a thread looks again for something that may take long before it sleeps.
const POLLS: u32 = 32;

// `tests/model` compiles these files with words and cells that check every order of threads.
use core::cell;
pub(crate) use core::sync::atomic;

pub use event_count::EventCount;
pub use turns::{Holder, Turn, Turns};
pub use waiting::{Lock, Pause, Waiting, forked};
pub use watcher::{Watcher, watch};
pub(crate) use watcher::{add, read};
