//! The order that numbers the commands.
//!
//! Global commands, then by first parameter `VkInstance`, `VkPhysicalDevice`, and everything below a `VkDevice`. Each group has the core
//! commands by version, then extension commands, in registry order.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::r#gen::model::{Command, Extension, Registry};

/// Device extensions without commands that a loader knows all the same: Android's provides them, keeps them from drivers or asks for them.
const WITHOUT_COMMANDS: [&str; 8] = [
    "VK_EXT_image_compression_control_swapchain",
    "VK_EXT_present_mode_fifo_latest_ready",
    "VK_EXT_rgba10x6_formats",
    "VK_KHR_incremental_present",
    "VK_KHR_present_id",
    "VK_KHR_present_id2",
    "VK_KHR_present_mode_fifo_latest_ready",
    "VK_KHR_swapchain_mutable_format",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Global,
    Instance,
    PhysicalDevice,
    Device,
}

pub(super) struct Numbered {
    pub(super) registry: Registry,
    ids: BTreeMap<String, usize>,
}

pub(super) fn number(mut registry: Registry) -> Numbered {
    registry.commands.sort_by_key(|command| (group(command), command.core.unwrap_or(u8::MAX)));
    let ids = registry.commands.iter().enumerate().map(|(id, command)| (command.name.clone(), id)).collect();
    Numbered { registry, ids }
}

impl Numbered {
    pub(super) fn commands(&self) -> &[Command] {
        &self.registry.commands
    }

    pub(super) fn id(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// Returns the extensions by number in the tables: first those that matter to loaders.
    pub(super) fn extensions(&self) -> impl Iterator<Item = &Extension> {
        let all = &self.registry.extensions;
        let known = all.iter().filter(|it| self.is_known_to_loaders(it));
        known.chain(all.iter().filter(|it| !self.is_known_to_loaders(it)))
    }

    pub(super) fn known_to_loaders(&self) -> usize {
        self.extensions().filter(|it| self.is_known_to_loaders(it)).count()
    }

    /// Returns whether the extension matters to a loader: most device extensions do not, unless they have commands.
    pub(super) fn is_known_to_loaders(&self, extension: &Extension) -> bool {
        extension.instance
            || self.commands().iter().any(|command| command.providers.contains(&extension.name))
            || WITHOUT_COMMANDS.contains(&extension.name.as_str())
    }

    pub(super) fn range(&self, wanted: Group) -> Range<usize> {
        let start = self.commands().partition_point(|command| group(command) < wanted);
        let end = self.commands().partition_point(|command| group(command) <= wanted);
        start..end
    }

    /// Returns the command's position in its group's dispatch table: instance and physical-device commands share one.
    pub(super) fn slot(&self, id: usize) -> usize {
        match group(&self.commands()[id]) {
            Group::Global => id,
            Group::Instance | Group::PhysicalDevice => id - self.range(Group::Instance).start,
            Group::Device => id - self.range(Group::Device).start,
        }
    }
}

pub(super) fn group(command: &Command) -> Group {
    match class(command) {
        "Global" => Group::Global,
        "Instance" => Group::Instance,
        "PhysicalDevice" => Group::PhysicalDevice,
        _ => Group::Device,
    }
}

/// Returns the variant of the registry's `Class`, which depends on the first parameter.
pub(super) fn class(command: &Command) -> &'static str {
    // Its first parameter is an instance, but it answers for NULL too.
    if command.name == "vkGetInstanceProcAddr" {
        return "Global";
    }
    match command.first_parameter.as_str() {
        "VkInstance" => "Instance",
        "VkPhysicalDevice" => "PhysicalDevice",
        "VkDevice" => "Device",
        "VkQueue" => "Queue",
        "VkCommandBuffer" => "CommandBuffer",
        "VkExternalComputeQueueNV" => "ExternalComputeQueue",
        _ => "Global",
    }
}
