//! Render passes and their subpasses, by their second form.

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, TryGrow, Vec};

use super::calls::{call, memory_of};
use crate::calls;
use crate::dispatch::{Forward, forwards};
use crate::out_array::list;

fn create_render_pass(call: &calls::CreateRenderPass<'_>) -> vk::Result {
    // SAFETY: the second form has the same handles, callbacks and contents.
    unsafe {
        let memory = memory_of(call.device).or(call.allocator.as_ptr(), vk::SystemAllocationScope::COMMAND);
        let Ok(parts) = SecondForm::new(&call.create_info, memory) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let info = parts.info(&call.create_info);
        call!(call.device, CreateRenderPass2(&info, call.allocator, call.render_pass))
    }
    .unwrap_or(vk::Result::ERROR_UNKNOWN)
}

/// The lists of a render pass in the second form.
struct SecondForm<'a> {
    attachments: Vec<vk::AttachmentDescription2<'a>, CopiedCallbacks>,
    /// The attachments of all subpasses, which point here.
    references: Vec<vk::AttachmentReference2<'a>, CopiedCallbacks>,
    subpasses: Vec<vk::SubpassDescription2<'a>, CopiedCallbacks>,
    dependencies: Vec<vk::SubpassDependency2<'a>, CopiedCallbacks>,
}

impl<'a> SecondForm<'a> {
    /// # Safety
    /// `info` is valid, and stays valid for `'a`.
    unsafe fn new(info: &vk::RenderPassCreateInfo<'_>, memory: CopiedCallbacks) -> Result<Self, OutOfMemory> {
        let mut parts = Self {
            attachments: Vec::new_in(memory),
            references: Vec::new_in(memory),
            subpasses: Vec::new_in(memory),
            dependencies: Vec::new_in(memory),
        };
        // SAFETY: the caller vouches for the structure with all that it points to.
        unsafe {
            for attachment in list(info.p_attachments, info.attachment_count) {
                parts.attachments.try_push(described(attachment))?;
            }
            let subpasses = list(info.p_subpasses, info.subpass_count);
            let referenced = subpasses.iter().map(referenced).fold(0usize, usize::saturating_add);
            parts.references.try_reserve_exact(referenced).map_err(|_| OutOfMemory)?;
            let views = chain::find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next);
            let (masks, offsets) = views.map_or((&[][..], &[][..]), |views| {
                (
                    list(views.p_view_masks, views.subpass_count),
                    list(views.p_view_offsets, views.dependency_count),
                )
            });
            for (number, subpass) in subpasses.iter().enumerate() {
                let mut subpass = parts.subpass(info, number, subpass)?;
                subpass.view_mask = masks.get(number).copied().unwrap_or_default();
                parts.subpasses.try_push(subpass)?;
            }
            for (number, one) in list(info.p_dependencies, info.dependency_count).iter().enumerate() {
                let offset = offsets.get(number).copied().unwrap_or_default();
                parts.dependencies.try_push(dependency(one, offset))?;
            }
        }
        Ok(parts)
    }

    /// # Safety
    /// As for [`SecondForm::new`]; the capacity suffices for the references, which therefore do not move.
    unsafe fn subpass(
        &mut self,
        info: &vk::RenderPassCreateInfo<'_>,
        number: usize,
        subpass: &vk::SubpassDescription<'_>,
    ) -> Result<vk::SubpassDescription2<'a>, OutOfMemory> {
        // SAFETY: the caller vouches for the structure with all that it points to.
        unsafe {
            let inputs = list(subpass.p_input_attachments, subpass.input_attachment_count);
            let first_input = self.end();
            for (index, one) in inputs.iter().enumerate() {
                self.refer(one, aspects(info, number, index, one.attachment))?;
            }
            let colours = list(subpass.p_color_attachments, subpass.color_attachment_count);
            let first_colour = self.end();
            colours.iter().try_for_each(|one| self.refer(one, vk::ImageAspectFlags::empty()))?;
            let resolves = list(subpass.p_resolve_attachments, subpass.color_attachment_count);
            let first_resolve = if resolves.is_empty() { core::ptr::null() } else { self.end() };
            resolves.iter().try_for_each(|one| self.refer(one, vk::ImageAspectFlags::empty()))?;
            let depth = subpass.p_depth_stencil_attachment.as_ref();
            let depth_reference = if depth.is_some() { self.end() } else { core::ptr::null() };
            depth.iter().try_for_each(|one| self.refer(one, vk::ImageAspectFlags::empty()))?;
            Ok(vk::SubpassDescription2 {
                flags: subpass.flags,
                pipeline_bind_point: subpass.pipeline_bind_point,
                input_attachment_count: subpass.input_attachment_count,
                p_input_attachments: first_input,
                color_attachment_count: subpass.color_attachment_count,
                p_color_attachments: first_colour,
                p_resolve_attachments: first_resolve,
                p_depth_stencil_attachment: depth_reference,
                preserve_attachment_count: subpass.preserve_attachment_count,
                p_preserve_attachments: subpass.p_preserve_attachments,
                ..Default::default()
            })
        }
    }

    /// Returns the address of the next reference.
    fn end(&self) -> *const vk::AttachmentReference2<'a> {
        self.references.as_ptr().wrapping_add(self.references.len())
    }

    fn refer(
        &mut self,
        one: &vk::AttachmentReference,
        aspects: vk::ImageAspectFlags,
    ) -> Result<(), OutOfMemory> {
        let reference = vk::AttachmentReference2::default().attachment(one.attachment).layout(one.layout);
        self.references.try_push(reference.aspect_mask(aspects))
    }

    fn info(&self, info: &vk::RenderPassCreateInfo<'a>) -> vk::RenderPassCreateInfo2<'_> {
        let mut second = vk::RenderPassCreateInfo2::default()
            .flags(info.flags)
            .attachments(&self.attachments)
            .subpasses(&self.subpasses)
            .dependencies(&self.dependencies);
        second.p_next = info.p_next;
        // SAFETY: the application's chain is valid for as long as its structure.
        if let Some(views) = unsafe { chain::find::<vk::RenderPassMultiviewCreateInfo<'_>>(info.p_next) } {
            second.correlated_view_mask_count = views.correlation_mask_count;
            second.p_correlated_view_masks = views.p_correlation_masks;
        }
        second
    }
}

