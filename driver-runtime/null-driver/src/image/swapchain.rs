//! Swapchains: images in memory of their own, whose presentation has no visible effect.

use alloc::vec::Vec;

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Device, Host, Object, Queue, VkObject, Waiting, entry_points, vk};
use loader_core::abi::array::deliver;

use super::layout::Image;
use crate::Null;
use crate::device::{device, list};
use crate::host::{Shared, System};
use crate::memory::Memory;
use crate::runtime::runtime;

/// A swapchain.
struct Swapchain {
    images: Vec<(vk::Image, Memory)>,
    /// Which images the application has, and the one that is next.
    taken: Shared<(Vec<bool>, usize)>,
}

impl Swapchain {
    /// Returns the next image that the application does not own.
    fn take(&self) -> Option<u32> {
        let (taken, next) = &mut *self.taken.lock();
        let turn = (0..taken.len()).map(|step| (*next + step) % taken.len());
        let number = turn.into_iter().find(|number| !taken[*number])?;
        taken[number] = true;
        *next = number + 1;
        u32::try_from(number).ok()
    }

    /// Notes that the application no longer owns the image.
    fn give_back(&self, number: u32) {
        if let Some(taken) = self.taken.lock().0.get_mut(number as usize) {
            *taken = false;
        }
    }
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Swapchain {
    type Handle = vk::SwapchainKHR;
    type Parent = Device<Null>;
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        for (image, _) in &self.images {
            // SAFETY: the images are the swapchain's, and nothing uses them any more.
            unsafe { Object::<Image>::destroy(*image, core::ptr::null()) };
        }
    }
}

/// Returns the memory of a swapchain's image.
///
/// # Safety
/// `swapchain` is a live handle.
pub(crate) unsafe fn memory_of(swapchain: vk::SwapchainKHR, image: u32) -> Option<*mut u8> {
    // SAFETY: the caller vouches for the handle.
    let swapchain = unsafe { Object::<Swapchain>::from_handle(swapchain) }?;
    let (_, memory) = swapchain.images.get(image as usize)?;
    memory.at(0).map(|start| start.as_ptr())
}

unsafe extern "system" fn create_swapchain(
    handle: vk::Device,
    info: *const vk::SwapchainCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let info = &*info;
        let vk::Extent2D { width, height } = info.image_extent;
        let of_image = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(info.image_format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(info.image_array_layers)
            .samples(vk::SampleCountFlags::TYPE_1);
        let mut swapchain = Swapchain { images: Vec::new(), taken: Shared::new((Vec::new(), 0)) };
        for _ in 0..info.min_image_count {
            let Some(image) = Image::new(&of_image) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
            let Some(memory) = Memory::new(image.size(vk::ImageAspectFlags::empty())) else {
                return vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
            };
            if let Some(start) = memory.at(0) {
                image.bind(vk::ImageAspectFlags::empty(), start.as_ptr());
            }
            match Object::create(device(handle), core::ptr::null(), image) {
                Ok(image) => swapchain.images.push((image.into_handle(), memory)),
                Err(error) => return error.into(),
            }
        }
        swapchain.taken.lock().0.resize(swapchain.images.len(), false);
        Object::create_command(handle, callbacks, out, swapchain)
    }
}

