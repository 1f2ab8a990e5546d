//! The driver of an Android system: a HAL module, found through properties and opened once per
//! process.
//!
//! A process without a driver gets a stub, so that applications find no device instead of an error.
//! A fork creates another process, which searches again: the zygote opened the driver before it
//! became an application, for which the framework may have chosen another one.

mod report;
mod search;
mod stub;

pub use report::{Candidate, FileName, ModuleDecision, Report, Source};
pub use stub::is_stub;

use platform_android::hal::{DoesNotOpen, Driver, Open, Search, open};
use platform_android::host::Host;
use platform_android::system::{OpenMethod, Statistic};
use platform_android::trace::slice;
use vkload_core::memory::Arc;
use vkload_core::platform::Lock;

use search::{Found, Sources};

pub struct DriverSearch {
    /// The candidates of the last search.
    report: Lock<Option<Arc<Report>>>,
}

impl DriverSearch {
    pub const fn new() -> Self {
        Self { report: Lock::new(None) }
    }

    /// Returns all candidates of the last search. Returns `None` before any search, or if memory
    /// was short.
    pub fn report(&self, host: &Host) -> Option<Arc<Report>> {
        self.report.lock(host.system).clone()
    }
}

impl Default for DriverSearch {
    fn default() -> Self {
        Self::new()
    }
}

impl Search for DriverSearch {
    fn search(&self, host: &'static Host, open: Option<Open>) -> (Option<Open>, Result<Driver, DoesNotOpen>) {
        let _slice = slice(c"Open");
        if let Some(open) = open {
            if !is_replaced(host, &open) {
                return (Some(open), Ok(open.driver));
            }
            unload(host, &open);
        }
        let mut sources = Sources { host, report: Report::default() };
        let began = host.system.now();
        let loaded = load(&mut sources);
        let nanoseconds = host.system.now().saturating_sub(began);
        let is_loaded = matches!(loaded, Ok(Some(_)));
        host.system.count(Statistic::DriverLoaded { loaded: is_loaded, nanoseconds });
        if let Ok(report) = Arc::try_new(sources.report) {
            let replaced = self.report.lock(host.system).replace(report);
            // The report of the previous process is freed without the lock.
            drop(replaced);
        }
        let result = loaded.map(|open| open.map_or_else(stub::driver, |open| open.driver));
        (loaded.ok().flatten(), result)
    }

    fn meanwhile(&self) -> Result<Driver, DoesNotOpen> {
        Ok(stub::driver())
    }
}

/// Returns whether the framework has chosen another driver for this process than the open one.
fn is_replaced(host: &Host, open: &Open) -> bool {
    let updatable = host.system.updatable_driver();
    updatable.is_some_and(|namespace| open.library.method != OpenMethod::Namespace(namespace))
}

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

fn load(sources: &mut Sources<'_>) -> Result<Option<Open>, DoesNotOpen> {
    let host = sources.host;
    let Some(Found { candidate, library, module }) = sources.module() else {
        let why = sources.report.why_none();
        vkload_core::log!(host, Error, Driver:
            "there is no Vulkan driver, so applications find no device: {why}");
        return Ok(None);
    };
    // SAFETY: `Sources::module` only returns modules for Vulkan.
    match unsafe { open(module) } {
        Ok(mut driver) => {
            sources.note(candidate);
            driver.find_debug_report(host);
            Ok(Some(Open { driver, library }))
        }
        Err(fault) => {
            // The library stays open: its code has run, and may have started threads.
            sources.note(Candidate { decision: fault.into(), ..candidate });
            Err(DoesNotOpen)
        }
    }
}
