//! Acquiring images.

use core::sync::atomic::Ordering;

use ash::vk::{self, Handle};
use vkload_core::registry::calls::{AcquireNextImage2KHR, AcquireNextImageKHR};

use crate::objects::{Device, device_of};
use crate::system::System;
use crate::trace::slice;
use crate::wsi::bind::bind;
use crate::wsi::buffer::Buffer;
use crate::wsi::fence::OwnedFence;
use crate::wsi::images::native_buffer;
use crate::wsi::swapchain::Swapchain;
use crate::wsi::window::{Window, WindowError};

/// The timeout with which a window waits for a buffer for ever.
const FOR_EVER: i64 = -1;
/// How long, in nanoseconds, a window that would not wait for ever waits at a time.
const A_WHILE: i64 = 1_000_000_000;

pub fn acquire_next_image(call: &AcquireNextImageKHR<'_>) -> Result<(), vk::Result> {
    let _slice = slice(c"AcquireNextImageKHR");
    // SAFETY: by valid usage of the command device and swapchain are valid handles.
    let acquisition = unsafe {
        Acquisition {
            device: device_of(call.device.as_raw()),
            swapchain: Swapchain::from_handle(call.swapchain),
            semaphore: call.semaphore,
            fence: call.fence,
        }
    };
    call.image_index.write(acquisition.acquire(call.timeout)?);
    Ok(())
}

/// Each group has one device.
pub fn acquire_next_image2(call: &AcquireNextImage2KHR<'_>) -> Result<(), vk::Result> {
    let _slice = slice(c"AcquireNextImage2KHR");
    let info = &*call.acquire_info;
    let (timeout, index) = (info.timeout, call.image_index);
    // SAFETY: valid usage of this command makes the parameters valid for the other one.
    acquire_next_image(&unsafe {
        AcquireNextImageKHR::new(call.device, info.swapchain, timeout, info.semaphore, info.fence, index)
    })
}

struct Acquisition<'a> {
    device: &'a Device,
    swapchain: &'a Swapchain,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
}

enum ImageMatch {
    Bound(u32),
    /// This image, which had no buffer yet.
    Unbound(u32),
    None,
}

