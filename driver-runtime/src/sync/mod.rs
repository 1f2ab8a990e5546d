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

use crate::dispatch::EntryPoints;
use crate::driver::Driver;

pub(crate) use queue::{SubmitQueue, signal_in_order};

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    fence::entry_points::<D>()
        .and(&semaphore::entry_points())
        .and(&share::entry_points())
        .and(&queue::entry_points())
}
