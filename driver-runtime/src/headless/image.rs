//! A swapchain's image, made with the driver's own commands.

use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::device::Device;
use crate::dispatch::{DispatchTable, function};
use crate::driver::Driver;

/// The driver's commands, of the device that this is for.
#[derive(Clone, Copy)]
pub(super) struct Commands {
    device: vk::Device,
    create_image: vk::PFN_vkCreateImage,
    destroy_image: vk::PFN_vkDestroyImage,
    requirements: vk::PFN_vkGetImageMemoryRequirements,
    allocate: vk::PFN_vkAllocateMemory,
    free: vk::PFN_vkFreeMemory,
    bind: vk::PFN_vkBindImageMemory,
    create_fence: vk::PFN_vkCreateFence,
    destroy_fence: vk::PFN_vkDestroyFence,
    reset_fences: vk::PFN_vkResetFences,
    fence_status: vk::PFN_vkGetFenceStatus,
}

impl Commands {
    /// Returns a device's commands, or `None` if the driver lacks one.
    pub(super) fn of(device: vk::Device, table: &DispatchTable) -> Option<Self> {
        // SAFETY: the macro checks that each type is the command's.
        unsafe {
            Some(Self {
                device,
                create_image: function!(table, CREATE_IMAGE: PFN_vkCreateImage)?,
                destroy_image: function!(table, DESTROY_IMAGE: PFN_vkDestroyImage)?,
                requirements: function!(table, GET_IMAGE_MEMORY_REQUIREMENTS: PFN_vkGetImageMemoryRequirements)?,
                allocate: function!(table, ALLOCATE_MEMORY: PFN_vkAllocateMemory)?,
                free: function!(table, FREE_MEMORY: PFN_vkFreeMemory)?,
                bind: function!(table, BIND_IMAGE_MEMORY: PFN_vkBindImageMemory)?,
                create_fence: function!(table, CREATE_FENCE: PFN_vkCreateFence)?,
                destroy_fence: function!(table, DESTROY_FENCE: PFN_vkDestroyFence)?,
                reset_fences: function!(table, RESET_FENCES: PFN_vkResetFences)?,
                fence_status: function!(table, GET_FENCE_STATUS: PFN_vkGetFenceStatus)?,
            })
        }
    }
}

/// An image in memory of its own.
pub(super) struct SwapchainImage {
    commands: Commands,
    pub(super) image: vk::Image,
    pub(super) memory: vk::DeviceMemory,
    /// Signalled unless the work that was presented goes on.
    pub(super) presented: vk::Fence,
    is_acquired: AtomicBool,
}

impl SwapchainImage {
    /// # Safety
    /// The commands belong to the device, whose handle is live, and the structure is valid.
    pub(super) unsafe fn new<D: Driver>(
        commands: Commands,
        device: &Device<D>,
        info: &vk::ImageCreateInfo<'_>,
    ) -> Result<Self, vk::Result> {
        let mut new = Self {
            commands,
            image: vk::Image::null(),
            memory: vk::DeviceMemory::null(),
            presented: vk::Fence::null(),
            is_acquired: false.into(),
        };
        let (handle, none) = (commands.device, core::ptr::null());
        let mut requirements = vk::MemoryRequirements::default();
        // SAFETY: the caller vouches for the structure, and the others are valid. Whatever was made before a failure is destroyed
        // with `new`.
        unsafe {
            (commands.create_image)(handle, info, none, &mut new.image).result()?;
            (commands.requirements)(handle, new.image, &mut requirements);
            let memory = vk::MemoryAllocateInfo::default()
                .allocation_size(requirements.size)
                .memory_type_index(memory_type(device, requirements.memory_type_bits));
            (commands.allocate)(handle, &memory, none, &mut new.memory).result()?;
            (commands.bind)(handle, new.image, new.memory, 0).result()?;
            let signalled = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
            (commands.create_fence)(handle, &signalled, none, &mut new.presented).result()?;
        }
        Ok(new)
    }

    /// Takes the image for the application, if it is free.
    pub(super) fn acquire(&self) -> bool {
        // SAFETY: the fence is the image's own.
        let is_presented = || unsafe {
            (self.commands.fence_status)(self.commands.device, self.presented) == vk::Result::SUCCESS
        };
        let is_free = !self.is_acquired.load(Ordering::Acquire) && is_presented();
        is_free && !self.is_acquired.swap(true, Ordering::AcqRel)
    }

    /// Resets the fence, before the image is presented.
    pub(super) fn will_be_presented(&self) -> vk::Result {
        // SAFETY: the fence is the image's own, and no queue works with it while the application has the image.
        unsafe { (self.commands.reset_fences)(self.commands.device, 1, &self.presented) }
    }

    /// Notes that the application no longer has the image.
    pub(super) fn release(&self) {
        self.is_acquired.store(false, Ordering::Release);
    }
}

impl Drop for SwapchainImage {
    fn drop(&mut self) {
        let (device, none) = (self.commands.device, core::ptr::null());
        // SAFETY: the handles are the image's own or null, and nothing uses them any more.
        unsafe {
            (self.commands.destroy_fence)(device, self.presented, none);
            (self.commands.destroy_image)(device, self.image, none);
            (self.commands.free)(device, self.memory, none);
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
