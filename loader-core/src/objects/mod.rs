//! The objects that the loader creates: instances, physical devices, devices, surfaces, messengers; and the
//! lower end of the call chain for their commands, except those that are only passed on.

mod asked;
mod create_device;
mod create_instance;
mod destroy_device;
mod device;
mod device_table;
mod driver;
mod driver_table;
mod drivers_key;
mod emulated;
mod extension_queries;
mod extensions;
mod foreign;
mod global;
pub(crate) mod group;
pub mod handle;
mod instance;
mod kept;
mod known;
mod messenger;
mod naming;
mod physical_device;
mod presenting;
mod probe;
mod sorting;
mod sources;
mod stand_ins;
mod surface;
mod surface_info;
mod surface_kinds;
mod surface_queries;
mod swapchain;
mod terminator;
mod terminators;
mod window;

pub(crate) use create_device::{GroupHandles, available};
pub(crate) use create_instance::{comparable, instance_at, make_drivers};
pub use destroy_device::destroy_device;
pub use device::Device;
#[cfg(test)]
pub(crate) use device::device_of;
pub use device_table::device_terminator;
pub use driver::{DriverInstance, DriverOfInstance, PhysicalDevice};
pub(crate) use extension_queries::DEVICE_LAYERS;
pub(crate) use extensions::check_requested;
pub use extensions::instance_extensions;
pub(crate) use foreign::known_device;
pub(crate) use global::complain_of_null;
pub use global::{
    enumerate_instance_extension_properties, enumerate_instance_layer_properties, enumerate_instance_version,
};
pub use instance::Instance;
pub(crate) use instance::OfLayer;
pub(crate) use kept::Kept;
pub(crate) use known::{DeviceUnderCreation, add_under_layers, instance_with_word};
#[cfg(test)]
pub(crate) use naming::has_upper_end;
pub use probe::probe;
pub(crate) use sorting::{ids, ids_above_layers};
pub(crate) use sources::Sources;
pub use terminators::{
    instance_terminator, terminator_get_device_proc_addr, terminator_get_instance_proc_addr,
    terminator_get_physical_device_proc_addr,
};
