//! The state that drawing commands use, bound through the forms that take structures.

use ash::vk;
use vkload_core::registry::parameter::Array;

use super::calls::call;
use crate::calls;
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

fn bind_vertex_buffers(call: &calls::CmdBindVertexBuffers<'_>) {
    let (first, count) = (call.first_binding, call.binding_count);
    let (buffers, offsets, none) = (call.buffers, call.offsets, Array::NONE);
    // SAFETY: the second form has the same handles; without sizes buffers reach to their ends, and without strides the
    // pipeline's strides apply, as in the first form.
    unsafe { call!(call.command_buffer, CmdBindVertexBuffers2(first, count, buffers, offsets, none, none)) };
}

fn bind_index_buffer(call: &calls::CmdBindIndexBuffer<'_>) {
    let (buffer, offset, kind) = (call.buffer, call.offset, call.index_type);
    // SAFETY: the second form has the same handles.
    unsafe { call!(call.command_buffer, CmdBindIndexBuffer2KHR(buffer, offset, vk::WHOLE_SIZE, kind)) };
}

/// Commands whose second form takes the parameters in a structure.
macro_rules! by_structure {
    ($($name:ident($first:ident => $second:ident, $info:ident) |$call:ident| { $($member:ident: $value:expr),* };)*) => {$(
        fn $name($call: &calls::$first<'_>) {
            let info = vk::$info { $($member: $value,)* ..Default::default() };
            // SAFETY: the second form has the same handles, arrays and data.
            unsafe { call!($call.command_buffer, $second(&info)) };
        }
    )*};
}

by_structure! {
    push_constants(CmdPushConstants => CmdPushConstants2KHR, PushConstantsInfoKHR) |call| {
        layout: call.layout, stage_flags: call.stage_flags, offset: call.offset, size: call.size,
        p_values: call.values
    };
    bind_descriptor_sets(CmdBindDescriptorSets => CmdBindDescriptorSets2KHR, BindDescriptorSetsInfoKHR) |call| {
        stage_flags: stages_of(call.pipeline_bind_point), layout: call.layout, first_set: call.first_set,
        descriptor_set_count: call.descriptor_set_count, p_descriptor_sets: call.descriptor_sets.as_ptr(),
        dynamic_offset_count: call.dynamic_offset_count, p_dynamic_offsets: call.dynamic_offsets.as_ptr()
    };
    push_descriptor_set(CmdPushDescriptorSetKHR => CmdPushDescriptorSet2KHR, PushDescriptorSetInfoKHR) |call| {
        stage_flags: stages_of(call.pipeline_bind_point), layout: call.layout, set: call.set,
        descriptor_write_count: call.descriptor_write_count,
        p_descriptor_writes: call.descriptor_writes.as_ptr().cast()
    };
    push_descriptor_set_with_template(
        CmdPushDescriptorSetWithTemplateKHR => CmdPushDescriptorSetWithTemplate2KHR, PushDescriptorSetWithTemplateInfoKHR
    ) |call| {
        descriptor_update_template: call.descriptor_update_template, layout: call.layout, set: call.set,
        p_data: call.data
    };
    set_descriptor_buffer_offsets(
        CmdSetDescriptorBufferOffsetsEXT => CmdSetDescriptorBufferOffsets2EXT, SetDescriptorBufferOffsetsInfoEXT
    ) |call| {
        stage_flags: stages_of(call.pipeline_bind_point), layout: call.layout, first_set: call.first_set,
        set_count: call.set_count, p_buffer_indices: call.buffer_indices.as_ptr(), p_offsets: call.offsets.as_ptr()
    };
    bind_embedded_samplers(
        CmdBindDescriptorBufferEmbeddedSamplersEXT => CmdBindDescriptorBufferEmbeddedSamplers2EXT,
        BindDescriptorBufferEmbeddedSamplersInfoEXT
    ) |call| { stage_flags: stages_of(call.pipeline_bind_point), layout: call.layout, set: call.set };
}

fn dispatch(call: &calls::CmdDispatch<'_>) {
    let [x, y, z] = [call.group_count_x, call.group_count_y, call.group_count_z];
    // SAFETY: the other command has the same handle.
    unsafe { call!(call.command_buffer, CmdDispatchBase(0u32, 0u32, 0u32, x, y, z)) };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CmdBindVertexBuffers = bind_vertex_buffers => CMD_BIND_VERTEX_BUFFERS_2;
    CmdBindIndexBuffer = bind_index_buffer => CMD_BIND_INDEX_BUFFER_2;
    CmdPushConstants = push_constants => CMD_PUSH_CONSTANTS_2;
    CmdBindDescriptorSets = bind_descriptor_sets => CMD_BIND_DESCRIPTOR_SETS_2;
    CmdPushDescriptorSetKHR = push_descriptor_set => CMD_PUSH_DESCRIPTOR_SET_2;
    CmdPushDescriptorSetWithTemplateKHR = push_descriptor_set_with_template
        => CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2;
    CmdSetDescriptorBufferOffsetsEXT = set_descriptor_buffer_offsets
        => CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_2_EXT;
    CmdBindDescriptorBufferEmbeddedSamplersEXT = bind_embedded_samplers
        => CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_2_EXT;
    CmdDispatch = dispatch => CMD_DISPATCH_BASE;
};
