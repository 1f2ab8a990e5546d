//! Devices of drivers whose handles are never written
//! ([`DriverKind::is_foreign`](crate::discovery::DriverKind::is_foreign)), and the keys of all
//! devices.

use core::ptr::from_ref;
use core::sync::atomic::Ordering;

use ash::vk;

use super::foreign_key::first_word;
use super::{Device, device_of};
use crate::dispatch::{KEYS, KeyError, report_unknown_device};
use crate::loader;
use crate::memory::Escaped;
use crate::registry::{CommandId, command};

impl Device {
    /// Returns whether the first word of its handles belongs to the driver.
    pub(in crate::objects) fn is_foreign(&self) -> bool {
        self.physical_device().driver().driver.kind.is_foreign()
    }

    /// Returns the first word of its handles, and of the handles of its queues and command buffers.
    pub(super) fn word(&self) -> usize {
        if self.is_foreign() { self.drivers_key.word() } else { from_ref(&*self.table).addr() }
    }

    /// Returns whether the application may call the driver's function directly, although the loader
    /// implements the command's upper end. That is so for commands that return objects of a driver whose
    /// objects are not written to. Layers may not have prepared the objects that they return.
    pub(crate) fn passes_on(&self, command: CommandId) -> bool {
        self.is_foreign() && self.instance().layers().is_empty() && command != command::DESTROY_DEVICE
    }

    /// Registers the device under the first word of its handles, before the first handle is returned.
    ///
    /// # Errors
    /// `ERROR_OUT_OF_HOST_MEMORY`; `ERROR_INITIALIZATION_FAILED` if the device cannot be
    /// distinguished from another one.
    pub(super) fn enter_key(&self) -> Result<(), vk::Result> {
        let instance = self.instance();
        if !instance.loader.flavour.handles.are_looked_up() {
            return Ok(());
        }
        let entered = KEYS.insert(instance.loader.platform.waiting, self.word(), from_ref(&*self.table));
        entered.map_err(|error| match error {
            KeyError::OutOfMemory => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
            KeyError::NotUnique => {
                crate::log!(instance.logger, Error, Driver:
                    "{}: the device begins with {:#x}, which is no dispatch key of its own: commands could \
                     not be distinguished from those on other devices, so that this driver cannot be used \
                     beneath another loader",
                    Escaped(&self.physical_device().driver().driver.library_path), self.word());
                vk::Result::ERROR_INITIALIZATION_FAILED
            }
        })
    }

    /// Removes the device's key, before the driver destroys the device.
    pub(super) fn take_key_out(&self) {
        let loader = self.instance().loader;
        if loader.flavour.handles.are_looked_up() {
            KEYS.remove(loader.platform.waiting, self.word(), from_ref(&*self.table));
        }
    }

    /// Leaves an object unchanged that the driver has just created. An object that comes out of layers and
    /// does not begin with the device's key does not belong to the driver. It is a wrapper that a layer need
    /// not have prepared, so it gets the key.
    ///
    /// # Safety
    /// As for [`Device::adopt`].
    pub(super) unsafe fn adopt_foreign(&self, object: u64) {
        // SAFETY: by this function's `# Safety` `object` is NULL or a live dispatchable object.
        let Some(word) = (unsafe { first_word(object) }) else { return };
        let found = word.load(Ordering::Relaxed);
        if found == self.word() {
            return;
        }
        if !self.instance().layers().is_empty() {
            word.store(self.word(), Ordering::Release);
            return;
        }
        crate::log!(self.instance().logger, Error, Driver:
            "{}: an object that the driver made begins with {found:#x}, and its device with {:#x}: \
             commands on the object will not find the device",
            Escaped(&self.physical_device().driver().driver.library_path), self.word());
    }
}

/// Returns the device of the object passed to `command`, as [`device_of`] finds it. If that fails and the
/// failure can be detected, it is reported and the process aborts; `None` is for NULL, which is valid for
/// vkDestroyDevice.
///
/// # Safety
/// As for [`device_of`].
pub(crate) unsafe fn known_device<'a>(object: u64, command: CommandId) -> Option<&'a Device> {
    // SAFETY: by this function's `# Safety` `object` is NULL or a valid handle of a device, queue
    // or command buffer.
    let found = unsafe { device_of(object) };
    if object != 0 && found.is_none() && loader::handles().are_looked_up() {
        report_unknown_device(command, object);
    }
    found
}
