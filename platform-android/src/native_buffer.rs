//! `VK_ANDROID_native_buffer`, extension 11: the data between the loader and an Android driver,
//! unseen by applications and layers.
//!
//! The registry lists it as disabled, so nothing of it is generated.

use core::ffi::{CStr, c_int, c_void};
use core::mem::offset_of;

use ash::vk;

pub const NAME: &CStr = c"VK_ANDROID_native_buffer";

pub mod structure {
    use ash::vk::StructureType;

    pub const NATIVE_BUFFER: StructureType = StructureType::from_raw(1_000_010_000);
    pub const SWAPCHAIN_IMAGE_CREATE_INFO: StructureType = StructureType::from_raw(1_000_010_001);
    pub const PRESENTATION_PROPERTIES: StructureType = StructureType::from_raw(1_000_010_002);
    pub const GRALLOC_USAGE_INFO: StructureType = StructureType::from_raw(1_000_010_003);
    pub const GRALLOC_USAGE_INFO_2: StructureType = StructureType::from_raw(1_000_010_004);
}

/// `VK_SWAPCHAIN_IMAGE_USAGE_SHARED_BIT_ANDROID`: the image is shown while being drawn to.
pub const USAGE_SHARED: u32 = 1;

/// `VkNativeBufferANDROID`: the graphics buffer that an image consists of or is bound to.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NativeBuffer {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub handle: *const c_void,
    /// Texels from one row to the next.
    pub stride: c_int,
    /// `HAL_PIXEL_FORMAT_*`
    pub format: c_int,
    /// Usage in the terms of gralloc 0.
    pub usage: c_int,
    /// Usage in the terms of gralloc 1.
    pub usage2: Usage2,
    /// Usage in the terms of `AHardwareBuffer` (since version 9 of the extension).
    pub usage3: u64,
    /// `AHardwareBuffer` (since version 11).
    pub ahb: *mut c_void,
}

/// Usage in the terms of gralloc 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Usage2 {
    pub consumer: u64,
    pub producer: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct SwapchainImageCreateInfo {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    /// [`USAGE_SHARED`], or 0.
    pub usage: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct PresentationProperties {
    pub s_type: vk::StructureType,
    pub p_next: *mut c_void,
    /// Whether images can be shown while being drawn to.
    pub shared_image: vk::Bool32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct GrallocUsageInfo {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub format: vk::Format,
    pub image_usage: vk::ImageUsageFlags,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct GrallocUsageInfo2 {
    pub s_type: vk::StructureType,
    pub p_next: *const c_void,
    pub format: vk::Format,
    pub image_usage: vk::ImageUsageFlags,
    /// [`USAGE_SHARED`], or 0.
    pub swapchain_image_usage: u32,
}

/// The types of commands that the bindings lack.
#[expect(non_camel_case_types, reason = "the bindings name the types of commands like that")]
pub mod types {
    use super::*;

    pub type PFN_vkGetSwapchainGrallocUsage3ANDROID =
        unsafe extern "system" fn(vk::Device, *const GrallocUsageInfo, *mut u64) -> vk::Result;
    pub type PFN_vkGetSwapchainGrallocUsage4ANDROID =
        unsafe extern "system" fn(vk::Device, *const GrallocUsageInfo2, *mut u64) -> vk::Result;
}

const _: () = {
    let wide = size_of::<usize>() == 8;
    // On 32-bit x86 a u64 is aligned to 4 bytes.
    let packed = align_of::<u64>() == 4;
    assert!(offset_of!(NativeBuffer, handle) == if wide { 16 } else { 8 });
    assert!(offset_of!(NativeBuffer, stride) == if wide { 24 } else { 12 });
    assert!(offset_of!(NativeBuffer, usage) == if wide { 32 } else { 20 });
    assert!(offset_of!(NativeBuffer, usage2) == if wide { 40 } else { 24 });
    assert!(offset_of!(NativeBuffer, usage3) == if wide { 56 } else { 40 });
    assert!(offset_of!(NativeBuffer, ahb) == if wide { 64 } else { 48 });
    let size = match (wide, packed) {
        (true, _) => 72,
        (false, true) => 52,
        (false, false) => 56,
    };
    assert!(size_of::<NativeBuffer>() == size);
};
