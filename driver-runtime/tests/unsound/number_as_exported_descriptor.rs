//! error[E0133]: call to unsafe function `vkload_driver_runtime::sync_object::Handle::new`
#![forbid(unsafe_code)]

// Gives the application another owner's file descriptor, which the application would close.
use vkload_driver_runtime::sync_object::{Handle, HandleKind};

pub fn export_sync() -> Handle {
    Handle::new(HandleKind::OpaqueFd, 1)
}
