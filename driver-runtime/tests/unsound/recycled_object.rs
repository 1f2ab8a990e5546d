//! error[E0624]: method `recycle` is private
#![forbid(unsafe_code)]

// Frees a name that another thread may be reading.
pub fn forget(object: &vkload_driver_runtime::ObjectBase) {
    object.recycle();
}
