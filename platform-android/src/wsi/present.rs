//! Presenting.

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle};
use loader_core::log::{Level, Topic};
use loader_core::memory::{Application, TryGrow, Vec};

use crate::objects::{Device, device_of};
use crate::wsi::buffer::Buffer;
use crate::wsi::fence::OwnedFence;
use crate::wsi::native_window::{Rectangle, query};
use crate::wsi::present_chain::{Extras, Frame};
use crate::wsi::structures::ERROR_PRESENT_TIMING_QUEUE_FULL;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::Window;
use crate::wsi::{present_timing, present_wait, timing};

/// `vkQueuePresentKHR`
///
/// # Safety
/// As the specification has it.
pub unsafe extern "system" fn queue_present(
    queue: vk::Queue,
    info: *const vk::PresentInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a valid handle and a valid structure with counted arrays and a valid chain.
    unsafe {
        let device = device_of(queue.as_raw());
        let info = &*info;
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

/// Errors of presenting, the worst first. Others come after them, and success after all errors.
const RANKING: &[vk::Result] = &[
    vk::Result::ERROR_DEVICE_LOST,
    vk::Result::ERROR_SURFACE_LOST_KHR,
    vk::Result::ERROR_OUT_OF_DATE_KHR,
    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
    vk::Result::ERROR_OUT_OF_HOST_MEMORY,
];

/// The worse of two results.
pub fn worse(one: vk::Result, other: vk::Result) -> vk::Result {
    let rank = |result: vk::Result| match result {
        vk::Result::SUCCESS => usize::MAX,
        vk::Result::SUBOPTIMAL_KHR => usize::MAX - 1,
        error => RANKING.iter().position(|known| *known == error).unwrap_or(RANKING.len()),
    };
    if rank(other) < rank(one) { other } else { one }
}

/// The images that are released for presentation by one call. The semaphores are waited for once: what is released after the
/// first image comes after it on the same queue.
struct Releases<'a> {
    device: &'a Device,
    queue: vk::Queue,
    /// Whether there is more than one.
    several: bool,
    waits: (u32, *const vk::Semaphore),
    /// When the first of several images is done, and so the semaphores were waited for.
    done: OwnedFence,
}

impl Releases<'_> {
    /// Releases an image, and gives the fence that is signalled when what was drawn to it is done. `before` is that of the
    /// last time that the image was released.
    fn release(
        &mut self,
        image: vk::Image,
        before: impl FnOnce() -> Option<OwnedFence>,
    ) -> Result<OwnedFence, vk::Result> {
        let release = self.device.driver.queue_signal_release_image.ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        let (count, waits) = core::mem::replace(&mut self.waits, (0, core::ptr::null()));
        let mut fence: c_int = -1;
        // SAFETY: the handles are valid, and the semaphores are a counted array.
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
        // A driver that was given no semaphore may find nothing to wait for.
        let done = if self.done.is_some() { Some(self.done.another()) } else { before() };
        Ok(done.unwrap_or(fence))
    }
}

