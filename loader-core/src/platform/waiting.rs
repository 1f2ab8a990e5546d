//! How a thread waits for another one, and the lock that is built on it.

use core::ffi::c_long;
use core::ops::DerefMut;

/// Waiting.
pub trait Waiting: Sync {
    /// Waits a little, as [`Pause::of`] says. `turn` counts how often this thread has waited for the same thing, from 0.
    fn wait(&self, turn: u32);

    /// A number for the calling thread, never 0, that no other living thread of the process has.
    fn thread(&self) -> usize;
}

/// What a thread does in one turn of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It stays on the processor: most of what is waited for is a few instructions long.
    Spin,
    /// It offers the processor to another thread.
    Yield,
    /// It sleeps for [`Pause::NANOSECONDS`]. To offer the processor never lets a thread of lower priority run, so without sleeping a
    /// real-time thread could wait for ever for the thread that it keeps from running.
    Sleep,
}

impl Pause {
    /// How long a thread sleeps.
    pub const NANOSECONDS: c_long = 50_000;

    /// What to do in this turn, counted from 0.
    #[must_use]
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

#[cfg(test)]
mod tests {
    use super::Pause;

    #[test]
    fn who_waits_longer_gives_way_and_sleeps_in_the_end() {
        assert_eq!([0, 15].map(Pause::of), [Pause::Spin; 2]);
        assert_eq!([16, 31].map(Pause::of), [Pause::Yield; 2]);
        assert_eq!([32, u32::MAX].map(Pause::of), [Pause::Sleep; 2]);
    }
}
