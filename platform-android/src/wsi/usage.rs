//! The usage of a swapchain's buffers in the allocator's terms, according to the driver.

use core::ffi::c_int;

use ash::vk;

use crate::level::ApiLevel;
use crate::native_buffer::{GrallocUsageInfo, GrallocUsageInfo2, USAGE_SHARED, Usage2, structure};
use crate::objects::Device;
use crate::system::BufferKind;
use crate::wsi::formats::{native_format, without_curve};

pub mod hardware_buffer {
    pub const SAMPLED: u64 = 1 << 8;
    pub const FRAMEBUFFER: u64 = 1 << 9;
    /// Both: the usage of every swapchain image.
    pub const DRAWN: u64 = SAMPLED | FRAMEBUFFER;
    pub const COMPOSER_OVERLAY: u64 = 1 << 11;
    pub const PROTECTED: u64 = 1 << 14;
    pub const FRONT_BUFFER: u64 = 1 << 32;
}

#[derive(Clone, Copy)]
pub struct Wanted {
    pub format: vk::Format,
    pub image_usage: vk::ImageUsageFlags,
    pub image_flags: vk::ImageCreateFlags,
    /// Whether it has one image, which is shown while being drawn to.
    pub shared: bool,
    /// Their compression, if the application specified it. Its chain ends here.
    pub compression: Option<vk::ImageCompressionControlEXT<'static>>,
}

impl Wanted {
    /// Their usage in the terms of `VK_ANDROID_native_buffer`.
    const fn swapchain_image_usage(&self) -> u32 {
        if self.shared { USAGE_SHARED } else { 0 }
    }
}

/// Returns the usage that drawing to such images requires. Since Android 14 the driver is queried as for hardware buffers. Before that,
/// if the driver lacks the query, and since Android 16 also if the query fails, the functions that only loaders know are used.
///
/// # Errors
/// `VK_ERROR_SURFACE_LOST_KHR` if the driver has none of these functions, or if the last one called fails.
pub fn producer_usage(device: &Device, wanted: &Wanted) -> Result<u64, vk::Result> {
    let loader = device.instance.logger.loader;
    let asks = loader.level >= ApiLevel::ANDROID_14;
    let usage = asks.then(|| hardware_buffer_usage(device, wanted)).flatten();
    if matches!(usage, Some(Err(_))) && loader.level < ApiLevel::ANDROID_16 {
        return Err(vk::Result::ERROR_SURFACE_LOST_KHR);
    }
    if let Some(Ok(usage)) = usage {
        if !wanted.shared || loader.level < ApiLevel::ANDROID_15 {
            return Ok(usage);
        }
        let shared = usage | hardware_buffer::FRONT_BUFFER;
        let format = native_format(wanted.format).unsigned_abs();
        if loader.system.buffer_supported(BufferKind { format, usage: shared }) {
            return Ok(shared);
        }
    }
    gralloc_usage(device, wanted).map_err(|_| vk::Result::ERROR_SURFACE_LOST_KHR)
}

/// Returns the driver's usage of hardware buffers for such images, `None` if it cannot be asked.
fn hardware_buffer_usage(device: &Device, wanted: &Wanted) -> Option<Result<u64, vk::Result>> {
    let driver = &device.instance.driver;
    let get = driver
        .get_physical_device_image_format_properties2
        .or(driver.get_physical_device_image_format_properties2_khr)?;
    let mut compression = wanted.compression;
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default()
        .handle_type(vk::ExternalMemoryHandleTypeFlags::ANDROID_HARDWARE_BUFFER_ANDROID);
    let mut info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(without_curve(wanted.format))
        .ty(vk::ImageType::TYPE_2D)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(wanted.image_usage)
        .flags(wanted.image_flags);
    if let Some(compression) = compression.as_mut() {
        info = info.push_next(compression);
    }
    let info = info.push_next(&mut external);
    let mut usage = vk::AndroidHardwareBufferUsageANDROID::default();
    let mut properties = vk::ImageFormatProperties2::default().push_next(&mut usage);
    // SAFETY: the physical device is valid as long as the device; the chains consist of locals with
    // the right `sType`.
    let result = unsafe { get(device.physical_device, &info, &mut properties) };
    Some(if result == vk::Result::SUCCESS { Ok(usage.android_hardware_buffer_usage) } else { Err(result) })
}

/// Returns the answer of the newest function that only loaders know. Before Android 14 they knew
/// the older two, so these come first there.
fn gralloc_usage(device: &Device, wanted: &Wanted) -> Result<u64, vk::Result> {
    let (newer, older) = (|| newer_gralloc_usage(device, wanted), || older_gralloc_usage(device, wanted));
    let usage = if device.instance.logger.loader.level >= ApiLevel::ANDROID_14 {
        newer().or_else(older)
    } else {
        older().or_else(newer)
    };
    usage.unwrap_or(Err(vk::Result::ERROR_INITIALIZATION_FAILED))
}

