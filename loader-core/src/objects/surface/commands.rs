//! The surface commands that the loader implements itself.

use super::kinds::KINDS;
use super::{create, destroy, queries, swapchain};
use crate::abi::function;
use crate::objects::own_command::OwnCommand;
use crate::registry::command;

/// Builds the table, with a row for each of the kinds at these indices of [`KINDS`].
macro_rules! commands {
    ($($kind:literal)*; $($command:ident: $function:path,)*) => {
        &[
            $(OwnCommand::new(KINDS[$kind].command, function!(create::<$kind>)),)*
            $(OwnCommand::new(command::$command, function!($function)),)*
        ]
    };
}

pub(in crate::objects) const COMMANDS: &[OwnCommand] = commands! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
    DESTROY_SURFACE_KHR: destroy,
    GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR: queries::support,
    GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR: queries::capabilities,
    GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR: queries::formats,
    GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR: queries::present_modes,
    GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR: queries::present_rectangles,
    GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR: queries::capabilities2,
    GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR: queries::formats2,
    GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_EXT: queries::capabilities2_ext,
    GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_2_EXT: queries::present_modes2,
};

pub(in crate::objects) const DEVICE_COMMANDS: &[OwnCommand] = &[
    OwnCommand::new(command::CREATE_SWAPCHAIN_KHR, function!(swapchain::create_swapchain)),
    OwnCommand::new(command::CREATE_SHARED_SWAPCHAINS_KHR, function!(swapchain::create_shared_swapchains)),
    OwnCommand::new(
        command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR,
        function!(swapchain::group_present_modes),
    ),
    OwnCommand::new(
        command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT,
        function!(swapchain::group_present_modes2),
    ),
    #[cfg(feature = "foreign-handles")]
    OwnCommand::new(command::DESTROY_SWAPCHAIN_KHR, function!(swapchain::destroy_swapchain)),
];
