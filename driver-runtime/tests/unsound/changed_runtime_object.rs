//! error[E0117]: only traits defined in the current crate can be implemented
#![forbid(unsafe_code)]

// Lets the driver change an object of the runtime as a whole.
use vkload_driver_runtime::command_buffer::{BufferState, CommandBuffers};
use vkload_driver_runtime::object::Changeable;

pub struct Mine;

impl Changeable for BufferState<Mine> where Mine: CommandBuffers {}
