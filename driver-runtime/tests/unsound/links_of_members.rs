//! error[E0432]: unresolved imports `driver_runtime::object::Member`, `driver_runtime::object::Membership`
#![forbid(unsafe_code)]

// Members of a pool that state their own place in its lists.
pub use driver_runtime::object::{Member, Membership};
