//! The objects that the loader makes: instances, physical devices, devices, surfaces, messengers; and the commands on
//! them that are not just passed on.

mod create_device;
mod create_instance;
mod device;
mod driver;
mod emulated;
mod enumeration;
mod extension_queries;
mod extensions;
mod foreign;
mod group;
mod handed_out;
pub mod handle;
mod instance;
mod messenger;
mod naming;
mod of_layer;
mod open_drivers;
mod physical_device;
mod probe;
mod sorting;
mod sources;
mod surface;
mod surface_info;
mod surface_kinds;
mod surface_queries;
mod swapchain;
mod terminators;
#[cfg(test)]
mod tests;
mod window;

pub use create_device::create_device;
pub use create_instance::{create_instance, destroy_instance};
pub use device::{Device, destroy_device};
pub use driver::{Driver, DriverInstance, DriverOfInstance, DriverRef, OpenError};
pub use extensions::instance_extensions;
pub(crate) use extensions::merge_of_layer;
pub(crate) use foreign::known_device;
pub use handed_out::{
    allocate_command_buffers, create_external_compute_queue, get_device_queue, get_device_queue2,
};
pub use instance::Instance;
pub(crate) use instance::LiveInstances;
#[cfg(test)]
pub(crate) use naming::has_upper_end;
pub use open_drivers::OpenDrivers;
pub use physical_device::PhysicalDevice;
pub(crate) use physical_device::command_memory;
pub use probe::probe;
pub use terminators::{
    device_terminator, instance_terminator, terminator_get_device_proc_addr,
    terminator_get_instance_proc_addr, terminator_get_physical_device_proc_addr,
};
