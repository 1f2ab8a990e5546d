//! The surface commands that the loader implements itself.

use super::{create, destroy, queries, swapchain};
use crate::abi::function;
use crate::objects::own_command::{OwnCommand, own_commands};
use crate::registry::command;

pub(in crate::objects) const COMMANDS: &[OwnCommand] = own_commands! {
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

/// A row for each of the kinds at these indices of [`KINDS`](super::kinds::KINDS).
macro_rules! creating {
    ($($kind:literal)*) => {
        &[$(OwnCommand::new(super::kinds::KINDS[$kind].command, function!(create::<$kind>)),)*]
    };
}

pub(in crate::objects) const CREATING: &[OwnCommand] = creating!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);

pub(in crate::objects) const DEVICE_COMMANDS: &[OwnCommand] = own_commands! {
    CREATE_SWAPCHAIN_KHR: swapchain::create_swapchain,
    CREATE_SHARED_SWAPCHAINS_KHR: swapchain::create_shared_swapchains,
    GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR: swapchain::group_present_modes,
    GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_2_EXT: swapchain::group_present_modes2,
    #[cfg(feature = "foreign-handles")]
    DESTROY_SWAPCHAIN_KHR: swapchain::destroy_swapchain,
};
