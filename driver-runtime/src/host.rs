//! What the system below the driver supplies.

use ash::vk;
use loader_core::platform::Waiting;

/// The services that the runtime needs from the operating system.
pub trait Host: Waiting {
    /// Nanoseconds since a moment in the past that stays the same while the process runs.
    fn now(&self) -> u64;

    /// What a clock of the system says, in its own unit, or `None` if there is no such clock. For calibrated timestamps.
    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        let _ = domain;
        None
    }

    /// Whether somebody asked for a trace since the last call: with a key, by creating a file, as the system has it.
    fn trace_requested(&self) -> bool {
        false
    }
}
