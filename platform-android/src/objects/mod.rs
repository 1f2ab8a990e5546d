//! What the loader knows of the objects whose handles it gives out. The handles are the driver's own; their first word leads
//! here.

mod device;
mod dispatch_word;
mod driver_commands;
mod end;
mod instance;

pub use device::{Device, DeviceData};
pub use dispatch_word::{device_of, instance_of, set_dispatch_word};
pub use driver_commands::{DeviceCommands, InstanceCommands};
pub use end::{End, free};
pub use instance::{Instance, InstanceData};
