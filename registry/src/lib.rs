//! The Vulkan registry as tables, generated from `vk.xml` by `cargo xtask gen`.
//!
//! Commands are numbered by their dispatch: first the global commands, then the commands whose first
//! parameter is a `VkInstance`, then `VkPhysicalDevice`, then everything below a `VkDevice`. An instance
//! table has one slot for each command of the second and third group, a device table one for each of the
//! fourth, in this order; an alias is a separate command with its own slot.
//!
//! ```
//! use vkload_registry::{Class, CommandId, command};
//!
//! let draw = vkload_registry::find(c"vkCmdDraw").unwrap();
//! assert_eq!(draw, command::CMD_DRAW);
//! assert_eq!(draw.class(), Class::CommandBuffer);
//! assert_eq!(draw.core(), Some(0));
//! assert_eq!(CommandId::from_device_slot(draw.device_slot().unwrap()), Some(draw));
//! ```
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(feature = "types"), forbid(unsafe_code))]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

use core::ffi::CStr;

/// Runs a block for each element of a slice, since `const` functions cannot use iterators.
#[doc(hidden)]
#[macro_export]
macro_rules! each {
    ($all:expr, |$one:ident| $body:block) => {{
        let all: &[_] = $all;
        let mut index = 0;
        while index < all.len() {
            let $one = &all[index];
            // Before the block, so that it may continue with the next element.
            index += 1;
            $body
        }
    }};
}

#[cfg(feature = "types")]
pub mod calls;
mod command_set;
mod commands_device_1_0_gen;
mod commands_device_1_1_to_1_4_gen;
mod commands_device_extensions_1_gen;
mod commands_device_extensions_200_gen;
mod commands_device_extensions_400_gen;
mod commands_global_gen;
mod commands_instance_gen;
mod commands_physical_device_gen;
mod exports;
mod exports_gen;
mod extension_set;
mod extensions_1_gen;
mod extensions_200_gen;
mod extensions_400_gen;
#[cfg(feature = "every-extension")]
mod extensions_of_drivers_gen;
mod hash;
mod ids;
mod layout;
mod numbers_gen;
#[cfg(feature = "types")]
pub mod parameter;
mod source;
mod structures;
mod structures_gen;
#[cfg(test)]
mod structures_tests;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(feature = "types")]
pub mod types;

pub use command_set::CommandSet;
pub use extension_set::ExtensionSet;
pub use ids::{Class, CommandId, DEVICE_SLOTS, ExtensionId, ExtensionKind, INSTANCE_SLOTS, VulkanPlatform};
pub use numbers_gen::{
    COMMAND_COUNT, EXTENSION_COUNT, FIRST_DEVICE, FIRST_INSTANCE, FIRST_PHYSICAL_DEVICE, HEADER_VERSION,
};
pub use structures::structure_size;
pub use tables::table_by_command;

/// Every command as a constant: the name in capitals, without `vk`, as in
/// [`CREATE_XCB_SURFACE_KHR`]. A number at the end of a word is a word of its own:
/// [`GET_PHYSICAL_DEVICE_FEATURES_2`].
///
/// [`CREATE_XCB_SURFACE_KHR`]: command::CREATE_XCB_SURFACE_KHR
/// [`GET_PHYSICAL_DEVICE_FEATURES_2`]: command::GET_PHYSICAL_DEVICE_FEATURES_2
pub mod command {
    pub use super::commands_device_1_0_gen::*;
    pub use super::commands_device_1_1_to_1_4_gen::*;
    pub use super::commands_device_extensions_1_gen::*;
    pub use super::commands_device_extensions_200_gen::*;
    pub use super::commands_device_extensions_400_gen::*;
    pub use super::commands_global_gen::*;
    pub use super::commands_instance_gen::*;
    pub use super::commands_physical_device_gen::*;
}

