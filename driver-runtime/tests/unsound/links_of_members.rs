//! error[E0432]: unresolved imports `vkload_driver_runtime::object::Member`, `vkload_driver_runtime::object::Membership`
#![forbid(unsafe_code)]

// Members of a pool that state their own place in its lists.
pub use vkload_driver_runtime::object::{Member, Membership};
