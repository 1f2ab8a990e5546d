//! Drivers: libraries that are open, and what each of them is for one instance.

use core::ffi::CStr;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk::{self, Handle as _};

use super::PhysicalDevice;
use super::instance::Owned;
use crate::abi::{array, name};
use crate::discovery::DriverKind;
use crate::discovery::Outcome;
use crate::dispatch::{Command, InstanceTable, Table};
use crate::manifest::Version;
use crate::memory::{Application, Box, OutOfMemory, Process, SharedList, Text, Vec, text};
use crate::negotiation::{self, DriverInterface};
use crate::platform::{Library, Turn, Turns, Waiting};
use crate::registry::{CommandId, ExtensionSet, command};

/// A driver that is open.
pub struct Driver {
    /// What was opened, or words for a driver that the application gave: for messages.
    pub library_path: Text,
    /// What was agreed with it.
    pub interface: DriverInterface,
    /// The version of Vulkan that counts for it: the lower one of what its manifest and it say.
    pub api_version: Version,
    /// What it is.
    pub kind: DriverKind,
    pub(super) library: Option<Library>,
    pub(super) turns: Turns,
    pub(super) waiting: &'static dyn Waiting,
    /// Whether one of its global commands has called the loader, which was about to call it again.
    pub(super) calls_back: AtomicBool,
}

/// A driver that stays open until the loader's own library is unloaded.
#[derive(Clone, Copy)]
pub struct DriverRef(NonNull<Driver>);

// SAFETY: a driver is never changed once it is made.
unsafe impl Send for DriverRef {}
// SAFETY: as above.
unsafe impl Sync for DriverRef {}

impl PartialEq for DriverRef {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Deref for DriverRef {
    type Target = Driver;
    fn deref(&self) -> &Driver {
        // SAFETY: drivers of the list are freed only by `close`, when nothing uses them any more.
        unsafe { self.0.as_ref() }
    }
}

/// Why a driver is not open.
pub enum OpenError {
    /// Memory is short; that is not the driver's fault.
    OutOfMemory,
    /// It cannot be used.
    Refused(Outcome),
}

impl From<OutOfMemory> for OpenError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl From<Outcome> for OpenError {
    fn from(outcome: Outcome) -> Self {
        Self::Refused(outcome)
    }
}

impl DriverRef {
    pub(super) fn new(driver: Driver) -> Result<Self, OutOfMemory> {
        Ok(Self(Box::into_non_null(Box::try_new_in(driver, Process)?)))
    }

    /// # Safety
    /// Nobody uses the driver any more.
    pub(super) unsafe fn free(self) {
        // SAFETY: the value was made by Box::into_non_null in `new`; the caller vouches that it is the last one.
        drop(unsafe { Box::from_non_null_in(self.0, Process) });
    }
}

impl Driver {
    /// A driver that the application gave by its function.
    ///
    /// # Errors
    /// Why it cannot be used.
    ///
    /// # Safety
    /// As for [`negotiation::with_function`].
    pub unsafe fn direct(
        gipa: vk::PFN_vkGetInstanceProcAddr,
        waiting: &'static dyn Waiting,
    ) -> Result<Self, Outcome> {
        // SAFETY: the caller vouches for the function.
        let interface = unsafe { negotiation::with_function(gipa) }?;
        let api_version = interface.api_version(None)?;
        let turns = Turns::new();
        let library_path = text(&[b"a driver that the application gave"]).unwrap_or_default();
        let kind = DriverKind::Icd;
        let calls_back = AtomicBool::new(false);
        Ok(Self { library_path, interface, api_version, kind, library: None, turns, waiting, calls_back })
    }

    /// Lets no other thread into the driver's commands that create, destroy and enumerate until the turn is over.
    ///
    /// The specification lets applications call these from several threads at once, but drivers have only ever met
    /// loaders that let one thread at a time through: NVIDIA's (580.159.04) crashes otherwise.
    #[must_use]
    pub fn turn(&self) -> Turn<'_> {
        self.turns.take(self.waiting)
    }

