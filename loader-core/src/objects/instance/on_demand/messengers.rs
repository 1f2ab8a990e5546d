//! Messengers and report callbacks that a driver gets when it is opened.

use ash::vk;

use super::OnDemandDriver;
use super::deferred::{DeferredMessenger, MessengerInfo};
use crate::abi::Command;
use crate::log::{CommandText as _, Level};
use crate::memory::OutOfMemory;
use crate::objects::instance::driver::DriverInstance;
use crate::registry::command;

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
            // SAFETY: the functions have the types of their commands, and the create infos are valid. They are called with the
            // driver's own instance and callbacks.
            let result = unsafe {
                let (instance, none) = (driver.handle, core::ptr::null());
                match &messenger.info {
                    MessengerInfo::Messenger(info) => driver
                        .get::<vk::PFN_vkCreateDebugUtilsMessengerEXT>(
                            command::CREATE_DEBUG_UTILS_MESSENGER_EXT,
                        )
                        .map(|create| create(instance, info, none, (&raw mut messenger.own).cast())),
                    MessengerInfo::Report(info) => driver
                        .get::<vk::PFN_vkCreateDebugReportCallbackEXT>(
                            command::CREATE_DEBUG_REPORT_CALLBACK_EXT,
                        )
                        .map(|create| create(instance, info, none, (&raw mut messenger.own).cast())),
                }
            };
            if result == Some(vk::Result::SUCCESS) {
                self.messengers.replace(self.waiting(), messenger, |known| known.object == messenger.object);
            } else {
                let name = messenger.info.create().text();
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
        type DestroyFn =
            unsafe extern "system" fn(vk::Instance, u64, *const vk::AllocationCallbacks<'static>);
        // SAFETY: the type is that of both commands; the object is the driver's own, made without callbacks.
        unsafe {
            if let Some(destroy) = driver.get::<Command>(messenger.info.destroy()) {
                let destroy = core::mem::transmute::<Command, DestroyFn>(destroy);
                destroy(driver.handle, messenger.own, core::ptr::null());
            }
        }
    }
}
