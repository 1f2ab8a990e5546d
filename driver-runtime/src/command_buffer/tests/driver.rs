//! The driver's side, which notes its calls.

use std::cell::RefCell;
use std::string::String;
use std::vec::Vec;

use ash::vk::{self, Handle};

use crate::command_buffer::{CommandBuffers, CommandPool, ExclusiveCommandBuffer, Recording};
use crate::dispatch::EntryPoints;
use crate::out_array::list;
use crate::result::CommandBufferError;
use crate::testing::{TestDriver, with_memory};

std::thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    pub(super) static CREATED: core::cell::Cell<i32> = const { core::cell::Cell::new(0) };
}

fn note(text: String) {
    with_memory(|| CALLS.with_borrow_mut(|calls| calls.push(text)));
}

pub(super) fn calls() -> Vec<String> {
    CALLS.take()
}

macro_rules! note {
    ($($text:tt)*) => { with_memory(|| note(std::format!($($text)*))) };
}

/// The driver's part, which counts its instances.
pub(crate) struct Part;

impl Drop for Part {
    fn drop(&mut self) {
        CREATED.set(CREATED.get() - 1);
    }
}

impl CommandBuffers for TestDriver {
    type CommandBuffer = Part;
    const RECORDING: Recording<Self> = Recording::Secondaries(&REAL);

    fn create_command_buffer(
        _: &CommandPool<Self>,
        _: vk::CommandBufferLevel,
    ) -> Result<Part, CommandBufferError> {
        CREATED.set(CREATED.get() + 1);
        Ok(Part)
    }
    fn begin_command_buffer(
        _: &mut ExclusiveCommandBuffer<'_, Self>,
        _: &vk::CommandBufferBeginInfo<'_>,
    ) -> Result<(), CommandBufferError> {
        note!("begin");
        Ok(())
    }
    fn end_command_buffer(_: &mut ExclusiveCommandBuffer<'_, Self>) -> Result<(), CommandBufferError> {
        note!("end");
        Ok(())
    }
    fn reset_command_buffer(_: &mut ExclusiveCommandBuffer<'_, Self>, release: bool) {
        note!("reset {release}");
    }
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
const REAL: EntryPoints<TestDriver> = unsafe {
    crate::entry_points! {
        CmdDraw = |call| {
            note!(
                "draw {} {} {} {}",
                call.vertex_count,
                call.instance_count,
                call.first_vertex,
                call.first_instance
            );
        },
        CmdDrawIndexed = |call| {
            let (count, instances) = (call.index_count, call.instance_count);
            let firsts = (call.first_index, call.vertex_offset, call.first_instance);
            note!("draw indexed {count} {instances} {} {} {}", firsts.0, firsts.1, firsts.2);
        },
        CmdSetDepthBias = |call| {
            let factor = call.depth_bias_constant_factor;
            note!("depth bias {factor} {} {}", call.depth_bias_clamp, call.depth_bias_slope_factor);
        },
        CmdSetBlendConstants = |call| note!("blend {:?}", *call.blend_constants),
        CmdCopyBuffer = |call| {
            let sizes: Vec<_> = with_memory(|| call.regions().iter().map(|region| region.size).collect());
            note!("copy {} {} {sizes:?}", call.src_buffer.as_raw(), call.dst_buffer.as_raw());
            with_memory(|| drop(sizes));
        },
        CmdPushConstants = |call| {
            note!("constants {} {:?}", call.offset, list(call.values.cast::<u8>(), call.size));
        },
        CmdSetSampleMaskEXT = |call| {
            note!("mask {:?}", list(call.sample_mask, call.samples.as_raw().div_ceil(32)));
        },
        // Set under an alias of the recorded command's name.
        CmdBeginRendering = |call| {
            let info = &call.rendering_info;
            let views: Vec<_> = with_memory(|| {
                let views = list(info.p_color_attachments, info.color_attachment_count).iter();
                views.map(|one| one.image_view.as_raw()).collect()
            });
            let depth = info.p_depth_attachment.as_ref().map(|one| one.clear_value.depth_stencil.stencil);
            let chained = (info.p_next as *const vk::DeviceGroupRenderPassBeginInfo<'_>).as_ref();
            let areas =
                chained.map(|group| list(group.p_device_render_areas, group.device_render_area_count).len());
            note!("render {} {views:?} {depth:?} {areas:?}", info.layer_count);
            with_memory(|| drop(views));
        },
        CmdPushDescriptorSetKHR = |call| {
            for write in call.descriptor_writes() {
                let ranges: Vec<_> = with_memory(|| {
                    let buffers = if write.p_buffer_info.is_null() { 0 } else { write.descriptor_count };
                    list(write.p_buffer_info, buffers).iter().map(|buffer| buffer.range).collect()
                });
                note!("descriptors {:?} {}", ranges, write.p_image_info.is_null());
                with_memory(|| drop(ranges));
            }
        },
        // Not one that can be recorded: it has data whose size the template knows.
        CmdPushDescriptorSetWithTemplateKHR = |call| note!("template {}", call.set),
    }
};
