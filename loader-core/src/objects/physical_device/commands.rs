//! The commands of physical devices that the loader implements itself, except those in `emulated` and `stand_ins`.

use super::{enumerate, extensions, groups};
use crate::abi::function;
use crate::objects::own_command::{OwnCommand, own_commands};
use crate::registry::command;

pub(in crate::objects) const COMMANDS: &[OwnCommand] = own_commands! {
    ENUMERATE_PHYSICAL_DEVICES: enumerate::enumerate_physical_devices,
    ENUMERATE_PHYSICAL_DEVICE_GROUPS | ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR: groups::enumerate_physical_device_groups,
    ENUMERATE_DEVICE_EXTENSION_PROPERTIES: extensions::enumerate_device_extension_properties,
    ENUMERATE_DEVICE_LAYER_PROPERTIES: extensions::enumerate_device_layer_properties,
};
