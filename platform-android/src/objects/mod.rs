//! The loader's data of the objects whose handles it returns. The handles are the driver's own;
//! their first word leads here.

mod device;
mod dispatch_word;
mod driver_commands;
mod end;
mod instance;
mod private_data;

pub use device::{Device, DeviceData};
pub use dispatch_word::{device_of, instance_of, set_dispatch_word};
pub use driver_commands::{DeviceCommands, InstanceCommands};
pub(crate) use driver_commands::{driver_extensions, untyped};
pub use end::{End, free};
pub use instance::{Instance, InstanceData};
pub(crate) use private_data::Entry;
pub use private_data::PrivateData;

/// Writes a handle or another value for a caller, unless there is an error. Returns the command's result.
///
/// # Safety
/// `out` is valid for a write.
pub unsafe fn hand_out<T>(value: Result<T, ash::vk::Result>, out: *mut T) -> ash::vk::Result {
    match value {
        Ok(value) => {
            // SAFETY: by this function's `# Safety`.
            unsafe { out.write(value) };
            ash::vk::Result::SUCCESS
        }
        Err(error) => error,
    }
}