/// One image of one swapchain.
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
                // The semaphores are waited for, but the image stays with the application, which presents it again.
                self.keep(fence);
                return ERROR_PRESENT_TIMING_QUEUE_FULL;
            }
            (Ok(fence), Some(window)) => self.show(window, fence, frame),
            (Ok(fence), None) => {
                // The application waits for this fence even if nobody shows the image.
                let imported = self.import(frame, &fence);
                self.take_back(fence);
                imported.and(Err(vk::Result::ERROR_OUT_OF_DATE_KHR))
            }
            (Err(error), _) => Err(error),
        };
        let outcome = outcome.and_then(|()| self.is_as_it_was());
        match outcome {
            Ok(true) => vk::Result::SUCCESS,
            Ok(false) => vk::Result::SUBOPTIMAL_KHR,
            Err(error) => {
                swapchain.retire();
                error
            }
        }
    }

    /// What presenting is that the application must not do: the driver and the window are not told of it.
    fn refuse(&self) -> vk::Result {
        if !self.swapchain.is_active() {
            return vk::Result::ERROR_OUT_OF_DATE_KHR;
        }
        self.device.instance.logger.log(
            Level::Error,
            Topic::Usage,
            format_args!(
                "vkQueuePresentKHR: image {} was not acquired from this swapchain: present the index that \
                 vkAcquireNextImageKHR gave, once",
                self.image
            ),
        );
        vk::Result::ERROR_VALIDATION_FAILED_EXT
    }

    /// Gives the image to the window.
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
        window.queue(&buffer, fence)?;
        // Before, the window would tell who asks in another thread that it does not know the frame.
        self.remember(frame, number);
        if swapchain.made.shared { self.dequeue_again(window, &buffer) } else { Ok(()) }
    }

    /// Keeps the fence of what was drawn to the image.
    fn keep(&self, fence: OwnedFence) {
        drop(self.swapchain.image(self.image, |image| core::mem::replace(&mut image.release_fence, fence)));
    }

    /// The window's number of the frame that is queued next, if somebody may ask when it is shown, and the window can say.
    fn number(&self, window: &Window, frame: &Frame<'_>) -> Option<u64> {
        if frame.id == 0 && frame.time.is_none() && frame.stages() == 0 {
            return None;
        }
        self.swapchain.history.enable(window);
        window.next_frame().ok()
    }

    /// Remembers a frame for all who may ask when it is shown.
    fn remember(&self, frame: &Frame<'_>, number: Option<u64>) {
        if frame.id != 0 {
            present_wait::remember(self.swapchain, frame.id, number);
        }
        if let (Some(time), Some(number)) = (frame.time, number) {
            timing::remember(self.swapchain, time, number);
        }
        if let Some(timing) = frame.timing {
            present_timing::remember(self.swapchain, frame.id, timing, number);
        }
    }

    /// Has the driver signal the application's fence when the image is not read by anybody any more.
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
        // SAFETY: the handles are valid.
        let result = unsafe { import(self.device.handle, &info) };
        if result == vk::Result::SUCCESS {
            return Ok(());
        }
        // What was not imported is still the loader's.
        drop(OwnedFence::new(self.swapchain.loader().system, given));
        Err(result)
    }

    /// Tells the window of the frame that is going to be queued.
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
            // The window would keep the time of the frame before.
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

    /// Tells what changed since the frame before. Where there is no memory to do that, everything did.
    fn describe_damage(&self, window: &Window, damage: &[vk::RectLayerKHR]) -> Result<(), vk::Result> {
        let memory: Application = self.device.allocator.scoped(vk::SystemAllocationScope::COMMAND);
        let mut rectangles = Vec::new_in(memory);
        if damage.is_empty() || rectangles.try_reserve_exact(damage.len()).is_err() {
            return Ok(());
        }
        for changed in damage {
            rectangles.try_push(window_rectangle(changed))?;
        }
        Ok(window.set_damage(&rectangles)?)
    }

    /// The image of a shared swapchain never leaves the application: it gets the same buffer back.
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

    /// Takes an image back that cannot be shown any more, and destroys it when it is done.
    fn take_back(&self, fence: OwnedFence) {
        drop(self.swapchain.image(self.image, |image| {
            image.dequeued = false;
            (image.dequeue_fence.take(), core::mem::replace(&mut image.release_fence, fence))
        }));
        self.swapchain.destroy_if_idle(self.image);
    }

    /// Whether the window still wants what it wanted when the swapchain was made: a picture that is turned like that, and has
    /// this size.
    fn is_as_it_was(&self) -> Result<bool, vk::Result> {
        let (made, window) = (&self.swapchain.made, &self.swapchain.surface.window);
        let hint = window.query(query::TRANSFORM_HINT)?;
        Ok(hint == made.pre_transform && window.size()? == made.window_size)
    }
}

/// The corners of a rectangle, as the window counts them: from its lower end on.
#[must_use]
pub fn window_rectangle(changed: &vk::RectLayerKHR) -> Rectangle {
    let (vk::Offset2D { x, y }, vk::Extent2D { width, height }) = (changed.offset, changed.extent);
    Rectangle {
        left: x,
        top: y.saturating_add_unsigned(height),
        right: x.saturating_add_unsigned(width),
        bottom: y,
    }
}
