//! The commands that every driver has from the runtime, and whatever else of it calls the driver.

pub(crate) mod defaults;
mod device;
mod enumerate;
pub(crate) mod instance;
mod messages;
pub(crate) mod missing;
mod physical_device;
mod trace;

use ash::vk;

use crate::descriptor_template::Templates;
use crate::dispatch::{DispatchTable, EntryPoints, private};
use crate::driver::{Driver, Tables};
use crate::driver_types::DriverTypes;
use crate::host::Host;
use crate::physical_device::plain;
use crate::{entry_points, features, forward, proc_addr, sync, time};

pub(crate) const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreateInstance = instance::create_instance::<D>,
            DestroyInstance = instance::destroy_instance::<D>,
            EnumerateInstanceVersion = |call| {
                call.api_version.write(D::api_version());
                vk::Result::SUCCESS
            },
            EnumerateInstanceExtensionProperties = instance::enumerate_extension_properties::<D>,
            // A driver has no layers.
            EnumerateInstanceLayerProperties = |call| {
                call.property_count.write(0);
                vk::Result::SUCCESS
            },
            EnumeratePhysicalDevices = enumerate::enumerate_physical_devices::<D>,
            EnumeratePhysicalDeviceGroups = enumerate::enumerate_physical_device_groups::<D>,
            CreateDevice = device::create_device::<D>, DestroyDevice = device::destroy_device::<D>,
        }
    }
    .and(&physical_device::entry_points())
    .and(&messages::entry_points())
    .and(&proc_addr::entry_points())
    .and(&plain::entry_points())
    .and(&crate::device::entry_points())
    .and(&sync::entry_points())
    .and(&time::entry_points())
}

impl<D: Driver> Tables for D {
    const COMMON: EntryPoints<D> = entry_points::<D>();
    const TABLE: &'static DispatchTable = {
        private::check(
            D::PRIVATE_COMMANDS,
            [D::MORE_INSTANCE_EXTENSIONS, D::MORE_DEVICE_EXTENSIONS, D::HAL_DEVICE_EXTENSIONS],
        );
        features::check_unlisted(D::MORE_FEATURES);
        &forward::forwarded(DispatchTable::new(&D::COMMANDS).filled(&D::WINDOW_SYSTEM))
            .forwarded(Templates::<D>::FORWARDS)
            .filled(&Self::COMMON)
            .filled(&D::DEFAULTS)
    };
}

impl<D: Driver> DriverTypes for D {
    type Instance = <D as Driver>::Instance;
    type PhysicalDevice = <D as Driver>::PhysicalDevice;
    type Device = <D as Driver>::Device;
    type Queue = <D as Driver>::Queue;
    type Sync = <D as Driver>::Sync;
    type SubmitQueue = sync::SubmitQueue<D>;

    fn host() -> &'static dyn Host {
        <D as Driver>::host()
    }
}
