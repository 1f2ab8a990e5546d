//! Swapchains: the images created from a window's buffers.

use core::ffi::c_int;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use ash::vk::{self, Handle};
use vkload_core::memory::{Box, CopiedCallbacks, Vec};
use vkload_core::platform::Lock;
use vkload_core::registry::calls::{DestroySwapchainKHR, GetSwapchainImagesKHR, GetSwapchainStatusKHR};

use crate::loader::Loader;
use crate::objects::{Device, device_of};
use crate::trace::slice;
use crate::wsi::buffer::Buffer;
use crate::wsi::fence::OwnedFence;
use crate::wsi::present_timing;
use crate::wsi::present_wait::Numbered;
use crate::wsi::surface::Surface;
use crate::wsi::timing::History;
use crate::wsi::window::Window;

/// A swapchain. Its handle is its address.
///
/// Applications acquire in one thread and present in another, although they must not. So everything
/// that changes is behind locks, none of which is held while the driver or the window is called.
pub struct Swapchain {
    pub surface: &'static Surface,
    /// The device, which also outlives it and may differ from the device of the swapchain that
    /// replaces this one.
    device: &'static Device,
    pub made: Made,
    /// How long the window waits for a buffer; see [`Window::set_dequeue_timeout`].
    pub dequeue_timeout: AtomicI64,
    /// Whether a shared image is shown repeatedly.
    pub auto_refresh: AtomicBool,
    /// Whether the previous frame had a time at which it was to be shown.
    pub timestamp_set: AtomicBool,
    pub history: History,
    pub timing_queue: present_timing::Queue,
    pub numbered: Numbered,
    images: Lock<Vec<Image, CopiedCallbacks>>,
}

#[derive(Clone, Copy)]
pub struct Made {
    /// Whether it has one image, which is shown while being drawn to.
    pub shared: bool,
    /// Whether that image is initially shown repeatedly.
    pub auto_refresh: bool,
    pub mailbox: bool,
    /// Whether the application waits for frames, so that the window reports them.
    pub is_waited_for: bool,
    pub extent: vk::Extent2D,
    /// How the application has rotated the picture, in the window's terms.
    pub pre_transform: c_int,
    pub window_size: (c_int, c_int),
    pub refresh_duration: i64,
}

pub struct Image {
    /// The driver's image; NULL if it was destroyed.
    pub handle: vk::Image,
    /// The buffer that it was created from; `None` if it gets one when first acquired, or if it was
    /// destroyed.
    pub buffer: Option<Buffer>,
    pub dequeued: bool,
    /// Signalled when the application may draw to it.
    pub dequeue_fence: OwnedFence,
    /// Signalled when the drawing of its last presentation is done.
    pub release_fence: OwnedFence,
}

impl Swapchain {
    pub fn new(
        surface: &'static Surface,
        device: &'static Device,
        made: Made,
        images: Vec<Image, CopiedCallbacks>,
        timing_queue: present_timing::Queue,
    ) -> Self {
        Self {
            surface,
            device,
            made,
            dequeue_timeout: AtomicI64::new(-1),
            auto_refresh: AtomicBool::new(made.auto_refresh),
            timestamp_set: AtomicBool::new(false),
            history: History::new(),
            timing_queue,
            numbered: Numbered::new(),
            images: Lock::new(images),
        }
    }

    /// # Safety
    /// `handle` is a valid swapchain that lives as long as `'a`.
    pub unsafe fn from_handle<'a>(handle: vk::SwapchainKHR) -> &'a Self {
        // SAFETY: by this function's `# Safety` the handle is valid; it is the address of a
        // `Swapchain`.
        unsafe { &*core::ptr::with_exposed_provenance::<Self>(handle.as_raw() as usize) }
    }

    pub fn handle(&self) -> vk::SwapchainKHR {
        vk::SwapchainKHR::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    pub fn loader(&self) -> &'static Loader {
        self.surface.loader
    }

    /// Returns whether this swapchain presents to its window, and is not retired.
    pub fn is_active(&self) -> bool {
        self.surface.active() == self.handle()
    }

