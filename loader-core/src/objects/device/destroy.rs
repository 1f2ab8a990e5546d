//! vkDestroyDevice.

use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use super::foreign::known_device;
use super::under_creation::device_destroyed;
use super::{ALIVE, Device, GONE, LEAVING, device_of};
use crate::dispatch::Table as _;
use crate::loader;
use crate::log::{Level, Topic};
use crate::registry::command;

type Callbacks = vk::AllocationCallbacks<'static>;

/// vkDestroyDevice as the application calls it.
///
/// # Safety
/// The parameters are valid for the Vulkan command.
pub unsafe extern "system" fn destroy_device(handle: vk::Device, callbacks: *const Callbacks) {
    // SAFETY: by this function's `# Safety` the handle is NULL or a live device that no other
    // thread uses, and the callbacks are NULL or valid. The lower end of vkCreateDevice leaked the
    // box; while the state is `LEAVING`, only this function frees it.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::DESTROY_DEVICE) else { return };
        device.withdraw();
        device.state.store(LEAVING, Ordering::Relaxed);
        // Layers identify the device by its first word, and still use it after the driver has destroyed it.
        // The turn keeps other threads from creating a device meanwhile.
        let _turn = device.instance().turn_in_layers();
        if device.first_layer.load(Ordering::Relaxed).is_null() {
            destroy_drivers(device, callbacks);
        } else {
            let (loader, drivers) = (device.instance().loader, device.handle.as_raw());
            match device.table.get::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE) {
                Some(destroy) => destroy(handle, callbacks),
                None => device.state.store(GONE, Ordering::Relaxed),
            }
            loader.known.destroyed.remove(loader.platform.waiting, drivers as usize);
        }
        // Layers know the device by its word until this point.
        if device.state.swap(ALIVE, Ordering::Relaxed) == GONE {
            Device::forget(device.allocation(), callbacks);
        }
    }
}

/// Terminator of vkDestroyDevice. A layer also gets here with a device that it created for itself
/// through the next layer's vkCreateDevice.
pub(super) unsafe extern "system" fn terminator(handle: vk::Device, callbacks: *const Callbacks) {
    // SAFETY: the layer above passes the driver's handle for a live device; one that is listed in
    // `destroyed` is refused before it is dereferenced. Valid usage of vkDestroyDevice obliges the
    // application to synchronise the device externally.
    unsafe {
        if let Some(loader) = loader::current()
            && loader.known.destroyed.contains(loader.platform.waiting, handle.as_raw() as usize)
        {
            let message = format_args!(
                "vkDestroyDevice: a layer destroys a device a second time; the second call is refused"
            );
            if let Ok(logger) = loader.logger() {
                logger.log_always(Level::Error, Topic::Layer, message);
            }
            return;
        }
        if let Some(device) = device_of(handle.as_raw()) {
            destroy_drivers(device, callbacks);
        }
    }
}

/// Destroys the driver's device, and frees the loader's data for it unless the application's
/// vkDestroyDevice does.
///
/// # Safety
/// The device is alive, and no other thread uses it; `callbacks` is NULL or a valid
/// `VkAllocationCallbacks`.
#[inline(never)]
pub(super) unsafe fn destroy_drivers(device: &Device, callbacks: *const Callbacks) {
    // SAFETY: by this function's `# Safety` the device is alive, no other thread uses it, and the callbacks
    // are NULL or valid. The type matches vkDestroyDevice. The lower end of vkCreateDevice leaked the box;
    // the swap of the state decides which call frees it.
    unsafe {
        let (loader, handle) = (device.instance().loader, device.handle);
        let under_layers = !device.first_layer.load(Ordering::Relaxed).is_null();
        // The next device may get the same word before this call returns.
        device.leave();
        if let Some(destroy) = device.driver_function::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE) {
            let _turn = device.physical_device().driver().driver.turn();
            if under_layers && device.state.load(Ordering::Relaxed) == LEAVING {
                // The thread that gets the same handle next takes a turn, and removes it from the list. If
                // memory is short, the handle is not recorded.
                let _ = loader.known.destroyed.add(loader.platform.waiting, handle.as_raw() as usize);
            }
            destroy(handle, callbacks);
        }
        device_destroyed(loader, device);
        if device.state.swap(GONE, Ordering::Relaxed) != LEAVING {
            // The device belongs to a layer. Its memory still comes from the upper end's callbacks, not from
            // those passed down.
            Device::forget(device.allocation(), core::ptr::null());
        }
    }
}
