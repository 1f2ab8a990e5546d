//! Device commands that take surfaces: the driver is given its own.

use ash::vk::{self, Handle as _};

use super::device::{Device, device_of};
use super::surface::Surface;
use crate::flavour::FOREIGN_HANDLES;
use crate::memory::{Process, TryGrow, Vec};
use crate::registry::command;

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateInfo = vk::SwapchainCreateInfoKHR<'static>;

/// What the driver of `device` calls the surface. `None` if it has none although it must have its own.
unsafe fn drivers_surface(device: &Device, surface: vk::SurfaceKHR) -> Option<vk::SurfaceKHR> {
    // SAFETY: the application vouches for the surface.
    match unsafe { Surface::from_handle(surface) } {
        Some(known) => {
            let own = known.for_driver(device.instance(), device.physical_device().driver());
            (!FOREIGN_HANDLES || !own.is_null()).then_some(own)
        }
        None => Some(surface),
    }
}

/// Terminator of vkCreateSwapchainKHR.
pub(super) unsafe extern "system" fn create_swapchain(
    handle: vk::Device,
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the chain passes what the application vouches for; the type is the command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(create) = device.drivers::<vk::PFN_vkCreateSwapchainKHR>(command::CREATE_SWAPCHAIN_KHR)
        else {
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        let Some(surface) = drivers_surface(device, (*info).surface) else {
            return vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR;
        };
        let own = CreateInfo { surface, ..*info };
        create(handle, &own, callbacks, out)
    }
}

/// Terminator of vkCreateSharedSwapchainsKHR.
pub(super) unsafe extern "system" fn create_shared_swapchains(
    handle: vk::Device,
    count: u32,
    infos: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: as in `create_swapchain`; infos and count are a counted array.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(create) =
            device.drivers::<vk::PFN_vkCreateSharedSwapchainsKHR>(command::CREATE_SHARED_SWAPCHAINS_KHR)
        else {
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        let mut own = Vec::new_in(Process);
        for index in 0..count as usize {
            let info = &*infos.add(index);
            let Some(surface) = drivers_surface(device, info.surface) else {
                return vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR;
            };
            let translated = CreateInfo { surface, ..*info };
            if own.try_push(translated).is_err() {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
            }
        }
        create(handle, count, own.as_ptr(), callbacks, out)
    }
}

/// Terminator of vkGetDeviceGroupSurfacePresentModesKHR.
pub(super) unsafe extern "system" fn group_present_modes(
    handle: vk::Device,
    surface: vk::SurfaceKHR,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: as in `create_swapchain`.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        match device.drivers::<vk::PFN_vkGetDeviceGroupSurfacePresentModesKHR>(
            command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR,
        ) {
            Some(get) => match drivers_surface(device, surface) {
                Some(surface) => get(handle, surface, out),
                None => vk::Result::ERROR_SURFACE_LOST_KHR,
            },
            None => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        }
    }
}

/// Terminator of vkGetDeviceGroupSurfacePresentModes2EXT.
pub(super) unsafe extern "system" fn group_present_modes2(
    handle: vk::Device,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'static>,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: as in `create_swapchain`.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        match device.drivers::<vk::PFN_vkGetDeviceGroupSurfacePresentModes2EXT>(
            command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT,
        ) {
            Some(get) => match drivers_surface(device, (*info).surface) {
                Some(surface) => get(handle, &vk::PhysicalDeviceSurfaceInfo2KHR { surface, ..*info }, out),
                None => vk::Result::ERROR_SURFACE_LOST_KHR,
            },
            None => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        }
    }
}
