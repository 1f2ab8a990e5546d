//! Binding images to the memory of a swapchain's images.

use ash::vk::{self, Handle};
use loader_core::abi::chain::find;
use loader_core::log::{Level, Topic};
use loader_core::memory::{TryGrow, Vec};

use crate::native_buffer::NativeBuffer;
use crate::objects::{Device, device_of};
use crate::wsi::images::native_buffer;
use crate::wsi::swapchain::Swapchain;

/// `vkBindImageMemory2` and `vkBindImageMemory2KHR`: an image that is bound to one of a swapchain's is bound to its buffer,
/// which the driver has to be told.
///
/// # Safety
/// As the specification has it.
pub unsafe extern "system" fn bind_image_memory2(
    device: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a valid handle and a counted array of valid chains.
    unsafe {
        let device = device_of(device.as_raw());
        let infos = if count == 0 { &[] } else { core::slice::from_raw_parts(infos, count as usize) };
        let of_swapchains = |info: &&vk::BindImageMemoryInfo<'_>| swapchain_of(info).is_some();
        if !infos.iter().any(|info| of_swapchains(&info)) {
            return bind(device, infos);
        }
        with_buffers(device, infos).unwrap_or_else(|error| error)
    }
}

/// Calls the driver's function, whichever it has.
pub fn bind(device: &Device, infos: &[vk::BindImageMemoryInfo<'_>]) -> vk::Result {
    let driver = &device.driver;
    let Some(bind) = driver.bind_image_memory2.or(driver.bind_image_memory2_khr) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let count = u32::try_from(infos.len()).unwrap_or(u32::MAX);
    // SAFETY: the device is valid, and so are the structures.
    unsafe { bind(device.handle, count, infos.as_ptr()) }
}

/// To which image of which swapchain an image is bound, if to any.
///
/// # Safety
/// The structure's chain is valid.
unsafe fn swapchain_of<'a>(
    info: &vk::BindImageMemoryInfo<'a>,
) -> Option<&'a vk::BindImageMemorySwapchainInfoKHR<'a>> {
    // SAFETY: the caller vouches for the chain.
    let found = unsafe { find::<vk::BindImageMemorySwapchainInfoKHR<'a>>(info.p_next) };
    found.filter(|found| found.swapchain != vk::SwapchainKHR::null())
}

/// The driver must not see an image of a swapchain, which it does not know, without its buffer.
fn refuse(device: &Device, index: u32) -> vk::Result {
    device.instance.logger.log(
        Level::Error,
        Topic::Usage,
        format_args!(
            "vkBindImageMemory2: image {index} of the swapchain has no memory: the index is too high, the swapchain has \
             retired, or its memory comes when the image is first acquired"
        ),
    );
    vk::Result::ERROR_VALIDATION_FAILED_EXT
}

/// Binds with a copy of the array in which the buffers stand in front of the chains.
///
/// # Safety
/// As for [`bind_image_memory2`].
unsafe fn with_buffers(
    device: &Device,
    infos: &[vk::BindImageMemoryInfo<'_>],
) -> Result<vk::Result, vk::Result> {
    let memory = device.allocator.scoped(vk::SystemAllocationScope::COMMAND);
    let mut copies: Vec<vk::BindImageMemoryInfo<'_>, _> = Vec::new_in(memory);
    let mut buffers: Vec<NativeBuffer, _> = Vec::new_in(memory);
    let no_memory = |_| vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    copies.try_reserve_exact(infos.len()).map_err(no_memory)?;
    // The copies point to them, so that they must not move.
    buffers.try_reserve_exact(infos.len()).map_err(no_memory)?;
    for info in infos {
        let mut copy = *info;
        // SAFETY: the caller vouches for the chain and the handles in it.
        if let Some(bound) = unsafe { swapchain_of(info) } {
            // SAFETY: as above.
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
