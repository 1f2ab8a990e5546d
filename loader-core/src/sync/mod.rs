//! How threads wait for each other: locks that are held for a few instructions, and turns that last while
//! something is called.

mod turns;
mod waiting;

pub use turns::{Holder, Turn, Turns};
pub use waiting::{Lock, Pause, Waiting, forked};
