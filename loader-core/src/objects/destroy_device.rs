//! vkDestroyDevice.

use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use super::device::{ALIVE, Device, GONE, LEAVING, device_of};
use super::foreign::known_device;
use super::known::device_destroyed;
use crate::dispatch::Table as _;
use crate::loader;
use crate::log::{Level, Topic};
use crate::registry::command;

type Callbacks = vk::AllocationCallbacks<'static>;

/// vkDestroyDevice as the application calls it.
///
/// # Safety
/// The parameters are those of the Vulkan command.
pub unsafe extern "system" fn destroy_device(handle: vk::Device, callbacks: *const Callbacks) {
    // SAFETY: the caller vouches for the handle and excludes other users; `create_device` leaked the box.
    unsafe {
        let Some(device) = known_device(handle.as_raw(), command::DESTROY_DEVICE) else { return };
        device.withdraw();
        device.state.store(LEAVING, Ordering::Relaxed);
        let _turn = device.keeps_key_from_others();
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
        // Layers know it by its word until here.
        if device.state.swap(ALIVE, Ordering::Relaxed) == GONE {
            Device::forget(device.place());
        }
    }
}

/// Terminator of vkDestroyDevice. A layer comes here with a device that it made for itself by vkCreateDevice of the next layer, too.
pub(super) unsafe extern "system" fn terminator(handle: vk::Device, callbacks: *const Callbacks) {
    // SAFETY: the chain passes the driver's handle, which is followed only while there is such a device.
    unsafe {
        if let Some(loader) = loader::current()
            && loader.known.destroyed.contains(loader.platform.waiting, handle.as_raw() as usize)
        {
            let message = format_args!(
                "vkDestroyDevice: a layer destroys a device a second time; the second call is refused"
            );
            if let Ok(logger) = loader.logger() {
                logger.insist(Level::Error, Topic::Layer, message);
            }
            return;
        }
        if let Some(device) = device_of(handle.as_raw()) {
            destroy_drivers(device, callbacks);
        }
    }
}

/// Destroys what the driver made, and what the loader keeps for it unless the application's vkDestroyDevice does.
///
/// # Safety
/// The device is alive, and nobody else uses it.
#[inline(never)]
pub(super) unsafe fn destroy_drivers(device: &Device, callbacks: *const Callbacks) {
    // SAFETY: the caller vouches for the device; the type is the command's.
    unsafe {
        let (loader, handle) = (device.instance().loader, device.handle);
        // The next device may get the same word, before this call has come back.
        device.leave();
        if let Some(destroy) = device.drivers::<vk::PFN_vkDestroyDevice>(command::DESTROY_DEVICE) {
            let _turn = device.physical_device().driver().driver.turn();
            destroy(handle, callbacks);
        }
        device_destroyed(loader, device);
        if device.state.swap(GONE, Ordering::Relaxed) != LEAVING {
            Device::forget(device.place());
        } else if !device.first_layer.load(Ordering::Relaxed).is_null() {
            // Where memory is short, nothing is noted.
            let _ = loader.known.destroyed.add(loader.platform.waiting, handle.as_raw() as usize);
        }
    }
}
