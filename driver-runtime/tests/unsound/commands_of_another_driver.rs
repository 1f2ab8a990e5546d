//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// Functions that expect the objects of another driver behind handles.
use vkload_driver_runtime::Driver;
use vkload_driver_runtime::dispatch::EntryPoints;

pub fn stolen<Mine: Driver, Other: Driver>() -> EntryPoints<Mine> {
    Other::COMMANDS
}
