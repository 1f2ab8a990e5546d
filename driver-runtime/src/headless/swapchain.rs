//! Swapchains, and the commands that use them.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ash::vk;
use vkload_core::abi::chain;
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};

use super::Headless;
use super::image::{SwapchainImage, create_info};
use crate::atomic::AtomicU64;
use crate::calls::{self, Outcome as _};
use crate::device::{Device, Queue, device_object};
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::object::{Foreign, Object, ParentObject, Slot};
use crate::out_array::{OutArray, list};
use crate::result::SubmitError;
use crate::sync::signal_in_order;

/// A swapchain's images.
pub struct Swapchain<D: Headless> {
    images: Vec<SwapchainImage, CopiedCallbacks>,
    /// The image that is looked at first by the next acquisition.
    next: AtomicUsize,
    is_retired: AtomicBool,
    surface: vk::SurfaceKHR,
    device: NonNull<Device<D>>,
    /// The greatest of the application's numbers for presentations that are over.
    presented: AtomicU64,
}

/// Returns the surfaces of the device's instance, and a slot whose value is 1 if a surface has a swapchain that is not retired:
/// it has at most one. No application has slots of the instance.
fn surfaces<D: Headless>(device: &Device<D>) -> (&Foreign, Slot) {
    let instance = device.root().base().instance_root();
    (instance.foreign(), instance.first_slot())
}

// SAFETY: the pointer leads to the device, which may be shared.
unsafe impl<D: Headless> Send for Swapchain<D> {}
// SAFETY: as above.
unsafe impl<D: Headless> Sync for Swapchain<D> {}

device_object! { <D: Headless> Swapchain<D> = SwapchainKHR }

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
        // SAFETY: the caller vouches for the callbacks; the swapchain is freed with compatible ones.
        let memory = unsafe { device.root().memory_or(callbacks, vk::SystemAllocationScope::OBJECT) };
        let mut images = Vec::new_in(memory);
        for _ in 0..info.min_image_count {
            // SAFETY: the caller vouches for the device and the structure.
            let image = unsafe { SwapchainImage::new(handle, device, &create_info(info))? };
            images.try_push(image).map_err(vk::Result::from)?;
        }
        let (surfaces, slot) = surfaces(device);
        if surfaces.private_data(info.surface, &slot) != 0 {
            return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
        }
        surfaces.set_private_data(info.surface, &slot, 1).map_err(vk::Result::from)?;
        Ok(Self {
            images,
            next: 0.into(),
            is_retired: false.into(),
            surface: info.surface,
            device: device.into(),
            presented: 0.into(),
        })
    }

    /// Returns the next image that is free.
    fn acquire(&self) -> Option<u32> {
        let next = self.next.load(Ordering::Relaxed);
        let indices = || (0..self.images.len()).cycle().skip(next).take(self.images.len());
        let index = indices().find(|index| self.images.get(*index).is_some_and(SwapchainImage::acquire))?;
        // Its last presentation is over.
        self.presented.fetch_max(self.images.get(index)?.id.load(Ordering::Acquire), Ordering::AcqRel);
        self.next.store(index.saturating_add(1), Ordering::Relaxed);
        u32::try_from(index).ok()
    }

    /// Lets another swapchain have the surface.
    fn retire(&self) {
        if !self.is_retired.swap(true, Ordering::AcqRel) {
            // SAFETY: the device outlives its swapchains.
            let (surfaces, slot) = surfaces(unsafe { self.device.as_ref() });
            // The surface has a value, so this needs no memory.
            let _ = surfaces.set_private_data(self.surface, &slot, 0);
        }
    }

    /// Returns whether the presentation with this number of the application's, or a later one, is over.
    fn has_presented(&self, id: u64) -> bool {
        let is_over = |image: &SwapchainImage| image.id.load(Ordering::Acquire) >= id && image.is_presented();
        self.presented.load(Ordering::Acquire) >= id || self.images.iter().any(is_over)
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
        id: u64,
    ) -> Result<(), vk::Result> {
        let Some(image) = self.images.get(image as usize) else { return Ok(()) };
        image.will_be_presented().result()?;
        // SAFETY: the caller vouches for the handles; memory and fence are the image's.
        unsafe { queue.submit_memory(waits, image.memory, image.presented)? };
        image.id.fetch_max(id, Ordering::AcqRel);
        image.release();
        Ok(())
    }
}

impl<D: Headless> Drop for Swapchain<D> {
    fn drop(&mut self) {
        self.retire();
    }
}

/// Creates a swapchain, which replaces the application's old one.
///
/// # Safety
/// As specified for `vkCreateSwapchainKHR`.
unsafe fn create<D: Headless>(
    handle: vk::Device,
    info: &vk::SwapchainCreateInfoKHR<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
) -> Result<vk::SwapchainKHR, vk::Result> {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let device = Device::<D>::from_handle(handle).ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        if let Some(old) = Object::<Swapchain<D>>::from_handle(info.old_swapchain) {
            old.retire();
        }
        let swapchain = Swapchain::new(handle, device, info, callbacks)?;
        Ok(Object::create(device, callbacks, swapchain)?.into_handle())
    }
}

