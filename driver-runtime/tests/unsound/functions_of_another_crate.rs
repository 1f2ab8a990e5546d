//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function of another crate, which expects its own objects behind handles.
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{entry_points, types};

pub fn stolen<D>(destroy: types::PFN_vkDestroyBuffer) -> EntryPoints<D> {
    entry_points! { DESTROY_BUFFER: PFN_vkDestroyBuffer = destroy }
}
