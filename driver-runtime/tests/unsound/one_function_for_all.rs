//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function that returns nothing for commands that return something.
use driver_runtime::dispatch::EntryPoints;

extern "system" fn nothing() {}

pub fn wrong<D>() -> EntryPoints<D> {
    EntryPoints::NONE.with_all("vk", nothing)
}
