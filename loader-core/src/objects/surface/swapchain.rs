//! Device commands that take surfaces: the driver gets its own.

use ash::vk::{self, Handle as _};

use super::window::{Noted, Purpose};
use super::{DriversSurface, Surface};
use crate::loader::fatal;
use crate::log::{CommandText as _, Topic};
use crate::memory::{OutOfMemory, Process, TryGrow, Vec};
use crate::objects::device::{Device, device_of};
use crate::registry::{CommandId, command};

type Callbacks = vk::AllocationCallbacks<'static>;
type CreateInfo = vk::SwapchainCreateInfoKHR<'static>;

/// # Errors
/// The reason why the driver has none although it needs its own.
///
/// # Safety
/// `surface` is a valid handle or NULL.
unsafe fn drivers_surface<'a>(
    device: &Device,
    surface: vk::SurfaceKHR,
    purpose: Purpose,
) -> Result<DriversSurface<'a>, vk::Result> {
    // SAFETY: by this function's `# Safety` the surface is a valid handle or NULL.
    let Some(known) = (unsafe { Surface::from_handle(surface) }) else {
        return Ok(DriversSurface::unknown(surface));
    };
    let own = known.ask_driver(device.instance(), device.physical_device().driver(), purpose)?;
    if device.is_foreign() && own.handle.is_null() {
        return Err(vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR);
    }
    Ok(own)
}

/// Returns the same for a swapchain that `command` creates. Aborts with a message if the surface is NULL:
/// VK_GOOGLE_surfaceless_query is only for queries.
///
/// # Safety
/// The create info's surface is a valid handle or NULL.
unsafe fn surface_of_swapchain<'a>(
    device: &Device,
    info: &CreateInfo,
    command: CommandId,
) -> Result<DriversSurface<'a>, vk::Result> {
    if info.surface.is_null() {
        let name = command.text();
        let rule = "VUID-VkSwapchainCreateInfoKHR-surface-parameter";
        fatal(Topic::Loader, format_args!("{name}: Invalid surface [{rule}]"))
    }
    // SAFETY: by this function's `# Safety` the create info's surface is a valid handle or NULL.
    unsafe { drivers_surface(device, info.surface, Purpose::Swapchain) }
}

/// Notes that a swapchain is about to be created, if drivers take turns at the window.
///
/// # Safety
/// `surface` is a valid handle.
unsafe fn note<'a>(device: &'a Device, surface: vk::SurfaceKHR) -> Result<Option<Noted<'a>>, OutOfMemory> {
    // SAFETY: by this function's `# Safety` the surface is a valid handle.
    match unsafe { Surface::from_handle(surface) } {
        Some(known) => Noted::new(device, known),
        None => Ok(None),
    }
}

/// Terminator of vkCreateSwapchainKHR.
pub(in crate::objects) unsafe extern "system" fn create_swapchain(
    handle: vk::Device,
    info: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: by valid usage of the command the device and the surface in `info` are valid handles,
    // the callbacks are NULL or valid, and `out` can be written. The type is the command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(create) =
            device.driver_function::<vk::PFN_vkCreateSwapchainKHR>(command::CREATE_SWAPCHAIN_KHR)
        else {
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        let surface = match surface_of_swapchain(device, &*info, command::CREATE_SWAPCHAIN_KHR) {
            Ok(surface) => surface,
            Err(error) => return error,
        };
        let Ok(noted) = note(device, (*info).surface) else { return vk::Result::ERROR_OUT_OF_HOST_MEMORY };
        let own = CreateInfo { surface: surface.handle, ..*info };
        let result = create(handle, &own, callbacks, out);
        if let Some(noted) = noted {
            noted.finish(if result == vk::Result::SUCCESS { *out } else { vk::SwapchainKHR::null() });
        }
        result
    }
}

/// Terminator of vkDestroySwapchainKHR: a window without swapchains is free for other drivers.
#[cfg(feature = "foreign-handles")]
pub(in crate::objects) unsafe extern "system" fn destroy_swapchain(
    handle: vk::Device,
    swapchain: vk::SwapchainKHR,
    callbacks: *const Callbacks,
) {
    // SAFETY: the layer above passes the parameters of a valid call: a live device, its swapchain
    // or NULL, externally synchronised, and callbacks that are NULL or valid. The type is the
    // command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return };
        let noted = device.instance().noted(device.handle, swapchain).filter(|_| !swapchain.is_null());
        if let Some(destroy) =
            device.driver_function::<vk::PFN_vkDestroySwapchainKHR>(command::DESTROY_SWAPCHAIN_KHR)
        {
            destroy(handle, swapchain, callbacks);
        }
        if let Some(noted) = noted {
            device.instance().forget_swapchain(noted);
        }
    }
}

pub(in crate::objects) unsafe extern "system" fn create_shared_swapchains(
    handle: vk::Device,
    count: u32,
    infos: *const CreateInfo,
    callbacks: *const Callbacks,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the layer above passes the parameters of a valid call: a live device, `count` create infos with
    // valid surfaces, callbacks that are NULL or valid, and space for `count` swapchains. The type is the
    // command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(create) = device
            .driver_function::<vk::PFN_vkCreateSharedSwapchainsKHR>(command::CREATE_SHARED_SWAPCHAINS_KHR)
        else {
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        let mut own = Vec::new_in(Process);
        // It stays this thread's turn at all surfaces until the driver has returned.
        let mut surfaces = Vec::new_in(Process);
        for index in 0..count as usize {
            let info = &*infos.add(index);
            let surface = match surface_of_swapchain(device, info, command::CREATE_SHARED_SWAPCHAINS_KHR) {
                Ok(surface) => surface,
                Err(error) => return error,
            };
            let translated = CreateInfo { surface: surface.handle, ..*info };
            if own.try_push(translated).is_err() || surfaces.try_push(surface).is_err() {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
            }
        }
        create(handle, count, own.as_ptr(), callbacks, out)
    }
}

pub(in crate::objects) unsafe extern "system" fn group_present_modes(
    handle: vk::Device,
    surface: vk::SurfaceKHR,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: the layer above passes the parameters of a valid call: a live device, a valid
    // surface, and a pointer that can be written. The type is the command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        match device.driver_function::<vk::PFN_vkGetDeviceGroupSurfacePresentModesKHR>(
            command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR,
        ) {
            Some(get) => match drivers_surface(device, surface, Purpose::Query) {
                Ok(surface) => get(handle, surface.handle, out),
                Err(_) => vk::Result::ERROR_SURFACE_LOST_KHR,
            },
            None => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        }
    }
}

/// Terminator of vkGetDeviceGroupSurfacePresentModes2EXT.
pub(in crate::objects) unsafe extern "system" fn group_present_modes2(
    handle: vk::Device,
    info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'static>,
    out: *mut vk::DeviceGroupPresentModeFlagsKHR,
) -> vk::Result {
    // SAFETY: the layer above passes the parameters of a valid call: a live device, a valid
    // structure with a surface, and a pointer that can be written. The type is the command's.
    unsafe {
        let Some(device) = device_of(handle.as_raw()) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        match device.driver_function::<vk::PFN_vkGetDeviceGroupSurfacePresentModes2EXT>(
            command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT,
        ) {
            Some(get) => match drivers_surface(device, (*info).surface, Purpose::Query) {
                Ok(own) => {
                    let info = vk::PhysicalDeviceSurfaceInfo2KHR { surface: own.handle, ..*info };
                    get(handle, &info, out)
                }
                Err(_) => vk::Result::ERROR_SURFACE_LOST_KHR,
            },
            None => vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        }
    }
}
