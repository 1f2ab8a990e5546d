//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// The same, of the functions that the runtime has for another driver.
use vkload_driver_runtime::dispatch::CommandTable;
use vkload_driver_runtime::{Driver, Tables};

pub fn stolen<Mine: Driver, Other: Driver>() -> CommandTable<Mine> {
    CommandTable::new(&<Other as Tables>::COMMON)
}
