//! The state that drawing commands use, bound through the forms that take structures.

use core::ffi::c_void;

use ash::vk;

use super::calls::call;
use crate::dispatch::{Forward, forwards};

/// Returns stages for a bind point: one of its stages is enough, and every driver knows these. Bind points of
/// extensions without stages of their own have none; a driver with such a bind point implements the first form
/// itself.
fn stages_of(bind_point: vk::PipelineBindPoint) -> vk::ShaderStageFlags {
    match bind_point {
        vk::PipelineBindPoint::GRAPHICS => vk::ShaderStageFlags::ALL_GRAPHICS,
        vk::PipelineBindPoint::COMPUTE => vk::ShaderStageFlags::COMPUTE,
        vk::PipelineBindPoint::RAY_TRACING_KHR => {
            vk::ShaderStageFlags::RAYGEN_KHR
                | vk::ShaderStageFlags::ANY_HIT_KHR
                | vk::ShaderStageFlags::CLOSEST_HIT_KHR
                | vk::ShaderStageFlags::MISS_KHR
                | vk::ShaderStageFlags::INTERSECTION_KHR
                | vk::ShaderStageFlags::CALLABLE_KHR
        }
        vk::PipelineBindPoint::SUBPASS_SHADING_HUAWEI => vk::ShaderStageFlags::SUBPASS_SHADING_HUAWEI,
        _ => vk::ShaderStageFlags::empty(),
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_vertex_buffers(
    commands: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
) {
    let (sizes, strides) = (core::ptr::null(), core::ptr::null());
    // SAFETY: the caller vouches for handles and arrays; without sizes buffers reach to their ends, and without
    // strides the pipeline's strides apply, as in the first form.
    unsafe {
        call!(
            commands,
            CMD_BIND_VERTEX_BUFFERS_2:
                PFN_vkCmdBindVertexBuffers2(first, count, buffers, offsets, sizes, strides)
        )
    };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_index_buffer(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    kind: vk::IndexType,
) {
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe {
        call!(
            commands,
            CMD_BIND_INDEX_BUFFER_2_KHR: PFN_vkCmdBindIndexBuffer2KHR(buffer, offset, vk::WHOLE_SIZE, kind)
        )
    };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn push_constants(
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    stages: vk::ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const c_void,
) {
    let info = vk::PushConstantsInfoKHR {
        layout,
        stage_flags: stages,
        offset,
        size,
        p_values: values,
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and values; the function's requirements are met.
    unsafe { call!(commands, CMD_PUSH_CONSTANTS_2_KHR: PFN_vkCmdPushConstants2KHR(&info)) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_descriptor_sets(
    commands: vk::CommandBuffer,
    bind_point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first_set: u32,
    descriptor_set_count: u32,
    sets: *const vk::DescriptorSet,
    dynamic_offset_count: u32,
    offsets: *const u32,
) {
    let info = vk::BindDescriptorSetsInfoKHR {
        stage_flags: stages_of(bind_point),
        layout,
        first_set,
        descriptor_set_count,
        p_descriptor_sets: sets,
        dynamic_offset_count,
        p_dynamic_offsets: offsets,
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and arrays; the function's requirements are met.
    unsafe { call!(commands, CMD_BIND_DESCRIPTOR_SETS_2_KHR: PFN_vkCmdBindDescriptorSets2KHR(&info)) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn push_descriptor_set(
    commands: vk::CommandBuffer,
    bind_point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
    count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
) {
    let info = vk::PushDescriptorSetInfoKHR {
        stage_flags: stages_of(bind_point),
        layout,
        set,
        descriptor_write_count: count,
        p_descriptor_writes: writes.cast(),
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and arrays; the function's requirements are met.
    unsafe { call!(commands, CMD_PUSH_DESCRIPTOR_SET_2_KHR: PFN_vkCmdPushDescriptorSet2KHR(&info)) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn push_descriptor_set_with_template(
    commands: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) {
    let info = vk::PushDescriptorSetWithTemplateInfoKHR {
        descriptor_update_template: template,
        layout,
        set,
        p_data: data,
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and data; the function's requirements are met.
    unsafe {
        call!(
            commands,
            CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2_KHR: PFN_vkCmdPushDescriptorSetWithTemplate2KHR(&info)
        )
    };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn set_descriptor_buffer_offsets(
    commands: vk::CommandBuffer,
    bind_point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first_set: u32,
    set_count: u32,
    indices: *const u32,
    offsets: *const vk::DeviceSize,
) {
    let info = vk::SetDescriptorBufferOffsetsInfoEXT {
        stage_flags: stages_of(bind_point),
        layout,
        first_set,
        set_count,
        p_buffer_indices: indices,
        p_offsets: offsets,
        ..Default::default()
    };
    // SAFETY: the caller vouches for handles and arrays; the function's requirements are met.
    unsafe {
        call!(
            commands,
            CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_2_EXT: PFN_vkCmdSetDescriptorBufferOffsets2EXT(&info)
        )
    };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn bind_embedded_samplers(
    commands: vk::CommandBuffer,
    bind_point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
) {
    let info = vk::BindDescriptorBufferEmbeddedSamplersInfoEXT {
        stage_flags: stages_of(bind_point),
        layout,
        set,
        ..Default::default()
    };
    // SAFETY: the caller vouches for the handles; the function's requirements are met.
    unsafe {
        call!(
            commands,
            CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_2_EXT:
                PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT(&info)
        )
    };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn dispatch(commands: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    // SAFETY: the caller vouches for the handle; the function's requirements are met.
    unsafe { call!(commands, CMD_DISPATCH_BASE: PFN_vkCmdDispatchBase(0, 0, 0, x, y, z)) };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CMD_BIND_VERTEX_BUFFERS: PFN_vkCmdBindVertexBuffers = bind_vertex_buffers => CMD_BIND_VERTEX_BUFFERS_2;
    CMD_BIND_INDEX_BUFFER: PFN_vkCmdBindIndexBuffer = bind_index_buffer => CMD_BIND_INDEX_BUFFER_2;
    CMD_PUSH_CONSTANTS: PFN_vkCmdPushConstants = push_constants => CMD_PUSH_CONSTANTS_2;
    CMD_BIND_DESCRIPTOR_SETS: PFN_vkCmdBindDescriptorSets = bind_descriptor_sets => CMD_BIND_DESCRIPTOR_SETS_2;
    CMD_PUSH_DESCRIPTOR_SET_KHR: PFN_vkCmdPushDescriptorSetKHR = push_descriptor_set
        => CMD_PUSH_DESCRIPTOR_SET_2;
    CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR
        = push_descriptor_set_with_template => CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2;
    CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_EXT: PFN_vkCmdSetDescriptorBufferOffsetsEXT
        = set_descriptor_buffer_offsets => CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_2_EXT;
    CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_EXT: PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT
        = bind_embedded_samplers => CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_2_EXT;
    CMD_DISPATCH: PFN_vkCmdDispatch = dispatch => CMD_DISPATCH_BASE;
};
