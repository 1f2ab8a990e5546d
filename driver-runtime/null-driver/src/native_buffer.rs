//! The commands from which Android's loader builds swapchains (`VK_ANDROID_native_buffer`, version 11). The windows'
//! buffers are ignored: images have their own memory.

use core::ffi::{CStr, c_int, c_void};

use vkload_driver_runtime::Chainable;
use vkload_driver_runtime::Queue;
use vkload_driver_runtime::dispatch::{Command, Level, PrivateCommand};
use vkload_driver_runtime::extensions::Unlisted;
use vkload_driver_runtime::out_array::list;
use vkload_driver_runtime::vk::{self, TaggedStructure};

use crate::Null;
use crate::host;

const NAME: &CStr = c"VK_ANDROID_native_buffer";

/// The extension, for Android's loader only.
pub(crate) const EXTENSIONS: Unlisted = &[(NAME, 11)];

#[repr(C)]
struct PresentationProperties {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    shared_image: vk::Bool32,
}

// SAFETY: the structure begins with its type and the rest of the chain.
unsafe impl TaggedStructure for PresentationProperties {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_010_002);
}

/// `AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE` and `..._FRAMEBUFFER`, which are `GRALLOC_USAGE_HW_TEXTURE` and `..._RENDER`.
const READ: u64 = 1 << 8;
const DRAWN: u64 = 1 << 9;

/// Reports that an image can be shown while it is drawn to.
pub(crate) fn write_properties(structure: &mut Chainable) {
    if let Some(properties) = structure.get::<PresentationProperties>() {
        properties.shared_image = vk::TRUE;
    }
}

unsafe extern "system" fn get_usage(
    _: vk::Device,
    _: vk::Format,
    _: vk::ImageUsageFlags,
    out: *mut c_int,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write((READ | DRAWN) as c_int) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_usage_2(
    _: vk::Device,
    _: vk::Format,
    _: vk::ImageUsageFlags,
    _: u32,
    consumer: *mut u64,
    producer: *mut u64,
) -> vk::Result {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        consumer.write(READ);
        producer.write(DRAWN);
    }
    vk::Result::SUCCESS
}

/// Implements the third and the fourth form, whose structures do not change the result.
unsafe extern "system" fn get_usage_3(_: vk::Device, _: *const c_void, out: *mut u64) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(READ | DRAWN) };
    vk::Result::SUCCESS
}

/// The windows' buffers have no memory object.
const NO_MEMORY: vk::DeviceMemory = vk::DeviceMemory::null();

/// Waits for the window's fence, so that semaphore and fence can be signalled at once.
unsafe extern "system" fn acquire_image(
    device: vk::Device,
    _: vk::Image,
    native_fence: c_int,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
) -> vk::Result {
    host::finish(native_fence);
    // SAFETY: the caller passes live or null handles.
    unsafe {
        let device = crate::device::device(device);
        let signalled = device.signal_semaphore_with_memory(semaphore, NO_MEMORY);
        let signalled = signalled.and_then(|()| device.signal_fence_with_memory(fence, NO_MEMORY));
        signalled.map_or_else(Into::into, |()| vk::Result::SUCCESS)
    }
}

/// Does nothing: submitted work is done, so the caller need not wait.
unsafe extern "system" fn queue_signal_release_image(
    queue: vk::Queue,
    count: u32,
    semaphores: *const vk::Semaphore,
    _: vk::Image,
    out: *mut c_int,
) -> vk::Result {
    // SAFETY: the caller passes live handles, a counted array and a valid pointer.
    unsafe {
        out.write(-1);
        let Some(queue) = Queue::<Null>::from_handle(queue) else { return vk::Result::ERROR_DEVICE_LOST };
        let waited = queue.signal_memory(list(semaphores, count), NO_MEMORY, vk::Fence::null());
        waited.map_or_else(Into::into, |()| vk::Result::SUCCESS)
    }
}

/// # Safety
/// As for [`PrivateCommand::new`].
const unsafe fn row(name: &'static CStr, function: Command) -> PrivateCommand<Null> {
    // SAFETY: the caller vouches for the function.
    unsafe { PrivateCommand::new(name, Level::Device, NAME, function) }
}

/// The commands, which the registry does not list. Android's loader enables the extension for a device and looks them up there.
pub(crate) const COMMANDS: &[PrivateCommand<Null>] = {
    // SAFETY: a caller that finds a command by its name calls it with the command's parameters.
    unsafe {
        use core::mem::transmute;
        let usage = transmute::<unsafe extern "system" fn(_, _, _, _) -> _, Command>(get_usage);
        let usage_2 = transmute::<unsafe extern "system" fn(_, _, _, _, _, _) -> _, Command>(get_usage_2);
        let usage_3 = transmute::<unsafe extern "system" fn(_, _, _) -> _, Command>(get_usage_3);
        let acquire = transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Command>(acquire_image);
        let release =
            transmute::<unsafe extern "system" fn(_, _, _, _, _) -> _, Command>(queue_signal_release_image);
        &[
            row(c"vkGetSwapchainGrallocUsageANDROID", usage),
            row(c"vkGetSwapchainGrallocUsage2ANDROID", usage_2),
            row(c"vkGetSwapchainGrallocUsage3ANDROID", usage_3),
            row(c"vkGetSwapchainGrallocUsage4ANDROID", usage_3),
            row(c"vkAcquireImageANDROID", acquire),
            row(c"vkQueueSignalReleaseImageANDROID", release),
        ]
    }
};
