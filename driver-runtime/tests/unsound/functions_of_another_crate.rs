//! error[E0133]: call to unsafe
#![forbid(unsafe_code)]

// A function of another crate, which expects its own objects behind handles.
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Object, VkObject, entry_points, vk};

pub fn stolen<D, Other: VkObject<Handle = vk::Buffer>>() -> EntryPoints<D> {
    entry_points! { DESTROY_BUFFER: PFN_vkDestroyBuffer = Object::<Other>::destroy_command }
}
