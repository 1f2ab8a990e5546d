//! Swapchains, and the commands that use them.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};

use super::Headless;
use super::image::{Commands, SwapchainImage, create_info};
use crate::device::{Device, Queue};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::forward::calls::list;
use crate::object::{Object, ParentObject, VkObject};
use crate::out_array::OutArray;
use crate::sync::queue_submit;

/// A swapchain's images.
pub struct Swapchain<D: Headless> {
    images: Vec<SwapchainImage, CopiedCallbacks>,
    /// The image that is looked at first by the next acquisition.
    next: AtomicUsize,
    is_retired: AtomicBool,
    of: core::marker::PhantomData<fn() -> D>,
}

// SAFETY: no other type is behind such handles.
unsafe impl<D: Headless> VkObject for Swapchain<D> {
    type Handle = vk::SwapchainKHR;
    type Parent = Device<D>;
}

impl<D: Headless> Swapchain<D> {
    /// Returns the memory of an image, for images that applications bind to it
    /// (`VkBindImageMemorySwapchainInfoKHR`).
    pub fn memory(&self, image: u32) -> Option<vk::DeviceMemory> {
        self.images.get(image as usize).map(|image| image.memory)
    }

    /// # Safety
    /// `handle` is the live handle of `device`; structure and callbacks are valid.
    unsafe fn new(
        handle: vk::Device,
        device: &Device<D>,
        info: &vk::SwapchainCreateInfoKHR<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
    ) -> Result<Self, vk::Result> {
        let commands = Commands::of(handle, device.root().base().dispatch());
        let commands = commands.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        // SAFETY: the caller vouches for the callbacks; the swapchain is freed with compatible ones.
        let memory = unsafe { device.root().memory_or(callbacks, vk::SystemAllocationScope::OBJECT) };
        let mut images = Vec::new_in(memory);
        for _ in 0..info.min_image_count {
            // SAFETY: the caller vouches for the device and the structure.
            let image = unsafe { SwapchainImage::new(commands, device, &create_info(info))? };
            images.try_push(image).map_err(vk::Result::from)?;
        }
        let of = core::marker::PhantomData;
        Ok(Self { images, next: 0.into(), is_retired: false.into(), of })
    }

    /// Returns the next image that is free.
    fn acquire(&self) -> Option<u32> {
        let next = self.next.load(Ordering::Relaxed);
        let indices = || (0..self.images.len()).cycle().skip(next).take(self.images.len());
        let index = indices().find(|index| self.images.get(*index).is_some_and(SwapchainImage::acquire))?;
        self.next.store(index.saturating_add(1), Ordering::Relaxed);
        u32::try_from(index).ok()
    }

    fn release(&self, image: u32) {
        if let Some(image) = self.images.get(image as usize) {
            image.release();
        }
    }

    /// Presents an image: it is free again when the queue has waited for the semaphores. After an error the application still has it.
    ///
    /// # Safety
    /// The handles are live, and no other thread submits to the queue.
    unsafe fn present(
        &self,
        queue: &Queue<D>,
        waits: &[vk::Semaphore],
        image: u32,
    ) -> Result<(), vk::Result> {
        let Some(image) = self.images.get(image as usize) else { return Ok(()) };
        image.will_be_presented().result()?;
        // SAFETY: the caller vouches for the handles; memory and fence are the image's.
        unsafe { queue.submit_memory(waits, image.memory, image.presented)? };
        image.release();
        Ok(())
    }
}

unsafe extern "system" fn create_swapchain<D: Headless>(
    handle: vk::Device,
    info: *const vk::SwapchainCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the caller passes live handles and valid pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(handle) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        if let Some(old) = Object::<Swapchain<D>>::from_handle((*info).old_swapchain) {
            old.is_retired.store(true, Ordering::Release);
        }
        match Swapchain::new(handle, device, &*info, callbacks) {
            Ok(swapchain) => Object::create_command(handle, callbacks, out, swapchain),
            Err(error) => error,
        }
    }
}

