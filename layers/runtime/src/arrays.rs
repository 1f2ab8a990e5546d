//! Arrays of handles that a command fills with NULL if it fails.

use core::ffi::c_void;

use ash::vk;
use vkload_registry::{CommandId, command};

/// An array of handles that a command returns.
#[derive(Clone, Copy, Debug)]
pub struct HandleArray {
    /// The first handle.
    pub start: *mut c_void,
    /// The number of handles.
    pub count: usize,
    /// The size of a handle in bytes.
    pub size: usize,
}

/// Returns the array of a command that creates or allocates several objects. `None` for other commands.
///
/// # Safety
/// The parameters come from a call of the command.
pub unsafe fn handle_array(command: CommandId, parameters: &[u64]) -> Option<HandleArray> {
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
            command::CREATE_SHADERS_EXT | command::CREATE_SHARED_SWAPCHAINS_KHR => {
                (number(4), number(1), HANDLE)
            }
            _ => return None,
        }
    };
    Some(HandleArray { start: core::ptr::with_exposed_provenance_mut(array), count, size })
}

/// Fills the array of such a command with NULL.
///
/// # Safety
/// As for [`handle_array`].
pub(crate) unsafe fn fill_with_null(command: CommandId, parameters: &[u64]) {
    // SAFETY: the caller vouches for the parameters. The array has memory for all handles, each of which may be NULL.
    unsafe {
        if let Some(HandleArray { start, count, size }) = handle_array(command, parameters) {
            start.write_bytes(0, count.saturating_mul(size));
        }
    }
}

fn pointer<T>(address: usize) -> *const T {
    core::ptr::with_exposed_provenance(address)
}
