//! vkEnumeratePhysicalDevices at the lower end of the call chain: one object of the loader for each
//! of the drivers' devices.

use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};

use super::sorting::{Preference, order};
use crate::abi::{array, name};
use crate::discovery::choose_devices;
use crate::dispatch::{Handle, HandleKind};
use crate::drivers::log_outcome;
use crate::log::{Level, Topic};
use crate::logger::{Log, Logger};
use crate::memory::{Box, Escaped, OrOutOfMemory, OutOfMemory, TryGrow, Vec, sort_by};
use crate::negotiation::DriverStatus;
use crate::objects::handle;
use crate::objects::instance::Instance;
use crate::objects::instance::driver::{DeviceFacts, DriverInstance, PhysicalDevice};
use crate::objects::listed_ptr::ListedPtr;
use crate::platform::variables;
use crate::registry::command;

impl Instance {
    /// Returns the object for the device that `driver` knows as `handle`. The same device gets the same
    /// object until the instance is destroyed.
    pub(super) fn physical_device(
        &self,
        driver: &DriverInstance,
        handle: vk::PhysicalDevice,
    ) -> Result<&PhysicalDevice, OutOfMemory> {
        let waiting = self.loader.platform.waiting;
        let is_same = |known: &ListedPtr<PhysicalDevice>| {
            // SAFETY: the list keeps its physical devices alive until the instance is destroyed.
            unsafe { known.0.as_ref() }.driver_handle() == handle
        };
        let known = driver.devices.read(waiting, |known| known.iter().find(|known| is_same(known)).copied());
        let found = match known {
            Some(known) => known,
            None => {
                let lower = core::ptr::with_exposed_provenance_mut(handle.as_raw() as usize);
                let (upper, below) = (&raw const *self.table, &raw const *driver.table);
                let made = PhysicalDevice {
                    handle: Handle::new(
                        HandleKind::PhysicalDevice,
                        upper,
                        below,
                        lower,
                        core::ptr::from_ref(self).cast(),
                    ),
                    driver: NonNull::from(driver),
                    facts: DeviceFacts::of(driver, handle),
                };
                let made = ListedPtr(Box::into_non_null(Box::try_new_in(made, self.allocator)?));
                let inserted = driver.devices.find_or_insert(waiting, made, is_same);
                if !matches!(inserted, Ok((_, true))) {
                    // SAFETY: `made` is the box leaked just above. The list did not take it, so no other code
                    // has seen it.
                    drop(unsafe { Box::from_non_null_in(made.0, self.allocator) });
                }
                inserted?.0
            }
        };
        // SAFETY: the list keeps it alive until the instance is destroyed.
        Ok(unsafe { found.0.as_ref() })
    }

    /// Returns all devices of all drivers; if `ordered`, in the order in which applications see them.
    ///
    /// # Errors
    /// `ERROR_INITIALIZATION_FAILED` if no driver has a device, except if the drivers are other loaders, which
    /// list none on a system without a driver; `ERROR_OUT_OF_HOST_MEMORY`.
    pub(super) fn enumerate(&self, ordered: bool) -> Result<Vec<&PhysicalDevice>, vk::Result> {
        let mut all: Vec<&PhysicalDevice> = Vec::new();
        let mut may_be_empty = self.loader.flavour.handles.are_looked_up();
        for driver in self.drivers.iter().rev() {
            match driver.physical_devices() {
                Ok(handles) => {
                    let first = all.len();
                    for handle in &handles {
                        let device = self.physical_device(driver, *handle)?;
                        let own = all.get(first..).unwrap_or_default();
                        if !own.iter().any(|known| core::ptr::eq(*known, device)) {
                            all.try_push(device)?;
                        }
                    }
                }
                Err(OrOutOfMemory::OutOfMemory) => return Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY),
                Err(OrOutOfMemory::Failed(outcome)) => {
                    may_be_empty = false;
                    log_outcome(&self.logger, &driver.driver.library_path, &outcome);
                }
            }
        }
        if self.loader.flavour.refuses_software_devices {
            all.retain(|device| !is_software(device));
        }
        if all.is_empty() {
            let hint = if self.loader.flavour.refuses_software_devices {
                " that is not software, which this build of the loader refuses"
            } else if self.loader.flavour.handles.are_looked_up() {
                ""
            } else {
                "; check that the devices' kernel drivers are loaded and that this user may open them (/dev/dri, /dev/nvidia*)"
            };
            let refuses = self.loader.flavour.refuses_software_devices;
            let log: Log = if refuses { Logger::log_always } else { Logger::log };
            log(
                &self.logger,
                Level::Error,
                Topic::Driver,
                format_args!("none of the {} drivers in use has a physical device{hint}", self.drivers.len()),
            );
            if may_be_empty {
                return Ok(all);
            }
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        if self.lists_software_devices_last()? {
            leave_out_software(&mut all);
        }
        if self.sorted && ordered && all.len() > 1 {
            let preference = Preference::from_environment(self.loader)?;
            sort_by(&mut all, |one, other| order(&one.facts, &other.facts));
            if let Some(wanted) = preference.wanted() {
                wanted.put_first(&mut all);
            }
        }
        self.choose(all)
    }

