//! error[E0308]: mismatched types
#![forbid(unsafe_code)]

// The recording is replayed through another driver's functions.
use vkload_driver_runtime::command_buffer::{CommandBuffers, Recording};

pub fn stolen<Mine: CommandBuffers, Other: CommandBuffers>() -> Recording<Mine> {
    Other::RECORDING
}
