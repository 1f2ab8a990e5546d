//! How a call gets from the application to the driver.
//!
//! A **trampoline** is what the application calls: it loads the dispatch table from the first word of the object that
//! it is given and jumps through the slot of its command. A **terminator** is the last link of an instance's chain: it
//! replaces the loader's handle by the driver's and jumps through the same slot of the driver's table. Both are pieces of
//! a [`Block`], a few instructions each, that know no parameters. Where the first word of a device's handles is not the
//! loader's to write, a trampoline looks the table up by what the word is ([`Keys`]). Only commands that really transform
//! something are written by hand ([`crate::objects`]). A command that nothing implements has a stub that reports its name.

#[macro_use]
mod arch;
mod blocks;
mod keys;
mod missing;
mod proc_addr;
mod table;
mod unknown;

pub use crate::abi::Command;
pub use blocks::{
    Block, DEVICE_TRAMPOLINES, INSTANCE_TRAMPOLINES, LOOK_UP_TRAMPOLINES, TERMINATORS,
    UNKNOWN_INSTANCE_TRAMPOLINES, trap,
};
pub use keys::{KEYS, Keys, NotEntered, look_up};
pub use missing::{report_bad_handle, report_unknown_device};
pub use proc_addr::{get_device_proc_addr, get_instance_proc_addr};
pub use table::{DeviceTable, InstanceTable, Table, UNKNOWN_COMMANDS, WithTable};
pub use unknown::UnknownCommands;
