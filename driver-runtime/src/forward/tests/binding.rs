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
    Dispatch([u32; 6]),
}

extern "system" fn vertices(
    _: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const u64,
    sizes: *const u64,
    strides: *const u64,
) {
    let is_plain = sizes.is_null() && strides.is_null();
    see(Call::Vertices(first, all(buffers, count), all(offsets, count), is_plain));
}

extern "system" fn indices(
    _: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: u64,
    size: u64,
    kind: vk::IndexType,
) {
    see(Call::Indices(buffer, offset, size, kind));
}

unsafe extern "system" fn constants(_: vk::CommandBuffer, info: *const vk::PushConstantsInfoKHR<'_>) {
    // SAFETY: forwarders hand over valid structures, here and below.
    let info = unsafe { &*info };
    let values = all(info.p_values.cast::<u8>(), info.size);
    see(Call::Constants(info.layout, info.stage_flags, info.offset, values));
}

unsafe extern "system" fn sets(_: vk::CommandBuffer, info: *const vk::BindDescriptorSetsInfoKHR<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let sets = all(info.p_descriptor_sets, info.descriptor_set_count);
    let offsets = all(info.p_dynamic_offsets, info.dynamic_offset_count);
    see(Call::Sets(info.stage_flags, info.layout, info.first_set, sets, offsets));
}

unsafe extern "system" fn push(_: vk::CommandBuffer, info: *const vk::PushDescriptorSetInfoKHR<'_>) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let writes = all(info.p_descriptor_writes, info.descriptor_write_count);
    let bindings = writes.iter().map(|write| write.dst_binding).collect();
    see(Call::Push(info.stage_flags, info.layout, info.set, bindings));
}

unsafe extern "system" fn push_template(
    _: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    see(Call::PushTemplate(info.descriptor_update_template, info.layout, info.set, info.p_data.addr()));
}

unsafe extern "system" fn offsets(
    _: vk::CommandBuffer,
    info: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    let (indices, offsets) =
        (all(info.p_buffer_indices, info.set_count), all(info.p_offsets, info.set_count));
    see(Call::Offsets(info.stage_flags, info.layout, info.first_set, indices, offsets));
}

unsafe extern "system" fn embedded(
    _: vk::CommandBuffer,
    info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
) {
    // SAFETY: as above.
    let info = unsafe { &*info };
    see(Call::Embedded(info.stage_flags, info.layout, info.set));
}

extern "system" fn dispatch(_: vk::CommandBuffer, a: u32, b: u32, c: u32, x: u32, y: u32, z: u32) {
    see(Call::Dispatch([a, b, c, x, y, z]));
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CMD_BIND_VERTEX_BUFFERS_2: PFN_vkCmdBindVertexBuffers2 = vertices,
        CMD_BIND_INDEX_BUFFER_2_KHR: PFN_vkCmdBindIndexBuffer2KHR = indices,
        CMD_PUSH_CONSTANTS_2_KHR: PFN_vkCmdPushConstants2KHR = constants,
        CMD_BIND_DESCRIPTOR_SETS_2_KHR: PFN_vkCmdBindDescriptorSets2KHR = sets,
        CMD_PUSH_DESCRIPTOR_SET_2_KHR: PFN_vkCmdPushDescriptorSet2KHR = push,
        CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2_KHR: PFN_vkCmdPushDescriptorSetWithTemplate2KHR = push_template,
        CMD_SET_DESCRIPTOR_BUFFER_OFFSETS_2_EXT: PFN_vkCmdSetDescriptorBufferOffsets2EXT = offsets,
        CMD_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_2_EXT: PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT
            = embedded,
        CMD_DISPATCH_BASE: PFN_vkCmdDispatchBase = dispatch,
    }
};

#[test]
fn buffers_constants_and_group_counts_arrive() {
    let made = Made::new();
    let values = [8u8, 9, 10];
    // SAFETY: a live command buffer and counted arrays.
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
            Call::Dispatch([0, 0, 0, 1, 2, 3]),
        ]
    );
}

#[test]
fn descriptors_arrive_with_the_stages_of_their_bind_point() {
    let made = Made::new();
    let writes = [4, 5].map(|binding| vk::WriteDescriptorSet::default().dst_binding(binding));
    let (graphics, compute) = (vk::PipelineBindPoint::GRAPHICS, vk::PipelineBindPoint::COMPUTE);
    let data = 0u8;
    // SAFETY: a live command buffer and counted arrays.
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
