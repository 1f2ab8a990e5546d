//! The clearing of attachments by render passes and dynamic rendering. Nothing is drawn.

use alloc::vec::Vec;

use vkload_core::abi::chain;
use vkload_driver_runtime::atomic::AtomicU64;
use vkload_driver_runtime::command_buffer::CommandBuffer;
use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::resource::ImageViewInfo;
use vkload_driver_runtime::{Object, calls, entry_points, vk};

use crate::Null;
use crate::device::device_objects;
use crate::host::Shared;
use crate::image::copy::{Clear, clear_rectangle};
use crate::image::layout::Image;

#[derive(Clone, Copy)]
struct ImageView {
    image: vk::Image,
    info: ImageViewInfo,
}

/// A render pass's load operations for an attachment.
#[derive(Clone, Copy)]
struct Loads {
    /// Of colour, or of depth.
    first: vk::AttachmentLoadOp,
    stencil: vk::AttachmentLoadOp,
}

/// The numbers of the attachments of a subpass.
struct Subpass {
    colours: Vec<u32>,
    depth_stencil: u32,
}

struct RenderPass {
    attachments: Vec<Loads>,
    subpasses: Vec<Subpass>,
    /// The views that are rendered to, a bit for each; 0 without multiview.
    views: u32,
}

/// A framebuffer. One without images gets views when a render pass begins.
struct Framebuffer {
    views: Vec<vk::ImageView>,
    layers: u32,
}

device_objects! { ImageView = ImageView, RenderPass = RenderPass, Framebuffer = Framebuffer }

/// The current render targets and the queue during the execution of a command buffer.
pub struct Current {
    targets: Shared<Targets>,
    pub(crate) queue: AtomicU64,
}

impl Current {
    pub(crate) fn nothing() -> Self {
        Self { targets: Shared::new(Targets::default()), queue: AtomicU64::new(0) }
    }
}

#[derive(Default)]
struct Targets {
    pass: vk::RenderPass,
    subpass: usize,
    views: Vec<vk::ImageView>,
    colours: Vec<vk::ImageView>,
    depth: vk::ImageView,
    stencil: vk::ImageView,
}

impl Targets {
    /// Returns the view that an attachment clear refers to.
    ///
    /// # Safety
    /// The render pass is live.
    unsafe fn view(&self, aspect: vk::ImageAspectFlags, colour: u32) -> vk::ImageView {
        let is_colour = aspect.contains(vk::ImageAspectFlags::COLOR);
        // SAFETY: the caller vouches for the handle.
        let Some(pass) = (unsafe { Object::<RenderPass>::from_handle(self.pass) }) else {
            let of_dynamic = match is_colour {
                true => self.colours.get(colour as usize).copied(),
                false if aspect.contains(vk::ImageAspectFlags::DEPTH) => Some(self.depth),
                false => Some(self.stencil),
            };
            return of_dynamic.unwrap_or_default();
        };
        let subpass = pass.subpasses.get(self.subpass);
        let number = subpass.and_then(|subpass| match is_colour {
            true => subpass.colours.get(colour as usize).copied(),
            false => Some(subpass.depth_stencil),
        });
        number.and_then(|number| self.views.get(number as usize)).copied().unwrap_or_default()
    }
}

/// The part of a view that is cleared.
#[derive(Clone, Copy)]
struct Part {
    area: vk::Rect2D,
    first_layer: u32,
    layers: u32,
    /// The layers that count, if not all do.
    mask: u32,
}

impl Part {
    fn new(area: vk::Rect2D, layers: u32, mask: u32) -> Self {
        let layers = if mask == 0 { layers } else { u32::BITS - mask.leading_zeros() };
        Self { area, first_layer: 0, layers, mask }
    }
}

