//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// A physical device with the functions of another driver.
use vkload_driver_runtime::dispatch::CommandTable;
use vkload_driver_runtime::prelude::*;

pub fn add<Mine: Driver<PhysicalDevice = ()>, Other: Driver>(
    found: &mut Enumeration<'_, Mine>,
    table: &'static CommandTable<Other>,
    known: Description,
) -> Result<(), EnumerateError> {
    found.push_with(table, known, ())
}
