//! The objects that the loader creates: instances, physical devices, devices, surfaces, messengers; and the
//! lower end of the call chain for their commands, except those that are only passed on.

mod commands;
mod debug;
mod device;
pub mod handle;
mod instance;
mod listed_ptr;
mod own_command;
mod physical_device;
mod proc_addr;
mod surface;

#[cfg(test)]
pub(crate) use commands::has_upper_end;
pub use commands::{device_terminator, instance_terminator};
pub use device::Device;
pub(crate) use device::create::{GroupHandles, available};
pub use device::destroy::destroy_device;
#[cfg(test)]
pub(crate) use device::device_of;
pub(crate) use device::foreign::known_device;
pub(crate) use device::under_creation::DeviceUnderCreation;
pub use instance::Instance;
pub(crate) use instance::create::{comparable, create_in_drivers, instance_at};
pub use instance::driver::{DriverInstance, DriverOfInstance, PhysicalDevice};
pub use instance::extensions::instance_extensions;
pub(crate) use instance::extensions::{check_requested, is_known};
pub(crate) use instance::global::complain_of_null;
pub use instance::global::{
    enumerate_instance_extension_properties, enumerate_instance_layer_properties, enumerate_instance_version,
};
pub(crate) use instance::probe::layers_below;
pub use instance::probe::probe;
pub(crate) use instance::sources::{OddRequest, Sources};
pub(crate) use instance::under_creation::{add_under_layers, instance_with_word};
pub(crate) use instance::{KEPT_NAME, LayerHandle, LookedUp};
pub(crate) use listed_ptr::ListedPtr;
pub(crate) use physical_device::groups;
pub(crate) use physical_device::sorting::{ids, ids_above_layers};
pub use proc_addr::{
    terminator_get_device_proc_addr, terminator_get_instance_proc_addr,
    terminator_get_physical_device_proc_addr,
};
