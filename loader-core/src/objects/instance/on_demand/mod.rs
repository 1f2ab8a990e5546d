//! Drivers that are opened when a call needs them (`docs/start-cache.md`).
//!
//! Until then a [`OnDemandDriver`] represents the driver's instance, and an [`OnDemandDevice`] each of its devices. The
//! table of such a driver has two kinds of functions: `answered` answers from the records, and the pieces of
//! [`ON_DEMAND`] open the driver. An open driver has to give the recorded answers; if it does not, the records are
//! removed, and the program gets the driver's own answers from then on.

mod answered;
pub(super) mod create_info;
pub(in crate::objects) mod deferred;
mod device;
mod forms;
mod messengers;
mod record;

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU8, Ordering};

use ash::vk::{self, Handle as _};

use super::Instance;
use super::driver::{ClosedDriver, DriverInstance, DriverOfInstance};
use super::queried::Asked;
use crate::abi::Command;
use crate::dispatch::{InstanceTable, ON_DEMAND, OnDemandHandle, Table as _, Target};
use crate::drivers::last_start::{DeviceAnswers, DriverAnswers, RecordedAnswers};
use crate::drivers::log_outcome;
use crate::log::{Level, Topic};
use crate::manifest::Version;
use crate::memory::{Application, Box, Escaped, OrOutOfMemory, OutOfMemory, SharedList, Text, TryGrow, Vec};
use crate::negotiation::DriverStatus;
use crate::objects::listed_ptr::ListedPtr;
use crate::objects::physical_device::groups::{EMPTY, Group};
use crate::platform::{Turns, Waiting};
use crate::registry::{CommandId, ExtensionSet, INSTANCE_SLOTS};

use create_info::CreateInfoCopy;
use deferred::DeferredMessenger;
use device::{OnDemandDevice, open_device};
pub(in crate::objects) use record::record;

/// A driver's instance that does not exist until a call needs it.
#[repr(C)]
pub(super) struct OnDemandDriver {
    /// First: the driver's table gets the address as the handle of the instance.
    handle: OnDemandHandle,
    instance: NonNull<Instance>,
    parts: OnDemandParts,
    api_version: Version,
    /// Every device that was ever reported. The recorded ones come first.
    devices: SharedList<ListedPtr<OnDemandDevice>, Application>,
    /// The messengers that the driver gets when it is opened.
    messengers: SharedList<DeferredMessenger, Application>,
    opening: Turns,
    state: AtomicU8,
    /// The driver's instance, once the state says so.
    opened: UnsafeCell<Option<Box<DriverInstance, Application>>>,
    /// The table of a driver that does not open: every command fails.
    failing: Box<InstanceTable, Application>,
    /// The target of calls that fail.
    failing_target: Target,
}

// SAFETY: `opened` is written once, in a turn of `opening`, before the state is published.
unsafe impl Sync for OnDemandDriver {}

const CLOSED: u8 = 0;
const OPEN: u8 = 1;
const FAILED: u8 = 2;

/// A driver that has been opened, its devices, and its answers if they can be recorded.
type Opened = (Box<DriverInstance, Application>, Vec<vk::PhysicalDevice>, Option<Text>);

/// The parts of a driver that is opened on demand.
pub(super) struct OnDemandParts {
    pub(super) library_path: Text,
    /// Its index in the plan.
    pub(super) index: usize,
    pub(super) enabled: ExtensionSet,
    pub(super) create_info: CreateInfoCopy,
    pub(super) answers: RecordedAnswers,
}

