//! The identity of the process.

use vkload_core::memory::{OutOfMemory, Text};
use vkload_core::platform::Identity;

/// A component has only the capabilities given to it: nothing elevates it, and no path identifies
/// it to others.
pub(crate) struct Component;

impl Identity for Component {
    fn elevated(&self) -> bool {
        false
    }

    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        Ok(None)
    }
}