fn create_swapchain<D: Headless>(call: &calls::CreateSwapchainKHR<'_>) -> Result<(), vk::Result> {
    // SAFETY: the call obeys the specification.
    call.swapchain.write(unsafe { create::<D>(call.device, &call.create_info, call.allocator.as_ptr())? });
    Ok(())
}

/// Creates swapchains that are presented together: all or none.
fn create_shared_swapchains<D: Headless>(
    call: &calls::CreateSharedSwapchainsKHR<'_>,
) -> Result<(), vk::Result> {
    let (out, callbacks, count) = (call.swapchains, call.allocator.as_ptr(), call.swapchain_count as usize);
    // SAFETY: the call obeys the specification: the array has the same length as the first.
    unsafe {
        for (index, info) in call.create_infos().iter().enumerate() {
            match create::<D>(call.device, info, callbacks) {
                Ok(swapchain) => out.add(index).write(swapchain),
                Err(error) => {
                    (0..index)
                        .for_each(|made| Object::<Swapchain<D>>::destroy(out.add(made).read(), callbacks));
                    (0..count).for_each(|index| out.add(index).write(vk::SwapchainKHR::null()));
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}

fn get_swapchain_images<D: Headless>(call: &calls::GetSwapchainImagesKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let mut array = OutArray::new(call.swapchain_image_count.as_ptr(), call.swapchain_images);
        if let Some(swapchain) = Object::<Swapchain<D>>::from_handle(call.swapchain) {
            swapchain.images.iter().for_each(|image| array.push(image.image));
        }
        array.finish()
    }
}

/// Acquires the images in turn. Each is free again when it was presented or released.
fn acquire_next_image_2<D: Headless>(call: &calls::AcquireNextImage2KHR<'_>) -> Result<(), vk::Result> {
    let info = &call.acquire_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
        let swapchain = Object::<Swapchain<D>>::from_handle(info.swapchain);
        let swapchain = swapchain.ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
        let image = wait_for_image(device, swapchain, info.timeout)?;
        let memory = swapchain.memory(image).unwrap_or_default();
        let signalled = device.signal_semaphore_with_memory(info.semaphore, memory);
        signalled
            .and_then(|()| device.signal_fence_with_memory(info.fence, memory))
            .inspect_err(|_| swapchain.release(image))?;
        call.image_index.write(image);
    }
    Ok(())
}

fn wait_for_image<D: Headless>(
    device: &Device<D>,
    swapchain: &Swapchain<D>,
    timeout: u64,
) -> Result<u32, vk::Result> {
    let image = until(device, timeout, || {
        let is_retired = swapchain.is_retired.load(Ordering::Acquire);
        if is_retired { Err(vk::Result::ERROR_OUT_OF_DATE_KHR) } else { Ok(swapchain.acquire()) }
    });
    image.map_err(|error| {
        let is_at_once = timeout == 0 && error == vk::Result::TIMEOUT;
        if is_at_once { vk::Result::NOT_READY } else { error }
    })
}

/// Waits until the presentation with this number is over.
fn wait_for_present<D: Headless>(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    id: u64,
    timeout: u64,
) -> Result<(), vk::Result> {
    // SAFETY: the commands pass their live handles.
    let (device, swapchain) =
        unsafe { (Device::<D>::from_handle(device), Object::<Swapchain<D>>::from_handle(swapchain)) };
    let device = device.ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
    let swapchain = swapchain.ok_or(vk::Result::ERROR_OUT_OF_DATE_KHR)?;
    until(device, timeout, || Ok(swapchain.has_presented(id).then_some(())))
}

/// Looks until there is something, the device is lost, or this many nanoseconds have passed.
fn until<D: Headless, T>(
    device: &Device<D>,
    timeout: u64,
    look: impl Fn() -> Result<Option<T>, vk::Result>,
) -> Result<T, vk::Result> {
    let deadline = D::host().now().saturating_add(timeout);
    let mut turn = 0u32;
    loop {
        device.check_status()?;
        if let Some(found) = look()? {
            return Ok(found);
        }
        if timeout != u64::MAX && D::host().now() >= deadline {
            return Err(vk::Result::TIMEOUT);
        }
        D::host().wait(turn);
        turn = turn.saturating_add(1);
    }
}

fn queue_present<D: Headless>(call: &calls::QueuePresentKHR<'_>) -> vk::Result {
    let info = &call.present_info;
    // SAFETY: the call obeys the specification: live handles in counted arrays.
    unsafe {
        let Some(queue) = Queue::<D>::from_handle(call.queue) else { return vk::Result::ERROR_DEVICE_LOST };
        let mut waits = list(info.p_wait_semaphores, info.wait_semaphore_count);
        let mut all = vk::Result::SUCCESS;
        for index in 0..info.swapchain_count as usize {
            let swapchain = Object::<Swapchain<D>>::from_handle(info.p_swapchains.add(index).read());
            let image = info.p_image_indices.add(index).read();
            // The first one waits for the semaphores, and the others come after it on the queue.
            let result = match swapchain {
                Some(swapchain) => {
                    swapchain.present(queue, core::mem::take(&mut waits), image, present_id(info, index))
                }
                None => Err(vk::Result::ERROR_OUT_OF_DATE_KHR),
            };
            let result = result.and_then(|()| signal_fence(queue, info, index).map_err(Into::into)).outcome();
            if !info.p_results.is_null() {
                info.p_results.add(index).write(result);
            }
            all = if all == vk::Result::SUCCESS { result } else { all };
        }
        queue.parent().frame_ended(queue);
        all
    }
}

/// Returns the number that the application has for the presentation of the swapchain with this number; 0 without one.
///
/// # Safety
/// As for the command.
unsafe fn present_id(info: &vk::PresentInfoKHR<'_>, index: usize) -> u64 {
    // `VkPresentId2KHR` has the members of `VkPresentIdKHR`.
    const PRESENT_ID_2: vk::StructureType = vk::StructureType::from_raw(1_000_479_001);
    // SAFETY: the caller vouches for the chain, whose structures are what their types say.
    unsafe {
        let mut all = chain::structures(info.p_next);
        let given = all.find(|one| [vk::StructureType::PRESENT_ID_KHR, PRESENT_ID_2].contains(&one.s_type));
        let given = given.map(|one| &*core::ptr::from_ref(one).cast::<vk::PresentIdKHR<'_>>());
        let ids = given.map_or(&[][..], |given| list(given.p_present_ids, given.swapchain_count));
        ids.get(index).copied().unwrap_or_default()
    }
}

/// Signals the fence that the application has for the presentation of the swapchain with this number, if it has one.
///
/// # Safety
/// As for the command.
unsafe fn signal_fence<D: Headless>(
    queue: &Queue<D>,
    info: &vk::PresentInfoKHR<'_>,
    index: usize,
) -> Result<(), SubmitError> {
    // SAFETY: the caller vouches for the chain, whose fences are live or null.
    unsafe {
        let given = chain::find::<vk::SwapchainPresentFenceInfoEXT<'_>>(info.p_next);
        let fences = given.map_or(&[][..], |given| list(given.p_fences, given.swapchain_count));
        fences.get(index).map_or(Ok(()), |fence| signal_in_order(queue, *fence))
    }
}

/// Takes images back that the application has acquired and does not present.
fn release_images<D: Headless>(call: &calls::ReleaseSwapchainImagesEXT<'_>) -> vk::Result {
    let info = &call.release_info;
    // SAFETY: the call obeys the specification.
    unsafe {
        if let Some(swapchain) = Object::<Swapchain<D>>::from_handle(info.swapchain) {
            list(info.p_image_indices, info.image_index_count)
                .iter()
                .for_each(|image| swapchain.release(*image));
        }
    }
    vk::Result::SUCCESS
}

fn get_group_capabilities(call: &calls::GetDeviceGroupPresentCapabilitiesKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let out = unsafe { call.device_group_present_capabilities.as_mut() };
    out.present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
    out.present_mask[0] = 1;
    out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
    vk::Result::SUCCESS
}

pub(super) const fn entry_points<D: Headless>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreateSwapchainKHR = create_swapchain::<D>,
            CreateSharedSwapchainsKHR = create_shared_swapchains::<D>,
            DestroySwapchainKHR = |call| {
                Object::<Swapchain<D>>::destroy(call.swapchain, call.allocator.as_ptr());
            },
            GetSwapchainImagesKHR = get_swapchain_images::<D>,
            AcquireNextImage2KHR = acquire_next_image_2::<D>,
            QueuePresentKHR = queue_present::<D>,
            ReleaseSwapchainImagesEXT = release_images::<D>,
            WaitForPresentKHR = |call| {
                wait_for_present::<D>(call.device, call.swapchain, call.present_id, call.timeout)
            },
            WaitForPresent2KHR = |call| {
                let info = &call.present_wait_2_info;
                wait_for_present::<D>(call.device, call.swapchain, info.present_id, info.timeout)
            },
            GetDeviceGroupPresentCapabilitiesKHR = get_group_capabilities,
            GetDeviceGroupSurfacePresentModesKHR = |call| {
                call.modes.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
                vk::Result::SUCCESS
            },
            GetDeviceGroupSurfacePresentModes2EXT = |call| {
                call.modes.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
                vk::Result::SUCCESS
            },
        }
    }
}
