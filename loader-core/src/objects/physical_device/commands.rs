//! The commands of physical devices that the loader implements itself, except those in `stand_ins`.

use super::{emulated, enumerate, extensions, groups};
use crate::abi::function;
use crate::objects::own_command::OwnCommand;
use crate::registry::command;

pub(in crate::objects) const COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(command::ENUMERATE_PHYSICAL_DEVICES, function!(enumerate::enumerate_physical_devices)),
    OwnCommand::new(
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS,
        function!(groups::enumerate_physical_device_groups),
    ),
    OwnCommand::new(
        command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR,
        function!(groups::enumerate_physical_device_groups),
    ),
    OwnCommand::new(
        command::ENUMERATE_DEVICE_EXTENSION_PROPERTIES,
        function!(extensions::enumerate_device_extension_properties),
    ),
    OwnCommand::new(
        command::ENUMERATE_DEVICE_LAYER_PROPERTIES,
        function!(extensions::enumerate_device_layer_properties),
    ),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_FEATURES_2, function!(emulated::features)),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_FEATURES_2_KHR, function!(emulated::features)),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_PROPERTIES_2, function!(emulated::properties)),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_PROPERTIES_2_KHR, function!(emulated::properties)),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2, function!(emulated::format_properties)),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_FORMAT_PROPERTIES_2_KHR,
        function!(emulated::format_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2,
        function!(emulated::image_format_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_IMAGE_FORMAT_PROPERTIES_2_KHR,
        function!(emulated::image_format_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2,
        function!(emulated::queue_family_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_QUEUE_FAMILY_PROPERTIES_2_KHR,
        function!(emulated::queue_family_properties),
    ),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, function!(emulated::memory_properties)),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2_KHR,
        function!(emulated::memory_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2,
        function!(emulated::sparse_image_format_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_PROPERTIES_2_KHR,
        function!(emulated::sparse_image_format_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES,
        function!(emulated::external_buffer_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_BUFFER_PROPERTIES_KHR,
        function!(emulated::external_buffer_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES,
        function!(emulated::external_fence_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_FENCE_PROPERTIES_KHR,
        function!(emulated::external_fence_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES,
        function!(emulated::external_semaphore_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_PROPERTIES_KHR,
        function!(emulated::external_semaphore_properties),
    ),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES, function!(emulated::tool_properties)),
    OwnCommand::new(command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT, function!(emulated::tool_properties)),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_DISPLAY_PROPERTIES_2_KHR,
        function!(emulated::display_properties),
    ),
    OwnCommand::new(
        command::GET_PHYSICAL_DEVICE_DISPLAY_PLANE_PROPERTIES_2_KHR,
        function!(emulated::display_plane_properties),
    ),
    OwnCommand::new(command::GET_DISPLAY_MODE_PROPERTIES_2_KHR, function!(emulated::display_mode_properties)),
    OwnCommand::new(
        command::GET_DISPLAY_PLANE_CAPABILITIES_2_KHR,
        function!(emulated::display_plane_capabilities),
    ),
];
