//! From the name of a command to its function.

mod table;

pub use table::{Command, DispatchTable, EntryPoints, is_type_of};