    /// A turn to call one of the driver's global commands. `None` if this thread is in one of them already: the driver calls the
    /// loader, and would be called again without end.
    fn turn_at_the_top(&self) -> Option<Turn<'_>> {
        let turn = self.turn();
        if turn.is_within_another() {
            self.calls_back.store(true, Ordering::Relaxed);
            return None;
        }
        Some(turn)
    }

    /// Whether it is no driver of its own, as far as its calls have shown. One that was negotiated with may well be made on top of
    /// other drivers, and use a loader to reach them.
    fn leads_back(&self) -> bool {
        let told_apart = self.interface.version > 0 && !self.kind.is_foreign();
        !told_apart && self.calls_back.load(Ordering::Relaxed)
    }

    /// Makes an instance with the driver's own vkCreateInstance.
    ///
    /// # Errors
    /// Why there is none.
    ///
    /// # Safety
    /// The parameters are those of the Vulkan command.
    pub(super) unsafe fn create_instance(
        &self,
        info: &vk::InstanceCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'static>,
    ) -> Result<vk::Instance, OpenError> {
        let left_out = || if self.leads_back() { Outcome::LeadsBack } else { Outcome::WithinItself };
        let turn = self.turn_at_the_top().ok_or_else(left_out)?;
        let mut handle = vk::Instance::null();
        // SAFETY: the caller vouches for the parameters; the function has the type of its name.
        let result = unsafe { (self.interface.create_instance)(info, callbacks, &mut handle) };
        drop(turn);
        let made = result == vk::Result::SUCCESS && !handle.is_null();
        if self.leads_back() {
            if made {
                // SAFETY: nobody else knows the instance.
                unsafe { destroy(self, handle, callbacks) };
            }
            return Err(Outcome::LeadsBack.into());
        }
        if made { Ok(handle) } else { Err(refused(result)) }
    }

    /// Whether the manifest promises more than the driver has.
    pub(super) fn lie(&self, manifest: Version) -> Option<Outcome> {
        let too_much = manifest >= Version::new(1, 1, 0) && self.api_version < Version::new(1, 1, 0);
        too_much.then_some(Outcome::ApiVersionLie { manifest, driver: self.api_version })
    }

    /// The instance extensions that the driver has, none if it leads back to the loader. The driver is never asked with a
    /// layer's name (LDP_LOADER_12).
    ///
    /// # Errors
    /// What the driver returned, or `ERROR_OUT_OF_HOST_MEMORY`.
    pub fn instance_extensions(&self) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let Some(_turn) = self.turn_at_the_top() else { return Ok(Vec::new()) };
        let enumerate = self.interface.enumerate_instance_extension_properties;
        let all = array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
            // SAFETY: a counted out-array, and no layer.
            unsafe { enumerate(core::ptr::null(), count, out) }
        });
        if self.leads_back() { Ok(Vec::new()) } else { all }
    }
}

/// Why there is no instance of a driver whose global command returned this.
pub(super) fn refused(result: vk::Result) -> OpenError {
    if result == vk::Result::ERROR_OUT_OF_HOST_MEMORY {
        return OpenError::OutOfMemory;
    }
    OpenError::Refused(Outcome::CreateInstanceFailed { result: result.as_raw() })
}

impl DriverInterface {
    /// The version that counts: 1.0 if the manifest says less than 1.1, or the driver cannot be asked, or it says
    /// less than 1.1 (section "Driver API Version" of the driver interface document).
    ///
    /// # Errors
    /// A version of another API (LDP_LOADER_4).
    pub(super) fn api_version(&self, manifest: Option<Version>) -> Result<Version, Outcome> {
        const OLDEST: Version = Version::new(1, 0, 0);
        const ASKED: Version = Version::new(1, 1, 0);
        if manifest.is_some_and(|version| version < ASKED) {
            return Ok(OLDEST);
        }
        let Some(enumerate) = self.enumerate_instance_version else { return Ok(OLDEST) };
        let mut version = 0;
        // SAFETY: version is a valid pointer.
        let result = unsafe { enumerate(&mut version) };
        if result != vk::Result::SUCCESS {
            return Ok(OLDEST);
        }
        let said = Version::from_encoded(version);
        if said.variant != 0 || said.major != 1 {
            return Err(Outcome::OtherApi { version: said });
        }
        Ok(if said < ASKED { OLDEST } else { manifest.map_or(said, |manifest| manifest.min(said)) })
    }
}

/// The instance that a driver made for one instance of the loader.
pub struct DriverInstance {
    /// Its commands, with the driver's handles.
    pub table: Box<InstanceTable, Application>,
    /// What it calls the instance.
    pub handle: vk::Instance,
    /// The driver.
    pub driver: DriverOfInstance,
    /// Every device of it that was ever handed out.
    pub(super) devices: SharedList<Owned<PhysicalDevice>, Application>,
    /// Its place in the plan, if it has one.
    pub place: Option<usize>,
    /// Whether the driver has `VK_EXT_debug_utils`, `VK_EXT_debug_report` enabled and so on: the names it was given.
    pub enabled: ExtensionSet,
    allocator: Application,
}

/// A driver as an instance knows it.
pub enum DriverOfInstance {
    /// One that was discovered.
    Discovered(DriverRef),
    /// One that the application gave, owned by the instance.
    Direct(Box<Driver, Application>),
}

impl Deref for DriverOfInstance {
    type Target = Driver;
    fn deref(&self) -> &Driver {
        match self {
            Self::Discovered(driver) => driver,
            Self::Direct(driver) => driver,
        }
    }
}

