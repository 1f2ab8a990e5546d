//! Queries about surfaces, which are all the same.

use ash::vk;
use vkload_core::abi::chain;

use super::Headless;
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::out_array::OutArray;
use crate::physical_device::PhysicalDevice;

/// The smallest and the largest number of images.
const IMAGES: [u32; 2] = [2, 8];

const PRESENT_MODES: [vk::PresentModeKHR; 3] =
    [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

unsafe extern "system" fn get_support(
    _: vk::PhysicalDevice,
    _: u32,
    _: vk::SurfaceKHR,
    out: *mut vk::Bool32,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer.
    unsafe { out.write(vk::TRUE) };
    vk::Result::SUCCESS
}

/// Returns the largest extent of an image.
///
/// # Safety
/// `device` is a live handle.
unsafe fn largest<D: Headless>(device: vk::PhysicalDevice) -> vk::Extent2D {
    // SAFETY: the caller vouches for the handle.
    let device = unsafe { PhysicalDevice::<D>::from_handle(device) };
    let side = device.map_or(1, |device| device.description().properties.limits.max_image_dimension2_d);
    vk::Extent2D { width: side, height: side }
}

/// Returns capabilities that let the swapchain choose its size.
///
/// # Safety
/// `device` is a live handle.
unsafe fn capabilities<D: Headless>(device: vk::PhysicalDevice) -> vk::SurfaceCapabilitiesKHR {
    let [min_image_count, max_image_count] = IMAGES;
    vk::SurfaceCapabilitiesKHR {
        min_image_count,
        max_image_count,
        current_extent: vk::Extent2D { width: u32::MAX, height: u32::MAX },
        min_image_extent: vk::Extent2D { width: 1, height: 1 },
        // SAFETY: the caller vouches for the handle.
        max_image_extent: unsafe { largest::<D>(device) },
        max_image_array_layers: 1,
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE,
        supported_usage_flags: D::USAGE,
    }
}

unsafe extern "system" fn get_capabilities<D: Headless>(
    device: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilitiesKHR,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a valid pointer.
    unsafe { out.write(capabilities::<D>(device)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_capabilities_2<D: Headless>(
    device: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    out: *mut vk::SurfaceCapabilities2KHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a valid chain; each structure has the type in its `sType`.
    unsafe {
        (*out).surface_capabilities = capabilities::<D>(device);
        for structure in chain::pointers((*out).p_next) {
            write_more::<D>(structure, largest::<D>(device));
        }
    }
    vk::Result::SUCCESS
}

/// # Safety
/// `structure` is valid.
unsafe fn write_more<D: Headless>(structure: *mut vk::BaseOutStructure<'_>, largest: vk::Extent2D) {
    // SAFETY: each structure has the type in its `sType`.
    unsafe {
        match (*structure).s_type {
            vk::StructureType::SURFACE_PROTECTED_CAPABILITIES_KHR => {
                (*structure.cast::<vk::SurfaceProtectedCapabilitiesKHR<'_>>()).supports_protected = vk::FALSE;
            }
            vk::StructureType::SHARED_PRESENT_SURFACE_CAPABILITIES_KHR => {
                let out = structure.cast::<vk::SharedPresentSurfaceCapabilitiesKHR<'_>>();
                (*out).shared_present_supported_usage_flags = D::USAGE;
            }
            vk::StructureType::SURFACE_PRESENT_MODE_COMPATIBILITY_EXT => {
                let out = structure.cast::<vk::SurfacePresentModeCompatibilityEXT<'_>>();
                let mut array = OutArray::new(&raw mut (*out).present_mode_count, (*out).p_present_modes);
                PRESENT_MODES.into_iter().for_each(|mode| array.push(mode));
                let _incomplete = array.finish();
            }
            vk::StructureType::SURFACE_PRESENT_SCALING_CAPABILITIES_EXT => {
                let out = structure.cast::<vk::SurfacePresentScalingCapabilitiesEXT<'_>>();
                (*out).supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
                (*out).supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
                (*out).supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
                (*out).min_scaled_image_extent = vk::Extent2D { width: 1, height: 1 };
                (*out).max_scaled_image_extent = largest;
            }
            _ => {}
        }
    }
}

/// Returns the capabilities with display counters, of which none are supported.
unsafe extern "system" fn get_capabilities_2_ext<D: Headless>(
    device: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilities2EXT<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a valid pointer.
    unsafe {
        let known = capabilities::<D>(device);
        (*out).min_image_count = known.min_image_count;
        (*out).max_image_count = known.max_image_count;
        (*out).current_extent = known.current_extent;
        (*out).min_image_extent = known.min_image_extent;
        (*out).max_image_extent = known.max_image_extent;
        (*out).max_image_array_layers = known.max_image_array_layers;
        (*out).supported_transforms = known.supported_transforms;
        (*out).current_transform = known.current_transform;
        (*out).supported_composite_alpha = known.supported_composite_alpha;
        (*out).supported_usage_flags = known.supported_usage_flags;
        (*out).supported_surface_counters = vk::SurfaceCounterFlagsEXT::empty();
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_formats<D: Headless>(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::SurfaceFormatKHR,
) -> vk::Result {
    // SAFETY: the caller passes a counted out-array.
    let mut array = unsafe { OutArray::new(count, out) };
    D::FORMATS.iter().for_each(|format| array.push(*format));
    array.finish()
}

unsafe extern "system" fn get_formats_2<D: Headless>(
    _: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    count: *mut u32,
    out: *mut vk::SurfaceFormat2KHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes a counted out-array.
    let mut array = unsafe { OutArray::new(count, out) };
    D::FORMATS.iter().for_each(|format| array.push_with(|out| out.surface_format = *format));
    array.finish()
}

unsafe extern "system" fn get_present_modes(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    // SAFETY: the caller passes a counted out-array.
    let mut array = unsafe { OutArray::new(count, out) };
    PRESENT_MODES.into_iter().for_each(|mode| array.push(mode));
    array.finish()
}

unsafe extern "system" fn get_present_modes_2(
    device: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    // SAFETY: the caller passes a counted out-array.
    unsafe { get_present_modes(device, vk::SurfaceKHR::null(), count, out) }
}

unsafe extern "system" fn get_present_rectangles<D: Headless>(
    device: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::Rect2D,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and a counted out-array.
    unsafe {
        let mut array = OutArray::new(count, out);
        array.push(vk::Rect2D::default().extent(largest::<D>(device)));
        array.finish()
    }
}

pub(super) const fn entry_points<D: Headless>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR: PFN_vkGetPhysicalDeviceSurfaceSupportKHR = get_support,
            GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR
                = get_capabilities::<D>,
            GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR
                = get_capabilities_2::<D>,
            GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_EXT: PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT
                = get_capabilities_2_ext::<D>,
            GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR: PFN_vkGetPhysicalDeviceSurfaceFormatsKHR = get_formats::<D>,
            GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR: PFN_vkGetPhysicalDeviceSurfaceFormats2KHR
                = get_formats_2::<D>,
            GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR: PFN_vkGetPhysicalDeviceSurfacePresentModesKHR
                = get_present_modes,
            GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_2_EXT: PFN_vkGetPhysicalDeviceSurfacePresentModes2EXT
                = get_present_modes_2,
            GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR: PFN_vkGetPhysicalDevicePresentRectanglesKHR
                = get_present_rectangles::<D>,
        }
    }
}
