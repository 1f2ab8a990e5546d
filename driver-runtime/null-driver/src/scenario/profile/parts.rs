//! The parts of a capability: extensions, features, properties, queue families.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use vkload_core::manifest::json::{Kind, Value};
use vkload_driver_runtime::reflect::{self, Unknown};
use vkload_driver_runtime::registry::find_extension;
use vkload_driver_runtime::vk;

use super::Reader;
use super::fill::{entries, fill, names, wrong};

impl Reader<'_> {
    pub(super) fn extensions(&mut self, all: Value<'_>, at: &str) {
        for (name, at, value) in entries(all, at) {
            match find_extension(name.as_bytes()) {
                Some(id) => self.profile.extensions.insert(id),
                None => self.notes.unknown(value, &at, "extension"),
            }
        }
    }

    pub(super) fn features(&mut self, all: Value<'_>, at: &str) -> Result<(), String> {
        for (structure, at, members) in entries(all, at) {
            // `VkPhysicalDeviceFeatures2` has the features of Vulkan 1.0 in a member.
            let (structure, members) = match (structure.as_str(), members.member("features")) {
                ("VkPhysicalDeviceFeatures2" | "VkPhysicalDeviceFeatures2KHR", Some(inner)) => {
                    ("VkPhysicalDeviceFeatures", inner)
                }
                (name, _) => (name, members),
            };
            let of_structure = &at;
            for (member, at, value) in entries(members, of_structure) {
                match reflect::feature(structure, &member) {
                    Ok(feature) => {
                        let on = value.truth().or_else(|| value.unsigned().map(|number| number != 0));
                        let on = on.ok_or_else(|| wrong(value, &at, "true or false is wanted"))?;
                        let features = &mut self.profile.device.features;
                        *features = if on { features.with(feature) } else { features.without(feature) };
                    }
                    Err(Unknown::Structure) => {
                        self.notes.unknown(members, of_structure, "structure of features");
                        break;
                    }
                    Err(_) => self.notes.unknown(value, &at, "feature"),
                }
            }
        }
        Ok(())
    }

    /// Sets the members of a structure of properties.
    pub(super) fn property(&mut self, structure: &str, members: Value<'_>, at: &str) -> Result<(), String> {
        // `VkPhysicalDeviceProperties2` has the properties of Vulkan 1.0 in a member.
        let (structure, members) = match (structure, members.member("properties")) {
            ("VkPhysicalDeviceProperties2" | "VkPhysicalDeviceProperties2KHR", Some(inner)) => {
                ("VkPhysicalDeviceProperties", inner)
            }
            other => (other.0, members),
        };
        if members.kind() != Kind::Object {
            return Err(wrong(members, at, "an object with the members of the structure is wanted"));
        }
        let of_structure = at;
        for (member, at, value) in entries(members, at) {
            match reflect::member(&mut self.profile.device, structure, &member) {
                Ok(mut slot) => fill(&mut slot, value, &at, &mut self.notes)?,
                Err(Unknown::Array) => self.layouts(&member, value, &at)?,
                Err(Unknown::Structure) => {
                    self.notes.unknown(members, of_structure, "structure of properties");
                    return Ok(());
                }
                Err(Unknown::Member) => self.notes.unknown(value, &at, "member"),
            }
        }
        self.count_memory(structure, members);
        Ok(())
    }

    /// Counts heaps and types, for files that have only the lists.
    fn count_memory(&mut self, structure: &str, members: Value<'_>) {
        if structure != "VkPhysicalDeviceMemoryProperties" {
            return;
        }
        let count = |name: &str| members.member(name).map(|list| list.items().count() as u32);
        let memory = &mut self.profile.device.memory;
        if let Some(count) = count("memoryHeaps") {
            memory.memory_heap_count = count.min(vk::MAX_MEMORY_HEAPS as u32);
        }
        if let Some(count) = count("memoryTypes") {
            memory.memory_type_count = count.min(vk::MAX_MEMORY_TYPES as u32);
        }
    }

    /// Reads the layouts for host copies. Their number follows from the list.
    fn layouts(&mut self, member: &str, value: Value<'_>, at: &str) -> Result<(), String> {
        let list = match member {
            "pCopySrcLayouts" | "pCopyDstLayouts" if value.kind() == Kind::List => value,
            _ => return Ok(()),
        };
        let values = names(list, reflect::image_layout_names(), at, &mut self.notes)?;
        let layouts: Vec<vk::ImageLayout> =
            values.into_iter().map(|value| vk::ImageLayout::from_raw(value as i32)).collect();
        // The process keeps data from its variable until it exits.
        let layouts = Box::leak(layouts.into_boxed_slice());
        let of_1_4 = &mut self.profile.device.vulkan_1_4;
        if member == "pCopySrcLayouts" {
            of_1_4.copy_src_layouts = layouts;
        } else {
            of_1_4.copy_dst_layouts = layouts;
        }
        Ok(())
    }

    pub(super) fn queue_families(&mut self, list: Value<'_>, at: &str) -> Result<(), String> {
        for (number, entry) in list.items().enumerate() {
            let at = format!("{at}/{number}");
            let room = self.profile.device.queue_families.len();
            let Some(family) = self.profile.device.queue_families.get_mut(self.families as usize) else {
                return Err(wrong(
                    entry,
                    &at,
                    &format!("a device of this driver has up to {room} queue families"),
                ));
            };
            let second =
                entry.member("VkQueueFamilyProperties2").and_then(|it| it.member("queueFamilyProperties"));
            let plain = entry.member("VkQueueFamilyProperties").or(second);
            let plain =
                plain.ok_or_else(|| wrong(entry, &at, "an object VkQueueFamilyProperties is wanted"))?;
            *family = vk::QueueFamilyProperties::default();
            for (key, at, value) in entries(plain, &format!("{at}/VkQueueFamilyProperties")) {
                match reflect::member_of(family, &key) {
                    Some(mut slot) => fill(&mut slot, value, &at, &mut self.notes)?,
                    None => self.notes.unknown(value, &at, "member"),
                }
            }
            self.families = self.families.saturating_add(1);
            self.profile.device.queue_family_count = self.families;
        }
        Ok(())
    }
}
