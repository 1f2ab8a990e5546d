//! A swapchain's image, made with the driver's own commands.

use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use vkload_core::registry::parameter::{InOptional, Out};

use crate::atomic::AtomicU64;
use crate::device::Device;
use crate::driver::Driver;
use crate::forward::calls::call;

/// An image in memory of its own.
pub(super) struct SwapchainImage {
    device: vk::Device,
    pub(super) image: vk::Image,
    pub(super) memory: vk::DeviceMemory,
    /// Signalled unless the work that was presented goes on.
    pub(super) presented: vk::Fence,
    /// The application's number for its last presentation; 0 if it had none.
    pub(super) id: AtomicU64,
    is_acquired: AtomicBool,
}

impl SwapchainImage {
    /// # Safety
    /// `handle` is the live handle of `device`, and the structure is valid.
    pub(super) unsafe fn new<D: Driver>(
        handle: vk::Device,
        device: &Device<D>,
        info: &vk::ImageCreateInfo<'_>,
    ) -> Result<Self, vk::Result> {
        const MISSING: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;
        let mut new = Self {
            device: handle,
            image: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            presented: vk::Fence::null(),
            id: 0.into(),
            is_acquired: false.into(),
        };
        let (mut requirements, none) = (vk::MemoryRequirements::default(), InOptional::NONE);
        // SAFETY: the caller vouches for the structure, and the others are valid. Whatever was made before a failure is destroyed
        // with `new`.
        unsafe {
            let out = Out::new(&mut new.image);
            call!(handle, CreateImage(info, none, out)).unwrap_or(MISSING).result()?;
            let out = Out::new(&mut requirements);
            call!(handle, GetImageMemoryRequirements(new.image, out)).ok_or(MISSING)?;
            let memory = vk::MemoryAllocateInfo::default()
                .allocation_size(requirements.size)
                .memory_type_index(memory_type(device, requirements.memory_type_bits));
            let out = Out::new(&mut new.memory);
            call!(handle, AllocateMemory(&memory, none, out)).unwrap_or(MISSING).result()?;
            call!(handle, BindImageMemory(new.image, new.memory, 0u64)).unwrap_or(MISSING).result()?;
            let signalled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
            let out = Out::new(&mut new.presented);
            call!(handle, CreateFence(&signalled, none, out)).unwrap_or(MISSING).result()?;
        }
        Ok(new)
    }

    /// Returns whether no presentation of the image goes on.
    pub(super) fn is_presented(&self) -> bool {
        // SAFETY: the fence is the image's own.
        unsafe { call!(self.device, GetFenceStatus(self.presented)) == Some(vk::Result::SUCCESS) }
    }

    /// Takes the image for the application, if it is free.
    pub(super) fn acquire(&self) -> bool {
        let is_free = !self.is_acquired.load(Ordering::Acquire) && self.is_presented();
        is_free && !self.is_acquired.swap(true, Ordering::AcqRel)
    }

    /// Resets the fence, before the image is presented.
    pub(super) fn will_be_presented(&self) -> vk::Result {
        // SAFETY: the fence is the image's own, and no queue works with it while the application has the image.
        let result = unsafe { call!(self.device, ResetFences(1u32, slice::from_ref(&self.presented))) };
        result.unwrap_or(vk::Result::ERROR_UNKNOWN)
    }

    /// Notes that the application no longer has the image.
    pub(super) fn release(&self) {
        self.is_acquired.store(false, Ordering::Release);
    }
}

impl Drop for SwapchainImage {
    fn drop(&mut self) {
        // SAFETY: the handles are the image's own or null, and nothing uses them any more.
        unsafe {
            call!(self.device, DestroyFence(self.presented, InOptional::NONE));
            call!(self.device, DestroyImage(self.image, InOptional::NONE));
            call!(self.device, FreeMemory(self.memory, InOptional::NONE));
        }
    }
}

/// Returns the first of these memory types that is the device's own, or else the first.
fn memory_type<D: Driver>(device: &Device<D>, bits: u32) -> u32 {
    let types = &device.physical().description().memory.memory_types;
    let is_own = |number: &u32| {
        let kind = types.get(*number as usize);
        kind.is_some_and(|kind| kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL))
    };
    let allowed = || (0..u32::BITS).filter(|number| bits & 1u32.wrapping_shl(*number) != 0);
    allowed().find(is_own).or_else(|| allowed().next()).unwrap_or_default()
}

/// Returns the structure that creates a swapchain's images. The lists of view formats are passed on with the rest of the chain.
pub(super) fn create_info<'a>(info: &'a vk::SwapchainCreateInfoKHR<'a>) -> vk::ImageCreateInfo<'a> {
    const FLAGS: [(vk::SwapchainCreateFlagsKHR, vk::ImageCreateFlags); 2] = [
        (vk::SwapchainCreateFlagsKHR::PROTECTED, vk::ImageCreateFlags::PROTECTED),
        (
            vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT,
            vk::ImageCreateFlags::from_raw(
                vk::ImageCreateFlags::MUTABLE_FORMAT.as_raw() | vk::ImageCreateFlags::EXTENDED_USAGE.as_raw(),
            ),
        ),
    ];
    let flags = FLAGS.iter().filter(|(of_swapchain, _)| info.flags.contains(*of_swapchain));
    let vk::Extent2D { width, height } = info.image_extent;
    vk::ImageCreateInfo {
        p_next: info.p_next,
        flags: flags.fold(vk::ImageCreateFlags::empty(), |all, (_, of_image)| all | *of_image),
        image_type: vk::ImageType::TYPE_2D,
        format: info.image_format,
        extent: vk::Extent3D { width, height, depth: 1 },
        mip_levels: 1,
        array_layers: info.image_array_layers,
        samples: vk::SampleCountFlags::TYPE_1,
        tiling: vk::ImageTiling::OPTIMAL,
        usage: info.image_usage,
        sharing_mode: info.image_sharing_mode,
        queue_family_index_count: info.queue_family_index_count,
        p_queue_family_indices: info.p_queue_family_indices,
        initial_layout: vk::ImageLayout::UNDEFINED,
        ..Default::default()
    }
}
