//! Invisible surfaces: the driver's own if the scenario requests them, otherwise the loader's, which the driver does
//! not inspect.

use driver_runtime::dispatch::EntryPoints;
use driver_runtime::{Instance, Object, VkObject, entry_points, vk};
use loader_core::abi::array::deliver;
use loader_core::abi::chain;
use loader_core::registry::{CommandId, command};

use crate::Null;
use crate::description::IMAGE_EXTENT;

/// Returns whether a driver has the command only if its surfaces are its own (LDP_DRIVER_8).
pub(crate) fn is_own(command: CommandId) -> bool {
    let name = command.name().to_bytes();
    command == command::DESTROY_SURFACE_KHR
        || (name.starts_with(b"vkCreate") && name.windows(7).any(|part| part == b"Surface"))
}

/// A surface of the driver's own.
pub(crate) struct Surface;

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Surface {
    type Handle = vk::SurfaceKHR;
    type Parent = Instance<Null>;
}

/// A surface of each kind: whatever its window is, it is not looked at.
macro_rules! surfaces {
    ($($name:ident($info:ty);)*) => {$(
        unsafe extern "system" fn $name(
            instance: vk::Instance,
            _: *const $info,
            callbacks: *const vk::AllocationCallbacks<'_>,
            out: *mut vk::SurfaceKHR,
        ) -> vk::Result {
            // SAFETY: the caller passes a live handle and valid pointers.
            unsafe { Object::create_command(instance, callbacks, out, Surface) }
        }
    )*};
}

