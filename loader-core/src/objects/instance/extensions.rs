//! Instance extensions: the available ones, and those that an instance has enabled.

use core::ffi::CStr;

use ash::vk;

use crate::abi::extensions::merge;
use crate::abi::{array, name};
use crate::drivers::{DriverRef, FoundDrivers};
use crate::loader::Loader;
use crate::logger::Logger;
use crate::memory::{Escaped, Vec};
use crate::negotiation::VkResult;
use crate::platform::variables;
use crate::registry::{ExtensionId, ExtensionKind, extension, find_extension};

/// The extensions that the loader itself provides, in the order of the reports, after the drivers'
/// extensions.
const OWN: [ExtensionId; 4] = [
    extension::EXT_DEBUG_REPORT,
    extension::EXT_DEBUG_UTILS,
    extension::KHR_PORTABILITY_ENUMERATION,
    extension::LUNARG_DIRECT_DRIVER_LOADING,
];

/// Returns all instance extensions of the loader and the drivers, each once, in the first version found.
///
/// Extensions that the registry does not know are hidden, because the loader cannot know whether
/// their commands need its support; unless `VK_LOADER_DISABLE_INST_EXT_FILTER` is a number other than 0.
pub fn instance_extensions(
    loader: &Loader,
    drivers: Option<&FoundDrivers>,
    logger: &Logger,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let unfiltered = loader.platform.switch(variables::VK_LOADER_DISABLE_INST_EXT_FILTER)?;
    let mut all = Vec::new();
    let add = |extension: &vk::ExtensionProperties| {
        let name = name::in_array(&extension.extension_name);
        let counts = unfiltered || name.is_some_and(|name| is_known(loader, name));
        if counts { merge(&mut all, extension) } else { Ok(()) }
    };
    let failed = |driver: &DriverRef, result: vk::Result| {
        crate::log!(logger, Warning, Driver:
            "{}: vkEnumerateInstanceExtensionProperties of the driver returned {}",
            Escaped(&driver.library_path), VkResult(result.as_raw()));
    };
    drivers.map_or(Ok(()), |drivers| drivers.each_extension(add, failed))?;
    for id in OWN {
        merge(&mut all, &properties(id))?;
    }
    Ok(all)
}

#[inline]
pub(crate) fn is_known(loader: &Loader, name: &CStr) -> bool {
    find_extension(name.to_bytes())
        .is_some_and(|id| id.kind() == ExtensionKind::Instance && loader.flavour.extensions.contains(id))
}

fn properties(id: ExtensionId) -> vk::ExtensionProperties {
    let mut properties = vk::ExtensionProperties { spec_version: id.spec_version(), ..Default::default() };
    name::fill(&mut properties.extension_name, id.name().to_bytes());
    properties
}

/// Checks that every extension that the application requests is one of `available`.
///
/// # Errors
/// `ERROR_EXTENSION_NOT_PRESENT`, after logging the name.
pub(crate) fn check_requested<'a>(
    requested: impl Iterator<Item = &'a CStr>,
    available: &[vk::ExtensionProperties],
    owner: &str,
    logger: &Logger,
) -> Result<(), vk::Result> {
    for wanted in requested {
        if !available.iter().any(|extension| name::is(extension, wanted)) {
            crate::log!(logger, Error, Loader:
                "the application asks for the {owner} extension {}, which is not available; `vulkaninfo` \
                 lists those that are", Escaped(wanted.to_bytes()));
            return Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        }
    }
    Ok(())
}

/// Returns the device extensions that `enumerate` reports for a driver's physical device.
pub(crate) fn of_device(
    enumerate: vk::PFN_vkEnumerateDeviceExtensionProperties,
    device: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    array::collect(crate::memory::Process, vk::ExtensionProperties::default(), |count, out| {
        // SAFETY: every caller passes a handle that belongs to `enumerate`; `collect` passes a
        // counted out-array, and no layer is named.
        unsafe { enumerate(device, core::ptr::null(), count, out) }
    })
}
