//! From the name of a command to its function.
//!
//! [`EntryPoints`] have one slot for each name, a [`DispatchTable`] one for each command, shared by its aliases. A
//! driver's table is built at compile time from three parts: the driver's own functions, its window-system code, then
//! the runtime's functions; the first part that has a command wins.

mod forward;
mod gate;
pub(crate) mod private;
mod table;
#[cfg(test)]
mod tests;
mod trampolines;

use core::marker::PhantomData;

pub(crate) use forward::{Forward, forwards};
pub use gate::Enabled;
pub use private::{Level, PrivateCommand};
pub(crate) use table::function;
pub use table::{Command, CommandTable, DispatchTable, EntryPoints, is_type_of};
pub(crate) use trampolines::{TABLE_OFFSET, trampoline};

/// Marks a type as invariant in `T`, and as `Send` and `Sync` whatever `T` is. Two drivers can differ in the lifetimes
/// of a function pointer alone, and then one is a subtype of the other: nothing of the one may become the other's.
pub(crate) type Invariant<T> = PhantomData<fn(T) -> T>;
