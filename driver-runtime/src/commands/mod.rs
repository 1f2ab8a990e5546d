//! The commands that every driver has from the runtime, and whatever else of it calls the driver.

pub(crate) mod defaults;
mod device;
mod enumerate;
pub(crate) mod instance;
mod messages;
pub(crate) mod missing;
mod physical_device;
mod trace;

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
            EnumerateInstanceVersion = instance::enumerate_instance_version::<D>,
            EnumerateInstanceExtensionProperties = instance::enumerate_extension_properties::<D>,
            EnumerateInstanceLayerProperties = instance::enumerate_layer_properties,
            EnumeratePhysicalDevices = enumerate::enumerate_physical_devices::<D>,
            EnumeratePhysicalDeviceGroups = enumerate::enumerate_physical_device_groups::<D>,
            GetPhysicalDeviceFeatures2 = physical_device::get_features_2::<D>,
            GetPhysicalDeviceProperties2 = physical_device::get_properties_2::<D>,
            GetPhysicalDeviceMemoryProperties2 = physical_device::get_memory_properties_2::<D>,
            GetPhysicalDeviceQueueFamilyProperties2 = physical_device::get_queue_family_properties_2::<D>,
            EnumerateDeviceExtensionProperties = physical_device::enumerate_extension_properties::<D>,
            EnumerateDeviceLayerProperties = physical_device::enumerate_layer_properties,
            GetPhysicalDeviceToolProperties = physical_device::get_tool_properties,
            CreateDevice = device::create_device::<D>, DestroyDevice = device::destroy_device::<D>,
            CreateDebugUtilsMessengerEXT = messages::create_messenger::<D>,
            DestroyDebugUtilsMessengerEXT = messages::destroy_messenger::<D>,
            SubmitDebugUtilsMessageEXT = messages::submit_message::<D>,
            CreateDebugReportCallbackEXT = messages::create_report_callback::<D>,
            DestroyDebugReportCallbackEXT = messages::destroy_report_callback::<D>,
            DebugReportMessageEXT = messages::report_message::<D>,
            QueueBeginDebugUtilsLabelEXT = messages::queue_begin,
            QueueEndDebugUtilsLabelEXT = messages::queue_end,
            QueueInsertDebugUtilsLabelEXT = messages::queue_insert,
            CmdBeginDebugUtilsLabelEXT = messages::commands_begin,
            CmdEndDebugUtilsLabelEXT = messages::commands_end,
            CmdInsertDebugUtilsLabelEXT = messages::commands_insert,
        }
    }
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
