//! What the system below the driver supplies.

use loader_core::platform::Waiting;

/// The services that the runtime needs from the operating system.
pub trait Host: Waiting {
    /// Nanoseconds since a moment in the past that stays the same while the process runs.
    fn now(&self) -> u64;
}
