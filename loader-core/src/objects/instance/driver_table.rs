//! The table of a driver's instance: the driver's commands.
//!
//! A driver is queried in three steps: for the commands that every driver has when its instance is created,
//! for other instance commands on first use, and for all other physical-device commands together, before its
//! first device is passed on. A caller with a device handle therefore finds a complete table.

use ash::vk;

use super::driver::{DriverInstance, DriverOfInstance};
use super::queried::Asked;
use crate::abi::{Command, name};
use crate::dispatch::{InstanceTable, Table as _};
use crate::memory::{Application, OrOutOfMemory, SharedList};
use crate::negotiation::DriverStatus;
use crate::registry::{Class, CommandId, ExtensionId, ExtensionKind, ExtensionSet, INSTANCE_SLOTS, command};

impl DriverInstance {
    /// Wraps an instance that `driver` has just created.
    ///
    /// # Errors
    /// The first command of Vulkan 1.0 that the driver lacks, or out of memory. The driver's instance
    /// has been destroyed if possible.
    ///
    /// # Safety
    /// `handle` is a live instance of `driver`, created with `callbacks`, that no other thread uses.
    pub unsafe fn new(
        driver: DriverOfInstance,
        handle: vk::Instance,
        enabled: ExtensionSet,
        allocator: Application,
        callbacks: *const vk::AllocationCallbacks<'static>,
    ) -> Result<Self, OrOutOfMemory<DriverStatus>> {
        let scope = allocator.scoped(vk::SystemAllocationScope::INSTANCE);
        let table = match InstanceTable::try_new(scope) {
            Ok(table) => table,
            Err(_) => {
                // SAFETY: by this function's `# Safety` `handle` is a live instance of `driver`,
                // created with these callbacks, that no other thread uses.
                unsafe { driver.destroy_instance(handle, callbacks) };
                return Err(OrOutOfMemory::OutOfMemory);
            }
        };
        let devices = SharedList::new_in(allocator);
        let asked = Asked::default();
        let made = Self { table, handle, driver, devices, enabled, asked, callbacks };
        let name = command::GET_DEVICE_PROC_ADDR.name();
        let missing = NEEDED.iter().find(|command| !made.has(**command)).map(|missing| missing.name());
        match missing.or_else(|| made.command(name).is_none().then_some(name)) {
            Some(name) => Err(DriverStatus::MissingCommand { name }.into()),
            None => Ok(made),
        }
    }

    /// # Safety
    /// `F` is the function-pointer type of `command`.
    pub(in crate::objects) unsafe fn get<F: Copy>(&self, command: CommandId) -> Option<F> {
        self.ask(command);
        // SAFETY: by this function's `# Safety` `F` is the type of `command`.
        unsafe { self.table.get(command) }
    }

    pub(in crate::objects) fn has(&self, command: CommandId) -> bool {
        // SAFETY: the function is only looked up, not called.
        unsafe { self.get::<Command>(command) }.is_some()
    }

    /// Completes the table, before the first device of the driver is passed on.
    pub(in crate::objects) fn learn_device_commands(&self) {
        if !self.asked.is_complete() {
            self.fill_table();
            self.asked.complete();
        }
    }

    /// Queries the driver for a command, unless it has been queried before. Threads that come here at once
    /// all query it, and write the same.
    #[inline(never)]
    fn ask(&self, command: CommandId) {
        let Some(slot) = command.instance_slot() else { return };
        if self.asked.is_known(slot) {
            return;
        }
        if self.may_have(command)
            && let Some(function) = self.command(name::of(command))
        {
            self.table.set(command, function);
        }
        self.asked.note(slot);
    }

    /// Returns whether the driver may have the command. It cannot if only disabled instance extensions
    /// provide it.
    fn may_have(&self, command: CommandId) -> bool {
        let counts = |extension: ExtensionId| {
            extension.kind() == ExtensionKind::Device || self.enabled.contains(extension)
        };
        command.core().is_some() || command.providers().any(counts)
    }

    fn fill_table(&self) {
        for command in (0..INSTANCE_SLOTS).filter_map(CommandId::from_instance_slot) {
            if command.class() == Class::PhysicalDevice {
                self.ask(command);
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
/// vkGetInstanceProcAddr returns a function for both, whichever the drivers have.
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
