//! Presenting.

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle};
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};
use vkload_core::registry::calls::QueuePresentKHR;

use crate::objects::{Device, device_of};
use crate::switches::Switch;
use crate::trace::slice;
use crate::wsi::buffer::Buffer;
use crate::wsi::fence::OwnedFence;
use crate::wsi::native_window::{Rectangle, query};
use crate::wsi::present_chain::{Extras, Frame};
use crate::wsi::structures::ERROR_PRESENT_TIMING_QUEUE_FULL;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::Window;
use crate::wsi::{present_timing, present_wait, timing};

pub fn queue_present(call: &QueuePresentKHR<'_>) -> vk::Result {
    let _slice = slice(c"QueuePresentKHR");
    let (info, queue) = (&*call.present_info, call.queue);
    // SAFETY: by valid usage of the command the queue is a valid handle, and `info` has counted arrays of
    // valid handles and a pNext chain.
    unsafe {
        let device = device_of(queue.as_raw());
        let extras = Extras::of(info);
        let mut releases = Releases {
            device,
            queue,
            several: info.swapchain_count > 1,
            waits: (info.wait_semaphore_count, info.p_wait_semaphores),
            done: OwnedFence::signalled(device.instance.logger.loader.system),
        };
        let mut worst = vk::Result::SUCCESS;
        for index in 0..info.swapchain_count as usize {
            let swapchain = Swapchain::from_handle(*info.p_swapchains.add(index));
            let frame = extras.frame(index);
            let presentation = Presentation { device, swapchain, image: *info.p_image_indices.add(index) };
            let result = presentation.present(&mut releases, &frame);
            if !info.p_results.is_null() {
                info.p_results.add(index).write(result);
            }
            worst = worse(worst, result);
        }
        worst
    }
}

/// Errors of presenting, the worst first. Others follow them, and success follows all errors.
const RANKING: &[vk::Result] = &[
    vk::Result::ERROR_DEVICE_LOST,
    vk::Result::ERROR_SURFACE_LOST_KHR,
    vk::Result::ERROR_OUT_OF_DATE_KHR,
    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
    vk::Result::ERROR_OUT_OF_HOST_MEMORY,
];

pub fn worse(one: vk::Result, other: vk::Result) -> vk::Result {
    let rank = |result: vk::Result| match result {
        vk::Result::SUCCESS => usize::MAX,
        vk::Result::SUBOPTIMAL_KHR => usize::MAX - 1,
        error => RANKING.iter().position(|known| *known == error).unwrap_or(RANKING.len()),
    };
    if rank(other) < rank(one) { other } else { one }
}

/// The images that one call releases for presentation. The semaphores are waited for once: releases
/// after the first image come after it on the same queue.
struct Releases<'a> {
    device: &'a Device,
    queue: vk::Queue,
    several: bool,
    waits: (u32, *const vk::Semaphore),
    /// Signalled when the first of several images is done, which includes waiting for the
    /// semaphores.
    done: OwnedFence,
}

impl Releases<'_> {
    /// Releases an image, and returns the fence that is signalled when drawing to it is done.
    /// `before` returns the fence of the image's previous release.
    fn release(
        &mut self,
        image: vk::Image,
        before: impl FnOnce() -> Option<OwnedFence>,
    ) -> Result<OwnedFence, vk::Result> {
        let release = self.device.driver.queue_signal_release_image.ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        let (count, waits) = core::mem::replace(&mut self.waits, (0, core::ptr::null()));
        let mut fence: c_int = -1;
        // SAFETY: queue and image are valid handles of the device, and the semaphores are the
        // application's counted array, or none.
        let result = unsafe { release(self.queue, count, waits, image, &mut fence) };
        let fence = OwnedFence::new(self.device.instance.logger.loader.system, fence);
        if result != vk::Result::SUCCESS {
            return Err(result);
        }
        if count > 0 && self.several {
            self.done = fence.another();
        }
        if count > 0 || fence.is_some() {
            return Ok(fence);
        }
        // A driver that got no semaphore may find nothing to wait for.
        let done = if self.done.is_some() { Some(self.done.another()) } else { before() };
        Ok(done.unwrap_or(fence))
    }
}

struct Presentation<'a> {
    device: &'a Device,
    swapchain: &'a Swapchain,
    image: u32,
}

