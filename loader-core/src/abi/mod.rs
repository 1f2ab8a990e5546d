//! The C edge: what crosses it and how it is checked.

pub mod array;
pub mod chain;
pub mod entry;
mod exports;
#[cfg(test)]
mod handled_tests;
pub mod name;

pub use exports::ExportTable;

/// A function of any type as a [`Command`](crate::dispatch::Command).
#[macro_export]
macro_rules! command_function {
    ($path:expr) => {{
        let function = $path as *const ();
        // SAFETY: a function pointer; whoever calls it goes back to its own type.
        unsafe { core::mem::transmute::<*const (), $crate::dispatch::Command>(function) }
    }};
}
pub(crate) use command_function as function;