surfaces! {
    create_headless_surface(vk::HeadlessSurfaceCreateInfoEXT<'_>);
    create_wayland_surface(vk::WaylandSurfaceCreateInfoKHR<'_>);
    create_xcb_surface(vk::XcbSurfaceCreateInfoKHR<'_>);
    create_xlib_surface(vk::XlibSurfaceCreateInfoKHR<'_>);
}

unsafe extern "system" fn destroy_surface(
    _: vk::Instance,
    surface: vk::SurfaceKHR,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Surface>::destroy(surface, callbacks) };
}

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

/// The supported uses of swapchain images.
const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
        | vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::STORAGE.as_raw()
        | vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw(),
);

const PRESENT_MODES: [vk::PresentModeKHR; 3] =
    [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

/// Returns capabilities that let the swapchain choose its size.
unsafe extern "system" fn get_capabilities(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilitiesKHR,
) -> vk::Result {
    let extent = |side| vk::Extent2D { width: side, height: side };
    // SAFETY: the caller passes a valid pointer.
    unsafe {
        out.write(vk::SurfaceCapabilitiesKHR {
            min_image_count: 2,
            max_image_count: 8,
            current_extent: extent(u32::MAX),
            min_image_extent: extent(1),
            max_image_extent: extent(IMAGE_EXTENT),
            max_image_array_layers: 1,
            supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
            current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE,
            supported_usage_flags: USAGE,
        });
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn get_capabilities_2(
    device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    out: *mut vk::SurfaceCapabilities2KHR<'_>,
) -> vk::Result {
    // SAFETY: the caller passes live handles and valid chains; each structure has the type in its `sType`.
    unsafe {
        for structure in chain::pointers((*out).p_next) {
            write_more(structure);
        }
        get_capabilities(device, (*info).surface, &raw mut (*out).surface_capabilities)
    }
}

/// # Safety
/// `structure` is valid.
unsafe fn write_more(structure: *mut vk::BaseOutStructure<'_>) {
    // SAFETY: each structure has the type in its `sType`.
    unsafe {
        match (*structure).s_type {
            vk::StructureType::SURFACE_PROTECTED_CAPABILITIES_KHR => {
                (*structure.cast::<vk::SurfaceProtectedCapabilitiesKHR<'_>>()).supports_protected = vk::FALSE;
            }
            vk::StructureType::SHARED_PRESENT_SURFACE_CAPABILITIES_KHR => {
                let out = structure.cast::<vk::SharedPresentSurfaceCapabilitiesKHR<'_>>();
                (*out).shared_present_supported_usage_flags = USAGE;
            }
            vk::StructureType::SURFACE_PRESENT_MODE_COMPATIBILITY_EXT => {
                let out = structure.cast::<vk::SurfacePresentModeCompatibilityEXT<'_>>();
                let count = &raw mut (*out).present_mode_count;
                let _ = deliver(&PRESENT_MODES, count, (*out).p_present_modes);
            }
            vk::StructureType::SURFACE_PRESENT_SCALING_CAPABILITIES_EXT => {
                let out = structure.cast::<vk::SurfacePresentScalingCapabilitiesEXT<'_>>();
                (*out).supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
                (*out).supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
                (*out).supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
                (*out).min_scaled_image_extent = vk::Extent2D { width: 1, height: 1 };
                (*out).max_scaled_image_extent = vk::Extent2D { width: IMAGE_EXTENT, height: IMAGE_EXTENT };
            }
            _ => {}
        }
    }
}

/// Returns the capabilities with display counters, of which none are supported.
unsafe extern "system" fn get_capabilities_2_ext(
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilities2EXT<'_>,
) -> vk::Result {
    let mut known = vk::SurfaceCapabilitiesKHR::default();
    // SAFETY: the caller passes live handles and a valid pointer.
    unsafe {
        let result = get_capabilities(device, surface, &mut known);
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
        result
    }
}

const FORMATS: [vk::Format; 4] = [
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::B8G8R8A8_SRGB,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SRGB,
];

unsafe extern "system" fn get_formats(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::SurfaceFormatKHR,
) -> vk::Result {
    let all =
        FORMATS.map(|format| vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR });
    // SAFETY: the caller passes a counted out-array.
    unsafe { deliver(&all, count, out) }
}

unsafe extern "system" fn get_formats_2(
    _: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    count: *mut u32,
    out: *mut vk::SurfaceFormat2KHR<'_>,
) -> vk::Result {
    let all =
        FORMATS.map(|format| vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR });
    // SAFETY: the caller passes a counted out-array of structures whose chains stay as they are.
    unsafe {
        let room = if out.is_null() { all.len() } else { count.read() as usize };
        count.write(room.min(all.len()) as u32);
        if !out.is_null() {
            for (place, format) in all.iter().take(room).enumerate() {
                (*out.add(place)).surface_format = *format;
            }
        }
        if room < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
    }
}

unsafe extern "system" fn get_present_modes(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    // SAFETY: the caller passes a counted out-array.
    unsafe { deliver(&PRESENT_MODES, count, out) }
}

unsafe extern "system" fn get_present_modes_2(
    device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    // SAFETY: the caller passes a valid pointer and a counted out-array.
    unsafe { get_present_modes(device, (*info).surface, count, out) }
}

unsafe extern "system" fn get_present_rectangles(
    _: vk::PhysicalDevice,
    _: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::Rect2D,
) -> vk::Result {
    let all = [vk::Rect2D::default().extent(vk::Extent2D { width: IMAGE_EXTENT, height: IMAGE_EXTENT })];
    // SAFETY: the caller passes a counted out-array.
    unsafe { deliver(&all, count, out) }
}

/// Every queue family can present to any window, since none is shown.
macro_rules! presentation_support {
    ($($name:ident($($window:ty),*);)*) => {$(
        unsafe extern "system" fn $name(_: vk::PhysicalDevice, _: u32, $(_: $window),*) -> vk::Bool32 {
            vk::TRUE
        }
    )*};
}

presentation_support! {
    supports_wayland(*mut vk::wl_display);
    supports_xcb(*mut vk::xcb_connection_t, vk::xcb_visualid_t);
    supports_xlib(*mut vk::Display, vk::VisualID);
}

/// The commands of surfaces.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_HEADLESS_SURFACE_EXT: PFN_vkCreateHeadlessSurfaceEXT = create_headless_surface,
        CREATE_WAYLAND_SURFACE_KHR: PFN_vkCreateWaylandSurfaceKHR = create_wayland_surface,
        CREATE_XCB_SURFACE_KHR: PFN_vkCreateXcbSurfaceKHR = create_xcb_surface,
        CREATE_XLIB_SURFACE_KHR: PFN_vkCreateXlibSurfaceKHR = create_xlib_surface,
        DESTROY_SURFACE_KHR: PFN_vkDestroySurfaceKHR = destroy_surface,
        GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR: PFN_vkGetPhysicalDeviceSurfaceSupportKHR = get_support,
        GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR
            = get_capabilities,
        GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR: PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR
            = get_capabilities_2,
        GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR: PFN_vkGetPhysicalDeviceSurfaceFormatsKHR = get_formats,
        GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR: PFN_vkGetPhysicalDeviceSurfaceFormats2KHR = get_formats_2,
        GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR: PFN_vkGetPhysicalDeviceSurfacePresentModesKHR
            = get_present_modes,
        GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_2_EXT: PFN_vkGetPhysicalDeviceSurfacePresentModes2EXT
            = get_present_modes_2,
        GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_EXT: PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT
            = get_capabilities_2_ext,
        GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR: PFN_vkGetPhysicalDevicePresentRectanglesKHR
            = get_present_rectangles,
        GET_PHYSICAL_DEVICE_WAYLAND_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceWaylandPresentationSupportKHR
            = supports_wayland,
        GET_PHYSICAL_DEVICE_XCB_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR
            = supports_xcb,
        GET_PHYSICAL_DEVICE_XLIB_PRESENTATION_SUPPORT_KHR: PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR
            = supports_xlib,
    }
};
