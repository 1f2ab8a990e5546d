//! Searching once in each process: one thread searches, others wait, and after a fork the search is
//! repeated.
#![forbid(unsafe_code)]

use vkload_core::platform::{EventCount, Lock};

use crate::system::System;

/// How far a search has come. `T` is the part of the result that is kept.
#[derive(Clone, Copy)]
pub enum Progress<T> {
    NotBegun,
    /// This thread of this process is searching.
    Looking {
        process: u32,
        thread: usize,
    },
    Done {
        process: u32,
        result: T,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub enum Turn<T> {
    Take(T),
    /// Search, then record that it is done, or not begun if that failed.
    Look,
    /// Do without: the caller is already searching, and something that it called has come back.
    Within,
}

impl<T: Copy> Progress<T> {
    /// Returns the turn of this thread of this process. `None` if another thread must be waited
    /// for.
    ///
    /// A thread that was searching in the process that this one was forked from does not exist
    /// here.
    fn turn(&mut self, this_process: u32, this_thread: usize) -> Option<Turn<T>> {
        match *self {
            Self::Done { process, result } if process == this_process => Some(Turn::Take(result)),
            Self::Looking { process, thread } if process == this_process => {
                (thread == this_thread).then_some(Turn::Within)
            }
            Self::NotBegun | Self::Looking { .. } | Self::Done { .. } => {
                *self = Self::Looking { process: this_process, thread: this_thread };
                Some(Turn::Look)
            }
        }
    }
}

/// Returns the turn of the calling thread, once no other thread is searching. A thread that has recorded its progress also calls
/// `searched.changed`.
pub fn turn<S, T: Copy>(
    system: &dyn System,
    state: &Lock<S>,
    searched: &EventCount,
    progress: impl Fn(&mut S) -> &mut Progress<T>,
) -> Turn<T> {
    let (process, thread) = (system.process(), system.thread());
    let mut turn = None;
    searched.wait(system, &mut || {
        turn = progress(&mut state.lock(system)).turn(process, thread);
        turn.is_some()
    });
    turn.unwrap_or(Turn::Within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_looks_and_others_wait_in_each_process() {
        let mut progress = Progress::NotBegun;
        assert_eq!(progress.turn(1, 10), Some(Turn::Look));
        assert_eq!(progress.turn(1, 10), Some(Turn::Within));
        assert_eq!(progress.turn(1, 11), None);
        assert_eq!(progress.turn(2, 20), Some(Turn::Look), "whoever looked is in another process");
        progress = Progress::Done { process: 2, result: "found" };
        assert_eq!(progress.turn(2, 21), Some(Turn::Take("found")));
        assert_eq!(progress.turn(3, 30), Some(Turn::Look));
    }
}
