//! The numbers of slots in tables.

use crate::loader::{UNKNOWN_DEVICE_COMMANDS, UNKNOWN_PHYSICAL_DEVICE_COMMANDS};
use crate::registry::{DEVICE_SLOTS, INSTANCE_SLOTS};

/// All slots of an instance table, those for unknown commands last.
pub(super) const ALL_INSTANCE_SLOTS: usize = INSTANCE_SLOTS + UNKNOWN_PHYSICAL_DEVICE_COMMANDS;
/// All slots of a device table, those for unknown commands last.
pub(super) const ALL_DEVICE_SLOTS: usize = DEVICE_SLOTS + UNKNOWN_DEVICE_COMMANDS;
