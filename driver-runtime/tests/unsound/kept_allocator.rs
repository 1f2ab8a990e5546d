//! error[E0624]: method `memory` is private
#![forbid(unsafe_code)]

// Keeps the application's allocation callbacks for longer than the application has to.
pub fn keep(root: &vkload_driver_runtime::object::Root) -> vkload_driver_runtime::memory::CopiedCallbacks {
    *root.memory()
}
