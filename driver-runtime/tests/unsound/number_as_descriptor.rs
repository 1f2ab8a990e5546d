//! error[E0451]: fields `kind` and `fd` of struct `vkload_driver_runtime::sync_object::Handle` are private
#![forbid(unsafe_code)]

// Gives away another owner's file descriptor, which the importing driver would close.
use vkload_driver_runtime::sync_object::{Handle, HandleKind};

pub fn standard_output() -> Handle {
    Handle { kind: HandleKind::OpaqueFd, fd: 1 }
}
