//! The driver of an Android system: a HAL module, found through properties and opened once per
//! process.
//!
//! A process without a driver gets a stub, so that applications find no device instead of an error.
//! A fork creates another process, which searches again: the zygote opened the driver before it
//! became an application, for which the framework may have chosen another one.

pub mod layout;
mod report;
mod search;
mod stub;

pub use report::{Candidate, Decision, FileName, Report, Source, Structure};

use core::ffi::CStr;
use core::ptr::{NonNull, null, null_mut};

use ash::vk;
use loader_core::abi::array;
use loader_core::log::{Level, Topic};
use loader_core::memory::{Counted, Process};
use loader_core::platform::Lock;

use crate::host::Host;
use crate::once::{self, Progress, Turn};
use crate::system::{Door, Library, Statistic};
#[cfg(feature = "apk")]
use crate::trace;
use crate::trace::slice;
use search::{Found, Search};

/// The driver, once it has been searched for.
pub struct Hal {
    state: Lock<State>,
}

/// The process's knowledge of the driver.
struct State {
    progress: Progress<Result<Driver, DoesNotOpen>>,
    /// The driver that is open, opened by this process or the one that it was forked from.
    open: Option<Open>,
    /// The candidates of the last search.
    report: Option<Counted<Report>>,
}

/// A driver's device, and its library.
#[derive(Clone, Copy)]
struct Open {
    driver: Driver,
    library: Library,
}

/// The driver's device: the three functions that lead to all others.
#[derive(Clone, Copy)]
pub struct Driver {
    /// The result of the module's `open`.
    pub device: NonNull<layout::Device>,
    /// Lists the driver's instance extensions.
    pub enumerate_instance_extension_properties: vk::PFN_vkEnumerateInstanceExtensionProperties,
    /// Creates an instance.
    pub create_instance: vk::PFN_vkCreateInstance,
    /// Finds the driver's own functions.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The version of `VK_EXT_debug_report` that the driver has, if any.
    pub debug_report: Option<u32>,
}

// SAFETY: the driver's device does not change after `open`, and any thread may call its functions.
unsafe impl Send for Driver {}
// SAFETY: the driver's device does not change after `open`, and any thread may call its functions.
unsafe impl Sync for Driver {}

/// A driver was found and did not open. Then vkCreateInstance returns INITIALIZATION_FAILED, and
/// the enumerations return OUT_OF_HOST_MEMORY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotOpen;

impl Hal {
    /// Creates the state before any search.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: Lock::new(State { progress: Progress::NotBegun, open: None, report: None }) }
    }

    /// Returns the driver of this process: the open one, or else a stub without devices. Searches
    /// for it the first time, and again after a fork. Other threads wait meanwhile; a driver that
    /// calls Vulkan while being opened gets the stub.
    ///
    /// # Errors
    /// [`DoesNotOpen`].
    pub fn driver(&self, host: &'static Host) -> Result<Driver, DoesNotOpen> {
        match once::turn(host.system, &self.state, |state| &mut state.progress) {
            Turn::Take(result) => return result,
            Turn::Within => return Ok(stub::driver()),
            Turn::Look => {}
        }
        let open = self.state.lock(host.system).open.take();
        host.enter();
        self.search(host, open)
    }

    /// Makes the module in this open library the driver: an application has brought it. If it is
    /// none, nothing changes, except that a module whose `open` was called must stay open
    /// ([`Decision::has_begun`]).
    ///
    /// Such a module may be untested on this device, so its tags and versions are checked, unlike
    /// the system's.
    ///
    /// # Errors
    /// Why it cannot be the driver.
    ///
    /// # Safety
    /// If the library has the symbol of a HAL module, it has a module's size, its pointers are NULL
    /// or valid, and no other code writes to it.
    #[cfg(feature = "apk")]
    pub(crate) unsafe fn bring(&self, host: &'static Host, library: Library) -> Result<(), Decision> {
        // SAFETY: by this function's `# Safety` the symbol has the size and the pointers of a
        // module, and `check_layout` comes first.
        let mut driver = unsafe {
            search::check_layout(host.system, library)?;
            open(search::module_of(host.system, library)?)?
        };
        // SAFETY: `open` returned this device, which the module created.
        unsafe { layout::check_device(driver.device) }?;
        host.enter();
        trace::find(host.system);
        driver.debug_report = version_of(host, &driver, vk::EXT_DEBUG_REPORT_NAME);
        let mut state = self.state.lock(host.system);
        state.progress = Progress::Done { process: host.system.process(), result: Ok(driver) };
        state.open = Some(Open { driver, library });
        Ok(())
    }

    /// Returns all candidates of the last search. Returns `None` before any search, or if memory
    /// was short.
    #[must_use]
    pub fn report(&self, host: &Host) -> Option<Counted<Report>> {
        self.state.lock(host.system).report.clone()
    }

    /// Searches for the driver, or keeps the open one, and records the result for this process.
    fn search(&self, host: &Host, open: Option<Open>) -> Result<Driver, DoesNotOpen> {
        let _slice = slice(c"Open");
        let (open, result, report) = match open {
            Some(open) if !is_replaced(host, &open) => (Some(open), Ok(open.driver), None),
            other => {
                if let Some(open) = other {
                    unload(host, &open);
                }
                let mut search = Search { host, report: Report::default() };
                let began = host.system.now();
                let loaded = load(&mut search);
                let nanoseconds = host.system.now().saturating_sub(began);
                let is_loaded = matches!(loaded, Ok(Some(_)));
                host.system.count(Statistic::DriverLoaded { loaded: is_loaded, nanoseconds });
                let result = loaded.map(|open| open.map_or_else(stub::driver, |open| open.driver));
                (loaded.ok().flatten(), result, Counted::try_new(search.report).ok())
            }
        };
        let mut state = self.state.lock(host.system);
        state.progress = Progress::Done { process: host.system.process(), result };
        state.open = open;
        let report = report.and_then(|report| state.report.replace(report));
        drop(state);
        // The report of the previous process is freed without the lock.
        drop(report);
        result
    }
}

