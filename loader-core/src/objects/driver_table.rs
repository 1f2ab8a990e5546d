//! The table of a driver's instance: the driver's commands, and substitutes for those that it
//! lacks.

use ash::vk;

use super::driver::{DriverInstance, DriverOfInstance};
use super::emulated::STAND_INS;
use crate::abi::{Command, name};
use crate::dispatch::{InstanceTable, Table as _};
use crate::drivers::OpenError;
use crate::memory::{Application, SharedList};
use crate::negotiation::Outcome;
use crate::registry::{CommandId, ExtensionSet, command};

impl DriverInstance {
    /// Looks up the commands of an instance that `driver` has just created.
    ///
    /// # Errors
    /// The first command of Vulkan 1.0 that the driver lacks, or out of memory. The driver's
    /// instance has been destroyed if possible.
    ///
    /// # Safety
    /// `handle` is a live instance of `driver`, created with `allocator`'s callbacks, that nobody
    /// else uses.
    pub unsafe fn new(
        driver: DriverOfInstance,
        handle: vk::Instance,
        place: Option<usize>,
        enabled: ExtensionSet,
        allocator: Application,
    ) -> Result<Self, OpenError> {
        let scope = allocator.scoped(vk::SystemAllocationScope::INSTANCE);
        // SAFETY: by this function's `# Safety` `handle` is a live instance of `driver`, created
        // with these callbacks, that nobody else uses. The functions in the table are only looked
        // up.
        unsafe {
            let table = match InstanceTable::try_new(scope) {
                Ok(table) => table,
                Err(_) => {
                    driver.destroy_instance(handle, allocator.as_ptr());
                    return Err(OpenError::OutOfMemory);
                }
            };
            let devices = SharedList::new_in(allocator);
            let made = Self { table, handle, driver, devices, place, enabled, allocator };
            made.fill_table();
            let lacks = |needed: &&CommandId| made.table.get::<Command>(**needed).is_none();
            let device_commands = made.command(command::GET_DEVICE_PROC_ADDR.name());
            let missing = match NEEDED.iter().find(lacks) {
                None if device_commands.is_none() => Some(&command::GET_DEVICE_PROC_ADDR),
                missing => missing,
            };
            match missing {
                Some(missing) => Err(Outcome::MissingCommand { name: missing.name() }.into()),
                None => Ok(made),
            }
        }
    }

    fn fill_table(&self) {
        for (number, stand_in) in STAND_INS.iter().enumerate() {
            let Some(command) = CommandId::from_instance_slot(number) else { continue };
            if let Some(function) = self.command(name::of(command)).or(*stand_in) {
                self.table.set(command, function);
            }
        }
        for (one, other) in ALIKE {
            // SAFETY: the functions are only copied, not called.
            let both = unsafe { (self.table.get::<Command>(one), self.table.get::<Command>(other)) };
            match both {
                (None, Some(function)) => self.table.set(one, function),
                (Some(function), None) => self.table.set(other, function),
                _ => {}
            }
        }
    }
}

/// Physical-device commands of device extensions that drivers may have under one of two names.
/// Whatever the drivers have, vkGetInstanceProcAddr returns a function for both.
const ALIKE: [(CommandId, CommandId); 1] = [(
    command::GET_PHYSICAL_DEVICE_CALIBRATEABLE_TIME_DOMAINS_KHR,
    command::GET_PHYSICAL_DEVICE_CALIBRATEABLE_TIME_DOMAINS_EXT,
)];

/// Commands without which a driver is useless.
const NEEDED: &[CommandId] = &[
    command::DESTROY_INSTANCE,
    command::ENUMERATE_PHYSICAL_DEVICES,
    command::GET_PHYSICAL_DEVICE_FEATURES,
    command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES,
    command::GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES,
    command::GET_PHYSICAL_DEVICE_PROPERTIES,
    command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES,
    command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES,
    command::GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES,
    command::CREATE_DEVICE,
    command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
];
