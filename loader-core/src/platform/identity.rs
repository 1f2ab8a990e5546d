//! Who the process is.

use crate::memory::{OutOfMemory, Text};

/// Facts about the process.
pub trait Identity: Sync {
    /// Whether the process has privileges that the user who started it may lack (set-user-id, set-group-id, file
    /// capabilities). A process that root started is not elevated.
    fn elevated(&self) -> bool;

    /// The path of the executable, where it is known.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn executable(&self) -> Result<Option<Text>, OutOfMemory>;

    /// Whether there is memory at `address`, of two words; `true` where that cannot be told without reading it.
    fn has_memory(&self, _address: usize) -> bool {
        true
    }
}
