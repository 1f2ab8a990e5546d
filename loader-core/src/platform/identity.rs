//! The identity of the process.

use crate::memory::{OutOfMemory, Text};

pub trait Identity: Sync {
    /// Returns whether the process has privileges that the user who started it may lack (set-user-id,
    /// set-group-id, file capabilities). A process that root started is not elevated.
    /// This does not change while the process lives.
    fn elevated(&self) -> bool;

    fn executable(&self) -> Result<Option<Text>, OutOfMemory>;

    /// Returns whether the word at `address` can be read; `None` if only reading it would show that.
    fn can_read(&self, _address: usize) -> Option<bool> {
        None
    }
}