/// Clears a part of a view.
///
/// # Safety
/// The handle is null or live, and so is its image.
unsafe fn clear(view: vk::ImageView, aspect: vk::ImageAspectFlags, value: vk::ClearValue, part: Part) {
    // SAFETY: the caller vouches for the handle; the aspect determines the value's type.
    unsafe {
        let Some(view) = Object::<ImageView>::from_handle(view) else { return };
        let value = if aspect.contains(vk::ImageAspectFlags::COLOR) {
            Clear::Colour(value.color)
        } else {
            Clear::DepthStencil(value.depth_stencil)
        };
        for layer in (0..part.layers).filter(|layer| part.mask == 0 || part.mask & (1 << layer) != 0) {
            let subresource = (view.info.levels.0, view.info.layers.0 + part.first_layer + layer);
            clear_rectangle(
                view.image,
                view.info.format,
                aspect & view.info.aspects,
                value,
                subresource,
                part.area,
            );
        }
    }
}

fn create_image_view(call: &calls::CreateImageView<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let info = &call.create_info;
        let image = Object::<Image>::from_handle(info.image);
        let Some(of_view) = image.and_then(|image| ImageViewInfo::new(&image.info, info)) else {
            return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
        };
        Object::create_command(
            call.device,
            call.allocator.as_ptr(),
            call.view.as_ptr(),
            ImageView { image: info.image, info: of_view },
        )
    }
}

fn create_render_pass_2(call: &calls::CreateRenderPass2<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let info = &call.create_info;
        let attachments = list(info.p_attachments, info.attachment_count).iter();
        let subpasses = list(info.p_subpasses, info.subpass_count);
        let pass = RenderPass {
            attachments: attachments
                .map(|it| Loads { first: it.load_op, stencil: it.stencil_load_op })
                .collect(),
            subpasses: subpasses
                .iter()
                .map(|it| Subpass {
                    colours: list(it.p_color_attachments, it.color_attachment_count)
                        .iter()
                        .map(|reference| reference.attachment)
                        .collect(),
                    depth_stencil: it
                        .p_depth_stencil_attachment
                        .as_ref()
                        .map_or(vk::ATTACHMENT_UNUSED, |reference| reference.attachment),
                })
                .collect(),
            views: subpasses.iter().fold(0, |all, subpass| all | subpass.view_mask),
        };
        Object::create_command(call.device, call.allocator.as_ptr(), call.render_pass.as_ptr(), pass)
    }
}

/// Begins a render pass, and carries out its clears.
fn cmd_begin_render_pass_2(call: &calls::CmdBeginRenderPass2<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe {
        let info = &call.render_pass_begin;
        let (Some(commands), Some(pass), Some(framebuffer)) = (
            CommandBuffer::<Null>::from_handle(call.command_buffer),
            Object::<RenderPass>::from_handle(info.render_pass),
            Object::<Framebuffer>::from_handle(info.framebuffer),
        ) else {
            return;
        };
        let given = chain::find::<vk::RenderPassAttachmentBeginInfo<'_>>(info.p_next);
        let given = given.map_or(&[][..], |given| list(given.p_attachments, given.attachment_count));
        let views = if framebuffer.views.is_empty() { given } else { &framebuffer.views };
        let values = list(info.p_clear_values, info.clear_value_count);
        let part = Part::new(info.render_area, framebuffer.layers, pass.views);
        for (number, (view, loads)) in views.iter().zip(&pass.attachments).enumerate() {
            let Some(value) = values.get(number) else { break };
            let mut aspects = vk::ImageAspectFlags::empty();
            if loads.first == vk::AttachmentLoadOp::CLEAR {
                aspects |= vk::ImageAspectFlags::COLOR | vk::ImageAspectFlags::DEPTH;
            }
            if loads.stencil == vk::AttachmentLoadOp::CLEAR {
                aspects |= vk::ImageAspectFlags::STENCIL;
            }
            each_of(aspects).for_each(|aspect| clear(*view, aspect, *value, part));
        }
        let (pass, views) = (info.render_pass, views.to_vec());
        *commands.targets.lock() = Targets { pass, views, ..Targets::default() };
    }
}

fn each_of(aspects: vk::ImageAspectFlags) -> impl Iterator<Item = vk::ImageAspectFlags> {
    use vk::ImageAspectFlags as Aspect;
    [Aspect::COLOR, Aspect::DEPTH, Aspect::STENCIL]
        .into_iter()
        .filter(move |aspect| aspects.contains(*aspect))
}