/// Returns the answer of the functions that take a structure, `None` if the driver has neither. The
/// structure leads to the compression that the images get, so that buffers suit them.
fn newer_gralloc_usage(device: &Device, wanted: &Wanted) -> Option<Result<u64, vk::Result>> {
    let (driver, handle) = (&device.driver, device.handle);
    let &Wanted { format, image_usage, .. } = wanted;
    let p_next = wanted.compression.as_ref().map_or(core::ptr::null(), |it| core::ptr::from_ref(it).cast());
    let mut usage = 0;
    // SAFETY: the device's handle is valid, and the structures are locals of the types that the
    // driver's functions take; the last structure of their chain is the compression.
    let result = unsafe {
        if let Some(get) = driver.get_swapchain_gralloc_usage4 {
            let s_type = structure::GRALLOC_USAGE_INFO_2;
            let swapchain_image_usage = wanted.swapchain_image_usage();
            let info = GrallocUsageInfo2 { s_type, p_next, format, image_usage, swapchain_image_usage };
            get(handle, &info, &mut usage)
        } else {
            let get = driver.get_swapchain_gralloc_usage3?;
            let s_type = structure::GRALLOC_USAGE_INFO;
            get(handle, &GrallocUsageInfo { s_type, p_next, format, image_usage }, &mut usage)
        }
    };
    Some(success(result, usage))
}

/// Returns the answer of the functions of gralloc 1 and 0, `None` if the driver has neither.
fn older_gralloc_usage(device: &Device, wanted: &Wanted) -> Option<Result<u64, vk::Result>> {
    let (driver, handle) = (&device.driver, device.handle);
    let &Wanted { format, image_usage, .. } = wanted;
    // SAFETY: the device's handle is valid, and the memory for the results is local.
    unsafe {
        if let Some(get) = driver.get_swapchain_gralloc_usage2 {
            let Usage2 { mut consumer, mut producer } = Usage2::default();
            let shared = vk::SwapchainImageUsageFlagsANDROID::from_raw(wanted.swapchain_image_usage());
            let result = get(handle, format, image_usage, shared, &mut consumer, &mut producer);
            return Some(success(result, from_gralloc1(Usage2 { consumer, producer })));
        }
        let get = driver.get_swapchain_gralloc_usage?;
        let mut usage: c_int = 0;
        let result = get(handle, format, image_usage, &mut usage);
        Some(success(result, u64::from(usage.cast_unsigned())))
    }
}

fn success(result: vk::Result, usage: u64) -> Result<u64, vk::Result> {
    if result == vk::Result::SUCCESS { Ok(usage) } else { Err(result) }
}

/// Usage of gralloc 0 and 1, as far as they differ.
mod gralloc {
    /// `GRALLOC_USAGE_SW_READ_OFTEN`, all bits of which are set
    pub(super) const READ_OFTEN: u64 = 3;
    /// `GRALLOC_USAGE_SW_WRITE_OFTEN`, all bits of which are set
    pub(super) const WRITE_OFTEN: u64 = 0x30;
    /// `GRALLOC1_*_USAGE_CPU_READ_OFTEN`: reading, and often
    pub(super) const CPU_READ_OFTEN: u64 = 1 << 1 | 1 << 2;
    pub(super) const CPU_WRITE_OFTEN: u64 = 1 << 5 | 1 << 6;
    /// The same bits in both for producers: reading, writing, render target, protected, camera,
    /// video decoder, sensors.
    pub(super) const PRODUCER: u64 = 1 << 1 | 1 << 5 | 1 << 9 | 1 << 14 | 1 << 17 | 1 << 22 | 1 << 23;
    /// The same bits in both for consumers: reading, texture, composer, client target, cursor,
    /// video encoder, camera, renderscript, data.
    pub(super) const CONSUMER: u64 =
        1 << 1 | 1 << 8 | 1 << 11 | 1 << 12 | 1 << 15 | 1 << 16 | 1 << 18 | 1 << 20 | 1 << 24;
}

/// Converts usage of gralloc 0 to usage of gralloc 1.
pub fn to_gralloc1(usage: c_int) -> Usage2 {
    let usage = u64::from(usage.cast_unsigned());
    let often = |mask: u64, meaning: u64| if usage & mask == mask { meaning } else { 0 };
    let read = often(gralloc::READ_OFTEN, gralloc::CPU_READ_OFTEN);
    let write = often(gralloc::WRITE_OFTEN, gralloc::CPU_WRITE_OFTEN);
    Usage2 { consumer: usage & gralloc::CONSUMER | read, producer: usage & gralloc::PRODUCER | read | write }
}

/// Combines usage of gralloc 1 into one number.
pub fn from_gralloc1(usage: Usage2) -> u64 {
    // There, "often" is a separate bit; here it sets both bits of the access.
    let apart = gralloc::CPU_READ_OFTEN | gralloc::CPU_WRITE_OFTEN;
    let both = usage.producer | usage.consumer;
    let often =
        |mask: u64, meaning: u64| if both & mask == mask { meaning } else { both & mask & (1 << 1 | 1 << 5) };
    both & !apart
        | often(gralloc::CPU_READ_OFTEN, gralloc::READ_OFTEN)
        | often(gralloc::CPU_WRITE_OFTEN, gralloc::WRITE_OFTEN)
}
