//! Names to look up: every command of the registry, and some that are none.

use std::ffi::CStr;
use std::fmt::Display;

use vkload_core::registry::{CommandId, ExtensionKind};

use super::Interview;

/// Names that are no commands of the registry.
const OTHERS: &[&CStr] = &[
    c"vkUnknownDevice0TEST",
    c"vkUnknownPhysicalDevice0TEST",
    c"vkLayerDeviceTEST",
    c"vkLayerPhysicalDeviceTEST",
    c"vkCreateDevic",
    c"vkCreateDevicee",
    c"vkcreateDevice",
    c"vkNoSuchCommand",
    c"notVulkan",
    c"VkNotVulkan",
    c"",
];

/// Returns all names in the order of the answers, and of what kind each is.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static CStr)> {
    let commands = CommandId::all().map(|command| (kind(command), command.name()));
    commands.chain(OTHERS.iter().map(|name| ("other", *name)))
}

fn kind(command: CommandId) -> &'static str {
    let of_instance = command.providers().any(|provider| provider.kind() == ExtensionKind::Instance);
    match (command.core(), of_instance) {
        (Some(_), _) => "core",
        (None, true) => "instance-extension",
        (None, false) => "device-extension",
    }
}

impl Interview<'_> {
    /// Says which names are answered, in one line with a digit for each: a line for each would take most of the time.
    pub(super) fn names(&self, prefix: impl Display, find: impl Fn(&CStr) -> bool) {
        let answers: String = names().map(|(_, name)| if find(name) { '1' } else { '0' }).collect();
        self.say(format_args!("{prefix} procs"), answers);
    }
}