impl Acquisition<'_> {
    /// Returns the index of the image, or why it got none, which is not always an error.
    fn acquire(&self, timeout: u64) -> Result<u32, vk::Result> {
        let swapchain = self.swapchain;
        let window = swapchain.active_window().ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
        if swapchain.made.shared {
            let image = swapchain.image(0, |image| image.handle).unwrap_or_default();
            self.tell_driver(image, OwnedFence::signalled(swapchain.loader().system))?;
            return Ok(0);
        }
        let (buffer, fence) = self.dequeue(window, timeout)?;
        let index = match self.image_of(&buffer) {
            ImageMatch::Bound(index) => Some(index),
            ImageMatch::Unbound(index) => self.bind_first(index, &buffer),
            ImageMatch::None => None,
        };
        let Some(index) = index else {
            // The window has buffers that belong to none of the swapchain's images.
            let _ = window.cancel(&buffer, fence);
            return Err(vk::Result::ERROR_OUT_OF_DATE_KHR);
        };
        let image = swapchain.image(index, |image| image.handle).unwrap_or_default();
        if let Err(error) = self.tell_driver(image, fence.another()) {
            let _ = window.cancel(&buffer, fence);
            return Err(error);
        }
        let _ = swapchain.image(index, |image| {
            image.dequeued = true;
            core::mem::replace(&mut image.dequeue_fence, fence)
        });
        Ok(index)
    }

    fn dequeue(&self, window: &Window, timeout: u64) -> Result<(Buffer, OwnedFence), vk::Result> {
        self.set_timeout(window, i64::try_from(timeout).unwrap_or(FOR_EVER))?;
        let taken = match window.dequeue(self.swapchain.loader().system) {
            Err(WindowError::WOULD_BLOCK) if timeout > 0 => self.dequeue_patiently(window, timeout),
            taken => taken,
        };
        taken.map_err(|error| match error {
            // All buffers are dequeued already: one must be given back first.
            WindowError::TIMED_OUT | WindowError::INVALID_OPERATION | WindowError::WOULD_BLOCK => {
                if timeout == 0 { vk::Result::NOT_READY } else { vk::Result::TIMEOUT }
            }
            _ => vk::Result::ERROR_SURFACE_LOST_KHR,
        })
    }

    /// Dequeues a buffer from a window that does not wait. One with both ends in the application (a
    /// `SurfaceTexture`) waits only if a timeout is set, and one whose frames replace each other
    /// not even then always.
    fn dequeue_patiently(&self, window: &Window, timeout: u64) -> Result<(Buffer, OwnedFence), WindowError> {
        let system = self.swapchain.loader().system;
        let mut patience = Patience::new(system, timeout);
        self.set_timeout(window, i64::try_from(timeout).unwrap_or(A_WHILE))?;
        loop {
            match window.dequeue(system) {
                Err(WindowError::WOULD_BLOCK | WindowError::TIMED_OUT) if patience.wait() => {}
                taken => return taken,
            }
        }
    }

    fn set_timeout(&self, window: &Window, nanoseconds: i64) -> Result<(), WindowError> {
        let known = &self.swapchain.dequeue_timeout;
        if known.load(Ordering::Relaxed) != nanoseconds {
            window.set_dequeue_timeout(nanoseconds)?;
            known.store(nanoseconds, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Finds the image of a buffer. A new buffer goes to the first image without one and belongs to
    /// it from then on.
    fn image_of(&self, buffer: &Buffer) -> ImageMatch {
        // Cloned before the lock, since a clone calls the buffer's own code.
        let mut kept = Some(buffer.clone());
        self.swapchain.images(|images| {
            let mut indexed = (0u32..).zip(images);
            let mut empty = None;
            for (index, image) in &mut indexed {
                match &image.buffer {
                    Some(known) if known == buffer => return ImageMatch::Bound(index),
                    None if empty.is_none() => empty = Some((index, image)),
                    _ => {}
                }
            }
            match empty {
                Some((index, image)) => {
                    image.buffer = kept.take();
                    ImageMatch::Unbound(index)
                }
                None => ImageMatch::None,
            }
        })
    }

    /// Binds an image to its first buffer. `None` if the driver cannot do that.
    fn bind_first(&self, index: u32, buffer: &Buffer) -> Option<u32> {
        let swapchain = self.swapchain;
        let of_swapchain =
            vk::BindImageMemorySwapchainInfoKHR::default().swapchain(swapchain.handle()).image_index(index);
        let native = native_buffer(swapchain, buffer, core::ptr::from_ref(&of_swapchain).cast());
        let info = vk::BindImageMemoryInfo {
            p_next: core::ptr::from_ref(&native).cast(),
            image: swapchain.image(index, |image| image.handle).unwrap_or_default(),
            ..Default::default()
        };
        if bind(self.device, &[info]) == vk::Result::SUCCESS {
            return Some(index);
        }
        drop(swapchain.image(index, |image| image.buffer.take()));
        None
    }

    /// Makes the driver signal semaphore and fence once the window's fence is signalled.
    fn tell_driver(&self, image: vk::Image, fence: OwnedFence) -> Result<(), vk::Result> {
        let acquire = self.device.driver.acquire_image.ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        // SAFETY: the device is valid, the image is one of the swapchain's, and semaphore and fence
        // come from the application's valid call. The driver owns the descriptor now, even on
        // failure.
        let result = unsafe { acquire(self.device.handle, image, fence.give(), self.semaphore, self.fence) };
        if result == vk::Result::SUCCESS { Ok(()) } else { Err(result) }
    }
}

/// How many short waits precede each poll: polling costs more than waiting. Together they take
/// about a millisecond.
const TURNS: u32 = 20;

/// How much longer a thread continues polling.
struct Patience {
    system: &'static dyn System,
    deadline: i64,
    turn: u32,
}

impl Patience {
    /// Waits for `timeout` nanoseconds; more than a clock can count is for ever.
    fn new(system: &'static dyn System, timeout: u64) -> Self {
        let timeout = i64::try_from(timeout).unwrap_or(i64::MAX);
        Self { system, deadline: system.now().saturating_add(timeout), turn: 0 }
    }

    /// Waits a little, unless the time is over. Returns whether to poll again.
    fn wait(&mut self) -> bool {
        if self.system.now() >= self.deadline {
            return false;
        }
        for _ in 0..TURNS {
            self.system.wait(self.turn);
            self.turn = self.turn.saturating_add(1);
        }
        true
    }
}