impl DriverInstance {
    /// Returns an instance of a driver that is not open.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn on_demand(instance: &Instance, parts: OnDemandParts) -> Result<Self, OutOfMemory> {
        let allocator = instance.allocator.scoped(vk::SystemAllocationScope::INSTANCE);
        let (table, failing) = (InstanceTable::try_new(allocator)?, InstanceTable::try_new(allocator)?);
        let text = parts.answers.text();
        let known = DriverAnswers::read(text);
        for command in known.iter().flat_map(DriverAnswers::commands) {
            let piece = command.instance_slot().and_then(|slot| ON_DEMAND.piece(slot));
            if let Some(function) = answered::answered(command).or(piece) {
                table.set(command, function);
            }
            failing.set(command, answered::failing(command));
        }
        let api_version = known.as_ref().map_or(0, |known| known.api_version);
        let devices = known.map_or(Ok(Vec::new()), |known| known.devices(text))?;
        let (index, enabled) = (Some(parts.index), parts.enabled);
        let driver = OnDemandDriver {
            handle: OnDemandHandle::new(open_driver),
            instance: NonNull::from(instance),
            parts,
            api_version: Version::from_encoded(api_version),
            devices: SharedList::new_in(instance.allocator),
            messengers: SharedList::new_in(instance.allocator),
            opening: Turns::new(),
            state: AtomicU8::new(CLOSED),
            opened: UnsafeCell::new(None),
            failing_target: Target::new(0, &raw const *failing),
            failing,
        };
        let driver = Box::try_new_in(driver, instance.allocator)?;
        for answers in devices {
            driver.add_device(Some(answers))?;
        }
        let handle = driver.handle();
        let asked = Asked::default();
        (0..INSTANCE_SLOTS).for_each(|slot| asked.note(slot));
        asked.complete();
        Ok(Self {
            table,
            handle,
            driver: DriverOfInstance::OnDemand(unsized_box(driver)),
            devices: SharedList::new_in(instance.allocator),
            index,
            enabled,
            asked,
            callbacks: core::ptr::null(),
        })
    }
}

/// Returns the same box, seen as any closed driver.
fn unsized_box(driver: Box<OnDemandDriver, Application>) -> Box<dyn ClosedDriver, Application> {
    let (driver, allocator) = Box::into_raw_with_allocator(driver);
    // SAFETY: the pointer and the allocator are those of the box.
    unsafe { Box::from_raw_in(driver as *mut dyn ClosedDriver, allocator) }
}

impl OnDemandDriver {
    /// Returns the handle that stands for the driver's instance.
    fn handle(&self) -> vk::Instance {
        vk::Instance::from_raw(core::ptr::from_ref(self).expose_provenance() as u64)
    }

    /// Returns the recorded answers.
    fn answers(&self) -> &[u8] {
        self.parts.answers.text()
    }

    fn instance(&self) -> &Instance {
        // SAFETY: an instance outlives its drivers.
        unsafe { self.instance.as_ref() }
    }

