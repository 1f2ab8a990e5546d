//! How a call gets from the application to the driver.
//!
//! The application calls a **trampoline**: it loads the dispatch table from the first word of its object and
//! jumps through the slot of its command. A **terminator** is the last link of an instance's chain: it
//! replaces the loader's handle by the driver's and jumps through the same slot of the driver's table. Both
//! are pieces of a [`Block`]: a few instructions each, independent of the parameters. If the loader must not
//! write the first word of a device's handles, a trampoline looks up the table by that word ([`Keys`]). Only
//! commands that transform parameters or results are written by hand ([`crate::objects`]). A command that
//! nothing implements has a stub that reports its name; the stubs of device commands lead layers to the lower
//! end of the device that they are called with.

use crate::registry::{DEVICE_SLOTS, INSTANCE_SLOTS};

mod handle;
mod keys;
mod missing;
mod table;
mod trampolines;

pub use crate::abi::Command;
pub use crate::loader::{UNKNOWN_DEVICE_COMMANDS, UNKNOWN_PHYSICAL_DEVICE_COMMANDS};
pub use crate::machine::{Block, trap};
pub use handle::{
    FIRST_PHYSICAL_DEVICE_SLOT, Handle, HandleKind, INSTANCE_MAGIC, PHYSICAL_DEVICE_MAGIC,
    any_physical_device, known_instance, known_physical_device, magic_of_slot,
};
pub use keys::{KEYS, KeyError, Keys, look_up};
pub use missing::{lower_end_piece, report_bad_handle, report_unknown_device};
pub use table::{DeviceTable, InstanceTable, LowerEnds, Table, WithTable};
pub use trampolines::{
    DEVICE_TRAMPOLINES, INSTANCE_TRAMPOLINES, LOOK_UP_TRAMPOLINES, TERMINATORS, UNKNOWN_INSTANCE_TRAMPOLINES,
};

/// All slots of a table of instances, and of one of devices. Those for unknown commands are last, so that the others keep the
/// registry's numbers.
const ALL_INSTANCE_SLOTS: usize = INSTANCE_SLOTS + UNKNOWN_PHYSICAL_DEVICE_COMMANDS;
const ALL_DEVICE_SLOTS: usize = DEVICE_SLOTS + UNKNOWN_DEVICE_COMMANDS;
