//! How a thread waits for another one, and the lock that is built on it.

use core::ffi::c_long;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::atomic::{AtomicU32, AtomicUsize, Ordering};
use super::cell::UnsafeCell;
use super::watcher::{free, taken};

pub trait Waiting: Sync {
    /// Waits a little, as [`Pause::of`] says. `turn` counts how often this thread has waited for the same
    /// thing, from 0.
    fn wait(&self, turn: u32);

    /// Returns a number for the calling thread, never 0, that no other living thread of the process has: the
    /// address of something that is its own and aligned as a pointer is. The last bits are for [the
    /// loader](forked).
    fn thread(&self) -> usize;

    /// Sleeps while `word` is `value`, until another thread calls [`Waiting::wake_all`]; maybe shorter. A futex does this. By default, it
    /// only sleeps [a little](Pause::Sleep).
    fn sleep_while(&self, word: &AtomicU32, value: u32) {
        let _ = (word, value);
        self.wait(u32::MAX);
    }

    /// Wakes all threads that sleep on `word`, whose value has changed.
    fn wake_all(&self, word: &AtomicU32) {
        let _ = word;
    }

    /// Aborts the process, because a thread that is not in it holds a lock and may have left its work
    /// unfinished: the process was forked meanwhile.
    fn left_behind(&self) -> ! {
        loop {
            self.wait(u32::MAX);
        }
    }
}

/// Counts the forks between the first process and this one, from 1 to [`LAST_ERA`] and then again from 1.
static ERA: AtomicUsize = AtomicUsize::new(1);

/// The number of the thread that forked this process, 0 in the first one. No other thread of its parent is in
/// this process.
static FORKER: AtomicUsize = AtomicUsize::new(0);

/// Begins a new era. Must be called in a forked child, by its only thread.
pub fn forked(waiting: &dyn Waiting) {
    FORKER.store(waiting.thread(), Ordering::Relaxed);
    ERA.store((era() % LAST_ERA).wrapping_add(1), Ordering::Relaxed);
}

pub(super) fn forker() -> usize {
    FORKER.load(Ordering::Relaxed)
}

/// Returns the era of this process, never 0. Threads of another era are not in it.
pub(super) fn era() -> usize {
    ERA.load(Ordering::Relaxed)
}

/// The number of distinct eras. They occupy the bits of a thread's number that an aligned address leaves
/// free.
pub(super) const LAST_ERA: usize = align_of::<usize>() - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It stays on the processor: most waits last a few instructions.
    Spin,
    /// It offers the processor to another thread.
    Yield,
    /// It sleeps for [`Pause::NANOSECONDS`]. Offering the processor never lets a thread of lower priority
    /// run, so without sleeping a real-time thread could wait for ever for a thread that it keeps from
    /// running.
    Sleep,
}

impl Pause {
    pub const NANOSECONDS: c_long = 50_000;

    pub const fn of(turn: u32) -> Self {
        match turn {
            0..16 => Self::Spin,
            16..32 => Self::Yield,
            _ => Self::Sleep,
        }
    }
}

/// A lock for sections of a few instructions.
///
/// House rule: nothing is called under it that could call back into the loader: no layer, driver, allocator,
/// log or dynamic linker. Lists are replaced under the lock, and the old block is freed after it.
///
/// The holder notes the era, so a forked child does not wait for a thread that is not there.
#[derive(Debug)]
pub struct Lock<T> {
    /// The era of the holder, or 0.
    held: AtomicUsize,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time has the value.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub const fn new(value: T) -> Self {
        Self { held: AtomicUsize::new(0), value: UnsafeCell::new(value) }
    }

    /// Waits until no other thread holds the lock, and takes it.
    pub fn lock(&self, waiting: &dyn Waiting) -> impl DerefMut<Target = T> + '_ {
        acquire(&self.held, waiting);
        Held(self, PhantomData)
    }
}

/// Acquires a lock. All locks share this function, so that the library contains it once.
#[inline(never)]
fn acquire(held: &AtomicUsize, waiting: &dyn Waiting) {
    if held.compare_exchange(0, era(), Ordering::Acquire, Ordering::Relaxed).is_err() {
        return wait_for(held, waiting);
    }
    taken(held);
}

#[cold]
#[inline(never)]
fn wait_for(held: &AtomicUsize, waiting: &dyn Waiting) {
    let own = era();
    let mut turn = 0u32;
    while let Err(other) = held.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed) {
        if other != own {
            waiting.left_behind();
        }
        waiting.wait(turn);
        turn = turn.saturating_add(1);
    }
    taken(held);
}

/// A guard: gives access to the lock's value, and releases the lock when dropped. Threads may send and share it as
/// they may a `&mut T`.
struct Held<'a, T>(&'a Lock<T>, PhantomData<&'a mut T>);

impl<T> Deref for Held<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one that holds the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one that holds the lock.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        free(&self.0.held);
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::super::{Turn, Turns};
    use super::{Held, Lock, Pause};

    /// Has two answers for what is `Send`, and two for what is `Sync`: then `check` does not compile.
    trait Stays<A> {
        fn check() {}
    }
    impl<T: ?Sized> Stays<()> for T {}
    impl<T: ?Sized + Send> Stays<[(); 1]> for T {}

    #[test]
    fn guards_go_to_no_thread_that_their_value_may_not_go_to() {
        fn is_both<T: Send + Sync>() {}
        is_both::<Held<'_, u8>>();
        // A guard that other threads share would give them the cell.
        <&Held<'_, Cell<u8>> as Stays<_>>::check();
        <Held<'_, *const u8> as Stays<_>>::check();
        <&Lock<*const u8> as Stays<_>>::check();
        // A turn belongs to its thread.
        <Turn<'_> as Stays<_>>::check();
        is_both::<Turns>();
    }

    #[test]
    fn who_waits_longer_gives_way_and_sleeps_in_the_end() {
        assert_eq!([0, 15].map(Pause::of), [Pause::Spin; 2]);
        assert_eq!([16, 31].map(Pause::of), [Pause::Yield; 2]);
        assert_eq!([32, u32::MAX].map(Pause::of), [Pause::Sleep; 2]);
    }
}