impl Default for Hal {
    fn default() -> Self {
        Self::new()
    }
}

impl Driver {
    /// Returns whether this stands in for a driver that the system does not have.
    #[must_use]
    pub fn is_stub(&self) -> bool {
        stub::is(self)
    }
}

/// Returns whether the framework has chosen another driver for this process than the open one.
fn is_replaced(host: &Host, open: &Open) -> bool {
    let updatable = host.system.updatable_driver();
    updatable.is_some_and(|namespace| open.library.door != Door::Namespace(namespace))
}

/// Releases a driver that another one replaces.
fn unload(host: &Host, open: &Open) {
    // SAFETY: the device is open, and nothing in this process uses the driver: it was forked from a
    // process without instances, or else those are not valid here.
    unsafe {
        let device = open.driver.device.as_ptr();
        if let Some(close) = (*device).close {
            close(device);
        }
        host.system.close(open.library);
    }
}

/// Finds and opens the driver. Returns `None` if the system has none.
fn load(search: &mut Search<'_>) -> Result<Option<Open>, DoesNotOpen> {
    let host = search.host;
    let Some(Found { candidate, library, module }) = search.module() else {
        let why = search.report.why_none();
        host.log(
            Level::Error,
            Topic::Driver,
            format_args!("there is no Vulkan driver, so applications find no device: {why}"),
        );
        return Ok(None);
    };
    // SAFETY: `Search::module` only returns modules for Vulkan.
    match unsafe { open(module) } {
        Ok(mut driver) => {
            search.note(candidate);
            driver.debug_report = version_of(host, &driver, vk::EXT_DEBUG_REPORT_NAME);
            Ok(Some(Open { driver, library }))
        }
        Err(decision) => {
            // The library stays open: its code has run, and may have started threads.
            search.note(Candidate { decision, ..candidate });
            Err(DoesNotOpen)
        }
    }
}

/// The name of the device to open in Vulkan modules (`HWVULKAN_DEVICE_0`).
const DEVICE_ID: &CStr = c"vk0";

/// Opens the module's device.
///
/// # Safety
/// `module` is a module for Vulkan: its `methods` are NULL or valid.
unsafe fn open(module: NonNull<layout::Module>) -> Result<Driver, Decision> {
    let mut device = null_mut();
    let slice = slice(c"hwvulkan module open");
    // SAFETY: by this function's `# Safety` the module is one for Vulkan, whose `open` takes the
    // module, a name and a place for the device.
    let result = unsafe {
        let methods = (*module.as_ptr()).methods.as_ref();
        let open = methods.and_then(|methods| methods.open).ok_or(Decision::NoOpen)?;
        open(module.as_ptr(), DEVICE_ID.as_ptr(), &mut device)
    };
    drop(slice);
    if result != 0 {
        return Err(Decision::OpenFailed { result });
    }
    let device = NonNull::new(device).ok_or(Decision::IncompleteDevice)?;
    // SAFETY: the module's `open` succeeded and returned this device, which is not NULL.
    let functions = unsafe { device.as_ref() };
    let (Some(enumerate_instance_extension_properties), Some(create_instance), Some(get_instance_proc_addr)) = (
        functions.enumerate_instance_extension_properties,
        functions.create_instance,
        functions.get_instance_proc_addr,
    ) else {
        return Err(Decision::IncompleteDevice);
    };
    Ok(Driver {
        device,
        enumerate_instance_extension_properties,
        create_instance,
        get_instance_proc_addr,
        debug_report: None,
    })
}

/// Returns the driver's version of an instance extension, if it has it.
fn version_of(host: &Host, driver: &Driver, name: &CStr) -> Option<u32> {
    let extensions = array::collect(Process, vk::ExtensionProperties::default(), |count, out| {
        // SAFETY: `collect` passes a counted out-array, and the layer name is NULL, as drivers
        // expect it.
        unsafe { (driver.enumerate_instance_extension_properties)(null(), count, out) }
    });
    match extensions {
        Ok(extensions) => {
            let has = |one: &&vk::ExtensionProperties| one.extension_name_as_c_str() == Ok(name);
            extensions.iter().find(has).map(|extension| extension.spec_version)
        }
        Err(result) => {
            host.log(
                Level::Warning,
                Topic::Driver,
                format_args!(
                    "the driver's vkEnumerateInstanceExtensionProperties returned {}: it is used without {}",
                    result.as_raw(),
                    name.to_str().unwrap_or_default(),
                ),
            );
            None
        }
    }
}
