//! error[E0624]: method `memory` is private
#![forbid(unsafe_code)]

// Keeps the application's allocation callbacks for longer than the application has to.
pub fn keep(root: &driver_runtime::object::Root) -> driver_runtime::memory::CopiedCallbacks {
    *root.memory()
}
