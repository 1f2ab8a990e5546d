//! The functions of a library, as a table.

use super::Command;
use crate::registry::{COMMAND_COUNT, CommandId};

/// What applications call where that is not one of the stamped-out trampolines: the functions that the
/// library exports, so that looking a command up gives the same address as linking to it. `export_table!`
/// makes one.
///
/// For each command by its number, how far its function is from the table, in bytes; 0 if it has none.
/// Distances are known when the library is linked, so the table needs no relocations when it is loaded.
#[repr(transparent)]
pub struct ExportTable([i32; COMMAND_COUNT]);

impl ExportTable {
    /// The function for `command`, if there is one.
    #[must_use]
    #[inline]
    pub fn get(&self, command: CommandId) -> Option<Command> {
        let distance = self.0.get(command.index()).copied().filter(|distance| *distance != 0)?;
        let address = core::ptr::from_ref(self).cast::<()>().wrapping_byte_offset(distance as isize);
        // SAFETY: tables are made by `export_table!` only, with functions of the C calling convention.
        Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
    }
}
