//! The state that drawing commands use.

use std::vec;
use std::vec::Vec;

use ash::vk;

use super::{Made, all, equal, first, handle, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;

#[derive(PartialEq)]
enum Call {
    Vertices(u32, Vec<vk::Buffer>, Vec<u64>, bool),
    Indices(vk::Buffer, u64, u64, vk::IndexType),
    Constants(vk::PipelineLayout, vk::ShaderStageFlags, u32, Vec<u8>),
    Sets(vk::ShaderStageFlags, vk::PipelineLayout, u32, Vec<vk::DescriptorSet>, Vec<u32>),
    Push(vk::ShaderStageFlags, vk::PipelineLayout, u32, Vec<u32>),
    PushTemplate(vk::DescriptorUpdateTemplate, vk::PipelineLayout, u32, usize),
    Offsets(vk::ShaderStageFlags, vk::PipelineLayout, u32, Vec<u32>, Vec<u64>),
    Embedded(vk::ShaderStageFlags, vk::PipelineLayout, u32),
    Dispatch([u32; 3], [u32; 3]),
}

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CmdBindVertexBuffers2 = |call| {
            let is_plain = call.sizes.as_ptr().is_null() && call.strides.as_ptr().is_null();
            let (buffers, offsets) = (call.buffers().to_vec(), call.offsets().to_vec());
            see(Call::Vertices(call.first_binding, buffers, offsets, is_plain));
        },
        CmdBindIndexBuffer2 = |call| see(Call::Indices(call.buffer, call.offset, call.size, call.index_type)),
        CmdPushConstants2 = |call| {
            let info = &call.push_constants_info;
            let values = all(info.p_values.cast::<u8>(), info.size);
            see(Call::Constants(info.layout, info.stage_flags, info.offset, values));
        },
        CmdBindDescriptorSets2 = |call| {
            let info = &call.bind_descriptor_sets_info;
            let sets = all(info.p_descriptor_sets, info.descriptor_set_count);
            let offsets = all(info.p_dynamic_offsets, info.dynamic_offset_count);
            see(Call::Sets(info.stage_flags, info.layout, info.first_set, sets, offsets));
        },
        CmdPushDescriptorSet2 = |call| {
            let info = &call.push_descriptor_set_info;
            let writes = all(info.p_descriptor_writes, info.descriptor_write_count);
            let bindings = writes.iter().map(|write| write.dst_binding).collect();
            see(Call::Push(info.stage_flags, info.layout, info.set, bindings));
        },
        CmdPushDescriptorSetWithTemplate2 = |call| {
            let info = &call.push_descriptor_set_with_template_info;
            let template = info.descriptor_update_template;
            see(Call::PushTemplate(template, info.layout, info.set, info.p_data.addr()));
        },
        CmdSetDescriptorBufferOffsets2EXT = |call| {
            let info = &call.set_descriptor_buffer_offsets_info;
            let indices = all(info.p_buffer_indices, info.set_count);
            let offsets = all(info.p_offsets, info.set_count);
            see(Call::Offsets(info.stage_flags, info.layout, info.first_set, indices, offsets));
        },
        CmdBindDescriptorBufferEmbeddedSamplers2EXT = |call| {
            let info = &call.bind_descriptor_buffer_embedded_samplers_info;
            see(Call::Embedded(info.stage_flags, info.layout, info.set));
        },
        CmdDispatchBase = |call| {
            let base = [call.base_group_x, call.base_group_y, call.base_group_z];
            see(Call::Dispatch(base, [call.group_count_x, call.group_count_y, call.group_count_z]));
        },
    }
};

#[test]
fn buffers_constants_and_group_counts_arrive() {
    let made = Made::new();
    let values = [8u8, 9, 10];
    unsafe {
        let bind = first!(CMD_BIND_VERTEX_BUFFERS: PFN_vkCmdBindVertexBuffers);
        bind(made.commands, 1, 2, [handle(2), handle(3)].as_ptr(), [4, 5].as_ptr());
        let bind = first!(CMD_BIND_INDEX_BUFFER: PFN_vkCmdBindIndexBuffer);
        bind(made.commands, handle(1), 2, vk::IndexType::UINT16);
        let push = first!(CMD_PUSH_CONSTANTS: PFN_vkCmdPushConstants);
        push(made.commands, handle(6), vk::ShaderStageFlags::VERTEX, 7, 3, values.as_ptr().cast());
        first!(CMD_DISPATCH: PFN_vkCmdDispatch)(made.commands, 1, 2, 3);
    }
    equal!(
        seen::<Call>(),
        [
            Call::Vertices(1, vec![handle(2), handle(3)], vec![4, 5], true),
            Call::Indices(handle(1), 2, vk::WHOLE_SIZE, vk::IndexType::UINT16),
            Call::Constants(handle(6), vk::ShaderStageFlags::VERTEX, 7, values.to_vec()),
            Call::Dispatch([0; 3], [1, 2, 3]),
        ]
    );
}

#[test]
fn descriptors_arrive_with_the_stages_of_their_bind_point() {
    let made = Made::new();
    let writes = [4, 5].map(|binding| vk::WriteDescriptorSet::default().dst_binding(binding));
    let (graphics, compute) = (vk::PipelineBindPoint::GRAPHICS, vk::PipelineBindPoint::COMPUTE);
    let data = 0u8;
    unsafe {
        let bind = first!(CMD_BIND_DESCRIPTOR_SETS: PFN_vkCmdBindDescriptorSets);
        bind(made.commands, graphics, handle(1), 2, 1, [handle(3)].as_ptr(), 2, [4, 5].as_ptr());
        let push = first!(CMD_PUSH_DESCRIPTOR_SET_KHR: PFN_vkCmdPushDescriptorSetKHR);
        push(made.commands, compute, handle(1), 2, 2, writes.as_ptr());
        let push =
            first!(CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR);
        push(made.commands, handle(1), handle(2), 3, core::ptr::from_ref(&data).cast());
        let set = first!(CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_EXT: PFN_vkCmdSetDescriptorBufferOffsetsEXT);
        set(made.commands, compute, handle(1), 2, 1, [3].as_ptr(), [4].as_ptr());
        let bind = first!(
            CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_EXT: PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT
        );
        bind(made.commands, vk::PipelineBindPoint::RAY_TRACING_KHR, handle(1), 2);
    }
    let (vertex_to_pixel, alone) = (vk::ShaderStageFlags::ALL_GRAPHICS, vk::ShaderStageFlags::COMPUTE);
    let rays = vk::ShaderStageFlags::from_raw(0x3f00);
    equal!(
        seen::<Call>(),
        [
            Call::Sets(vertex_to_pixel, handle(1), 2, vec![handle(3)], vec![4, 5]),
            Call::Push(alone, handle(1), 2, vec![4, 5]),
            Call::PushTemplate(handle(1), handle(2), 3, core::ptr::from_ref(&data).addr()),
            Call::Offsets(alone, handle(1), 2, vec![3], vec![4]),
            Call::Embedded(rays, handle(1), 2),
        ]
    );
}
