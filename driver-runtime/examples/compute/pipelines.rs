//! Shader modules and compute pipelines.

use std::collections::HashMap;
use std::ffi::CStr;

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Object, VkObject, entry_points, vk};

use crate::shader::Shader;
use crate::{Compute, refuse};

/// The words of a shader module.
struct Module(Box<[u32]>);

/// A layout has no state: shaders find their buffers by set and binding.
struct Layout;

/// A pipeline.
pub(crate) struct Pipeline(pub(crate) Shader);

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Module {
    type Handle = vk::ShaderModule;
    type Parent = Device<Compute>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Layout {
    type Handle = vk::PipelineLayout;
    type Parent = Device<Compute>;
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Pipeline {
    type Handle = vk::Pipeline;
    type Parent = Device<Compute>;
}

unsafe extern "system" fn create_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: the application passes a live handle, valid pointers and as much code as it says.
    unsafe {
        let code = std::slice::from_raw_parts((*info).p_code, (*info).code_size / 4);
        Object::create_command(device, callbacks, out, Module(code.into()))
    }
}

unsafe extern "system" fn create_layout(
    device: vk::Device,
    _: *const vk::PipelineLayoutCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::PipelineLayout,
) -> vk::Result {
    // SAFETY: the application passes a live handle and valid pointers.
    unsafe { Object::create_command(device, callbacks, out, Layout) }
}

/// Creates all pipelines that it can, and returns the first error.
unsafe extern "system" fn create_pipelines(
    device: vk::Device,
    _: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let mut first = vk::Result::SUCCESS;
    for place in 0..count as usize {
        // SAFETY: the application passes live handles and counted arrays.
        let result = unsafe {
            out.add(place).write(vk::Pipeline::null());
            match shader(&(*infos.add(place)).stage) {
                Ok(shader) => Object::create_command(device, callbacks, out.add(place), Pipeline(shader)),
                Err(why) => refuse(device, format_args!("a compute pipeline: {why}")),
            }
        };
        if first == vk::Result::SUCCESS {
            first = result;
        }
    }
    first
}

/// # Safety
/// The structure is valid.
unsafe fn shader(stage: &vk::PipelineShaderStageCreateInfo<'_>) -> Result<Shader, String> {
    // SAFETY: the caller vouches for the structure: a live module, a name, constants in the bytes that it says.
    unsafe {
        let module = Object::<Module>::from_handle(stage.module);
        let module = module.ok_or("the driver does not know shaders without a module")?;
        let constants = stage.p_specialization_info.as_ref().map(|info| constants(info)).unwrap_or_default();
        Shader::new(&module.0, CStr::from_ptr(stage.p_name).to_bytes(), &constants)
    }
}

/// Returns the values of specialisation constants, by their number. Shaders here can have only words.
///
/// # Safety
/// The structure is valid.
unsafe fn constants(info: &vk::SpecializationInfo<'_>) -> HashMap<u32, u32> {
    let mut values = HashMap::new();
    for place in 0..info.map_entry_count as usize {
        // SAFETY: the caller vouches for the array, and for the bytes that its elements are about.
        unsafe {
            let entry = &*info.p_map_entries.add(place);
            if entry.size == 4 {
                let value = info.p_data.byte_add(entry.offset as usize).cast::<u32>().read_unaligned();
                values.insert(entry.constant_id, value);
            }
        }
    }
    values
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Compute> = unsafe {
    entry_points! {
        CREATE_SHADER_MODULE: PFN_vkCreateShaderModule = create_module,
        DESTROY_SHADER_MODULE: PFN_vkDestroyShaderModule = Object::<Module>::destroy_command,
        CREATE_PIPELINE_LAYOUT: PFN_vkCreatePipelineLayout = create_layout,
        DESTROY_PIPELINE_LAYOUT: PFN_vkDestroyPipelineLayout = Object::<Layout>::destroy_command,
        CREATE_COMPUTE_PIPELINES: PFN_vkCreateComputePipelines = create_pipelines,
        DESTROY_PIPELINE: PFN_vkDestroyPipeline = Object::<Pipeline>::destroy_command,
    }
};
