//! Creating swapchains. The order of the calls to the window is part of its interface, since its
//! answers depend on earlier calls.

use core::ffi::c_int;

use ash::vk::{self, Handle};
use vkload_core::abi::chain::find;
use vkload_core::memory::{Box, CopiedCallbacks, TryGrow, Vec};
use vkload_core::registry::calls::CreateSwapchainKHR;

use crate::objects::{Device, device_of};
use crate::switches::Switch;
use crate::system::Statistic;
use crate::trace::slice;
use crate::wsi::capabilities::buffer_counts;
use crate::wsi::fence::OwnedFence;
use crate::wsi::formats::{Dataspace, dataspace, native_format};
use crate::wsi::images;
use crate::wsi::native_window::{SLOTS, present_mode, query};
use crate::wsi::present_modes::{BufferCounts, FIFO_LATEST_READY, buffers, images, is_shared};
use crate::wsi::present_timing::{DEFAULT_SIZE, Queue};
use crate::wsi::structures::{CREATE_DEFERRED, CREATE_PRESENT_TIMING, CREATE_PRESENT_WAIT2};
use crate::wsi::surface::Surface;
use crate::wsi::swapchain::{Image, Made, Swapchain};
use crate::wsi::transform;
use crate::wsi::usage::{Wanted, hardware_buffer, producer_usage};

pub fn create_swapchain(call: &CreateSwapchainKHR<'_>) -> Result<(), vk::Result> {
    let _slice = slice(c"CreateSwapchainKHR");
    let info = &*call.create_info;
    // SAFETY: by valid usage of the command the device and the parameters in `info` are valid, and the
    // callbacks NULL or valid.
    let (device, (swapchain, hint)) = unsafe {
        let device = device_of(call.device.as_raw());
        let memory = device.allocator.or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        (device, create(device, info, memory)?)
    };
    call.swapchain.write(swapchain);
    let system = device.instance.logger.loader.system;
    system.count(Statistic::Swapchain);
    if transform::to_native(info.pre_transform) != hint {
        system.count(Statistic::FalsePrerotation);
    }
    Ok(())
}

/// Creates a swapchain. Returns it with the transform that its window applies to upright images.
///
/// # Safety
/// The parameters of `info` meet the valid usage of `vkCreateSwapchainKHR`.
unsafe fn create(
    device: &'static Device,
    info: &vk::SwapchainCreateInfoKHR<'_>,
    memory: CopiedCallbacks,
) -> Result<(vk::SwapchainKHR, c_int), vk::Result> {
    let native_format = native_format(info.image_format);
    let dataspace = dataspace(info.image_color_space, native_format).ok_or_else(|| {
        complain(
            device,
            format_args!("no window can show the colour space {}", info.image_color_space.as_raw()),
        );
        vk::Result::ERROR_INITIALIZATION_FAILED
    })?;
    // SAFETY: by this function's `# Safety` the surface is a valid handle; valid usage lets it
    // outlive the swapchain.
    let surface = unsafe { Surface::from_handle(info.surface) }.ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
    // SAFETY: by this function's `# Safety` `old_swapchain` is NULL or a valid handle.
    unsafe { retire_old(device, surface, info.old_swapchain)? };
    // SAFETY: by this function's `# Safety` `p_next` of `info` is a pNext chain.
    let request = unsafe { Request::new(info, native_format, dataspace) };
    request.check_view_formats(device)?;
    let plan = request.prepare(device, surface)?;

    let mut images = Vec::new_in(memory);
    images.try_reserve_exact(plan.count).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    let system = surface.loader.system;
    for _ in 0..plan.count {
        let (dequeue_fence, release_fence) = (OwnedFence::signalled(system), OwnedFence::signalled(system));
        let handle = vk::Image::null();
        images.try_push(Image { handle, buffer: None, dequeued: false, dequeue_fence, release_fence })?;
    }
    let is_timed = info.flags.contains(CREATE_PRESENT_TIMING);
    let timing_queue =
        Queue::new(memory, if is_timed { DEFAULT_SIZE } else { 0 }, plan.made.refresh_duration)?;
    let swapchain = Swapchain::new(surface, device, plan.made, images, timing_queue);
    let swapchain = Box::try_new_in(swapchain, memory).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
    if let Err(error) = images::make(device, &swapchain, &request) {
        swapchain.destroy_images(Some(&surface.window));
        return Err(error);
    }
    surface.activate(swapchain.handle());
    let (swapchain, _) = Box::into_non_null_with_allocator(swapchain);
    Ok((vk::SwapchainKHR::from_raw(swapchain.as_ptr().expose_provenance() as u64), plan.hint))
}

