//! Render passes.

use std::vec::Vec;
use std::{ptr, vec};

use ash::vk;

use super::{Made, all, equal, first, handle, see, seen};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::testing::Ledger;

type Reference = (u32, vk::ImageLayout, vk::ImageAspectFlags);

#[derive(PartialEq)]
struct Subpass {
    bind_point: vk::PipelineBindPoint,
    view_mask: u32,
    inputs: Vec<Reference>,
    colours: Vec<Reference>,
    resolves: Vec<Reference>,
    depth: Vec<Reference>,
    preserved: Vec<u32>,
}

#[derive(PartialEq)]
struct Pass {
    attachments: Vec<(vk::Format, vk::SampleCountFlags, vk::ImageLayout)>,
    subpasses: Vec<Subpass>,
    dependencies: Vec<(u32, u32, vk::PipelineStageFlags, vk::AccessFlags, i32)>,
    correlated: Vec<u32>,
}

fn references(first: *const vk::AttachmentReference2<'_>, count: u32) -> Vec<Reference> {
    let list = all(first, count);
    assert!(list.iter().all(|one| one.s_type == vk::StructureType::ATTACHMENT_REFERENCE_2));
    list.iter().map(|one| (one.attachment, one.layout, one.aspect_mask)).collect()
}

#[derive(PartialEq)]
enum Call {
    Begin(vk::RenderPass, vk::SubpassContents),
    Next(vk::SubpassContents, vk::StructureType),
    End(vk::StructureType),
}

// SAFETY: each function implements its command, with the objects of this driver; forwarders pass valid structures.
pub(super) const SECOND: EntryPoints<()> = unsafe {
    entry_points! {
        CreateRenderPass2 = |call| {
            let info = &call.create_info;
            let attachments = all(info.p_attachments, info.attachment_count);
            let subpasses = all(info.p_subpasses, info.subpass_count);
            let dependencies = all(info.p_dependencies, info.dependency_count);
            see(Pass {
                attachments: attachments.iter().map(|one| (one.format, one.samples, one.final_layout)).collect(),
                subpasses: subpasses
                    .iter()
                    .map(|one| Subpass {
                        bind_point: one.pipeline_bind_point,
                        view_mask: one.view_mask,
                        inputs: references(one.p_input_attachments, one.input_attachment_count),
                        colours: references(one.p_color_attachments, one.color_attachment_count),
                        resolves: references(one.p_resolve_attachments, one.color_attachment_count),
                        depth: references(one.p_depth_stencil_attachment, 1),
                        preserved: all(one.p_preserve_attachments, one.preserve_attachment_count),
                    })
                    .collect(),
                dependencies: dependencies
                    .iter()
                    .map(|one| {
                        let stages = one.src_stage_mask;
                        (one.src_subpass, one.dst_subpass, stages, one.dst_access_mask, one.view_offset)
                    })
                    .collect(),
                correlated: all(info.p_correlated_view_masks, info.correlated_view_mask_count),
            });
            call.render_pass.write(handle(77));
            vk::Result::SUCCESS
        },
        CmdBeginRenderPass2 = |call| {
            see(Call::Begin(call.render_pass_begin.render_pass, call.subpass_begin_info.contents));
        },
        CmdNextSubpass2 = |call| {
            see(Call::Next(call.subpass_begin_info.contents, call.subpass_end_info.s_type));
        },
        CmdEndRenderPass2 = |call| see(Call::End(call.subpass_end_info.s_type)),
    }
};

fn reference(attachment: u32, layout: vk::ImageLayout) -> vk::AttachmentReference {
    vk::AttachmentReference { attachment, layout }
}

const COLOUR: vk::ImageLayout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
const DEPTH: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
const READ: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
const NO_ASPECT: vk::ImageAspectFlags = vk::ImageAspectFlags::empty();

/// Creates a render pass with two subpasses and `chain`; one subpass reads the other's output.
fn create_two_subpasses(made: &Made, chain: *const core::ffi::c_void) -> vk::Result {
    let attachment = |format| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_4)
            .final_layout(READ)
    };
    let attachments = [attachment(vk::Format::R8G8B8A8_UNORM), attachment(vk::Format::D24_UNORM_S8_UINT)];
    let (colours, resolves, depth) = ([reference(0, COLOUR)], [reference(0, READ)], reference(1, DEPTH));
    let inputs = [reference(0, READ), reference(1, READ), reference(vk::ATTACHMENT_UNUSED, READ)];
    let preserved = [1];
    let subpasses = [
        vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colours)
            .resolve_attachments(&resolves)
            .depth_stencil_attachment(&depth),
        vk::SubpassDescription::default().input_attachments(&inputs).preserve_attachments(&preserved),
    ];
    let dependencies = [vk::SubpassDependency {
        src_subpass: 0,
        dst_subpass: 1,
        src_stage_mask: vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
        dst_access_mask: vk::AccessFlags::INPUT_ATTACHMENT_READ,
        ..Default::default()
    }];
    let mut info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    info.p_next = chain;
    let mut out = vk::RenderPass::null();
    let result = unsafe {
        first!(CREATE_RENDER_PASS: PFN_vkCreateRenderPass)(made.device, &info, ptr::null(), &mut out)
    };
    assert_eq!(out == handle(77), result == vk::Result::SUCCESS);
    result
}

