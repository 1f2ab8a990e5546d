//! Arrays of handles that a command fills with NULL if it fails.

use core::ffi::c_void;

use ash::vk;
use vkload_registry::{CommandId, command};

/// Fills the array of such a command.
///
/// # Safety
/// The parameters come from a call of the command.
pub(crate) unsafe fn fill_with_null(command: CommandId, parameters: &[u64]) {
    const HANDLE: usize = size_of::<vk::Pipeline>();
    let number = |index: usize| parameters.get(index).copied().unwrap_or(0) as usize;
    // SAFETY: the caller vouches for the parameters.
    let (array, count, size) = unsafe {
        match command.canonical() {
            command::ALLOCATE_COMMAND_BUFFERS => {
                let info = pointer::<vk::CommandBufferAllocateInfo<'_>>(number(1));
                (number(2), (*info).command_buffer_count as usize, size_of::<vk::CommandBuffer>())
            }
            command::ALLOCATE_DESCRIPTOR_SETS => {
                let info = pointer::<vk::DescriptorSetAllocateInfo<'_>>(number(1));
                (number(2), (*info).descriptor_set_count as usize, HANDLE)
            }
            command::CREATE_GRAPHICS_PIPELINES
            | command::CREATE_COMPUTE_PIPELINES
            | command::CREATE_RAY_TRACING_PIPELINES_NV
            | command::CREATE_EXECUTION_GRAPH_PIPELINES_AMDX => (number(5), number(2), HANDLE),
            command::CREATE_RAY_TRACING_PIPELINES_KHR | command::CREATE_DATA_GRAPH_PIPELINES_ARM => {
                (number(6), number(3), HANDLE)
            }
            command::CREATE_SHADERS_EXT => (number(4), number(1), HANDLE),
            _ => return,
        }
    };
    let array = core::ptr::with_exposed_provenance_mut::<c_void>(array);
    // SAFETY: it has memory for so many handles, all of which may be NULL.
    unsafe { array.write_bytes(0, count.saturating_mul(size)) };
}

fn pointer<T>(address: usize) -> *const T {
    core::ptr::with_exposed_provenance(address)
}
