//! Commands that the registry does not list.

use core::ffi::CStr;
use core::marker::PhantomData;

use super::{Command, Invariant};

/// A command of the driver `D` that the registry does not list, for [`Driver::PRIVATE_COMMANDS`](crate::Driver::PRIVATE_COMMANDS).
pub struct PrivateCommand<D> {
    pub(crate) name: &'static CStr,
    pub(crate) level: Level,
    pub(crate) extension: &'static CStr,
    pub(crate) function: Command,
    of: Invariant<D>,
}

impl<D> PrivateCommand<D> {
    /// Creates the command with this name, whose first parameter has this level. It belongs to `extension`, which the
    /// registry does not list either.
    ///
    /// # Safety
    /// `function` is a pointer to a function with the parameters and the result of the command, and the rules that applications know
    /// for the command are enough for it.
    #[must_use]
    pub const unsafe fn new(
        name: &'static CStr,
        level: Level,
        extension: &'static CStr,
        function: Command,
    ) -> Self {
        Self { name, level, extension, function, of: PhantomData }
    }
}

/// The type of a command's first parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A `VkInstance`.
    Instance,
    /// A `VkPhysicalDevice`.
    PhysicalDevice,
    /// A `VkDevice`, a `VkQueue` or a `VkCommandBuffer`.
    Device,
}

/// Returns the private command of this name.
pub(crate) fn find<D>(
    commands: &'static [PrivateCommand<D>],
    name: &CStr,
) -> Option<&'static PrivateCommand<D>> {
    commands.iter().find(|command| command.name == name)
}

/// Checks that each command's extension is in one of the lists, and that instance commands belong to an extension in
/// the first.
///
/// # Panics
/// If one is not: in a constant, an error of the build.
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub(crate) const fn check<D>(commands: &[PrivateCommand<D>], lists: [&[(&CStr, u32)]; 3]) {
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
pub(super) const fn is_same(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}