/// Retires the swapchain that the new one replaces. No other swapchain may be active on the window.
/// A swapchain that was retired when presenting failed may be passed as well, since the application
/// does not know of that.
///
/// # Safety
/// `old` is NULL or a valid swapchain.
unsafe fn retire_old(device: &Device, surface: &Surface, old: vk::SwapchainKHR) -> Result<(), vk::Result> {
    let active = surface.active();
    if active != old && active != vk::SwapchainKHR::null() {
        complain(
            device,
            format_args!(
                "another swapchain presents to this surface: destroy it first, or name it as oldSwapchain"
            ),
        );
        return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
    }
    if old != vk::SwapchainKHR::null() {
        // SAFETY: by this function's `# Safety` `old` is NULL or a valid swapchain; NULL was
        // checked.
        let old = unsafe { Swapchain::from_handle(old) };
        if !core::ptr::eq(old.surface, surface) {
            complain(device, format_args!("oldSwapchain is one of another surface"));
            return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
        }
        old.retire();
    }
    Ok(())
}

fn complain(device: &Device, what: core::fmt::Arguments<'_>) {
    vkload_core::log!(device.instance.logger, Error, Usage: "vkCreateSwapchainKHR: {what}");
}

pub struct Request<'a> {
    pub info: &'a vk::SwapchainCreateInfoKHR<'a>,
    pub wanted: Wanted,
    /// Whether images get their buffers only when first acquired.
    pub deferred: bool,
    /// The formats in which the application views the images, if they can be viewed in others than
    /// their own.
    pub view_formats: Option<vk::ImageFormatListCreateInfo<'static>>,
    native_format: c_int,
    dataspace: Dataspace,
}

struct Plan {
    count: usize,
    /// The transform that the window applies to images that are not rotated.
    hint: c_int,
    made: Made,
}

