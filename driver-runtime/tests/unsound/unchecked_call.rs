//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function that takes a command's parameters, without a promise that it implements the command.
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::entry_points;

pub fn claimed<D>() -> EntryPoints<D> {
    entry_points! { DestroyBuffer = |_| () }
}
