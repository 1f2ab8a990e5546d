//! error[E0624]: method `find` is private
#![forbid(unsafe_code)]

// Keeps a reference into a device beyond the device's life.
pub fn keep(root: &vkload_driver_runtime::object::Root) -> impl Sized + use<> {
    root.foreign().find(1)
}
