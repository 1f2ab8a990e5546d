//! What crosses the C edge: arrays, names, chains and layouts, and how they are checked.

pub mod array;
pub mod chain;
mod export_table;
pub mod extensions;
pub mod layer_interface;
pub mod name;

pub use export_table::{ExportTable, export_rows};

/// A Vulkan command whose parameters do not matter.
pub type Command = unsafe extern "system" fn();

#[macro_export]
macro_rules! command_function {
    ($path:expr) => {{
        let function = $path as *const ();
        // SAFETY: this is a function pointer; callers convert it back to its own type.
        unsafe { core::mem::transmute::<*const (), $crate::abi::Command>(function) }
    }};
}
pub(crate) use command_function as function;