/// Changes the render targets.
///
/// # Safety
/// The handle is live.
unsafe fn change(commands: vk::CommandBuffer, change: impl FnOnce(&mut Targets)) {
    // SAFETY: the caller vouches for the handle.
    if let Some(commands) = unsafe { CommandBuffer::<Null>::from_handle(commands) } {
        change(&mut commands.targets.lock());
    }
}

fn cmd_begin_rendering(call: &calls::CmdBeginRendering<'_>) {
    use vk::ImageAspectFlags as Aspect;
    // SAFETY: the call obeys the specification.
    unsafe {
        let info = &call.rendering_info;
        let part = Part::new(info.render_area, info.layer_count, info.view_mask);
        let load = |attachment: &vk::RenderingAttachmentInfo<'_>, aspect| {
            let resumes = info.flags.contains(vk::RenderingFlags::RESUMING);
            if attachment.load_op == vk::AttachmentLoadOp::CLEAR && !resumes {
                clear(attachment.image_view, aspect, attachment.clear_value, part);
            }
            attachment.image_view
        };
        let colours = list(info.p_color_attachments, info.color_attachment_count);
        let colours = colours.iter().map(|attachment| load(attachment, Aspect::COLOR)).collect();
        let [depth, stencil] =
            [(info.p_depth_attachment, Aspect::DEPTH), (info.p_stencil_attachment, Aspect::STENCIL)].map(
                |(attachment, aspect)| attachment.as_ref().map(|it| load(it, aspect)).unwrap_or_default(),
            );
        change(call.command_buffer, |targets| {
            *targets = Targets { colours, depth, stencil, ..Targets::default() }
        });
    }
}

fn cmd_clear_attachments(call: &calls::CmdClearAttachments<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe {
        let Some(commands) = CommandBuffer::<Null>::from_handle(call.command_buffer) else { return };
        let targets = commands.targets.lock();
        let mask = Object::<RenderPass>::from_handle(targets.pass).map_or(0, |pass| pass.views);
        for attachment in call.attachments() {
            for rectangle in call.rects() {
                let whole = Part::new(rectangle.rect, rectangle.layer_count, mask);
                let part = Part { first_layer: rectangle.base_array_layer, ..whole };
                for aspect in each_of(attachment.aspect_mask) {
                    let view = targets.view(aspect, attachment.color_attachment);
                    clear(view, aspect, attachment.clear_value, part);
                }
            }
        }
    }
}

// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateImageView = create_image_view,
        DestroyImageView = |call| Object::<ImageView>::destroy(call.image_view, call.allocator.as_ptr()),
        CreateFramebuffer = |call| {
            let info = &call.create_info;
            let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
            let views = if imageless { &[][..] } else { list(info.p_attachments, info.attachment_count) };
            let new = Framebuffer { views: views.to_vec(), layers: info.layers };
            Object::create_command(call.device, call.allocator.as_ptr(), call.framebuffer.as_ptr(), new)
        },
        DestroyFramebuffer = |call| Object::<Framebuffer>::destroy(call.framebuffer, call.allocator.as_ptr()),
        CreateRenderPass2 = create_render_pass_2,
        DestroyRenderPass = |call| Object::<RenderPass>::destroy(call.render_pass, call.allocator.as_ptr()),
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: as above.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CmdBeginRenderPass2 = cmd_begin_render_pass_2,
        CmdNextSubpass2 = |call| change(call.command_buffer, |targets| targets.subpass += 1),
        CmdEndRenderPass2 = |call| change(call.command_buffer, |targets| *targets = Targets::default()),
        CmdBeginRendering = cmd_begin_rendering,
        CmdEndRendering = |call| change(call.command_buffer, |targets| *targets = Targets::default()),
        CmdEndRendering2KHR = |call| change(call.command_buffer, |targets| *targets = Targets::default()),
        CmdClearAttachments = cmd_clear_attachments,
    }
};
