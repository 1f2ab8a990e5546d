//! Looking for something once in each process: one thread looks, others wait, and after a fork it is looked for again.
#![forbid(unsafe_code)]

use loader_core::platform::Lock;

use crate::system::System;

/// How far it has come. `T` is what is kept of the result.
#[derive(Clone, Copy)]
pub(crate) enum Progress<T> {
    /// Nobody has looked.
    NotBegun,
    /// This thread of this process is looking.
    Looking { process: u32, thread: usize },
    /// This process has looked.
    Done { process: u32, result: T },
}

/// What a caller has to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn<T> {
    /// Take this result.
    Take(T),
    /// Look, and then say that it is done, or not begun if that failed.
    Look,
    /// Do without: the caller is looking already, and something that it called has come back.
    Within,
}

impl<T: Copy> Progress<T> {
    /// The turn of this thread of this process. `None` if another thread has to be waited for.
    ///
    /// Whoever was looking in the process that this one was forked from does not exist here.
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

/// The turn of the calling thread, once no other one is looking.
pub(crate) fn turn<S, T: Copy>(
    system: &dyn System,
    state: &Lock<S>,
    progress: impl Fn(&mut S) -> &mut Progress<T>,
) -> Turn<T> {
    let (process, thread) = (system.process(), system.thread());
    let mut waited = 0u32;
    loop {
        let turn = progress(&mut state.lock(system)).turn(process, thread);
        if let Some(turn) = turn {
            return turn;
        }
        system.wait(waited);
        waited = waited.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r15_one_thread_looks_and_others_wait_in_each_process() {
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