impl Presentation<'_> {
    fn present(&self, releases: &mut Releases<'_>, frame: &Frame<'_>) -> vk::Result {
        let swapchain = self.swapchain;
        let held = swapchain.image(self.image, |image| image.dequeued.then_some(image.handle));
        let Some(Some(handle)) = held else { return self.refuse() };
        let before = || swapchain.image(self.image, |image| image.release_fence.take());
        let released = releases.release(handle, before);
        let outcome = match (released, swapchain.active_window()) {
            (Ok(fence), Some(_)) if !present_timing::has_room(swapchain, frame.timing) => {
                // The semaphores are waited for, but the application keeps the image and presents
                // it again.
                self.keep(fence);
                return ERROR_PRESENT_TIMING_QUEUE_FULL;
            }
            (Ok(fence), Some(window)) => self.show(window, fence, frame),
            (Ok(fence), None) => {
                // The application waits for this fence even if the image is never shown.
                let imported = self.import(frame, &fence);
                self.take_back(fence);
                imported.and(Err(vk::Result::ERROR_OUT_OF_DATE_KHR))
            }
            (Err(error), _) => Err(error),
        };
        if let Err(error) = outcome {
            swapchain.retire();
            return error;
        }
        match self.is_as_it_was() {
            Ok(true) => vk::Result::SUCCESS,
            Ok(false) => vk::Result::SUBOPTIMAL_KHR,
            // The image has reached the window.
            Err(error) => error,
        }
    }

    /// Refuses presenting that the application must not do: neither the driver nor the window
    /// receives it.
    fn refuse(&self) -> vk::Result {
        if !self.swapchain.is_active() {
            return vk::Result::ERROR_OUT_OF_DATE_KHR;
        }
        vkload_core::log!(self.device.instance.logger, Error, Usage:
            "vkQueuePresentKHR: image {} was not acquired from this swapchain: present the index that \
             vkAcquireNextImageKHR gave, once", self.image);
        vk::Result::ERROR_VALIDATION_FAILED_EXT
    }

    fn show(&self, window: &Window, fence: OwnedFence, frame: &Frame<'_>) -> Result<(), vk::Result> {
        let swapchain = self.swapchain;
        self.keep(fence.another());
        self.import(frame, &fence)?;
        self.describe(window, frame)?;
        let number = self.number(window, frame);
        let buffer = swapchain.buffer(self.image).ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        drop(swapchain.image(self.image, |image| {
            image.dequeued = false;
            image.dequeue_fence.take()
        }));
        if frame.id != 0 {
            present_wait::remember(swapchain, frame.id, number);
        }
        window.queue(&buffer, fence)?;
        // If this came first, the window would answer another thread that it does not know the
        // frame.
        self.remember(frame, number);
        self.hear_of_replaced(window);
        if swapchain.made.shared { self.dequeue_again(window, &buffer) } else { Ok(()) }
    }

    fn keep(&self, fence: OwnedFence) {
        drop(self.swapchain.image(self.image, |image| core::mem::replace(&mut image.release_fence, fence)));
    }

    /// Returns the window's number of the frame that is queued next, if the application may query
    /// when it is shown and the window can say.
    fn number(&self, window: &Window, frame: &Frame<'_>) -> Option<u64> {
        let swapchain = self.swapchain;
        let is_timed = frame.time.is_some() || frame.stages() != 0;
        if is_timed {
            swapchain.history.enable(window);
        }
        let is_waited_for = frame.id != 0 && swapchain.made.is_waited_for;
        (is_timed || is_waited_for).then(|| window.next_frame().ok()).flatten()
    }

    /// Records the frame that this one has replaced: windows report frames that the consumer drops.
    fn hear_of_replaced(&self, window: &Window) {
        let swapchain = self.swapchain;
        if swapchain.made.is_waited_for
            && let Ok(replaced) = window.last_replaced_frame()
        {
            swapchain.surface.listener.hear(swapchain.loader().system, replaced);
        }
    }

    fn remember(&self, frame: &Frame<'_>, number: Option<u64>) {
        if let (Some(time), Some(number)) = (frame.time, number) {
            timing::remember(self.swapchain, time, number);
        }
        if let Some(timing) = frame.timing {
            present_timing::remember(self.swapchain, frame.id, timing, number);
        }
    }

    /// Lets the driver signal the application's fence when the image is no longer read.
    fn import(&self, frame: &Frame<'_>, fence: &OwnedFence) -> Result<(), vk::Result> {
        if frame.fence == vk::Fence::null() {
            return Ok(());
        }
        let import = self.device.driver.import_fence_fd.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        let given = fence.another().give();
        let info = vk::ImportFenceFdInfoKHR::default()
            .fence(frame.fence)
            .flags(vk::FenceImportFlags::TEMPORARY)
            .handle_type(vk::ExternalFenceHandleTypeFlags::SYNC_FD)
            .fd(given);
        // SAFETY: device and fence are valid handles, and `info` is a local with a descriptor that
        // this function owns.
        let result = unsafe { import(self.device.handle, &info) };
        if result == vk::Result::SUCCESS {
            return Ok(());
        }
        // The loader still owns a descriptor that was not imported.
        drop(OwnedFence::new(self.swapchain.loader().system, given));
        Err(result)
    }

    /// Describes the frame that is about to be queued to the window.
    fn describe(&self, window: &Window, frame: &Frame<'_>) -> Result<(), vk::Result> {
        let swapchain = self.swapchain;
        if !swapchain.made.mailbox {
            self.describe_damage(window, frame.damage)?;
        }
        let desired = frame.desired_time();
        let was_set = swapchain.timestamp_set.swap(desired != 0, Ordering::Relaxed);
        if desired != 0 {
            window.set_timestamp(desired.cast_signed())?;
        } else if was_set {
            // The window would otherwise keep the previous frame's time.
            window.set_timestamp(Window::AUTOMATIC)?;
        }
        if let Some(mode) = frame.mode
            && swapchain.made.shared
        {
            let continuous = mode == vk::PresentModeKHR::SHARED_CONTINUOUS_REFRESH;
            if swapchain.auto_refresh.swap(continuous, Ordering::Relaxed) != continuous {
                window.set_auto_refresh(continuous)?;
            }
        }
        Ok(())
    }

    /// Reports the change since the previous frame to the window: everything if memory runs out.
    fn describe_damage(&self, window: &Window, damage: &[vk::RectLayerKHR]) -> Result<(), vk::Result> {
        let memory: CopiedCallbacks = self.device.allocator.scoped(vk::SystemAllocationScope::COMMAND);
        let mut rectangles = Vec::new_in(memory);
        if damage.is_empty() || rectangles.try_reserve_exact(damage.len()).is_err() {
            return Ok(());
        }
        for changed in damage {
            rectangles.try_push(window_rectangle(changed))?;
        }
        Ok(window.set_damage(&rectangles)?)
    }

    /// Dequeues the image of a shared swapchain again: it never leaves the application, so this
    /// must be the same buffer.
    fn dequeue_again(&self, window: &Window, buffer: &Buffer) -> Result<(), vk::Result> {
        let (again, fence) = window.dequeue(self.swapchain.loader().system)?;
        if again != *buffer {
            let _ = window.cancel(&again, fence);
            return Err(vk::Result::ERROR_SURFACE_LOST_KHR);
        }
        drop(self.swapchain.image(self.image, |image| {
            image.dequeued = true;
            core::mem::replace(&mut image.dequeue_fence, fence)
        }));
        Ok(())
    }

    /// Takes back an image that can no longer be shown, and destroys it when it is done.
    fn take_back(&self, fence: OwnedFence) {
        drop(self.swapchain.image(self.image, |image| {
            image.dequeued = false;
            (image.dequeue_fence.take(), core::mem::replace(&mut image.release_fence, fence))
        }));
        self.swapchain.destroy_if_idle(self.image);
    }

    /// Returns whether the window's needs are the same as when the swapchain was created: a picture
    /// with this rotation and, if the switch is on, of this size.
    fn is_as_it_was(&self) -> Result<bool, vk::Result> {
        let (made, window) = (&self.swapchain.made, &self.swapchain.surface.window);
        let hint = window.query(query::TRANSFORM_HINT)?;
        let by_size = self.swapchain.loader().is_on(Switch::SuboptimalBySize);
        Ok(hint == made.pre_transform && (!by_size || window.size()? == made.window_size))
    }
}

/// Returns the corners of a rectangle in the window's coordinates, which begin at its lower edge.
pub fn window_rectangle(changed: &vk::RectLayerKHR) -> Rectangle {
    let (vk::Offset2D { x, y }, vk::Extent2D { width, height }) = (changed.offset, changed.extent);
    Rectangle {
        left: x,
        top: y.saturating_add_unsigned(height),
        right: x.saturating_add_unsigned(width),
        bottom: y,
    }
}
