//! error[E0599]: no method named `join` found
#![forbid(unsafe_code)]

// Waits for a thread that does not exist.
use vkload_driver_runtime::Host;

pub fn join(host: &dyn Host) {
    host.join(0x4141_4140);
}
