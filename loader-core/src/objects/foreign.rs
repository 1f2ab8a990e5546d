//! Devices of drivers whose handles are never written ([`DriverKind::is_foreign`](crate::flavour::DriverKind::is_foreign)),
//! and the keys of all devices.

use core::ptr::from_ref;

use ash::vk::{self, Handle as _};

use super::device::Device;
use crate::dispatch::{KEYS, NotEntered};
use crate::log::{Level, Topic};
use crate::memory::Shown;

impl Device {
    /// Whether its handles begin with a word of the driver's.
    pub(crate) fn is_foreign(&self) -> bool {
        self.physical_device().driver().driver.kind.is_foreign()
    }

    /// Notes what the driver put into the first word of the device.
    pub(super) fn read_key(&mut self) {
        if self.is_foreign() {
            // SAFETY: the driver has just made the device, whose handle is dispatchable.
            self.drivers_key = unsafe { first_word(self.handle.as_raw()) }.unwrap_or_default();
        }
    }

    /// Makes the device known by the word that its handles begin with, before anybody is given one.
    ///
    /// # Errors
    /// `ERROR_OUT_OF_HOST_MEMORY`; `ERROR_INITIALIZATION_FAILED` if the device cannot be told from another one.
    pub(super) fn enter_key(&self) -> Result<(), vk::Result> {
        let instance = self.instance();
        let entered = KEYS.insert(instance.loader.platform.waiting, self.word(), from_ref(&*self.table));
        entered.map_err(|error| match error {
            NotEntered::OutOfMemory => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
            NotEntered::NotUnique => {
                let message = format_args!(
                    "{}: the device begins with {:#x}, which is no dispatch key of its own: commands could not be told from \
                     those on other devices, so that this driver cannot be used beneath another loader",
                    Shown(&self.physical_device().driver().driver.library_path),
                    self.word()
                );
                instance.logger.log(Level::Error, Topic::Driver, message);
                vk::Result::ERROR_INITIALIZATION_FAILED
            }
        })
    }

    /// Makes the device unknown, before the driver is asked to destroy it.
    pub(super) fn take_key_out(&self) {
        KEYS.remove(self.instance().loader.platform.waiting, self.word(), from_ref(&*self.table));
    }

    /// Leaves an object alone that the driver has just made. What comes out of layers and does not begin with the
    /// device's key is none of the driver's, but a wrapper that a layer need not have prepared: it is given the key.
    ///
    /// # Safety
    /// As for [`Device::adopt`].
    pub(super) unsafe fn adopt_foreign(&self, object: u64) {
        // SAFETY: the caller vouches for the object.
        let Some(found) = (unsafe { first_word(object) }).filter(|found| *found != self.word()) else {
            return;
        };
        if !self.instance().layers().is_empty() {
            // SAFETY: as above; a wrapper begins with a word that belongs to the loader.
            unsafe { core::ptr::with_exposed_provenance_mut::<usize>(object as usize).write(self.word()) };
            return;
        }
        self.instance().logger.log(
            Level::Error,
            Topic::Driver,
            format_args!(
                "{}: an object that the driver made begins with {found:#x}, and its device with {:#x}: commands on the object \
                 will not find the device",
                Shown(&self.physical_device().driver().driver.library_path),
                self.word()
            ),
        );
    }
}

/// # Safety
/// `object` is a dispatchable handle, or NULL.
unsafe fn first_word(object: u64) -> Option<usize> {
    let address = core::ptr::with_exposed_provenance::<usize>(usize::try_from(object).ok()?);
    // SAFETY: the caller vouches for the handle.
    unsafe { address.as_ref() }.copied()
}
