//! Turns for work that calls out of the loader.

use core::marker::PhantomData;

use super::atomic::{AtomicU32, AtomicUsize, Ordering};
use super::waiting::{LAST_ERA, era, forker};
use super::watcher::{free, taken};
use super::{EventCount, Waiting};

/// A thread of this process, or of one that this process was forked from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder(usize);

impl Holder {
    pub fn this(waiting: &dyn Waiting) -> Self {
        let thread = waiting.thread();
        debug_assert_eq!(thread & LAST_ERA, 0, "the number of a thread is an aligned address");
        Self(thread | era())
    }

    /// Returns whether it is the calling thread, whose own number `this` is; maybe before it forked.
    pub fn is(self, this: Self) -> bool {
        self == this
            || (self.is_of_another_process() && self.thread() == forker() && this.thread() == forker())
    }

    /// Returns whether it is not in this process: then the locks and turns that it held are free.
    pub fn is_left_behind(self) -> bool {
        self.is_of_another_process() && self.thread() != forker()
    }

    fn is_of_another_process(self) -> bool {
        self.0 & LAST_ERA != era()
    }

    fn thread(self) -> usize {
        self.0 & !LAST_ERA
    }
}

/// Lets one thread at a time do something that may take long and call out, such as creating something in a
/// driver.
///
/// This is a recursive lock, held while calling out, and no [`super::Lock`]: a thread that has its turn may
/// come back and take another one within it, so a driver that calls Vulkan from inside a call does not wait
/// for itself. Other threads sleep.
pub struct Turns {
    holder: AtomicUsize,
    depth: AtomicU32,
    freed: EventCount,
}

/// A turn of this thread, until it is dropped.
pub struct Turn<'a>(&'a Turns, &'a dyn Waiting, PhantomData<*const ()>);

impl Turns {
    /// Creates turns that no thread has taken.
    pub const fn new() -> Self {
        Self { holder: AtomicUsize::new(0), depth: AtomicU32::new(0), freed: EventCount::new() }
    }

    /// Waits until no other thread of the process has a turn, and takes one. A turn of a thread that is not
    /// in the process, since it was forked meanwhile, is over.
    pub fn take<'a>(&'a self, waiting: &'a dyn Waiting) -> Turn<'a> {
        let this = Holder::this(waiting);
        if self.holder.compare_exchange(0, this.0, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.freed.wait(waiting, &mut || self.enter(this));
        }
        taken(&self.holder);
        self.depth.fetch_add(1, Ordering::Relaxed);
        Turn(self, waiting, PhantomData)
    }

    /// Takes one unless another thread of the process has a turn.
    pub fn take_if_free<'a>(&'a self, waiting: &'a dyn Waiting) -> Option<Turn<'a>> {
        if !self.enter(Holder::this(waiting)) {
            return None;
        }
        self.depth.fetch_add(1, Ordering::Relaxed);
        Some(Turn(self, waiting, PhantomData))
    }

    /// Returns whether `this` thread has a turn.
    pub fn are_of(&self, this: Holder) -> bool {
        Holder(self.holder.load(Ordering::Relaxed)).is(this)
    }

    /// Makes `this` thread the holder unless another thread of the process is. Returns whether it is the holder now.
    #[inline(never)]
    fn enter(&self, this: Holder) -> bool {
        let holder = Holder(self.holder.load(Ordering::Relaxed));
        if holder.is(this) {
            return true;
        }
        let left_behind = holder.0 != 0 && holder.is_left_behind();
        if holder.0 != 0 && !left_behind {
            return false;
        }
        let taken =
            self.holder.compare_exchange(holder.0, this.0, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if taken && left_behind {
            self.depth.store(0, Ordering::Relaxed);
        }
        taken
    }
}

impl Turn<'_> {
    /// Returns whether the thread took it within another turn of the same [`Turns`]: called code has called
    /// the loader again.
    pub fn is_within_another(&self) -> bool {
        self.0.depth.load(Ordering::Relaxed) > 1
    }
}

impl Default for Turns {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Turn<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        if self.0.depth.fetch_sub(1, Ordering::Relaxed) == 1 {
            free(&self.0.holder);
            self.0.freed.changed(self.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::imaginary::Threads;

    #[test]
    fn a_turn_of_another_thread_is_not_taken_and_not_waited_for() {
        let turns = Turns::new();
        let turn = turns.take_if_free(&Threads);
        assert!(turn.is_some());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(turns.take_if_free(&Threads).is_none());
                assert!(!turns.are_of(Holder::this(&Threads)));
            });
        });
        drop(turn);
        assert_eq!(turns.holder.load(Ordering::SeqCst), 0);
    }
}