    pub fn active_window(&self) -> Option<&'static Window> {
        self.is_active().then_some(&self.surface.window)
    }

    /// Lets `change` inspect and change the images. It must not call out, nor drop an image or
    /// fence.
    pub fn images<R>(&self, change: impl FnOnce(&mut [Image]) -> R) -> R {
        change(&mut self.images.lock(self.loader().system))
    }

    /// Lets `change` inspect and change one image, as for [`Self::images`]; `None` if the index is
    /// out of range.
    pub fn image<R>(&self, index: u32, change: impl FnOnce(&mut Image) -> R) -> Option<R> {
        self.images(|images| images.get_mut(index as usize).map(change))
    }

    pub fn buffer(&self, index: u32) -> Option<Buffer> {
        let address = self.image(index, |image| image.buffer.as_ref().map(Buffer::address))??;
        // SAFETY: the image holds a reference to the buffer until the swapchain is retired or
        // destroyed, which external synchronisation of the swapchain forbids during another
        // command.
        Some(unsafe { Buffer::new(address) })
    }

    pub fn count(&self) -> u32 {
        self.images(|images| u32::try_from(images.len()).unwrap_or(u32::MAX))
    }

    /// Stops presenting. Destroys the images that the application has not acquired, unless the
    /// driver may still be busy with them; those are destroyed with the swapchain.
    pub fn retire(&self) {
        if !self.surface.retire(self.handle()) {
            return;
        }
        self.leave(&self.surface.window);
        for index in 0..self.count() {
            self.destroy_if_idle(index);
        }
    }

    /// Resets the window's settings that would affect its next producer.
    fn leave(&self, window: &Window) {
        // A window that is gone does not matter any more.
        if self.timestamp_set.swap(false, Ordering::Relaxed) {
            let _ = window.set_timestamp(Window::AUTOMATIC);
        }
        if self.history.is_enabled() {
            let _ = window.enable_frame_timestamps(false);
        }
    }

    /// Destroys an image that can never be acquired again, if the driver is done with it.
    pub fn destroy_if_idle(&self, index: u32) {
        let fence = self.image(index, |image| (!image.dequeued).then(|| image.release_fence.take()));
        let Some(Some(fence)) = fence else { return };
        if !fence.is_signalled() {
            let _ = self.image(index, |image| core::mem::replace(&mut image.release_fence, fence));
            return;
        }
        let taken = self.image(index, |image| {
            (core::mem::replace(&mut image.handle, vk::Image::null()), image.buffer.take())
        });
        if let Some((handle, _buffer)) = taken {
            self.destroy_image(handle);
        }
    }

    /// Releases the parts of the images. `window` is present if the swapchain is active.
    pub fn destroy_images(&self, window: Option<&Window>) {
        for index in 0..self.count() {
            let taken = self.image(index, |image| {
                let dequeued = core::mem::replace(&mut image.dequeued, false);
                let handle = core::mem::replace(&mut image.handle, vk::Image::null());
                (
                    dequeued,
                    handle,
                    image.buffer.take(),
                    image.dequeue_fence.take(),
                    image.release_fence.take(),
                )
            });
            let Some((dequeued, handle, buffer, dequeue_fence, release_fence)) = taken else { continue };
            match (window, &buffer) {
                (Some(window), Some(buffer)) if dequeued && !self.made.shared => {
                    // A window that is gone has no more use for its buffers.
                    let _ = window.cancel(buffer, dequeue_fence);
                }
                _ => dequeue_fence.wait(),
            }
            release_fence.wait();
            self.destroy_image(handle);
        }
    }

    /// Destroys one of the driver's images. They are created without the application's callbacks.
    fn destroy_image(&self, image: vk::Image) {
        if image != vk::Image::null()
            && let Some(destroy) = self.device.driver.destroy_image
        {
            // SAFETY: the image was created by this device, and its caller took it out of the list,
            // so no code uses it any more.
            unsafe { destroy(self.device.handle, image, core::ptr::null()) };
        }
    }
}

pub fn destroy_swapchain(call: &DestroySwapchainKHR<'_>) {
    let _slice = slice(c"DestroySwapchainKHR");
    // SAFETY: by valid usage of the command the device is valid, the swapchain is NULL or valid and
    // externally synchronised, and the callbacks are compatible with the callbacks of its creation.
    // `create` leaked the box; only this function frees it.
    unsafe {
        let device = device_of(call.device.as_raw());
        let memory = device.allocator.or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        let handle = call.swapchain.as_raw();
        device.private_data.forget(device.instance.logger.loader.system, handle);
        let swapchain = core::ptr::with_exposed_provenance_mut::<Swapchain>(handle as usize);
        let Some(swapchain) = NonNull::new(swapchain) else { return };
        let swapchain = Box::from_non_null_in(swapchain, memory);
        let window = swapchain.active_window();
        if let Some(window) = window {
            swapchain.leave(window);
        }
        swapchain.destroy_images(window);
        swapchain.surface.retire(swapchain.handle());
    }
}

pub fn get_swapchain_images(call: &GetSwapchainImagesKHR<'_>) -> vk::Result {
    let (count, out) = (call.swapchain_image_count.as_ptr(), call.swapchain_images);
    // SAFETY: by valid usage of the command the swapchain is a valid handle, and `count` and `out` are a
    // counted out-array.
    unsafe {
        let swapchain = Swapchain::from_handle(call.swapchain);
        let there = swapchain.count();
        if out.is_null() {
            count.write(there);
            return vk::Result::SUCCESS;
        }
        let written = there.min(count.read());
        for index in 0..written {
            let image = swapchain.image(index, |image| image.handle).unwrap_or_default();
            out.add(index as usize).write(image);
        }
        count.write(written);
        if written < there { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

pub fn get_swapchain_status(call: &GetSwapchainStatusKHR<'_>) -> vk::Result {
    // SAFETY: by valid usage of the command the swapchain is a valid handle.
    let swapchain = unsafe { Swapchain::from_handle(call.swapchain) };
    if swapchain.is_active() { vk::Result::SUCCESS } else { vk::Result::ERROR_OUT_OF_DATE_KHR }
}
