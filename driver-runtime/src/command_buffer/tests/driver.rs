//! The driver's side, which notes its calls.

use std::cell::RefCell;
use std::string::String;
use std::vec::Vec;

use ash::vk::{self, Handle};

use crate::command_buffer::{CommandBuffers, CommandPool, ExclusiveCommandBuffer, Recording};
use crate::dispatch::EntryPoints;
use crate::result::CommandBufferError;
use crate::testing::{TestDriver, with_memory};

std::thread_local! {
    /// The driver's calls.
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

/// Returns a counted array.
///
/// # Safety
/// It is one.
unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    // SAFETY: the caller vouches for the array.
    if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(first, count as usize) } }
}

unsafe extern "system" fn draw(_: vk::CommandBuffer, a: u32, b: u32, c: u32, d: u32) {
    note!("draw {a} {b} {c} {d}");
}

unsafe extern "system" fn draw_indexed(_: vk::CommandBuffer, a: u32, b: u32, c: u32, d: i32, e: u32) {
    note!("draw indexed {a} {b} {c} {d} {e}");
}

unsafe extern "system" fn set_depth_bias(_: vk::CommandBuffer, a: f32, b: f32, c: f32) {
    note!("depth bias {a} {b} {c}");
}

unsafe extern "system" fn set_blend_constants(_: vk::CommandBuffer, constants: *const [f32; 4]) {
    // SAFETY: the caller passes four numbers.
    note!("blend {:?}", unsafe { *constants });
}

unsafe extern "system" fn copy_buffer(
    _: vk::CommandBuffer,
    source: vk::Buffer,
    target: vk::Buffer,
    count: u32,
    regions: *const vk::BufferCopy,
) {
    // SAFETY: the caller passes a counted array.
    let sizes: Vec<_> =
        with_memory(|| unsafe { list(regions, count) }.iter().map(|region| region.size).collect());
    note!("copy {} {} {sizes:?}", source.as_raw(), target.as_raw());
    with_memory(|| drop(sizes));
}

unsafe extern "system" fn push_constants(
    _: vk::CommandBuffer,
    _: vk::PipelineLayout,
    _: vk::ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const core::ffi::c_void,
) {
    // SAFETY: the caller passes this many bytes.
    note!("constants {offset} {:?}", unsafe { list(values.cast::<u8>(), size) });
}

unsafe extern "system" fn set_sample_mask(
    _: vk::CommandBuffer,
    samples: vk::SampleCountFlags,
    mask: *const vk::SampleMask,
) {
    // SAFETY: the caller passes a bit for each sample.
    note!("mask {:?}", unsafe { list(mask, samples.as_raw().div_ceil(32)) });
}

unsafe extern "system" fn begin_rendering(_: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>) {
    // SAFETY: the caller passes a valid structure.
    unsafe {
        let info = &*info;
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
    }
}

unsafe extern "system" fn push_descriptor_set(
    _: vk::CommandBuffer,
    _: vk::PipelineBindPoint,
    _: vk::PipelineLayout,
    _: u32,
    count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
) {
    // SAFETY: the caller passes a counted array of valid structures.
    unsafe {
        for write in list(writes, count) {
            let ranges: Vec<_> = with_memory(|| {
                let buffers = if write.p_buffer_info.is_null() { 0 } else { write.descriptor_count };
                list(write.p_buffer_info, buffers).iter().map(|buffer| buffer.range).collect()
            });
            note!("descriptors {:?} {}", ranges, write.p_image_info.is_null());
            with_memory(|| drop(ranges));
        }
    }
}

/// Not one that can be recorded: it has data whose size the template knows.
unsafe extern "system" fn with_template(
    _: vk::CommandBuffer,
    _: vk::DescriptorUpdateTemplate,
    _: vk::PipelineLayout,
    set: u32,
    _: *const core::ffi::c_void,
) {
    note!("template {set}");
}

// SAFETY: each function implements its command, with the objects of this driver.
const REAL: EntryPoints<TestDriver> = unsafe {
    crate::entry_points! {
        CMD_DRAW: PFN_vkCmdDraw = draw,
        CMD_DRAW_INDEXED: PFN_vkCmdDrawIndexed = draw_indexed,
        CMD_SET_DEPTH_BIAS: PFN_vkCmdSetDepthBias = set_depth_bias,
        CMD_SET_BLEND_CONSTANTS: PFN_vkCmdSetBlendConstants = set_blend_constants,
        CMD_COPY_BUFFER: PFN_vkCmdCopyBuffer = copy_buffer,
        CMD_PUSH_CONSTANTS: PFN_vkCmdPushConstants = push_constants,
        CMD_SET_SAMPLE_MASK_EXT: PFN_vkCmdSetSampleMaskEXT = set_sample_mask,
        // Set under an alias of the recorded command's name.
        CMD_BEGIN_RENDERING: PFN_vkCmdBeginRendering = begin_rendering,
        CMD_PUSH_DESCRIPTOR_SET_KHR: PFN_vkCmdPushDescriptorSetKHR = push_descriptor_set,
        CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR = with_template,
    }
};
