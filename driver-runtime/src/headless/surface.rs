//! Queries about surfaces, which are all the same.

use ash::vk;
use vkload_core::abi::chain;

use super::Headless;
use crate::dispatch::EntryPoints;
use crate::out_array::OutArray;
use crate::physical_device::PhysicalDevice;
use crate::{calls, entry_points};

/// The smallest and the largest number of images.
const IMAGES: [u32; 2] = [2, 8];

const PRESENT_MODES: [vk::PresentModeKHR; 3] =
    [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// Lists the presentation modes.
///
/// # Safety
/// `count` and `out` are a counted out-array.
unsafe fn present_modes(count: *mut u32, out: *mut vk::PresentModeKHR) -> vk::Result {
    // SAFETY: the caller vouches for the array.
    let mut array = unsafe { OutArray::new(count, out) };
    PRESENT_MODES.into_iter().for_each(|mode| array.push(mode));
    array.finish()
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

fn get_capabilities<D: Headless>(call: &calls::GetPhysicalDeviceSurfaceCapabilitiesKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    call.surface_capabilities.write(unsafe { capabilities::<D>(call.physical_device) });
    vk::Result::SUCCESS
}

fn get_capabilities_2<D: Headless>(call: &calls::GetPhysicalDeviceSurfaceCapabilities2KHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification; each structure has the type in its `sType`.
    unsafe {
        let out = call.surface_capabilities.as_mut();
        out.surface_capabilities = capabilities::<D>(call.physical_device);
        for structure in chain::pointers(out.p_next) {
            write_more::<D>(structure, largest::<D>(call.physical_device));
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
                let _incomplete = present_modes(&raw mut (*out).present_mode_count, (*out).p_present_modes);
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
fn get_capabilities_2_ext<D: Headless>(
    call: &calls::GetPhysicalDeviceSurfaceCapabilities2EXT<'_>,
) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let (known, out) =
        unsafe { (capabilities::<D>(call.physical_device), call.surface_capabilities.as_mut()) };
    macro_rules! copy {
        ($($member:ident)*) => { $(out.$member = known.$member;)* };
    }
    copy!(min_image_count max_image_count current_extent min_image_extent max_image_extent);
    copy!(max_image_array_layers supported_transforms current_transform);
    copy!(supported_composite_alpha supported_usage_flags);
    out.supported_surface_counters = vk::SurfaceCounterFlagsEXT::empty();
    vk::Result::SUCCESS
}

fn get_formats<D: Headless>(call: &calls::GetPhysicalDeviceSurfaceFormatsKHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let mut array = unsafe { OutArray::new(call.surface_format_count.as_ptr(), call.surface_formats) };
    D::FORMATS.iter().for_each(|format| array.push(*format));
    array.finish()
}

fn get_formats_2<D: Headless>(call: &calls::GetPhysicalDeviceSurfaceFormats2KHR<'_>) -> vk::Result {
    // SAFETY: the call obeys the specification.
    let mut array = unsafe { OutArray::new(call.surface_format_count.as_ptr(), call.surface_formats) };
    D::FORMATS.iter().for_each(|format| array.push_with(|out| out.surface_format = *format));
    array.finish()
}

fn get_present_rectangles<D: Headless>(
    call: &calls::GetPhysicalDevicePresentRectanglesKHR<'_>,
) -> vk::Result {
    // SAFETY: the call obeys the specification.
    unsafe {
        let mut array = OutArray::new(call.rect_count.as_ptr(), call.rects);
        array.push(vk::Rect2D::default().extent(largest::<D>(call.physical_device)));
        array.finish()
    }
}

pub(super) const fn entry_points<D: Headless>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            GetPhysicalDeviceSurfaceSupportKHR = |call| {
                call.supported.write(vk::TRUE);
                vk::Result::SUCCESS
            },
            GetPhysicalDeviceSurfaceCapabilitiesKHR = get_capabilities::<D>,
            GetPhysicalDeviceSurfaceCapabilities2KHR = get_capabilities_2::<D>,
            GetPhysicalDeviceSurfaceCapabilities2EXT = get_capabilities_2_ext::<D>,
            GetPhysicalDeviceSurfaceFormatsKHR = get_formats::<D>,
            GetPhysicalDeviceSurfaceFormats2KHR = get_formats_2::<D>,
            GetPhysicalDeviceSurfacePresentModesKHR = |call| {
                present_modes(call.present_mode_count.as_ptr(), call.present_modes)
            },
            GetPhysicalDeviceSurfacePresentModes2EXT = |call| {
                present_modes(call.present_mode_count.as_ptr(), call.present_modes)
            },
            GetPhysicalDevicePresentRectanglesKHR = get_present_rectangles::<D>,
        }
    }
}
