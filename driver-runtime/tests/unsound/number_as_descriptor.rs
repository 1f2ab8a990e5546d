//! error[E0451]: fields `kind` and `fd` of struct `driver_runtime::sync_object::Handle` are private
#![forbid(unsafe_code)]

// Closes another owner's file descriptor.
use driver_runtime::sync_object::drm::{BINARY, Node};
use driver_runtime::sync_object::{Handle, HandleKind};

pub fn close_standard_output(node: &Node) {
    let _ = node.import(BINARY, Handle { kind: HandleKind::OpaqueFd, fd: 1 });
}