/// Returns the number of attachments that a subpass refers to, without preserved ones.
fn referenced(subpass: &vk::SubpassDescription<'_>) -> usize {
    let colours = subpass.color_attachment_count as usize;
    let resolves = if subpass.p_resolve_attachments.is_null() { 0 } else { colours };
    let depth = usize::from(!subpass.p_depth_stencil_attachment.is_null());
    let inputs = subpass.input_attachment_count as usize;
    [inputs, colours, resolves, depth].into_iter().fold(0, usize::saturating_add)
}

fn described<'a>(one: &vk::AttachmentDescription) -> vk::AttachmentDescription2<'a> {
    vk::AttachmentDescription2 {
        flags: one.flags,
        format: one.format,
        samples: one.samples,
        load_op: one.load_op,
        store_op: one.store_op,
        stencil_load_op: one.stencil_load_op,
        stencil_store_op: one.stencil_store_op,
        initial_layout: one.initial_layout,
        final_layout: one.final_layout,
        ..Default::default()
    }
}

fn dependency<'a>(one: &vk::SubpassDependency, view_offset: i32) -> vk::SubpassDependency2<'a> {
    vk::SubpassDependency2 {
        src_subpass: one.src_subpass,
        dst_subpass: one.dst_subpass,
        src_stage_mask: one.src_stage_mask,
        dst_stage_mask: one.dst_stage_mask,
        src_access_mask: one.src_access_mask,
        dst_access_mask: one.dst_access_mask,
        dependency_flags: one.dependency_flags,
        view_offset,
        ..Default::default()
    }
}

/// Returns the aspects of an input attachment that a subpass reads: the ones that the application names, or otherwise
/// all of its format.
///
/// # Safety
/// `info` is valid.
unsafe fn aspects(
    info: &vk::RenderPassCreateInfo<'_>,
    subpass: usize,
    index: usize,
    attachment: u32,
) -> vk::ImageAspectFlags {
    // SAFETY: the caller vouches for the structure with its chain and its arrays.
    unsafe {
        let named = chain::find::<vk::RenderPassInputAttachmentAspectCreateInfo<'_>>(info.p_next);
        let named =
            named.map_or(&[][..], |named| list(named.p_aspect_references, named.aspect_reference_count));
        let is_meant = |one: &&vk::InputAttachmentAspectReference| {
            one.subpass as usize == subpass && one.input_attachment_index as usize == index
        };
        if let Some(named) = named.iter().find(is_meant) {
            return named.aspect_mask;
        }
        let attachments = list(info.p_attachments, info.attachment_count);
        attachments
            .get(attachment as usize)
            .map_or(vk::ImageAspectFlags::COLOR, |one| all_aspects(one.format))
    }
}

/// Formats that can be attachments have colours, or depth, or stencil, or both.
fn all_aspects(format: vk::Format) -> vk::ImageAspectFlags {
    let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => depth,
        vk::Format::S8_UINT => stencil,
        vk::Format::D16_UNORM_S8_UINT | vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            depth | stencil
        }
        _ => vk::ImageAspectFlags::COLOR,
    }
}

fn begin_render_pass(call: &calls::CmdBeginRenderPass<'_>) {
    let begin = vk::SubpassBeginInfo::default().contents(call.contents);
    // SAFETY: the second form has the same handles and structure.
    unsafe { call!(call.command_buffer, CmdBeginRenderPass2(call.render_pass_begin, &begin)) };
}

fn next_subpass(call: &calls::CmdNextSubpass<'_>) {
    let begin = vk::SubpassBeginInfo::default().contents(call.contents);
    let end = vk::SubpassEndInfo::default();
    // SAFETY: the second form has the same handle.
    unsafe { call!(call.command_buffer, CmdNextSubpass2(&begin, &end)) };
}

fn end_render_pass(call: &calls::CmdEndRenderPass<'_>) {
    let end = vk::SubpassEndInfo::default();
    // SAFETY: the second form has the same handle.
    unsafe { call!(call.command_buffer, CmdEndRenderPass2(&end)) };
}

pub(super) const FORWARDS: &[Forward] = forwards! {
    CreateRenderPass = create_render_pass => CREATE_RENDER_PASS_2;
    CmdBeginRenderPass = begin_render_pass => CMD_BEGIN_RENDER_PASS_2;
    CmdNextSubpass = next_subpass => CMD_NEXT_SUBPASS_2;
    CmdEndRenderPass = end_render_pass => CMD_END_RENDER_PASS_2;
};
