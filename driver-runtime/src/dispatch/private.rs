//! Commands that the registry does not list.

use core::ffi::CStr;

use super::Command;

/// A command that the registry does not list, for [`Driver::PRIVATE_COMMANDS`](crate::Driver::PRIVATE_COMMANDS).
#[derive(Clone, Copy)]
pub struct PrivateCommand {
    /// Its name.
    pub name: &'static CStr,
    /// What its first parameter is.
    pub level: Level,
    /// The extension that it belongs to, which the registry does not list either.
    pub extension: &'static CStr,
    /// What is called.
    pub function: Command,
}

/// What a command's first parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A `VkInstance`.
    Instance,
    /// A `VkPhysicalDevice`.
    PhysicalDevice,
    /// A `VkDevice`, a `VkQueue` or a `VkCommandBuffer`.
    Device,
}

/// The private command of this name.
pub(crate) fn find(commands: &'static [PrivateCommand], name: &CStr) -> Option<&'static PrivateCommand> {
    commands.iter().find(|command| command.name == name)
}

/// Checks that the extension of each command is in one of the lists, and of commands of instances in the first.
///
/// # Panics
/// If one is not: in a constant, an error of the build.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn check(commands: &[PrivateCommand], lists: [&[(&CStr, u32)]; 3]) {
    let mut at = 0;
    while at < lists.len() {
        assert!(lists[at].len() <= crate::extensions::MOST_UNLISTED, "too many extensions in one list");
        at += 1;
    }
    at = 0;
    while at < commands.len() {
        let of_instance = matches!(commands[at].level, Level::Instance);
        let extension = commands[at].extension;
        assert!(
            has(lists[0], extension)
                || (!of_instance && (has(lists[1], extension) || has(lists[2], extension))),
            "the extension of a private command is not among those that the driver has"
        );
        at += 1;
    }
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn has(list: &[(&CStr, u32)], name: &CStr) -> bool {
    let mut at = 0;
    while at < list.len() {
        if is_same(list[at].0.to_bytes(), name.to_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn is_same(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}
