//! The API level: what applications call.
//!
//! A command on an object is a trampoline of two instructions ([`exports!`](crate::exports)): it loads the table from the
//! first word of the handle and jumps, to the first layer or to the driver level, which is the tail of each chain
//! ([`crate::driver`]). Written by hand are the commands by which there come to be tables, or that there are none for:
//! creation and destruction, enumeration, and the look-ups.
//!
//! The order of what happens in vkCreateInstance: the driver is looked for; the layers that take part are chosen and opened;
//! every enabled extension must be known to the driver level or to one of them; the chain is called with the links to its
//! layers; the table is filled with what the first layer gives. vkCreateDevice does the same with the layers that take part in
//! devices.

#[macro_use]
#[rustfmt::skip]
mod exports_gen;
mod chain;
mod create_device;
mod create_instance;
mod disabled;
mod enumerate;
mod exports;
mod proc_addr;
mod table;

pub use chain::Chain;
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
use loader_core::log::{Level, Topic};
use loader_core::memory::{Application, OutOfMemory, TryGrow, Vec};

use crate::layers::ActiveLayer;
use crate::loader::{self, Loader};
use crate::objects::{self, Instance};

/// The names of layers, as a create info has them.
fn names(
    layers: &[ActiveLayer],
    memory: Application,
) -> Result<Vec<*const c_char, Application>, OutOfMemory> {
    let mut names = Vec::new_in(memory);
    for layer in layers {
        names.try_push(layer.name().as_ptr())?;
    }
    Ok(names)
}

/// The instance of a physical device, or what to return where there is none, which is said.
///
/// # Safety
/// The handle is NULL or valid.
unsafe fn instance_of<'a>(
    physical_device: vk::PhysicalDevice,
    command: &str,
) -> Result<&'a Instance, vk::Result> {
    if physical_device.is_null() {
        let loader = loader::current().ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
        return Err(loader.null(command, "physicalDevice"));
    }
    // SAFETY: the caller vouches for the handle.
    Ok(unsafe { objects::instance_of(physical_device.as_raw()) })
}

impl Loader {
    /// Says that a parameter is NULL that must not be, and gives the result of such a call.
    fn null(&self, command: &str, parameter: &str) -> vk::Result {
        self.log(
            Level::Error,
            Topic::Usage,
            format_args!("{command}: {parameter} must not be NULL [VUID-{command}-{parameter}-parameter]"),
        );
        vk::Result::ERROR_INITIALIZATION_FAILED
    }
}
