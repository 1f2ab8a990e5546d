//! The functions of a library, as a table.

use super::Command;
use crate::registry::CommandId;

/// What applications call where that is not one of the stamped-out trampolines: the functions that the
/// library exports, so that looking a command up gives the same address as linking to it. `export_table!`
/// makes one.
///
/// For each command by its number, up to the last one that has a function: how far the function is from the
/// table, in bytes; 0 if there is none. Distances are known when the library is linked, so the table needs no
/// relocations when it is loaded.
#[repr(C)]
pub struct ExportTable {
    count: u32,
    /// Where the rows begin, `count` of them.
    rows: [i32; 0],
}

impl ExportTable {
    /// A table without functions.
    #[cfg(test)]
    pub(crate) const EMPTY: Self = Self { count: 0, rows: [] };

    /// The function for `command`, if there is one.
    #[must_use]
    #[inline]
    pub fn get(&self, command: CommandId) -> Option<Command> {
        if command.index() >= self.count as usize {
            return None;
        }
        // SAFETY: tables are made by `export_table!` only, with `count` rows behind the first field. The pointer
        // is that of the extern static, whose extent the compiler does not know.
        let distance = unsafe { *self.rows.as_ptr().wrapping_add(command.index()) };
        if distance == 0 {
            return None;
        }
        let address = core::ptr::from_ref(self).cast::<()>().wrapping_byte_offset(distance as isize);
        // SAFETY: tables are made by `export_table!` only, with functions of the C calling convention.
        Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
    }
}

/// How many rows a table has whose commands have these numbers, which rise.
#[doc(hidden)]
#[must_use]
pub const fn export_rows(commands: &[usize]) -> usize {
    match commands.last() {
        Some(last) => last.wrapping_add(1),
        None => 0,
    }
}