impl<'a> Request<'a> {
    /// # Safety
    /// `p_next` of `info` is a pNext chain.
    unsafe fn new(
        info: &'a vk::SwapchainCreateInfoKHR<'a>,
        native_format: c_int,
        dataspace: Dataspace,
    ) -> Self {
        let shared = is_shared(info.present_mode);
        let protected = info.flags.contains(vk::SwapchainCreateFlagsKHR::PROTECTED);
        let mutable = info.flags.contains(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT);
        let mut image_flags = vk::ImageCreateFlags::empty();
        if protected {
            image_flags |= vk::ImageCreateFlags::PROTECTED;
        }
        if mutable {
            image_flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        // SAFETY: by this function's `# Safety` `p_next` of `info` is a pNext chain.
        let (compression, view_formats) = unsafe {
            let compression = find::<vk::ImageCompressionControlEXT<'static>>(info.p_next).copied();
            let formats = find::<vk::ImageFormatListCreateInfo<'static>>(info.p_next).copied();
            (compression, formats.filter(|_| mutable))
        };
        let end = core::ptr::null();
        Self {
            info,
            wanted: Wanted {
                format: info.image_format,
                image_usage: info.image_usage,
                image_flags,
                shared,
                compression: compression
                    .map(|control| vk::ImageCompressionControlEXT { p_next: end, ..control }),
            },
            deferred: info.flags.contains(CREATE_DEFERRED) && !shared,
            view_formats: view_formats.map(|list| vk::ImageFormatListCreateInfo { p_next: end, ..list }),
            native_format,
            dataspace,
        }
    }

    /// Sets the window up for the swapchain, and queries its needs.
    fn prepare(&self, device: &Device, surface: &Surface) -> Result<Plan, vk::Result> {
        let (info, window) = (self.info, &surface.window);
        let mailbox = info.present_mode == vk::PresentModeKHR::MAILBOX;
        let shared = self.wanted.shared;
        let auto_refresh = info.present_mode == vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH;
        let extent = info.image_extent;
        reset(device, surface);
        let is_waited_for = info.flags.contains(CREATE_PRESENT_WAIT2) && surface.calls.listener;
        if is_waited_for {
            surface.listener.begin(surface.loader.system, window)?;
        }
        window.set_dequeue_timeout(-1)?;
        window.set_swap_interval(c_int::from(!mailbox))?;
        self.set_present_mode(device, surface)?;
        window.set_shared_buffer_mode(false)?;
        window.set_auto_refresh(false)?;
        window.set_format(self.native_format)?;
        if let Dataspace::Is(dataspace) = self.dataspace {
            window.set_dataspace(dataspace)?;
        }
        window.set_dimensions(extent.width.cast_signed(), extent.height.cast_signed())?;
        window.set_transform(transform::to_native_inverse(info.pre_transform))?;
        window.scale_to_window()?;
        if shared {
            window.set_shared_buffer_mode(true)?;
        }
        if auto_refresh {
            window.set_auto_refresh(true)?;
        }
        let min_undequeued = window.query(query::MIN_UNDEQUEUED_BUFFERS)?.unsigned_abs();
        let window_size = window.size()?;
        let counts = BufferCounts { min_undequeued, ..buffer_counts(surface)? };
        let level = device.instance.logger.loader.level;
        let count = images(level, counts, info.present_mode, info.min_image_count) as usize;
        let count = count.min(SLOTS);
        window.set_buffer_count(buffers(level, counts, count))?;
        let protected = info.flags.contains(vk::SwapchainCreateFlagsKHR::PROTECTED);
        let protected = if protected { hardware_buffer::PROTECTED } else { 0 };
        window.set_usage(surface.consumer_usage | protected | producer_usage(device, &self.wanted)?)?;
        let hint = window.query(query::TRANSFORM_HINT)?;
        let refresh_duration = window.refresh_duration()?;
        let made = Made {
            shared,
            auto_refresh,
            mailbox,
            is_waited_for,
            extent,
            pre_transform: transform::to_native(info.pre_transform),
            window_size,
            refresh_duration,
        };
        Ok(Plan { count, hint, made })
    }

    /// Refuses a list of view formats without any, if the loader knows such lists.
    fn check_view_formats(&self, device: &Device) -> Result<(), vk::Result> {
        let is_empty = self.view_formats.is_some_and(|list| list.view_format_count == 0);
        if !is_empty || !device.instance.logger.loader.is_on(Switch::MutableFormat) {
            return Ok(());
        }
        complain(device, format_args!("VkImageFormatListCreateInfo has no format for the images' views"));
        Err(vk::Result::ERROR_INITIALIZATION_FAILED)
    }

    /// Sets which of the waiting frames the window shows, if the window supports that.
    fn set_present_mode(&self, device: &Device, surface: &Surface) -> Result<(), vk::Result> {
        let latest = self.info.present_mode == FIFO_LATEST_READY;
        if surface.calls.present_mode {
            let mode = if latest { present_mode::FIFO_LATEST_READY } else { present_mode::DEFAULT };
            return Ok(surface.window.set_present_mode(mode)?);
        }
        if !latest {
            return Ok(());
        }
        complain(
            device,
            format_args!(
                "the window cannot show the latest frame first: use a mode that \
                 vkGetPhysicalDeviceSurfacePresentModesKHR lists for this surface"
            ),
        );
        Err(vk::Result::ERROR_INITIALIZATION_FAILED)
    }
}

/// Makes the window forget the buffers and the settings of an earlier swapchain: all buffers can be
/// dequeued at once only before the first one is queued.
fn reset(device: &Device, surface: &Surface) {
    if !surface.use_buffers() {
        return;
    }
    for (what, result) in [
        ("disconnected from", surface.window.disconnect()),
        ("connected to", surface.calls.reconnect(&surface.window)),
    ] {
        if let Err(error) = result {
            vkload_core::log!(device.instance.logger, Warning, Loader:
                "vkCreateSwapchainKHR: the window cannot be {what} again (error {})", error.0);
        }
    }
}
