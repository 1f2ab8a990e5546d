//! Determines the outcome of creating a driver's instance, for diagnostic tools. No Vulkan command uses it.

use ash::vk;

use super::driver::{DriverInstance, DriverOfInstance};
use crate::drivers::DriverRef;
use crate::manifest::Version;
use crate::memory::{Application, OrOutOfMemory, OutOfMemory};
use crate::negotiation::DriverStatus;
use crate::registry::ExtensionSet;

/// Creates an instance of `driver` alone, without extensions, counts its devices, and destroys it
/// again.
///
/// # Errors
/// [`OutOfMemory`], in the loader or in the driver.
pub fn probe(driver: DriverRef) -> Result<DriverStatus, OutOfMemory> {
    let newest = if driver.api_version < Version::new(1, 1, 0) {
        vk::API_VERSION_1_0
    } else {
        vk::make_api_version(0, 1, driver.api_version.minor.into(), 0)
    };
    let application = vk::ApplicationInfo::default().application_name(c"vkload").api_version(newest);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the create info is valid and enables nothing, the callbacks are NULL, and no other code knows
    // the driver's instance.
    let made = unsafe {
        let allocator = Application::new(core::ptr::null(), vk::SystemAllocationScope::INSTANCE);
        driver.create_instance(&info, core::ptr::null()).and_then(|handle| {
            let owner = DriverOfInstance::Discovered(driver);
            DriverInstance::new(owner, handle, ExtensionSet::default(), allocator, core::ptr::null())
        })
    };
    let made = match made {
        Ok(made) => made,
        Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
        Err(OrOutOfMemory::Failed(outcome)) => return Ok(outcome),
    };
    Ok(match made.physical_devices() {
        Ok(devices) if devices.is_empty() => DriverStatus::NoDevices,
        Ok(devices) => DriverStatus::Used {
            interface: driver.interface.version,
            devices: u32::try_from(devices.len()).unwrap_or(u32::MAX),
        },
        Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
        Err(OrOutOfMemory::Failed(outcome)) => outcome,
    })
}