    /// Returns whether software devices are listed only if no other device is there: the variable decides, then the settings
    /// file, then the build.
    fn lists_software_devices_last(&self) -> Result<bool, OutOfMemory> {
        let by_settings = self.logger.settings.software_devices_last();
        let by_default = by_settings.unwrap_or(self.loader.flavour.software_devices_last);
        self.loader.platform.option(variables::VK_LOADER_X_SOFTWARE_DEVICES_LAST, by_default)
    }

    /// Leaves out the devices that the settings file does not list. Filters are applied above the
    /// layers (`enumeration.rs`).
    fn choose<'a>(&'a self, all: Vec<&'a PhysicalDevice>) -> Result<Vec<&'a PhysicalDevice>, vk::Result> {
        let Some(listed) = self.logger.settings.devices() else { return Ok(all) };
        let mut ids = Vec::new();
        for device in &all {
            ids.try_push(super::sorting::ids(device))?;
        }
        for setting in listed {
            if !ids.iter().any(|device| setting.matches(device)) {
                let name = Escaped(&setting.device_name);
                crate::log!(self.logger, Warning, Driver:
                    "the settings file lists the device \"{name}\", which is not here");
            }
        }
        let mut chosen = Vec::new();
        for index in choose_devices(&ids, listed)? {
            if let Some(device) = all.get(index) {
                chosen.try_push(*device)?;
            }
        }
        if chosen.is_empty() {
            crate::log!(self.logger, Error, Driver:
                "none of the devices that the settings file lists is present");
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        Ok(chosen)
    }

    pub(super) fn log_enumeration(&self, driver: &DriverInstance, result: vk::Result) {
        let outcome = DriverStatus::EnumerationFailed { result: result.as_raw() };
        log_outcome(&self.logger, &driver.driver.library_path, &outcome);
    }
}

/// Leaves out software devices if any other device is there.
fn leave_out_software(all: &mut Vec<&PhysicalDevice>) {
    if !all.iter().all(is_software) {
        all.retain(|device| !is_software(device));
    }
}

fn is_software(device: &&PhysicalDevice) -> bool {
    device.facts.kind == vk::PhysicalDeviceType::CPU.as_raw()
}

pub(super) unsafe extern "system" fn enumerate_physical_devices(
    instance: vk::Instance,
    count: *mut u32,
    devices: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: `handle::instance` aborts for a bad handle; valid usage of the command obliges the
    // application to pass a counted out-array.
    unsafe {
        let instance = handle::instance(instance, command::ENUMERATE_PHYSICAL_DEVICES);
        let found = instance.enumerate(!devices.is_null()).inspect(|all| {
            if !devices.is_null() {
                log_order(instance, all);
            }
        });
        match found.and_then(|all| handles(&all)) {
            Ok(all) => deliver(instance, &all, count, devices),
            Err(error) => error,
        }
    }
}

/// Logs which driver has which device, in the order in which the application gets them; again only
/// if that has changed.
fn log_order(instance: &Instance, all: &[&PhysicalDevice]) {
    let address = |device: &&PhysicalDevice| core::ptr::from_ref::<PhysicalDevice>(device).addr();
    let order = all.iter().fold(1usize, |order, device| order.rotate_left(5) ^ address(device));
    if !(instance.logger.wants(Level::Info, Topic::Driver)
        || instance.logger.wants(Level::Warning, Topic::Driver))
        || instance.told_order.swap(order, Ordering::Relaxed) == order
    {
        return;
    }
    if let (true, Ok(preference)) = (instance.sorted, Preference::from_environment(instance.loader)) {
        preference.report(&instance.logger, all);
    }
    for (index, device) in all.iter().enumerate() {
        let properties = super::sorting::properties(device.driver(), device.driver_handle());
        let name = name::in_array(&properties.device_name).unwrap_or_default();
        let (name, library) = (Escaped(name.to_bytes()), Escaped(&device.driver().driver.library_path));
        crate::log!(instance.logger, Info, Driver:
            "physical device {index}: {name}, of the driver {library}");
    }
}

fn handles(devices: &[&PhysicalDevice]) -> Result<Vec<vk::PhysicalDevice>, vk::Result> {
    let mut handles = Vec::new();
    for device in devices {
        handles.try_push(device.handle())?;
    }
    Ok(handles)
}

/// Delivers the handles, and logs it if the application's array is too small.
///
/// # Safety
/// `count` and `devices` are a counted out-array.
unsafe fn deliver(
    instance: &Instance,
    all: &[vk::PhysicalDevice],
    count: *mut u32,
    devices: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: by this function's `# Safety` `count` and `devices` are a counted out-array.
    let result = unsafe { array::deliver(all, count, devices) };
    if result == vk::Result::INCOMPLETE {
        crate::log!(instance.logger, Info, Loader:
            "vkEnumeratePhysicalDevices: the application has room for fewer than the {} devices that there \
             are", all.len());
    }
    result
}
