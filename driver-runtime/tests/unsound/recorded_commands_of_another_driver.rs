//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// What is recorded goes through the functions of another driver.
use driver_runtime::command_buffer::{CommandBuffers, Recording};

pub fn stolen<Mine: CommandBuffers, Other: CommandBuffers>() -> Recording<Mine> {
    Other::RECORDING
}
