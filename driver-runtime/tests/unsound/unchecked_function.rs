//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function without parameters for a command that has some.
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::registry::command;

extern "system" fn create_buffer() {}

pub fn wrong<D>() -> EntryPoints<D> {
    EntryPoints::NONE.with(command::CREATE_BUFFER, create_buffer)
}