/// Extensions as constants: the name in capitals, without `VK_`, as in [`KHR_SURFACE`].
///
/// Most device extensions without commands make no difference to a loader. They are here only with the feature
/// `every-extension`, which is for drivers.
///
/// [`KHR_SURFACE`]: extension::KHR_SURFACE
pub mod extension {
    pub use super::extensions_1_gen::*;
    pub use super::extensions_200_gen::*;
    pub use super::extensions_400_gen::*;
    #[cfg(feature = "every-extension")]
    pub use super::extensions_of_drivers_gen::*;
}

/// Returns the command of this name, or `None`.
///
/// One hash and one comparison, whether the name exists or not.
#[inline]
pub fn find(name: &CStr) -> Option<CommandId> {
    let candidate = tables::COMMANDS_BY_NAME.candidate(name.to_bytes())?;
    tables::is_command_name(usize::from(candidate), name).then_some(CommandId(candidate))
}

/// Returns the extension of this name, which contains no NUL, or `None` if it is unknown or makes no
/// difference to a loader.
pub fn find_extension(name: &[u8]) -> Option<ExtensionId> {
    let candidate = tables::EXTENSIONS_BY_NAME.candidate(name)?;
    let (_, known) = tables::extension_name(usize::from(candidate)).split_last()?;
    (known == name).then_some(ExtensionId(candidate))
}

impl CommandId {
    /// Returns the name, like `vkCmdDraw`.
    pub fn name(self) -> &'static CStr {
        CStr::from_bytes_with_nul(tables::command_name(self.index())).unwrap_or_default()
    }

    /// Returns the same as [`CommandId::name`], for constants: the bytes with the NUL after them, the only
    /// one (the compiler has checked it).
    #[inline]
    pub const fn const_name(self) -> &'static [u8] {
        tables::command_name(self.index())
    }

    /// Returns the first of the names of the same function, for constants: the command that this one is an
    /// alias of, or itself. The command must be below [`COMMAND_COUNT`].
    pub const fn canonical(self) -> Self {
        let alias = tables::alias(self.index());
        if alias == layout::NO_ALIAS { self } else { Self(alias) }
    }

    /// Returns the kind of its first parameter.
    #[inline]
    pub fn class(self) -> Class {
        tables::command(self.index()).map_or(Class::Global, |row| row.class)
    }

    /// Returns whether its result is a `VkResult`.
    pub fn returns_result(self) -> bool {
        tables::returns_result(self.index())
    }

    /// Returns the minor version of Vulkan 1 that first had the command, or `None` for a command of an
    /// extension. Core has only the new name: `vkGetPhysicalDeviceFeatures2KHR` is not core.
    #[inline]
    pub fn core(self) -> Option<u8> {
        tables::command(self.index()).map(|row| row.core).filter(|core| *core != source::NOT_CORE)
    }

    /// Returns the extensions that have the command.
    pub fn providers(self) -> impl Iterator<Item = ExtensionId> {
        tables::providers(self.index()).map(ExtensionId)
    }

    /// Returns the command that this one is an alias of, with the same parameters and meaning.
    pub fn alias_of(self) -> Option<Self> {
        Some(tables::alias(self.index())).filter(|alias| *alias != layout::NO_ALIAS).map(Self)
    }

    /// Returns the platform that the command is for. Core commands are for all platforms.
    pub fn window_system(self) -> VulkanPlatform {
        self.providers().next().map_or(VulkanPlatform::None, ExtensionId::platform)
    }
}

impl ExtensionId {
    /// Returns the name, like `VK_KHR_surface`.
    pub fn name(self) -> &'static CStr {
        CStr::from_bytes_with_nul(tables::extension_name(self.index())).unwrap_or_default()
    }

    /// Returns whether it is enabled on instances or on devices.
    pub fn kind(self) -> ExtensionKind {
        tables::extension(self.index()).map_or(ExtensionKind::Device, |row| row.kind)
    }

    /// Returns its newest revision.
    pub fn spec_version(self) -> u32 {
        tables::extension(self.index()).map_or(0, |row| row.spec_version.into())
    }

    /// Returns the platform that it is for.
    pub fn platform(self) -> VulkanPlatform {
        tables::extension(self.index()).map_or(VulkanPlatform::None, |row| row.platform)
    }
}
