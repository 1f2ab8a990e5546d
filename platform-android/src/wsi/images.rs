//! The images of a new swapchain, created from the window's buffers.

use core::ffi::c_void;

use ash::vk;

use crate::native_buffer::{NativeBuffer, SwapchainImageCreateInfo, USAGE_SHARED, structure};
use crate::objects::Device;
use crate::trace::slice;
use crate::wsi::buffer::Buffer;
use crate::wsi::create_swapchain::Request;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::usage::to_gralloc1;
use crate::wsi::window::WindowError;

/// Creates the images. If that fails, those already created stay, with their buffers.
///
/// # Errors
/// `ERROR_OUT_OF_DEVICE_MEMORY` if the window has no memory for buffers, `ERROR_SURFACE_LOST_KHR`
/// if it fails otherwise, or the driver's error.
pub fn make(device: &Device, swapchain: &Swapchain, request: &Request<'_>) -> Result<(), vk::Result> {
    for index in 0..swapchain.count() {
        let buffer = if request.deferred { None } else { Some(dequeue(swapchain, index)?) };
        let image = create_image(device, swapchain, request, buffer.as_ref())?;
        let _ = swapchain.image(index, |slot| slot.handle = image);
    }
    if !request.deferred && !swapchain.made.shared {
        return_all(swapchain);
    }
    Ok(())
}

fn dequeue(swapchain: &Swapchain, index: u32) -> Result<Buffer, vk::Result> {
    let taken = swapchain.surface.window.dequeue(swapchain.loader().system);
    let (buffer, fence) = taken.map_err(|error| match error {
        WindowError::NO_MEMORY => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        _ => vk::Result::ERROR_SURFACE_LOST_KHR,
    })?;
    let kept = buffer.clone();
    let _ = swapchain.image(index, |slot| {
        slot.dequeued = true;
        (slot.buffer.replace(kept), core::mem::replace(&mut slot.dequeue_fence, fence))
    });
    Ok(buffer)
}

/// Gives all buffers back to the window until they are acquired. They still belong to the images.
fn return_all(swapchain: &Swapchain) {
    for index in 0..swapchain.count() {
        let fence = swapchain.image(index, |slot| {
            slot.dequeued = false;
            slot.dequeue_fence.take()
        });
        if let (Some(fence), Some(buffer)) = (fence, swapchain.buffer(index)) {
            // If the window is gone, acquiring an image will notice.
            let _ = swapchain.surface.window.cancel(&buffer, fence);
        }
    }
}

/// Creates an image of a buffer, or one that gets its buffer later.
fn create_image(
    device: &Device,
    swapchain: &Swapchain,
    request: &Request<'_>,
    buffer: Option<&Buffer>,
) -> Result<vk::Image, vk::Result> {
    let info = request.info;
    let mut rest: *const c_void = core::ptr::null();
    let formats = request.view_formats.map(|list| vk::ImageFormatListCreateInfo { p_next: rest, ..list });
    rest = formats.as_ref().map_or(rest, |formats| core::ptr::from_ref(formats).cast());
    let compression =
        request.wanted.compression.map(|control| vk::ImageCompressionControlEXT { p_next: rest, ..control });
    rest = compression.as_ref().map_or(rest, |compression| core::ptr::from_ref(compression).cast());
    let of_swapchain = SwapchainImageCreateInfo {
        s_type: structure::SWAPCHAIN_IMAGE_CREATE_INFO,
        p_next: rest,
        usage: if swapchain.made.shared { USAGE_SHARED } else { 0 },
    };
    let of_buffer =
        buffer.map(|buffer| native_buffer(swapchain, buffer, core::ptr::from_ref(&of_swapchain).cast()));
    let later =
        vk::ImageSwapchainCreateInfoKHR { swapchain: swapchain.handle(), p_next: rest, ..Default::default() };
    let (mut width, mut height) = (info.image_extent.width, info.image_extent.height);
    if let Some(buffer) = buffer {
        width = buffer.description().width.cast_unsigned();
        height = buffer.description().height.cast_unsigned();
    }
    let create_info = vk::ImageCreateInfo {
        p_next: of_buffer
            .as_ref()
            .map_or(core::ptr::from_ref(&later).cast(), |buffer| core::ptr::from_ref(buffer).cast()),
        flags: request.wanted.image_flags,
        image_type: vk::ImageType::TYPE_2D,
        format: info.image_format,
        extent: vk::Extent3D { width, height, depth: 1 },
        mip_levels: 1,
        array_layers: 1,
        samples: vk::SampleCountFlags::TYPE_1,
        tiling: vk::ImageTiling::OPTIMAL,
        usage: info.image_usage,
        sharing_mode: info.image_sharing_mode,
        queue_family_index_count: info.queue_family_index_count,
        p_queue_family_indices: info.p_queue_family_indices,
        initial_layout: vk::ImageLayout::UNDEFINED,
        ..Default::default()
    };
    let create = device.driver.create_image.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
    let mut image = vk::Image::null();
    let _slice = slice(c"CreateImage");
    // SAFETY: the device is valid, and so are the structures, whose chain is still alive.
    match unsafe { create(device.handle, &create_info, core::ptr::null(), &mut image) } {
        vk::Result::SUCCESS => Ok(image),
        error => Err(error),
    }
}

pub fn native_buffer(swapchain: &Swapchain, buffer: &Buffer, p_next: *const c_void) -> NativeBuffer {
    let description = buffer.description();
    // Older drivers look only at the lower half, which holds the older meanings.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
    let usage = description.usage as i32;
    NativeBuffer {
        s_type: structure::NATIVE_BUFFER,
        p_next,
        handle: description.handle,
        stride: description.stride,
        format: description.format,
        usage,
        usage2: to_gralloc1(usage),
        usage3: description.usage,
        ahb: swapchain.loader().system.hardware_buffer_of(buffer.as_ptr()),
    }
}
