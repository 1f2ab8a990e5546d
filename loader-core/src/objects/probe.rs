//! What an instance of a driver comes to: for tools that explain. No command of Vulkan leads here.

use ash::vk::{self, Handle as _};

use super::driver::{DriverInstance, DriverOfInstance, DriverRef, OpenError};
use crate::discovery::Outcome;
use crate::manifest::Version;
use crate::memory::{Application, OutOfMemory};
use crate::registry::ExtensionSet;

/// Makes an instance of `driver` alone, without extensions, counts its devices, and destroys it again.
///
/// # Errors
/// [`OutOfMemory`], of the loader or of the driver.
pub fn probe(driver: DriverRef) -> Result<Outcome, OutOfMemory> {
    let newest = if driver.api_version < Version::new(1, 1, 0) {
        vk::API_VERSION_1_0
    } else {
        vk::make_api_version(0, 1, driver.api_version.minor.into(), 0)
    };
    let application = vk::ApplicationInfo::default().application_name(c"vkload").api_version(newest);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    let mut handle = vk::Instance::null();
    // SAFETY: the create info is valid and asks for nothing; the driver's function has the type of its name.
    let made = unsafe {
        let allocator = Application::new(core::ptr::null(), vk::SystemAllocationScope::INSTANCE);
        let result = (driver.interface.create_instance)(&raw const info, core::ptr::null(), &raw mut handle);
        if result == vk::Result::ERROR_OUT_OF_HOST_MEMORY {
            return Err(OutOfMemory);
        }
        if result != vk::Result::SUCCESS || handle.is_null() {
            return Ok(Outcome::CreateInstanceFailed { result: result.as_raw() });
        }
        let owner = DriverOfInstance::Discovered(driver);
        DriverInstance::new(owner, handle, None, ExtensionSet::default(), allocator)
    };
    let made = match made {
        Ok(made) => made,
        Err(OpenError::OutOfMemory) => return Err(OutOfMemory),
        Err(OpenError::Refused(outcome)) => return Ok(outcome),
    };
    Ok(match made.physical_devices() {
        Ok(devices) if devices.is_empty() => Outcome::NoDevices,
        Ok(devices) => Outcome::Used {
            interface: driver.interface.version,
            devices: u32::try_from(devices.len()).unwrap_or(u32::MAX),
        },
        Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY) => return Err(OutOfMemory),
        Err(result) => Outcome::EnumerationFailed { result: result.as_raw() },
    })
}