    fn waiting(&self) -> &'static dyn Waiting {
        self.instance().loader.platform.waiting
    }

    /// Returns the driver's instance if it exists.
    fn opened(&self) -> Option<&DriverInstance> {
        // SAFETY: the value no longer changes once the state is published.
        (self.state.load(Ordering::Acquire) == OPEN).then(|| unsafe { (*self.opened.get()).as_deref() })?
    }

    /// Returns whether the records still answer: the driver is not open.
    fn is_closed(&self) -> bool {
        self.state.load(Ordering::Acquire) != OPEN
    }

    /// Opens the driver's library, creates its instance, and asks for its devices and answers.
    fn make(&self) -> Result<Opened, OrOutOfMemory<DriverStatus>> {
        let instance = self.instance();
        let loader = instance.loader;
        let found = instance.sources.discovered.as_deref();
        let candidate = found.and_then(|found| found.plan.drivers.get(self.parts.index));
        let Some(candidate) = candidate else { return Err(OutOfMemory.into()) };
        let driver = loader.drivers.open_for(loader.platform, candidate)?;
        let callbacks = instance.created_with.as_ptr();
        let allocator = instance.allocator;
        // SAFETY: the copy is a valid create info, the callbacks are the instance's, and no other code knows the driver's
        // new instance.
        let made = unsafe {
            let handle = driver.create_instance(self.parts.create_info.info(), callbacks)?;
            let owner = DriverOfInstance::Discovered(driver);
            DriverInstance::new(
                owner,
                handle,
                Some(self.parts.index),
                self.parts.enabled,
                allocator,
                callbacks,
            )?
        };
        let devices = made.physical_devices()?;
        made.learn_device_commands();
        let answers = match record(&made, &devices) {
            Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY) => return Err(OutOfMemory.into()),
            answers => answers.ok().flatten(),
        };
        Ok((Box::try_new_in(made, allocator).map_err(OutOfMemory::from)?, devices, answers))
    }

    /// Lets calls go to the driver: each device to the one that it was recorded for. Returns the driver.
    fn assign(&self, (driver, mut devices, now): Opened) -> Box<DriverInstance, Application> {
        let table = &raw const *driver.table;
        let agrees = now.as_ref().is_some_and(|now| now.as_slice() == self.answers());
        if !agrees {
            self.mislead(format_args!("its answers differ from the last start's"));
            self.let_missing_commands_fail(&driver);
        }
        let now = now.as_deref().unwrap_or_default();
        let read_now = DriverAnswers::read(now).filter(|_| !agrees);
        let devices_now = read_now.and_then(|read| read.devices(now).ok()).unwrap_or_default();
        self.each_device(|number, device| {
            let handle = if agrees {
                devices.get_mut(number)
            } else {
                let mut all = devices.iter_mut().zip(&devices_now);
                let same =
                    all.find(|(handle, now_device)| !handle.is_null() && device.is_same(now_device, now));
                same.map(|(handle, _)| handle)
            };
            let target = handle.map_or_else(
                || self.failing_target(),
                |handle| Target::new(core::mem::take(handle).as_raw(), table),
            );
            // SAFETY: this thread has the turn of the only call that assigns.
            unsafe { device.handle.set(target) };
        });
        // SAFETY: as above.
        unsafe { self.handle.set(Target::new(driver.handle.as_raw(), table)) };
        driver
    }

    /// Lets the commands fail that the driver had at the last start and no longer has: the program may have looked them up.
    fn let_missing_commands_fail(&self, driver: &DriverInstance) {
        for command in (0..INSTANCE_SLOTS).filter_map(CommandId::from_instance_slot) {
            // SAFETY: the functions are only copied, not called.
            let (before, now) =
                unsafe { (self.failing.get::<Command>(command), driver.table.get::<Command>(command)) };
            if let (Some(failing), None) = (before, now) {
                driver.table.set(command, failing);
            }
        }
    }

    /// Lets every call fail.
    fn assign_failing(&self) {
        // SAFETY: this thread has the turn of the only call that assigns.
        self.each_device(|_, device| unsafe { device.handle.set(self.failing_target()) });
        // SAFETY: as above.
        unsafe { self.handle.set(self.failing_target()) };
    }

    fn failing_target(&self) -> Target {
        Target::new(0, &raw const *self.failing)
    }

    /// Calls `use_it` with each device.
    fn each_device(&self, mut use_it: impl FnMut(usize, &OnDemandDevice)) {
        let mut number = 0;
        while let Some(device) = self.devices.read(self.waiting(), |all| all.get(number).copied()) {
            // SAFETY: the list keeps its devices until the driver is dropped.
            use_it(number, unsafe { device.0.as_ref() });
            number = number.wrapping_add(1);
        }
    }

    fn add_device(&self, answers: Option<DeviceAnswers>) -> Result<NonNull<OnDemandDevice>, OutOfMemory> {
        let device =
            OnDemandDevice { handle: OnDemandHandle::new(open_device), driver: NonNull::from(self), answers };
        let allocator = self.instance().allocator;
        let device = ListedPtr(Box::into_non_null(Box::try_new_in(device, allocator)?));
        self.devices.insert(self.waiting(), device).inspect_err(|_| {
            // SAFETY: the box was leaked just above, and the list did not take it.
            drop(unsafe { Box::from_non_null_in(device.0, allocator) });
        })?;
        Ok(device.0)
    }

    /// Returns `of` each device's handle.
    fn list<T>(&self, of: impl Fn(vk::PhysicalDevice) -> T) -> Result<Vec<T>, OutOfMemory> {
        let mut all = Vec::new();
        let mut result = Ok(());
        self.each_device(|_, device| result = result.and_then(|()| all.try_push(of(device.handle()))));
        result.map(|()| all)
    }

    /// Returns the handle that stands for a device of the open driver.
    fn device_of(
        &self,
        driver: &DriverInstance,
        handle: vk::PhysicalDevice,
    ) -> Result<vk::PhysicalDevice, OutOfMemory> {
        let _turn = self.opening.take(self.waiting());
        let mut known = None;
        self.each_device(|_, device| {
            if device.handle.target().is_some_and(|target| target.physical_device() == handle) {
                known = Some(device.handle());
            }
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let device = self.add_device(None)?;
        // SAFETY: the device lives as long as the driver; other threads that add one wait for this turn.
        unsafe {
            device.as_ref().handle.set(Target::new(handle.as_raw(), &raw const *driver.table));
            Ok(device.as_ref().handle())
        }
    }

    /// Logs that the records misled this start, and removes them.
    fn mislead(&self, reason: core::fmt::Arguments<'_>) {
        self.log(
            Level::Warning,
            format_args!("{reason}; the record is removed, and the next start opens all drivers"),
        );
        self.parts.answers.last.forget();
    }

    fn log(&self, level: Level, message: core::fmt::Arguments<'_>) {
        let library = Escaped(&self.parts.library_path);
        self.instance().logger.log(level, Topic::Driver, format_args!("{library}: {message}"));
    }
}

impl ClosedDriver for OnDemandDriver {
    fn library_path(&self) -> &Text {
        &self.parts.library_path
    }

    fn api_version(&self) -> Version {
        self.api_version
    }

    fn open(&self) -> Option<&DriverInstance> {
        if self.state.load(Ordering::Acquire) != CLOSED {
            return self.opened();
        }
        let turn = self.opening.take(self.waiting());
        if self.state.load(Ordering::Acquire) != CLOSED {
            return self.opened();
        }
        if turn.is_within_another() {
            return None;
        }
        self.log(Level::Info, format_args!("opened now: a call needs it"));
        let state = match self.make() {
            Ok(opened) => {
                let driver = self.assign(opened);
                self.create_messengers(&driver);
                // SAFETY: this thread has the turn, and the state is published below.
                unsafe { *self.opened.get() = Some(driver) };
                OPEN
            }
            Err(OrOutOfMemory::OutOfMemory) => {
                self.log(
                    Level::Error,
                    format_args!("it cannot be opened now: out of memory; the call fails"),
                );
                return None;
            }
            Err(OrOutOfMemory::Failed(outcome)) => {
                log_outcome(&self.instance().logger, &self.parts.library_path, &outcome);
                self.mislead(format_args!("the driver can no longer be used, and its devices are lost"));
                self.assign_failing();
                FAILED
            }
        };
        self.state.store(state, Ordering::Release);
        drop(turn);
        self.opened()
    }

    fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, OrOutOfMemory<DriverStatus>> {
        let Some(driver) = self.opened() else { return Ok(self.list(|device| device)?) };
        let mut devices = Vec::new();
        for handle in driver.physical_devices()? {
            devices.try_push(self.device_of(driver, handle)?)?;
        }
        Ok(devices)
    }

    fn groups(&self, chain: &dyn Fn(usize) -> *mut c_void) -> Result<Vec<Group>, vk::Result> {
        let Some(driver) = self.opened() else {
            let single = |device| {
                let mut group = Group { physical_device_count: 1, ..EMPTY };
                group.physical_devices[0] = device;
                group
            };
            return Ok(self.list(single)?);
        };
        let mut groups = driver.groups(chain).unwrap_or(Ok(Vec::new()))?;
        for group in &mut groups {
            let count = group.physical_device_count as usize;
            for member in group.physical_devices.iter_mut().take(count) {
                *member = self.device_of(driver, *member)?;
            }
        }
        Ok(groups)
    }

    fn set_callbacks(&mut self, callbacks: *const vk::AllocationCallbacks<'static>) {
        if let Some(driver) = self.opened.get_mut() {
            driver.callbacks = callbacks;
        }
    }

    fn defer(&self, messenger: DeferredMessenger) -> Result<bool, OutOfMemory> {
        self.defer_messenger(messenger)
    }

    fn drop_deferred(&self, object: usize) {
        self.drop_messenger(object);
    }
}

impl Drop for OnDemandDriver {
    fn drop(&mut self) {
        let (waiting, allocator) = (self.waiting(), self.instance().allocator);
        for device in self.devices.take(waiting) {
            // SAFETY: `add_device` leaked the box into this list, with this allocator, and nothing uses it any more.
            drop(unsafe { Box::from_non_null_in(device.0, allocator) });
        }
    }
}

/// The function of a driver's handle that opens the driver.
unsafe extern "C" fn open_driver(handle: *const OnDemandHandle) -> *const Target {
    // SAFETY: only the handle at the beginning of a driver has this function.
    let driver = unsafe { &*handle.cast::<OnDemandDriver>() };
    driver.open();
    target_of(&driver.handle, driver)
}

/// Returns the target of a handle whose driver has been opened. A driver that calls back while it is opened gets
/// failures.
fn target_of(handle: &OnDemandHandle, driver: &OnDemandDriver) -> *const Target {
    handle.target().map_or(&raw const driver.failing_target, core::ptr::from_ref)
}
