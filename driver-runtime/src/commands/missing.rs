//! The core commands that a driver still has to write.

use core::ffi::CStr;
use core::fmt;

use ash::vk;
use vkload_core::registry::CommandId;

use crate::dispatch::DispatchTable;
use crate::driver::{Driver, Tables};

/// Returns the core commands of Vulkan up to `version` (as `VK_API_VERSION_1_3`; its patch does not count) that
/// neither the driver nor the runtime has, in the order of the registry.
///
/// A driver must have all core commands of its version, including commands for features that it does not support:
/// applications look them up unconditionally. [`assert_core_commands!`](crate::assert_core_commands) checks this in a
/// driver's tests.
pub fn missing_core_commands<D: Driver>(version: u32) -> impl Iterator<Item = &'static CStr> {
    MissingCommands::of::<D>(version).names()
}

/// The result of [`missing_core_commands`], as a message.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MissingCommands {
    version: u32,
    table: &'static DispatchTable,
}

impl MissingCommands {
    #[must_use]
    pub fn of<D: Driver>(version: u32) -> Self {
        Self { version, table: D::TABLE }
    }

    pub fn names(self) -> impl Iterator<Item = &'static CStr> {
        let since =
            |command: CommandId| command.core().map(|minor| vk::make_api_version(0, 1, minor.into(), 0));
        CommandId::all()
            .filter(move |command| since(*command).is_some_and(|since| since <= self.version))
            .filter(move |command| self.table.get(*command).is_none())
            .map(CommandId::name)
    }
}

impl fmt::Display for MissingCommands {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = (vk::api_version_major(self.version), vk::api_version_minor(self.version));
        let count = self.names().count();
        write!(
            out,
            "neither the driver nor the runtime has {count} core commands of Vulkan {major}.{minor}:"
        )?;
        self.names().try_for_each(|name| write!(out, " {}", name.to_str().unwrap_or_default()))
    }
}

/// Fails a driver's test and lists the names, if [core commands are missing](crate::missing_core_commands).
///
/// ```text
/// #[test]
/// fn every_core_command_is_there() {
///     vkload_driver_runtime::assert_core_commands!(MyDriver, vk::API_VERSION_1_3);
/// }
/// ```
#[macro_export]
macro_rules! assert_core_commands {
    ($driver:ty, $version:expr) => {{
        let missing = $crate::MissingCommands::of::<$driver>($version);
        assert!(missing.names().next().is_none(), "{missing}");
    }};
}

#[cfg(test)]
mod tests {
    use std::string::ToString;
    use std::vec::Vec;

    use super::*;
    use crate::testing::TestDriver;

    fn names(version: u32) -> Vec<&'static CStr> {
        missing_core_commands::<TestDriver>(version).collect()
    }

    #[test]
    fn what_neither_driver_nor_runtime_has_is_missing_from_its_version_on() {
        let (old, new) = (names(vk::API_VERSION_1_0), names(vk::API_VERSION_1_3));
        assert!(old.contains(&c"vkCreateImage") && new.contains(&c"vkCreateImage"));
        // The driver's, the runtime's, and one of another version.
        for name in [c"vkCreateBuffer", c"vkCreateInstance", c"vkCmdCopyBuffer2"] {
            assert!(!old.contains(&name), "{name:?}");
        }
        assert!(new.contains(&c"vkCmdCopyBuffer2") && !new.contains(&c"vkMapMemory2"));
        assert!(names(vk::make_api_version(0, 1, 4, 9)).contains(&c"vkMapMemory2"));
        assert!(!new.contains(&c"vkCmdCopyBuffer2KHR"), "the name of an extension");
        assert!(names(0).is_empty());
    }

    #[test]
    fn a_message_names_the_missing_part() {
        let message = MissingCommands::of::<TestDriver>(vk::API_VERSION_1_1).to_string();
        let count = names(vk::API_VERSION_1_1).len();
        let begins =
            std::format!("neither the driver nor the runtime has {count} core commands of Vulkan 1.1: vk");
        assert!(message.starts_with(&begins), "{message}");
        assert!(message.contains(" vkCreateImage "), "{message}");
        assert_core_commands!(TestDriver, 0);
        // Panicking aborts if the tests are built with `panic = "abort"`.
        if cfg!(panic = "unwind") {
            let check = || assert_core_commands!(TestDriver, vk::API_VERSION_1_0);
            assert!(std::panic::catch_unwind(check).is_err());
        }
    }
}