#[test]
fn a_render_pass_arrives_with_its_subpasses() {
    let made = Made::new();
    equal!(create_two_subpasses(&made, ptr::null()), vk::Result::SUCCESS);
    let [pass] = &seen::<Pass>()[..] else { panic!("one") };
    let four = vk::SampleCountFlags::TYPE_4;
    equal!(
        pass.attachments,
        [(vk::Format::R8G8B8A8_UNORM, four, READ), (vk::Format::D24_UNORM_S8_UINT, four, READ)]
    );
    equal!(
        pass.subpasses[0],
        Subpass {
            bind_point: vk::PipelineBindPoint::GRAPHICS,
            view_mask: 0,
            inputs: vec![],
            colours: vec![(0, COLOUR, NO_ASPECT)],
            resolves: vec![(0, READ, NO_ASPECT)],
            depth: vec![(1, DEPTH, NO_ASPECT)],
            preserved: vec![],
        }
    );
    let (colour, both) =
        (vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
    equal!(
        pass.subpasses[1].inputs,
        [(0, READ, colour), (1, READ, both), (vk::ATTACHMENT_UNUSED, READ, colour)]
    );
    equal!((pass.subpasses[1].preserved.clone(), pass.subpasses[1].resolves.len()), (vec![1], 0));
    let stages = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
    equal!(pass.dependencies, [(0, 1, stages, vk::AccessFlags::INPUT_ATTACHMENT_READ, 0)]);
    assert!(pass.correlated.is_empty());
}

#[test]
fn structures_chained_to_a_render_pass_are_used() {
    let (masks, offsets, correlated) = ([1, 2], [-3], [3]);
    let views = vk::RenderPassMultiviewCreateInfo::default()
        .view_masks(&masks)
        .view_offsets(&offsets)
        .correlation_masks(&correlated);
    let depth_only = [vk::InputAttachmentAspectReference {
        subpass: 1,
        input_attachment_index: 1,
        aspect_mask: vk::ImageAspectFlags::DEPTH,
    }];
    let mut aspects = vk::RenderPassInputAttachmentAspectCreateInfo::default().aspect_references(&depth_only);
    aspects.p_next = ptr::from_ref(&views).cast();
    let made = Made::new();
    equal!(create_two_subpasses(&made, ptr::from_ref(&aspects).cast()), vk::Result::SUCCESS);
    let [pass] = &seen::<Pass>()[..] else { panic!("one") };
    equal!((pass.subpasses[0].view_mask, pass.subpasses[1].view_mask), (1, 2));
    equal!((pass.dependencies[0].4, pass.correlated.clone()), (-3, vec![3]));
    equal!(pass.subpasses[1].inputs[1].2, vk::ImageAspectFlags::DEPTH);
    equal!(pass.subpasses[1].inputs[0].2, vk::ImageAspectFlags::COLOR);
}

#[test]
fn a_render_pass_without_memory_is_not_created_and_leaves_none() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    let made = Made::with(Some(&callbacks));
    let before = ledger.live_blocks();
    let mut failures = 0;
    loop {
        ledger.fail(Some(failures));
        let result = create_two_subpasses(&made, ptr::null());
        ledger.fail(None);
        equal!(ledger.live_blocks(), before);
        if result == vk::Result::SUCCESS {
            break;
        }
        equal!((result, seen::<Pass>().len()), (vk::Result::ERROR_OUT_OF_HOST_MEMORY, 0));
        failures += 1;
    }
    equal!((failures > 3, seen::<Pass>().len()), (true, 1));
}

#[test]
fn subpasses_begin_and_end() {
    let made = Made::new();
    let info = vk::RenderPassBeginInfo::default().render_pass(handle(9));
    let (inline, secondary) = (vk::SubpassContents::INLINE, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
    unsafe {
        first!(CMD_BEGIN_RENDER_PASS: PFN_vkCmdBeginRenderPass)(made.commands, &info, secondary);
        first!(CMD_NEXT_SUBPASS: PFN_vkCmdNextSubpass)(made.commands, inline);
        first!(CMD_END_RENDER_PASS: PFN_vkCmdEndRenderPass)(made.commands);
    }
    let end = vk::StructureType::SUBPASS_END_INFO;
    equal!(seen::<Call>(), [Call::Begin(handle(9), secondary), Call::Next(inline, end), Call::End(end)]);
}
