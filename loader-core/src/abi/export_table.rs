//! The functions of a library, as a table.

use super::Command;
use crate::registry::CommandId;

/// The functions that the library exports. Applications call these instead of stamped-out trampolines, so
/// that looking a command up gives the same address as linking to it. `export_table!` makes a table.
///
/// Contains, for each command by its number, up to the last one with a function, the distance from the table
/// to the function in bytes; 0 without a function. Distances are known when the library is linked, so the
/// table needs no relocations when it is loaded.
#[repr(C)]
pub struct ExportTable {
    count: u32,
    rows: [i32; 0],
}

impl ExportTable {
    #[cfg(test)]
    pub(crate) const EMPTY: Self = Self { count: 0, rows: [] };

    #[inline]
    pub fn get(&self, command: CommandId) -> Option<Command> {
        if command.index() >= self.count as usize {
            return None;
        }
        // SAFETY: only `export_table!` makes tables, with `count` rows after the first field. The pointer
        // comes from the extern static, whose extent the compiler does not know.
        let distance = unsafe { *self.rows.as_ptr().wrapping_add(command.index()) };
        if distance == 0 {
            return None;
        }
        let address = core::ptr::from_ref(self).cast::<()>().wrapping_byte_offset(distance as isize);
        // SAFETY: tables are made by `export_table!` only, with functions of the C calling convention.
        Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
    }
}

/// Returns the number of rows of a table whose commands have these numbers, in rising order.
#[doc(hidden)]
pub const fn export_rows(commands: &[usize]) -> usize {
    match commands.last() {
        Some(last) => last.wrapping_add(1),
        None => 0,
    }
}
