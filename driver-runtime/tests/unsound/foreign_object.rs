//! error[E0624]: method `find` is private
#![forbid(unsafe_code)]

// Keeps something that leads to a device for longer than the device.
pub fn keep(root: &driver_runtime::object::Root) -> impl Sized + use<> {
    root.foreign().find(1)
}
