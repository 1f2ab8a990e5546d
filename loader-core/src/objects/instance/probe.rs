//! Instances of one driver that live for a moment: what creating one results in, and which layers another loader
//! has turned on in its own.

use ash::vk;

use super::driver::{DriverInstance, DriverOfInstance};
use super::sources::Sources;
use crate::abi::array;
use crate::dispatch::Table as _;
use crate::drivers::DriverRef;
use crate::manifest::Version;
use crate::memory::{Application, OrOutOfMemory, OutOfMemory, Process, TryGrow as _, Vec};
use crate::negotiation::DriverStatus;
use crate::registry::{ExtensionSet, command};

fn create(driver: DriverRef) -> Result<DriverInstance, OrOutOfMemory<DriverStatus>> {
    let newest = if driver.api_version < Version::new(1, 1, 0) {
        vk::API_VERSION_1_0
    } else {
        vk::make_api_version(0, 1, driver.api_version.minor.into(), 0)
    };
    let application = vk::ApplicationInfo::default().application_name(c"vkload").api_version(newest);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the create info is valid and enables nothing, the callbacks are NULL, and no other code knows
    // the driver's instance.
    unsafe {
        let allocator = Application::new(core::ptr::null(), vk::SystemAllocationScope::INSTANCE);
        driver.create_instance(&info, core::ptr::null()).and_then(|handle| {
            let owner = DriverOfInstance::Discovered(driver);
            DriverInstance::new(owner, handle, ExtensionSet::default(), allocator, core::ptr::null())
        })
    }
}

/// Returns the outcome of creating an instance of `driver` alone and counting its devices.
pub fn probe(driver: DriverRef) -> Result<DriverStatus, OutOfMemory> {
    let interface = driver.interface.version;
    let devices = create(driver).and_then(|made| made.physical_devices());
    Ok(match devices {
        Ok(devices) if devices.is_empty() => DriverStatus::NoDevices,
        Ok(devices) => {
            DriverStatus::Used { interface, devices: u32::try_from(devices.len()).unwrap_or(u32::MAX) }
        }
        Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
        Err(OrOutOfMemory::Failed(outcome)) => outcome,
    })
}

/// Returns the layers that other loaders among the drivers activate in every instance. A layer that is active in
/// both loaders identifies devices by words that are the same in both, and crashes.
pub(crate) fn layers_below(sources: &Sources) -> Result<Vec<vk::LayerProperties>, OutOfMemory> {
    let mut all = Vec::new();
    let found = sources.discovered.iter().flat_map(|found| found.open.iter());
    for (_, driver) in found.filter(|(_, driver)| driver.kind.is_foreign()) {
        let find = command::ENUMERATE_DEVICE_LAYER_PROPERTIES;
        let Ok(made) = create(*driver) else { continue };
        let devices = made.physical_devices().unwrap_or_default();
        // SAFETY: the type matches vkEnumerateDeviceLayerProperties.
        let find = unsafe { made.table.get::<vk::PFN_vkEnumerateDeviceLayerProperties>(find) };
        let (Some(device), Some(find)) = (devices.first(), find) else { continue };
        let active = array::collect(Process, vk::LayerProperties::default(), |count, out| {
            // SAFETY: the driver's instance and its device are alive; `collect` passes a counted out-array.
            unsafe { find(*device, count, out) }
        });
        active.unwrap_or_default().into_iter().try_for_each(|layer| all.try_push(layer))?;
    }
    Ok(all)
}
