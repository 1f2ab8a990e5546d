//! Binding images to the memory of a swapchain's images.

use ash::vk::{self, Handle};
use vkload_core::abi::chain::find;
use vkload_core::memory::{TryGrow, Vec};
use vkload_core::registry::calls::BindImageMemory2;

use crate::native_buffer::NativeBuffer;
use crate::objects::{Device, device_of};
use crate::wsi::images::native_buffer;
use crate::wsi::swapchain::Swapchain;

/// Binds an image to a swapchain image's buffer, which must be passed to the driver.
pub fn bind_image_memory2(call: &BindImageMemory2<'_>) -> vk::Result {
    // SAFETY: by valid usage of the command the device is a valid handle, and the structures have pNext
    // chains with valid handles.
    unsafe {
        let device = device_of(call.device.as_raw());
        let infos = call.bind_infos();
        if !infos.iter().any(|info| swapchain_of(info).is_some()) {
            return bind(device, infos);
        }
        with_buffers(device, infos).unwrap_or_else(|error| error)
    }
}

/// Calls whichever of the two functions the driver has.
pub fn bind(device: &Device, infos: &[vk::BindImageMemoryInfo<'_>]) -> vk::Result {
    let driver = &device.driver;
    let Some(bind) = driver.bind_image_memory2.or(driver.bind_image_memory2_khr) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let count = u32::try_from(infos.len()).unwrap_or(u32::MAX);
    // SAFETY: the device is valid, and the structures are the application's, valid for the call, or
    // copies of these.
    unsafe { bind(device.handle, count, infos.as_ptr()) }
}

/// Returns the image of a swapchain that an image is bound to, if any.
///
/// # Safety
/// `p_next` of the structure is a pNext chain.
unsafe fn swapchain_of<'a>(
    info: &vk::BindImageMemoryInfo<'a>,
) -> Option<&'a vk::BindImageMemorySwapchainInfoKHR<'a>> {
    // SAFETY: `p_next` is a pNext chain by this function's `# Safety`.
    let found = unsafe { find::<vk::BindImageMemorySwapchainInfoKHR<'a>>(info.p_next) };
    found.filter(|found| found.swapchain != vk::SwapchainKHR::null())
}

/// Refuses the call: the driver does not know swapchains and must not see one of their images
/// without its buffer.
fn refuse(device: &Device, index: u32) -> vk::Result {
    vkload_core::log!(device.instance.logger, Error, Usage:
        "vkBindImageMemory2: image {index} of the swapchain has no memory: the index is too high, the \
         swapchain has retired, or its memory comes when the image is first acquired");
    vk::Result::ERROR_VALIDATION_FAILED_EXT
}

/// Binds with a copy of the array, in which the buffers are put in front of the chains.
///
/// # Safety
/// The structures have pNext chains with valid handles, as valid usage of vkBindImageMemory2 requires.
unsafe fn with_buffers(
    device: &Device,
    infos: &[vk::BindImageMemoryInfo<'_>],
) -> Result<vk::Result, vk::Result> {
    let memory = device.allocator.scoped(vk::SystemAllocationScope::COMMAND);
    let mut copies: Vec<vk::BindImageMemoryInfo<'_>, _> = Vec::new_in(memory);
    let mut buffers: Vec<NativeBuffer, _> = Vec::new_in(memory);
    let no_memory = |_| vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    copies.try_reserve_exact(infos.len()).map_err(no_memory)?;
    // The copies point to the buffers, which therefore must not move.
    buffers.try_reserve_exact(infos.len()).map_err(no_memory)?;
    for info in infos {
        let mut copy = *info;
        // SAFETY: by this function's `# Safety` each `p_next` is a pNext chain.
        if let Some(bound) = unsafe { swapchain_of(info) } {
            // SAFETY: by this function's `# Safety` the handles in the chain are valid; NULL was
            // filtered out by `swapchain_of`.
            let swapchain = unsafe { Swapchain::from_handle(bound.swapchain) };
            let buffer =
                swapchain.buffer(bound.image_index).ok_or_else(|| refuse(device, bound.image_index))?;
            buffers.try_push(native_buffer(swapchain, &buffer, info.p_next))?;
            copy.p_next = buffers.last().map_or(copy.p_next, |buffer| core::ptr::from_ref(buffer).cast());
        }
        copies.try_push(copy)?;
    }
    Ok(bind(device, &copies))
}