/// Creates swapchains that are presented together: all or none.
unsafe extern "system" fn create_shared_swapchains<D: Headless>(
    device: vk::Device,
    count: u32,
    infos: *const vk::SwapchainCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, a counted array and a second one of the same length.
    unsafe {
        for index in 0..count as usize {
            let result = create_swapchain::<D>(device, infos.add(index), callbacks, out.add(index));
            if result != vk::Result::SUCCESS {
                (0..index).for_each(|made| Object::<Swapchain<D>>::destroy(out.add(made).read(), callbacks));
                (0..count as usize).for_each(|index| out.add(index).write(vk::SwapchainKHR::null()));
                return result;
            }
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_swapchain_images<D: Headless>(
    _: vk::Device,
    swapchain: vk::SwapchainKHR,
    count: *mut u32,
    out: *mut vk::Image,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted out-array.
    unsafe {
        let mut array = OutArray::new(count, out);
        if let Some(swapchain) = Object::<Swapchain<D>>::from_handle(swapchain) {
            swapchain.images.iter().for_each(|image| array.push(image.image));
        }
        array.finish()
    }
}

/// Acquires the images in turn. Each is free again when it was presented or released.
unsafe extern "system" fn acquire_next_image_2<D: Headless>(
    device: vk::Device,
    info: *const vk::AcquireNextImageInfoKHR<'_>,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: the caller passes live or null handles and valid pointers.
    unsafe {
        let info = &*info;
        let device = Device::<D>::from_handle(device);
        let (Some(device), Some(swapchain)) = (device, Object::<Swapchain<D>>::from_handle(info.swapchain))
        else {
            return vk::Result::ERROR_OUT_OF_DATE_KHR;
        };
        let image = match wait_for_image(device, swapchain, info.timeout) {
            Ok(image) => image,
            Err(error) => return error,
        };
        let memory = swapchain.memory(image).unwrap_or_default();
        let signalled = device.signal_semaphore_with_memory(info.semaphore, memory);
        match signalled.and_then(|()| device.signal_fence_with_memory(info.fence, memory)) {
            Ok(()) => {
                out.write(image);
                vk::Result::SUCCESS
            }
            Err(error) => {
                swapchain.release(image);
                error.into()
            }
        }
    }
}

fn wait_for_image<D: Headless>(
    device: &Device<D>,
    swapchain: &Swapchain<D>,
    timeout: u64,
) -> Result<u32, vk::Result> {
    let deadline = D::host().now().saturating_add(timeout);
    let mut turn = 0u32;
    loop {
        if swapchain.is_retired.load(Ordering::Acquire) {
            return Err(vk::Result::ERROR_OUT_OF_DATE_KHR);
        }
        device.check_status()?;
        if let Some(image) = swapchain.acquire() {
            return Ok(image);
        }
        if timeout == 0 {
            return Err(vk::Result::NOT_READY);
        }
        if timeout != u64::MAX && D::host().now() >= deadline {
            return Err(vk::Result::TIMEOUT);
        }
        D::host().wait(turn);
        turn = turn.saturating_add(1);
    }
}

unsafe extern "system" fn queue_present<D: Headless>(
    handle: vk::Queue,
    info: *const vk::PresentInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes live handles and counted arrays.
    unsafe {
        let info = &*info;
        let Some(queue) = Queue::<D>::from_handle(handle) else { return vk::Result::ERROR_DEVICE_LOST };
        let mut waits = list(info.p_wait_semaphores, info.wait_semaphore_count);
        let mut all = vk::Result::SUCCESS;
        for index in 0..info.swapchain_count as usize {
            let swapchain = Object::<Swapchain<D>>::from_handle(info.p_swapchains.add(index).read());
            let image = info.p_image_indices.add(index).read();
            // The first one waits for the semaphores, and the others come after it on the queue.
            let result = match swapchain {
                Some(swapchain) => swapchain.present(queue, core::mem::take(&mut waits), image),
                None => Err(vk::Result::ERROR_OUT_OF_DATE_KHR),
            };
            let result = result.map_or_else(|error| error, |()| signal_fence::<D>(handle, info, index));
            if !info.p_results.is_null() {
                info.p_results.add(index).write(result);
            }
            all = if all == vk::Result::SUCCESS { result } else { all };
        }
        queue.parent().frame_ended(queue);
        all
    }
}

/// Signals the fence that the application has for the presentation of the swapchain with this number, if it has one.
///
/// # Safety
/// As for the command.
unsafe fn signal_fence<D: Headless>(
    queue: vk::Queue,
    info: &vk::PresentInfoKHR<'_>,
    index: usize,
) -> vk::Result {
    // SAFETY: the caller vouches for the chain, whose fences are live or null, and for the queue.
    unsafe {
        let Some(given) = chain::find::<vk::SwapchainPresentFenceInfoEXT<'_>>(info.p_next) else {
            return vk::Result::SUCCESS;
        };
        match list(given.p_fences, given.swapchain_count).get(index) {
            Some(fence) => queue_submit::<D>(queue, 0, core::ptr::null(), *fence),
            None => vk::Result::SUCCESS,
        }
    }
}

/// Takes images back that the application has acquired and does not present.
unsafe extern "system" fn release_images<D: Headless>(
    _: vk::Device,
    info: *const vk::ReleaseSwapchainImagesInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted array.
    unsafe {
        let info = &*info;
        if let Some(swapchain) = Object::<Swapchain<D>>::from_handle(info.swapchain) {
            list(info.p_image_indices, info.image_index_count)
                .iter()
                .for_each(|image| swapchain.release(*image));
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_group_capabilities(
    _: vk::Device,
    out: *mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe {
        (*out).present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
        (*out).present_mask[0] = 1;
        (*out).modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_group_modes(
    _: vk::Device,
    _: vk::SurfaceKHR,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_group_modes_2(
    device: vk::Device,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: the caller passes valid pointers.
    unsafe { get_group_modes(device, (*info).surface, out) }
}

pub(super) const fn entry_points<D: Headless>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CREATE_SWAPCHAIN_KHR: PFN_vkCreateSwapchainKHR = create_swapchain::<D>,
            CREATE_SHARED_SWAPCHAINS_KHR: PFN_vkCreateSharedSwapchainsKHR = create_shared_swapchains::<D>,
            DESTROY_SWAPCHAIN_KHR: PFN_vkDestroySwapchainKHR = Object::<Swapchain<D>>::destroy_command,
            GET_SWAPCHAIN_IMAGES_KHR: PFN_vkGetSwapchainImagesKHR = get_swapchain_images::<D>,
            ACQUIRE_NEXT_IMAGE_2_KHR: PFN_vkAcquireNextImage2KHR = acquire_next_image_2::<D>,
            QUEUE_PRESENT_KHR: PFN_vkQueuePresentKHR = queue_present::<D>,
            RELEASE_SWAPCHAIN_IMAGES_EXT: PFN_vkReleaseSwapchainImagesEXT = release_images::<D>,
            GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR: PFN_vkGetDeviceGroupPresentCapabilitiesKHR
                = get_group_capabilities,
            GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR: PFN_vkGetDeviceGroupSurfacePresentModesKHR
                = get_group_modes,
            GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT: PFN_vkGetDeviceGroupSurfacePresentModes2EXT
                = get_group_modes_2,
        }
    }
}
