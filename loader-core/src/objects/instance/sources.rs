//! The drivers of an instance: the drivers that discovery found, and those that the application passed.

use core::ffi::CStr;
use core::fmt;

use ash::vk;

use super::extensions;
use crate::abi::chain;
use crate::abi::extensions::merge;
use crate::discovery::Request;
use crate::drivers::{Driver, FoundDrivers, log_outcome, report_no_driver};
use crate::loader::Loader;
use crate::logger::Logger;
use crate::memory::{Arc, Escaped, Text, TryGrow, Vec, format_into};
use crate::negotiation::DriverStatus;
use crate::registry::{ExtensionSet, extension};

pub(crate) struct Sources {
    /// The drivers that discovery found; `None` if the application wants only those that it passed.
    pub discovered: Option<Arc<FoundDrivers>>,
    /// Drivers that the application passed. They come before the discovered ones.
    pub direct: Vec<Driver>,
}

impl Sources {
    /// Finds and opens the drivers for an instance with this create info.
    ///
    /// # Safety
    /// The create info's chain is a pNext chain whose structures match their `sType`, and
    /// the functions in its list of drivers behave as a driver's vkGetInstanceProcAddr.
    pub(crate) unsafe fn new(
        loader: &'static Loader,
        info: &vk::InstanceCreateInfo<'_>,
        enabled: &ExtensionSet,
        request: Request,
        logger: &Logger,
    ) -> Result<Self, vk::Result> {
        let mut sources = Self { discovered: None, direct: Vec::new() };
        let mut exclusive = false;
        if enabled.contains(extension::LUNARG_DIRECT_DRIVER_LOADING) {
            // SAFETY: by this function's `# Safety` the chain is a pNext chain whose structures are
            // what their `sType` says, and the functions in the list behave as a driver's
            // vkGetInstanceProcAddr.
            unsafe {
                let list = chain::find::<vk::DirectDriverLoadingListLUNARG<'_>>(info.p_next);
                exclusive =
                    list.is_some_and(|list| list.mode == vk::DirectDriverLoadingModeLUNARG::EXCLUSIVE);
                sources.add_direct(loader, list, logger)?;
            }
        }
        if !exclusive {
            sources.discovered = Some(loader.discover(request, logger)?);
        }
        Ok(sources)
    }

    pub(crate) fn are_none(&self) -> bool {
        self.direct.is_empty() && self.discovered.as_ref().is_none_or(|found| found.open.is_empty())
    }

    /// Reports why no driver can be used, given the outcomes of creating instances of the open
    /// ones. What the application may have caused itself comes first.
    pub(crate) fn report_none(
        &self,
        loader: &Loader,
        logger: &Logger,
        outcomes: &[(usize, DriverStatus)],
        request: &OddRequest<'_>,
    ) -> vk::Result {
        let platform = loader.platform;
        if let Some(discovered) = &self.discovered {
            let (best, more) = (discovered.best_reason(outcomes), (loader.flavour.more_about_drivers)());
            let plan = &logger.settings.known.plan;
            let only = plan.in_force().is_some_and(|settings| settings.additional_drivers_use_exclusively);
            let only = OnlyListed(only.then_some(&plan.path));
            report_no_driver(platform, logger, format_args!("{request}{best}{only}{more}"));
        } else {
            report_no_driver(
                platform,
                logger,
                format_args!(
                    "{request}the application wants only the drivers that it gave, and none of them can be used; \
                     `VK_LOADER_DEBUG=driver` logs the reason"
                ),
            );
        }
        vk::Result::ERROR_INCOMPATIBLE_DRIVER
    }

    /// Adds the drivers of the list, by the rules of VK_LUNARG_direct_driver_loading. Unusable ones
    /// are logged and skipped.
    ///
    /// # Safety
    /// The list's drivers are a counted array, and the functions in it behave as a driver's
    /// vkGetInstanceProcAddr.
    unsafe fn add_direct(
        &mut self,
        loader: &'static Loader,
        list: Option<&vk::DirectDriverLoadingListLUNARG<'_>>,
        logger: &Logger,
    ) -> Result<(), vk::Result> {
        // Programs that enable every extension pass no list; an empty one is probably a mistake.
        let Some(list) = list else {
            let message =
                "VK_LUNARG_direct_driver_loading is enabled without VkDirectDriverLoadingListLUNARG";
            crate::log!(logger, Info, Driver: "{message}");
            return Ok(());
        };
        if list.driver_count == 0 || list.p_drivers.is_null() {
            let message =
                "VkDirectDriverLoadingListLUNARG names no driver (driverCount is 0 or pDrivers is NULL)";
            crate::log!(logger, Warning, Driver: "{message}");
            return Ok(());
        }
        for index in 0..list.driver_count as usize {
            // SAFETY: by this function's `# Safety` the array has `driverCount` elements, and their
            // functions behave as a driver's vkGetInstanceProcAddr.
            let opened = unsafe {
                (*list.p_drivers.add(index))
                    .pfn_get_instance_proc_addr
                    .map(|function| Driver::direct(function, &loader.drivers, loader.platform.waiting))
            };
            match opened {
                Some(Ok(driver)) => self.direct.try_push(driver)?,
                Some(Err(outcome)) => log_direct(logger, index, &outcome),
                None => {
                    crate::log!(logger, Warning, Driver:
                        "driver {index} that the application gave has no function");
                }
            }
        }
        Ok(())
    }

    /// Returns the instance extensions that an application may enable.
    pub(crate) fn extensions(
        &self,
        loader: &Loader,
        logger: &Logger,
    ) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let mut all = extensions::instance_extensions(loader, self.discovered.as_deref(), logger)?;
        for driver in &self.direct {
            for extension in driver.instance_extensions().iter().flatten() {
                merge(&mut all, extension)?;
            }
        }
        Ok(all)
    }
}

/// The settings file that lists all drivers, if one does. Displayed to follow a reason.
struct OnlyListed<'a>(Option<&'a Text>);

impl fmt::Display for OnlyListed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(path) = self.0 else { return Ok(()) };
        write!(
            f,
            "; the settings file {} lists all drivers (\"additional_drivers_use_exclusively\")",
            Escaped(path)
        )
    }
}

/// The parts of an application's request that make every driver fail. Displayed with a separator at the end, or
/// not at all.
pub(crate) struct OddRequest<'a> {
    pub api_version: u32,
    /// A requested extension that neither the registry nor a layer has.
    pub extension: Option<&'a CStr>,
}

impl fmt::Display for OddRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.api_version;
        if version != 0 && version.wrapping_sub(vk::API_VERSION_1_0) >= 1 << 22 {
            write!(
                f,
                "the application's apiVersion {version:#x} is not a version of Vulkan 1: make it with VK_MAKE_API_VERSION; "
            )?;
        }
        if let Some(name) = self.extension {
            let name = Escaped(name.to_bytes());
            write!(
                f,
                "the application asks for {name}, which is not an instance extension of this system; "
            )?;
        }
        Ok(())
    }
}

fn log_direct(logger: &Logger, index: usize, outcome: &DriverStatus) {
    let mut name = Vec::new();
    format_into(&mut name, format_args!("driver {index} that the application gave"));
    log_outcome(logger, &name, outcome);
}
