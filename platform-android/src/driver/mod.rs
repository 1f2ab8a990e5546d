//! The end of every layer chain: the loader again, in front of the driver.
//!
//! Layers that look up the next function reach [`get_instance_proc_addr`] and
//! [`get_device_proc_addr`]. Both look a command up in the table of [`hooks`], which lists the
//! commands that the loader handles: with a function of this module, of the window system or of
//! debugging. All others are the driver's own functions.

mod adopt;
mod checked;
mod create_device;
mod create_instance;
mod destroy;
mod device_extensions;
mod extensions;
mod features;
pub mod hooks;
mod physical_devices;
mod private_data;
mod proc_addr;
mod queries;
mod queues;

pub use create_device::create_device;
pub use create_instance::create_instance;
pub use create_instance::create_instance_of;
pub use destroy::{destroy_device, destroy_instance};
pub use device_extensions::enumerate_device_extension_properties;
pub use extensions::enumerate_instance_extension_properties;
pub use extensions::instance_extensions_of;
pub use physical_devices::enumerate_physical_devices;
pub use proc_addr::without_instance;
pub use proc_addr::{device_command, get_device_proc_addr, get_instance_proc_addr, instance_command};
