//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function without a result, for commands that have one.
use vkload_driver_runtime::dispatch::EntryPoints;

extern "system" fn nothing() {}

pub fn wrong<D>() -> EntryPoints<D> {
    EntryPoints::NONE.with_all("vk", nothing)
}
