//! The API level: the functions that applications call.
//!
//! A command on an object is a trampoline of two instructions ([`exports!`](crate::exports)): it
//! loads the table from the first word of the handle and jumps to the first layer or to the driver
//! level, which is the tail of each chain ([`platform_android::driver`]). Hand-written are the commands that
//! create the tables or have none: creation and destruction, enumeration, and `vkGet*ProcAddr`.
//!
//! vkCreateInstance proceeds in this order: it looks for the driver; chooses and opens the active
//! layers; checks that the driver level or one of them knows every enabled extension; calls the
//! chain with the links to its layers; and fills the table with the functions that the first layer
//! returns. vkCreateDevice does the same with the layers that take part in devices.

mod chain;
mod create_device;
mod create_instance;
mod disabled;
mod enumerate;
mod exports;
mod proc_addr;
mod table;

pub use chain::{Chain, chain_of};
pub use create_device::{create_device, destroy_device};
pub use create_instance::{create_instance, destroy_instance};
pub use enumerate::{
    enumerate_device_extension_properties, enumerate_device_layer_properties,
    enumerate_instance_extension_properties, enumerate_instance_layer_properties, enumerate_instance_version,
};
pub use exports::EXPORTED;
pub use proc_addr::{get_device_proc_addr, get_instance_proc_addr};

use core::ffi::c_char;

use ash::vk::{self, Handle as _};
use platform_android::host::{self, Host};
use platform_android::log::Logger;
use platform_android::objects::{self, Instance};
use vkload_core::memory::{CopiedCallbacks, Escaped, OutOfMemory, TryGrow, Vec};
use vkload_core::registry::CommandId;

use crate::layers::ActiveLayer;

fn names(
    layers: &[ActiveLayer],
    memory: CopiedCallbacks,
) -> Result<Vec<*const c_char, CopiedCallbacks>, OutOfMemory> {
    let mut names = Vec::new_in(memory);
    for layer in layers {
        names.try_push(layer.name().as_ptr())?;
    }
    Ok(names)
}

/// Returns the instance of a physical device. If the handle is NULL, logs that and returns the
/// error code.
///
/// # Safety
/// The handle is NULL or valid.
unsafe fn instance_of<'a>(
    physical_device: vk::PhysicalDevice,
    command: &str,
) -> Result<&'a Instance, vk::Result> {
    if physical_device.is_null() {
        let host = host::current().ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        return Err(null(host, command, "physicalDevice"));
    }
    // SAFETY: the handle is valid by this function's `# Safety`, and not NULL, which was checked.
    Ok(unsafe { objects::instance_of(physical_device.as_raw()) })
}

/// Logs that a parameter is NULL that must not be, and returns the result for such a call.
fn null(host: &Host, command: &str, parameter: &str) -> vk::Result {
    vkload_core::log!(host, Error, Usage:
        "{command}: {parameter} must not be NULL [VUID-{command}-{parameter}-parameter]");
    vk::Result::ERROR_INITIALIZATION_FAILED
}

/// Logs that the chain of vkCreate`kind` reports success without a handle, and returns the result.
fn nothing_created(logger: &Logger, kind: &str) -> vk::Result {
    let object = if kind == "Device" { "a device" } else { "an instance" };
    vkload_core::log!(logger, Error, Layer:
        "vkCreate{kind}: a layer reports success without {object}: disable the layers one by one to find it");
    vk::Result::ERROR_INITIALIZATION_FAILED
}

fn report_missing(logger: &Logger, kind: &str, missing: CommandId) {
    vkload_core::log!(logger, Error, Layer:
        "vkCreate{kind}: {} is of Vulkan 1.0, and neither the driver nor a layer has it: a layer hides it if \
         it is there without layers, otherwise correct the driver",
        Escaped(missing.name().to_bytes()));
}
