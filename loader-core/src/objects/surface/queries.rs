//! The queries about surfaces on physical devices.

use core::mem::offset_of;

use ash::vk;

use super::window::Purpose;
use super::{DriversSurface, Surface};
use crate::abi::array::wrapped;
use crate::abi::chain;
use crate::dispatch::Table as _;
use crate::log::CommandText as _;
use crate::memory::Escaped;
use crate::objects::handle;
use crate::objects::instance::driver::DriverInstance;
use crate::objects::instance::driver::PhysicalDevice;
use crate::registry::{CommandId, command, extension};

struct Query<'a> {
    device: &'a PhysicalDevice,
    driver: &'a DriverInstance,
    surface: DriversSurface<'a>,
    concerned: bool,
    /// The result for a driver that does not take part: an error if it could not create its own surface.
    refused: vk::Result,
}

impl<'a> Query<'a> {
    /// # Safety
    /// `surface` is NULL (VK_GOOGLE_surfaceless_query) or a valid handle; `device` as for
    /// [`handle::physical_device`].
    unsafe fn new(device: vk::PhysicalDevice, surface: vk::SurfaceKHR, command: CommandId) -> Self {
        // SAFETY: by this function's `# Safety` the surface is NULL or a valid handle, and `device`
        // is NULL, a valid handle, or points to two readable words.
        unsafe {
            let device: &'a PhysicalDevice = handle::physical_device(device, command);
            let driver = device.driver();
            let none = DriversSurface::unknown(vk::SurfaceKHR::null());
            let (surface, concerned, refused) = match Surface::from_handle(surface) {
                None => (none, true, vk::Result::SUCCESS),
                Some(known) => match known.ask_driver(device.instance(), driver, Purpose::Query) {
                    Ok(own) => {
                        let concerned = known.concerns(driver, own.handle);
                        (own, concerned, vk::Result::SUCCESS)
                    }
                    // A driver that does not get the window supports nothing on it.
                    Err(_) if known.window().is_some() => (none, false, vk::Result::SUCCESS),
                    Err(error) => (none, false, error),
                },
            };
            Self { device, driver, surface, concerned, refused }
        }
    }

    /// Returns the driver's function, if the driver has it and can use the surface.
    ///
    /// # Safety
    /// `F` is the function-pointer type of `command`.
    unsafe fn function<F: Copy>(&self, command: CommandId) -> Option<F> {
        if !self.concerned {
            return None;
        }
        // SAFETY: by this function's `# Safety` `F` is the function-pointer type of `command`.
        let function = unsafe { self.driver.table.get::<F>(command) };
        if function.is_none() {
            self.report_missing(command);
        }
        function
    }

    #[cold]
    fn report_missing(&self, command: CommandId) {
        crate::log!(self.device.instance().logger, Error, Driver:
            "{}: the driver does not have {}", Escaped(&self.driver.driver.library_path), command.text());
    }
}

/// Defines terminators of queries, whose body writes the result if the driver cannot answer.
macro_rules! queries {
    ($($name:ident: $pfn:ident, $command:ident
        ($($before:ident: $type:ty)?) ($($out:ident: $pointer:ty),*) $none:block)*) => {$(
        pub(super) unsafe extern "system" fn $name(
            device: vk::PhysicalDevice,
            $($before: $type,)?
            surface: vk::SurfaceKHR,
            $($out: $pointer),*
        ) -> vk::Result {
            // SAFETY: valid usage of the command obliges the application to pass a valid surface or NULL, and
            // pointers that can be written. `Query::new` aborts for a bad device. The type is the command's.
            unsafe {
                let query = Query::new(device, surface, command::$command);
                match query.function::<vk::$pfn>(command::$command) {
                    Some(get) => {
                        get(query.device.driver_handle(), $($before,)? query.surface.handle, $($out),*)
                    }
                    None => {
                        $none
                        query.refused
                    }
                }
            }
        }
    )*};
}