impl DriverInstance {
    /// Looks up the commands of an instance that `driver` has just made.
    ///
    /// # Errors
    /// The first command of Vulkan 1.0 that the driver lacks, or that memory is short. The driver's instance has been
    /// destroyed if it can be.
    ///
    /// # Safety
    /// `handle` is an instance of `driver`, made with `allocator`, that nobody else uses.
    pub unsafe fn new(
        driver: DriverOfInstance,
        handle: vk::Instance,
        place: Option<usize>,
        enabled: ExtensionSet,
        allocator: Application,
    ) -> Result<Self, OpenError> {
        let scope = allocator.scoped(vk::SystemAllocationScope::INSTANCE);
        // SAFETY: the caller vouches for the handle.
        unsafe {
            let table = match InstanceTable::try_new(scope) {
                Ok(table) => table,
                Err(_) => {
                    destroy(&driver, handle, allocator.as_ptr());
                    return Err(OpenError::OutOfMemory);
                }
            };
            let devices = SharedList::new_in(allocator);
            let made = Self { table, handle, driver, devices, place, enabled, allocator };
            made.fill_table();
            let lacks = |needed: &&CommandId| made.table.get::<Command>(**needed).is_none();
            let device_commands = made.find(command::GET_DEVICE_PROC_ADDR.name());
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
        for (number, stand_in) in super::emulated::STAND_INS.iter().enumerate() {
            let Some(command) = CommandId::from_instance_slot(number) else { continue };
            if let Some(function) = self.find(name::of(command)).or(*stand_in) {
                self.table.set(command, function);
            }
        }
        for (one, other) in ALIKE {
            // SAFETY: functions are only passed on.
            let both = unsafe { (self.table.get::<Command>(one), self.table.get::<Command>(other)) };
            match both {
                (None, Some(function)) => self.table.set(one, function),
                (Some(function), None) => self.table.set(other, function),
                _ => {}
            }
        }
    }

    /// The driver's command of this name.
    #[must_use]
    pub fn find(&self, name: &CStr) -> Option<Command> {
        // SAFETY: the instance is alive as long as this value.
        unsafe { (self.driver.interface.get_instance_proc_addr)(self.handle, name.as_ptr()) }
    }

    /// The driver's physical-device command of this name, which the registry need not know. Other loaders do not tell what a
    /// command is of; the names of nearly all of these do.
    #[must_use]
    pub fn find_physical_device_command(&self, name: &CStr) -> Option<Command> {
        let Some(find) = self.driver.interface.get_physical_device_proc_addr else {
            let told = self.driver.kind.is_foreign() && name.to_bytes().starts_with(OF_PHYSICAL_DEVICES);
            return if told { self.find(name) } else { None };
        };
        // SAFETY: the instance is alive as long as this value; the name was given as a valid C string.
        unsafe { find(self.handle, name.as_ptr()) }
    }
}

/// What no name of a command begins with that is not one on physical devices.
const OF_PHYSICAL_DEVICES: &[u8] = b"vkGetPhysicalDevice";

/// Commands of device extensions on physical devices that drivers may have under one of two names. Whatever the drivers
/// have, vkGetInstanceProcAddr answers both.
const ALIKE: [(CommandId, CommandId); 1] = [(
    command::GET_PHYSICAL_DEVICE_CALIBRATEABLE_TIME_DOMAINS_KHR,
    command::GET_PHYSICAL_DEVICE_CALIBRATEABLE_TIME_DOMAINS_EXT,
)];

/// Commands without which a driver is of no use.
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

impl Drop for DriverInstance {
    fn drop(&mut self) {
        // SAFETY: the instance is alive until here and nobody uses it any more.
        unsafe { destroy(&self.driver, self.handle, self.allocator.as_ptr()) };
    }
}

unsafe fn destroy(driver: &Driver, handle: vk::Instance, callbacks: *const vk::AllocationCallbacks<'static>) {
    if handle.is_null() {
        return;
    }
    let _turn = driver.turn();
    // SAFETY: the caller vouches for the handle; the function has the type of its name.
    unsafe {
        let find = driver.interface.get_instance_proc_addr;
        let Some(function) = find(handle, c"vkDestroyInstance".as_ptr()) else { return };
        let destroy = core::mem::transmute::<Command, vk::PFN_vkDestroyInstance>(function);
        destroy(handle, callbacks);
    }
}

#[cfg(test)]
mod tests {
    use super::OF_PHYSICAL_DEVICES;
    use crate::registry::{Class, CommandId};

    #[test]
    fn a_name_that_tells_what_the_command_is_of_tells_the_truth() {
        let told = |command: &CommandId| command.name().to_bytes().starts_with(OF_PHYSICAL_DEVICES);
        assert!(CommandId::all().filter(told).count() > 50);
        assert!(CommandId::all().filter(told).all(|command| command.class() == Class::PhysicalDevice));
    }
}
