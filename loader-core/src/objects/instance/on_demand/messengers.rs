//! Messengers and report callbacks that a driver gets when it is opened.

use ash::vk;

use super::OnDemandDriver;
use super::deferred::{CreateFn, DeferredMessenger, DestroyFn};
use crate::log::{CommandText as _, Level};
use crate::memory::OutOfMemory;
use crate::objects::instance::driver::DriverInstance;

impl OnDemandDriver {
    /// Lets the driver have a messenger when it is opened. Returns whether it is not open.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn defer_messenger(&self, messenger: DeferredMessenger) -> Result<bool, OutOfMemory> {
        let _turn = self.opening.take(self.waiting());
        let is_closed = self.is_closed();
        if is_closed {
            self.messengers.insert(self.waiting(), messenger)?;
        }
        Ok(is_closed)
    }

    /// Creates the messengers that were deferred.
    pub(super) fn create_messengers(&self, driver: &DriverInstance) {
        let mut number = 0;
        while let Some(mut messenger) = self.messengers.read(self.waiting(), |all| all.get(number).copied()) {
            let [create, _] = messenger.commands;
            let (info, none) = (messenger.info.as_ptr(), core::ptr::null());
            // SAFETY: the type is that of both commands, and the create info is valid. The instance is the driver's own.
            let result = unsafe {
                driver
                    .get::<CreateFn>(create)
                    .map(|create| create(driver.handle, info, none, &mut messenger.own))
            };
            if result == Some(vk::Result::SUCCESS) {
                self.messengers.replace(self.waiting(), messenger, |known| known.object == messenger.object);
            } else {
                let name = create.text();
                self.log(
                    Level::Warning,
                    format_args!("{name} fails, so the driver's own messages are missing"),
                );
            }
            number = number.wrapping_add(1);
        }
    }

    /// Destroys the driver's own object of a messenger that was deferred.
    pub(super) fn drop_messenger(&self, object: usize) {
        let _turn = self.opening.take(self.waiting());
        let messenger = self.messengers.remove(self.waiting(), |known| known.object == object);
        let created = messenger.filter(|messenger| messenger.own != 0);
        let (Some(messenger), Some(driver)) = (created, self.opened()) else { return };
        let [_, destroy] = messenger.commands;
        // SAFETY: the type is that of both commands; the object is the driver's own, made without callbacks.
        unsafe {
            if let Some(destroy) = driver.get::<DestroyFn>(destroy) {
                destroy(driver.handle, messenger.own, core::ptr::null());
            }
        }
    }
}