queries! {
    support: PFN_vkGetPhysicalDeviceSurfaceSupportKHR, GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR
        (family: u32) (out: *mut vk::Bool32) { *out = vk::FALSE; }
    capabilities: PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR, GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR
        () (out: *mut vk::SurfaceCapabilitiesKHR) { *out = vk::SurfaceCapabilitiesKHR::default(); }
    formats: PFN_vkGetPhysicalDeviceSurfaceFormatsKHR, GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR
        () (count: *mut u32, out: *mut vk::SurfaceFormatKHR) { *count = 0; }
    present_modes: PFN_vkGetPhysicalDeviceSurfacePresentModesKHR, GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR
        () (count: *mut u32, out: *mut vk::PresentModeKHR) { *count = 0; }
    present_rectangles: PFN_vkGetPhysicalDevicePresentRectanglesKHR, GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR
        () (count: *mut u32, out: *mut vk::Rect2D) { *count = 0; }
}

type SurfaceInfo = vk::PhysicalDeviceSurfaceInfo2KHR<'static>;

/// Emulated with vkGetPhysicalDeviceSurfaceCapabilitiesKHR if the driver lacks it. The structures
/// that the instance's extensions chain to it are answered for every driver.
pub(super) unsafe extern "system" fn capabilities2(
    device: vk::PhysicalDevice,
    info: *const SurfaceInfo,
    out: *mut vk::SurfaceCapabilities2KHR<'_>,
) -> vk::Result {
    const COMMAND: CommandId = command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR;
    // SAFETY: valid usage of the command obliges the application to pass a valid surface or NULL in
    // a valid structure, and pNext chains of which `out`'s can be written. `Query::new` aborts for
    // a bad device. The type is the command's.
    unsafe {
        let query = Query::new(device, (*info).surface, COMMAND);
        if query.refused != vk::Result::SUCCESS {
            return query.refused;
        }
        let native = query.driver.table.get::<vk::PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>(COMMAND);
        for address in chain::pointers((*out).p_next) {
            if (*address).s_type == vk::StructureType::SURFACE_PROTECTED_CAPABILITIES_KHR {
                (*address.cast::<vk::SurfaceProtectedCapabilitiesKHR<'_>>()).supports_protected = vk::FALSE;
            }
        }
        let enabled = &query.driver.enabled;
        let mut knows_maintenance1 = enabled.contains(extension::EXT_SURFACE_MAINTENANCE1)
            || enabled.contains(extension::KHR_SURFACE_MAINTENANCE1);
        let result = if let Some(get) = native.filter(|_| query.concerned) {
            let own = SurfaceInfo { surface: query.surface.handle, ..*info };
            get(query.device.driver_handle(), &own, out)
        } else {
            knows_maintenance1 = false;
            let mut found = vk::SurfaceCapabilitiesKHR::default();
            let result = capabilities(device, (*info).surface, &mut found);
            if result == vk::Result::SUCCESS {
                (*out).surface_capabilities = found;
            }
            result
        };
        if result == vk::Result::SUCCESS && !knows_maintenance1 {
            answer_maintenance1(&*info, &*out);
        }
        result
    }
}

/// Answers VK_EXT_surface_maintenance1 for drivers without it: a present mode is compatible with
/// itself, nothing is scaled.
///
/// # Safety
/// Both structures begin pNext chains whose structures match their `sType`; the structures of `out` may be
/// written.
unsafe fn answer_maintenance1(info: &SurfaceInfo, out: &vk::SurfaceCapabilities2KHR<'_>) {
    // SAFETY: by this function's `# Safety` both chains are pNext chains whose structures match their
    // `sType`, and the structures of `out` may be written.
    unsafe {
        let Some(asked) = chain::find::<vk::SurfacePresentModeEXT<'_>>(info.p_next) else { return };
        for address in chain::pointers(out.p_next) {
            match (*address).s_type {
                vk::StructureType::SURFACE_PRESENT_MODE_COMPATIBILITY_EXT => {
                    let modes = &mut *address.cast::<vk::SurfacePresentModeCompatibilityEXT<'_>>();
                    if modes.p_present_modes.is_null() {
                        modes.present_mode_count = 1;
                    } else if modes.present_mode_count > 0 {
                        *modes.p_present_modes = asked.present_mode;
                        modes.present_mode_count = 1;
                    }
                }
                vk::StructureType::SURFACE_PRESENT_SCALING_CAPABILITIES_EXT => {
                    let scaling = &mut *address.cast::<vk::SurfacePresentScalingCapabilitiesEXT<'_>>();
                    scaling.supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
                    scaling.supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
                    scaling.supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
                    scaling.min_scaled_image_extent = out.surface_capabilities.min_image_extent;
                    scaling.max_scaled_image_extent = out.surface_capabilities.max_image_extent;
                }
                _ => {}
            }
        }
    }
}

/// Emulated with vkGetPhysicalDeviceSurfaceFormatsKHR if the driver lacks it.
pub(super) unsafe extern "system" fn formats2(
    device: vk::PhysicalDevice,
    info: *const SurfaceInfo,
    count: *mut u32,
    out: *mut vk::SurfaceFormat2KHR<'_>,
) -> vk::Result {
    const COMMAND: CommandId = command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR;
    // SAFETY: valid usage of the command obliges the application to pass a valid surface or NULL in
    // a valid structure, and a counted out-array. `Query::new` aborts for a bad device. The type is
    // the command's.
    unsafe {
        let query = Query::new(device, (*info).surface, COMMAND);
        if query.refused != vk::Result::SUCCESS {
            return query.refused;
        }
        let native = query.driver.table.get::<vk::PFN_vkGetPhysicalDeviceSurfaceFormats2KHR>(COMMAND);
        if let Some(get) = native.filter(|_| query.concerned) {
            let own = SurfaceInfo { surface: query.surface.handle, ..*info };
            return get(query.device.driver_handle(), &own, count, out);
        }
        let ask = |count: *mut u32, array: *mut vk::SurfaceFormatKHR| {
            formats(device, (*info).surface, count, array)
        };
        wrapped(count, out, offset_of!(vk::SurfaceFormat2KHR<'_>, surface_format), ask)
    }
}

/// Emulated with vkGetPhysicalDeviceSurfaceCapabilitiesKHR if the driver lacks it.
pub(super) unsafe extern "system" fn capabilities2_ext(
    device: vk::PhysicalDevice,
    surface: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilities2EXT<'_>,
) -> vk::Result {
    const COMMAND: CommandId = command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_EXT;
    // SAFETY: valid usage of the command obliges the application to pass a valid surface, and a
    // structure that can be written. `Query::new` aborts for a bad device. The type is the
    // command's.
    unsafe {
        let query = Query::new(device, surface, COMMAND);
        if query.refused != vk::Result::SUCCESS {
            return query.refused;
        }
        let native = query.driver.table.get::<vk::PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT>(COMMAND);
        if let Some(get) = native.filter(|_| query.concerned) {
            return get(query.device.driver_handle(), query.surface.handle, out);
        }
        let mut found = vk::SurfaceCapabilitiesKHR::default();
        let result = capabilities(device, surface, &mut found);
        if result == vk::Result::SUCCESS {
            let out = &mut *out;
            out.min_image_count = found.min_image_count;
            out.max_image_count = found.max_image_count;
            out.current_extent = found.current_extent;
            out.min_image_extent = found.min_image_extent;
            out.max_image_extent = found.max_image_extent;
            out.max_image_array_layers = found.max_image_array_layers;
            out.supported_transforms = found.supported_transforms;
            out.current_transform = found.current_transform;
            out.supported_composite_alpha = found.supported_composite_alpha;
            out.supported_usage_flags = found.supported_usage_flags;
            out.supported_surface_counters = vk::SurfaceCounterFlagsEXT::empty();
        }
        result
    }
}

/// Answered with vkGetPhysicalDeviceSurfacePresentModesKHR if the driver lacks it.
pub(super) unsafe extern "system" fn present_modes2(
    device: vk::PhysicalDevice,
    info: *const SurfaceInfo,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    const COMMAND: CommandId = command::GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_2_EXT;
    // SAFETY: valid usage of the command obliges the application to pass a valid surface or NULL in
    // a valid structure, and a counted out-array. `Query::new` aborts for a bad device. The type is
    // the command's.
    unsafe {
        let query = Query::new(device, (*info).surface, COMMAND);
        if query.refused != vk::Result::SUCCESS {
            return query.refused;
        }
        let native = query.driver.table.get::<vk::PFN_vkGetPhysicalDeviceSurfacePresentModes2EXT>(COMMAND);
        match native.filter(|_| query.concerned) {
            Some(get) => {
                let own = SurfaceInfo { surface: query.surface.handle, ..*info };
                get(query.device.driver_handle(), &own, count, out)
            }
            None => present_modes(device, (*info).surface, count, out),
        }
    }
}
