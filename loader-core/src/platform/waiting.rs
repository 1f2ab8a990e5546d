//! How a thread waits for another one, and the lock that is built on it.

use core::ops::DerefMut;

/// Waiting.
pub trait Waiting: Sync {
    /// Waits a little. `turn` counts how often this thread has waited for the same thing, from 0; after a few
    /// turns the implementation sleeps, so that a real-time thread does not starve the one that it waits for.
    fn wait(&self, turn: u32);

    /// A number for the calling thread, never 0, that no other living thread of the process has.
    fn thread(&self) -> usize;
}

/// A lock for sections of a few instructions.
///
/// House rule: nothing is called under it that could call back into the loader: no layer, driver, allocator, log or
/// dynamic linker. Lists are replaced under the lock, and the old block is freed after it.
pub struct Lock<T>(spin::mutex::SpinMutex<T>);

impl<T> Lock<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(spin::mutex::SpinMutex::new(value))
    }

    /// Waits until no other thread holds the lock, and takes it.
    pub fn lock(&self, waiting: &dyn Waiting) -> impl DerefMut<Target = T> + '_ {
        let mut turn = 0u32;
        loop {
            if let Some(guard) = self.0.try_lock() {
                return guard;
            }
            waiting.wait(turn);
            turn = turn.saturating_add(1);
        }
    }
}