/// Swapchains that are presented together: all or none.
unsafe extern "system" fn create_shared_swapchains(
    handle: vk::Device,
    count: u32,
    infos: *const vk::SwapchainCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, a counted array and a second one of the same length.
    unsafe {
        for (place, info) in list(infos, count).iter().enumerate() {
            let result = create_swapchain(handle, info, callbacks, out.add(place));
            if result != vk::Result::SUCCESS {
                (0..place).for_each(|made| destroy_swapchain(handle, out.add(made).read(), callbacks));
                core::slice::from_raw_parts_mut(out, count as usize).fill(vk::SwapchainKHR::null());
                return result;
            }
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_swapchain(
    _: vk::Device,
    swapchain: vk::SwapchainKHR,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Swapchain>::destroy(swapchain, callbacks) };
}

unsafe extern "system" fn get_swapchain_images(
    _: vk::Device,
    swapchain: vk::SwapchainKHR,
    count: *mut u32,
    out: *mut vk::Image,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted out-array.
    unsafe {
        let swapchain = Object::<Swapchain>::from_handle(swapchain);
        let images: Vec<vk::Image> =
            swapchain.iter().flat_map(|swapchain| &swapchain.images).map(|(image, _)| *image).collect();
        deliver(&images, count, out)
    }
}

/// Acquires the images in turn. Each is free again when it is presented or released.
unsafe extern "system" fn acquire_next_image(
    handle: vk::Device,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: the caller passes live or null handles and a valid pointer.
    unsafe {
        let Some(swapchain) = Object::<Swapchain>::from_handle(swapchain) else {
            return vk::Result::ERROR_OUT_OF_DATE_KHR;
        };
        let deadline = System.now().saturating_add(timeout);
        let mut turn = 0u32;
        let number = loop {
            if let Some(number) = swapchain.take() {
                break number;
            }
            if timeout == 0 {
                return vk::Result::NOT_READY;
            }
            if System.now() >= deadline {
                return vk::Result::TIMEOUT;
            }
            if device(handle).check_status().is_err() {
                return vk::Result::ERROR_DEVICE_LOST;
            }
            System.wait(turn);
            turn = turn.saturating_add(1);
        };
        out.write(number);
        let result = signal(handle, semaphore, fence);
        if result != vk::Result::SUCCESS {
            swapchain.give_back(number);
        }
        result
    }
}

/// Signals a semaphore and a fence, each of which may be NULL.
///
/// # Safety
/// The handles are live, or null but for the device.
pub(crate) unsafe fn signal(handle: vk::Device, semaphore: vk::Semaphore, fence: vk::Fence) -> vk::Result {
    let signals = [semaphore];
    let mut work = vk::SubmitInfo::default();
    if semaphore != vk::Semaphore::null() {
        work = work.signal_semaphores(&signals);
    }
    // SAFETY: the caller vouches for the handles.
    unsafe { submit(first_queue(handle), &work, fence) }
}

/// Waits for semaphores.
///
/// # Safety
/// The handles are live.
pub(crate) unsafe fn wait(queue: vk::Queue, semaphores: &[vk::Semaphore]) -> vk::Result {
    let stages = alloc::vec![vk::PipelineStageFlags::ALL_COMMANDS; semaphores.len()];
    let work = vk::SubmitInfo::default().wait_semaphores(semaphores).wait_dst_stage_mask(&stages);
    // SAFETY: the caller vouches for the handles.
    unsafe { submit(queue, &work, vk::Fence::null()) }
}

unsafe extern "system" fn acquire_next_image_2(
    device: vk::Device,
    info: *const vk::AcquireNextImageInfoKHR<'_>,
    out: *mut u32,
) -> vk::Result {
    // SAFETY: the caller passes live or null handles and valid pointers.
    unsafe {
        let info = &*info;
        acquire_next_image(device, info.swapchain, info.timeout, info.semaphore, info.fence, out)
    }
}

unsafe extern "system" fn queue_present(queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>) -> vk::Result {
    // SAFETY: the caller passes live handles and counted arrays.
    unsafe {
        let info = &*info;
        let result = wait(queue, list(info.p_wait_semaphores, info.wait_semaphore_count));
        let numbers = list(info.p_image_indices, info.swapchain_count);
        for (swapchain, number) in list(info.p_swapchains, info.swapchain_count).iter().zip(numbers) {
            if let Some(swapchain) = Object::<Swapchain>::from_handle(*swapchain) {
                swapchain.give_back(*number);
            }
        }
        if !info.p_results.is_null() {
            core::slice::from_raw_parts_mut(info.p_results, info.swapchain_count as usize).fill(result);
        }
        if let Some(queue) = Queue::<Null>::from_handle(queue) {
            queue.parent().frame_ended(queue);
        }
        result
    }
}

/// Images that the application has acquired and does not present.
unsafe extern "system" fn release_images(
    _: vk::Device,
    info: *const vk::ReleaseSwapchainImagesInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted array.
    unsafe {
        let info = &*info;
        if let Some(swapchain) = Object::<Swapchain>::from_handle(info.swapchain) {
            let numbers = list(info.p_image_indices, info.image_index_count);
            numbers.iter().for_each(|number| swapchain.give_back(*number));
        }
    }
    vk::Result::SUCCESS
}

/// Submits work by way of the runtime.
///
/// # Safety
/// The handles are live or, for the fence, null.
pub(crate) unsafe fn submit(queue: vk::Queue, work: &vk::SubmitInfo<'_>, fence: vk::Fence) -> vk::Result {
    // SAFETY: the caller vouches for the handles.
    unsafe {
        match runtime!(QUEUE_SUBMIT: PFN_vkQueueSubmit) {
            Some(submit) => submit(queue, 1, work, fence),
            None => vk::Result::ERROR_DEVICE_LOST,
        }
    }
}

/// Returns any queue of the device, for signals.
///
/// # Safety
/// `device` is a live handle.
unsafe fn first_queue(handle: vk::Device) -> vk::Queue {
    let mut queue = vk::Queue::null();
    // SAFETY: the caller vouches for the handle.
    unsafe {
        let Some(first) = device(handle).queues().first() else { return queue };
        let place = first.place();
        let info = vk::DeviceQueueInfo2::default()
            .flags(place.flags)
            .queue_family_index(place.family)
            .queue_index(place.index);
        if let Some(get) = runtime!(GET_DEVICE_QUEUE_2: PFN_vkGetDeviceQueue2) {
            get(handle, &info, &mut queue);
        }
    }
    queue
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

/// Reports the refresh cycle of a 60 Hz display.
unsafe extern "system" fn get_refresh_cycle(
    _: vk::Device,
    _: vk::SwapchainKHR,
    out: *mut vk::RefreshCycleDurationGOOGLE,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::RefreshCycleDurationGOOGLE { refresh_duration: 1_000_000_000 / 60 }) };
    vk::Result::SUCCESS
}

/// The commands of swapchains.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_SWAPCHAIN_KHR: PFN_vkCreateSwapchainKHR = create_swapchain,
        CREATE_SHARED_SWAPCHAINS_KHR: PFN_vkCreateSharedSwapchainsKHR = create_shared_swapchains,
        DESTROY_SWAPCHAIN_KHR: PFN_vkDestroySwapchainKHR = destroy_swapchain,
        GET_SWAPCHAIN_IMAGES_KHR: PFN_vkGetSwapchainImagesKHR = get_swapchain_images,
        ACQUIRE_NEXT_IMAGE_KHR: PFN_vkAcquireNextImageKHR = acquire_next_image,
        ACQUIRE_NEXT_IMAGE_2_KHR: PFN_vkAcquireNextImage2KHR = acquire_next_image_2,
        QUEUE_PRESENT_KHR: PFN_vkQueuePresentKHR = queue_present,
        RELEASE_SWAPCHAIN_IMAGES_EXT: PFN_vkReleaseSwapchainImagesEXT = release_images,
        GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR: PFN_vkGetDeviceGroupPresentCapabilitiesKHR
            = get_group_capabilities,
        GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR: PFN_vkGetDeviceGroupSurfacePresentModesKHR = get_group_modes,
        GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT: PFN_vkGetDeviceGroupSurfacePresentModes2EXT = get_group_modes_2,
        GET_REFRESH_CYCLE_DURATION_GOOGLE: PFN_vkGetRefreshCycleDurationGOOGLE = get_refresh_cycle,
    }
};
