//! The trait that a driver implements.

use ash::vk;
use vkload_core::registry::ExtensionSet;

use crate::device::{Device, DeviceRequest, Lost, Queue, QueueInfo};
use crate::dispatch::{DispatchTable, EntryPoints, PrivateCommand};
use crate::driver_types::SyncObject;
use crate::drm::DrmDevice;
use crate::extensions::Unlisted;
use crate::features::UnlistedFeatures;
use crate::host::Host;
use crate::instance::{Enumeration, Instance, InstanceRequest};
use crate::physical_device::{Chainable, Description, PhysicalDevice};
use crate::result::{
    CreateDeviceError, CreateInstanceError, EnumerateError, ExportError, ImportError, SubmitError,
};
use crate::sync_object::{Handle, HandleKind, SyncType};
use crate::trace::TraceSettings;
use crate::work::{HostWait, Work};

/// A driver: its parts of the runtime's objects, and its own commands.
pub trait Driver: Sized + Send + Sync + 'static {
    /// The driver's part of an instance.
    type Instance: Send + Sync;
    /// The driver's part of a physical device.
    type PhysicalDevice: Send + Sync;
    /// The driver's part of a device.
    type Device: Send + Sync;
    /// The driver's part of a queue.
    type Queue: Send + Sync;

    /// The driver's synchronisation objects, of whichever of its types.
    type Sync: SyncObject;

    /// The types of its synchronisation objects, the preferred ones first, for physical devices whose [`Description`] lists none.
    /// A list that cannot work does not compile: [`SyncTypeError`](crate::sync_object::SyncTypeError) has the rules.
    const SYNC_TYPES: &'static [SyncType];
    /// The commands that the driver implements itself. They take precedence over the runtime's. Of two forms of a
    /// command, such as `vkCmdCopyBuffer` and `vkCmdCopyBuffer2`, the second is enough: [`manual`](crate::manual) lists the
    /// first forms that the runtime implements.
    const COMMANDS: EntryPoints<Self> = EntryPoints::NONE;
    /// Functions for commands that neither the driver nor the runtime implements in any form: they do nothing, or
    /// fail, as those of [`default_commands`](crate::default_commands) do.
    const DEFAULTS: EntryPoints<Self> = EntryPoints::NONE;
    /// Window-system commands, if other code than the driver implements them; they take precedence over the
    /// runtime's.
    const WINDOW_SYSTEM: EntryPoints<Self> = EntryPoints::NONE;

    /// Instance extensions that the registry does not list, with their versions, for unpublished extensions. Desktop
    /// loaders hide them from applications unless `VK_LOADER_DISABLE_INST_EXT_FILTER` is set.
    /// [`EnabledExtensions::has_unlisted`](crate::extensions::EnabledExtensions::has_unlisted) says which are enabled.
    const MORE_INSTANCE_EXTENSIONS: Unlisted = &[];
    /// The same for device extensions, on every physical device: `VK_ANDROID_native_buffer`, or unpublished ones.
    const MORE_DEVICE_EXTENSIONS: Unlisted = &[];
    /// The same if Android's loader has opened the driver as a [HAL module](crate::hal).
    const HAL_DEVICE_EXTENSIONS: Unlisted = Self::MORE_DEVICE_EXTENSIONS;
    /// Structures of features that the registry does not list, of the extensions in the lists above. A query for one goes to
    /// [`Driver::write_features`]. Creating a device fails if the application enables a member that this does not
    /// set, and
    /// [`Enabled::has_unlisted`](crate::features::Enabled::has_unlisted) says which members are enabled.
    const MORE_FEATURES: &'static [UnlistedFeatures] = &[];
    /// Commands that the registry does not list, each of an extension of the lists above. Look-ups treat them like
    /// registry commands: an instance-extension command is found if the extension is enabled; a device-extension
    /// command is found through a device if the extension is enabled there, and through an instance if physical
    /// devices have the extension.
    const PRIVATE_COMMANDS: &'static [PrivateCommand<Self>] = &[];

    /// The clocks that `vkGetCalibratedTimestampsKHR` can read. Host clocks that [`Host::read_clock`] does not know
    /// are left out; `DEVICE` needs [`Driver::device_time`].
    const TIME_DOMAINS: &'static [vk::TimeDomainKHR] = &[];
    /// The clock of the host by which the deviation of calibrated timestamps is measured, in nanoseconds.
    const CALIBRATE_TIME_DOMAIN: vk::TimeDomainKHR = vk::TimeDomainKHR::CLOCK_MONOTONIC;

    /// Returns the host: the system below the driver.
    fn host() -> &'static dyn Host;

    /// Returns the answer of `vkEnumerateInstanceVersion`.
    fn api_version() -> u32;

    /// Returns the instance extensions that the driver has: none by default.
    fn instance_extensions() -> ExtensionSet {
        ExtensionSet::default()
    }

    /// Makes the driver's part of an instance; extensions and version were checked.
    fn create_instance(request: &InstanceRequest<'_>) -> Result<Self::Instance, CreateInstanceError>;

    /// Finds the physical devices, at the first call that needs them. Finding none is success. After an error the
    /// devices found are dropped, and the next call tries again.
    ///
    /// Without this function, or if it returns [`Search::Drm`], every device of DRM is tried with
    /// [`Driver::try_create_for_drm`].
    fn enumerate(
        instance: &Instance<Self>,
        found: &mut Enumeration<'_, Self>,
    ) -> Result<Search, EnumerateError> {
        let _ = (instance, found);
        Ok(Search::Drm)
    }

    /// Writes the properties of an extension, a structure in the chain of `vkGetPhysicalDeviceProperties2` that the runtime
    /// does not write from the [`Description`].
    fn write_properties(device: &PhysicalDevice<Self>, structure: &mut Chainable) {
        let _ = (device, structure);
    }

    /// Writes the features of an extension that the registry does not list, a structure in the chain of
    /// `vkGetPhysicalDeviceFeatures2`. Sets supported features to 1; members start as zero or the application's
    /// values.
    fn write_features(device: &PhysicalDevice<Self>, structure: &mut Chainable) {
        let _ = (device, structure);
    }

    /// Makes the physical device of a device of DRM, or `None` for one that is not of this driver. Each device of the
    /// [list](Host::drm_devices) is offered once, in the order of the addresses.
    ///
    /// # Errors
    /// [`EnumerateError`], which ends the search.
    fn try_create_for_drm(
        instance: &Instance<Self>,
        device: &DrmDevice,
    ) -> Result<Option<(Description, Self::PhysicalDevice)>, EnumerateError> {
        let _ = (instance, device);
        Ok(None)
    }

    /// Makes the driver's part of a device; extensions, features and queues were checked.
    fn create_device(
        physical: &PhysicalDevice<Self>,
        request: &DeviceRequest<'_>,
    ) -> Result<Self::Device, CreateDeviceError>;

    /// Returns whether [`Driver::submit`] may take long on this device, so that every queue has a thread for it in
    /// any timeline mode. Called once, after [`Driver::create_device`] has created the driver's part.
    fn submits_slowly(physical: &PhysicalDevice<Self>, device: &Self::Device) -> bool {
        let _ = (physical, device);
        false
    }

    /// Makes the driver's part of a queue, while its device is created.
    fn create_queue(device: &Device<Self>, info: QueueInfo) -> Result<Self::Queue, CreateDeviceError>;

    /// Makes a synchronisation object of the type with this number in the list of the physical device, or in
    /// [`Driver::SYNC_TYPES`] if it has none.
    fn create_sync(device: &Device<Self>, kind: usize, initial: u64) -> Result<Self::Sync, SubmitError>;

    /// Creates a synchronisation object from an application's handle, for the type with this number, whose
    /// [imports](SyncType::sharing) include the handle's kind. On success the driver owns the handle and closes it if
    /// it does not keep it. Never called for a sync file of -1, which represents a signalled object.
    ///
    /// # Errors
    /// [`ImportError`]; the handle stays the application's.
    fn import_sync(device: &Device<Self>, kind: usize, handle: Handle) -> Result<Self::Sync, ImportError> {
        let _ = (device, kind, handle);
        Err(ImportError::InvalidExternalHandle)
    }

    /// Exports a handle of this kind, which the object's type has among its [exports](SyncType::sharing). For a kind
    /// that [copies](HandleKind::copies) the signal was submitted before, and [`Handle::SIGNALLED`] means that it has
    /// occurred. The object itself does not change. A handle of another kind fails the application's call.
    fn export_sync(
        device: &Device<Self>,
        sync: &Self::Sync,
        kind: HandleKind,
    ) -> Result<Handle, ExportError> {
        let _ = (device, sync, kind);
        Err(ExportError::Unknown)
    }

    /// Creates an object for other processes' use of a memory object, for processes that do not share semaphores. It
    /// is used once. With `signal`, a queue is going to signal it; without, another process has submitted its signal,
    /// and it is only waited for. Returns `None` if the driver does not support this.
    fn create_sync_for_memory(
        device: &Device<Self>,
        memory: vk::DeviceMemory,
        signal: bool,
    ) -> Result<Option<Self::Sync>, SubmitError> {
        let _ = (device, memory, signal);
        Ok(None)
    }

    /// Submits work to a queue, in the order in which it is to be done. Everything that the work waits for was submitted to
    /// some queue before, unless the driver's timelines are [native](crate::sync_object::TimelineMode::Native).
    ///
    /// # Errors
    /// [`SubmitError`]; for a lost device, after [`Device::set_lost`].
    fn submit(queue: &Queue<Self>, work: &Work<'_, Self>) -> Result<(), SubmitError>;

    /// Reads the device's clock in ticks, or returns `None` if it cannot be read.
    fn device_time(device: &Device<Self>) -> Option<u64> {
        let _ = device;
        None
    }

    /// Returns the nanoseconds of a tick of the device's clock, rounded up.
    fn device_time_domain_period(device: &Device<Self>) -> u64 {
        let _ = device;
        1
    }

    /// Returns the trace settings. Called when an instance is created.
    fn trace(request: &InstanceRequest<'_>) -> TraceSettings {
        let _ = request;
        TraceSettings::default()
    }

    /// Captures a trace: of the work since the last call, or of the work that follows, depending on the driver's
    /// tools.
    fn capture_trace(queue: &Queue<Self>) {
        let _ = queue;
    }

    /// Lets a thread of the application wait for fences or semaphores: until all or any of the objects have reached their
    /// values, or the deadline. To come back earlier is allowed, since the runtime looks itself, and calls this again.
    ///
    /// Waits on the host. A driver whose system can sleep on several objects overrides this. By default the thread
    /// sleeps if the objects [wake it](crate::sync_object::Ability::WAKES), and polls otherwise. Called only when the driver
    /// has received all awaited signals; until then the runtime lets the thread sleep.
    fn wait(device: &Device<Self>, wait: &HostWait<'_, Self>) {
        let _ = device;
        wait.rest();
    }

    /// Asks the system whether the device was lost. Called before every submission and after waits, from any thread.
    /// Report a loss with [`Device::set_lost`], the only source of a [`Lost`].
    fn check_status(device: &Device<Self>) -> Result<(), Lost> {
        let _ = device;
        Ok(())
    }
}

/// The next step of the search for physical devices after [`Driver::enumerate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// It is finished.
    Done,
    /// The devices of DRM are tried.
    Drm,
}

/// The tables that the compiler makes for a driver. Every driver has this trait.
pub trait Tables: Driver {
    /// The runtime's own commands.
    const COMMON: EntryPoints<Self>;
    /// All commands: the driver's, the window systems', the runtime's.
    const TABLE: &'static DispatchTable;
}
