//! The formats of a profile.

use alloc::string::String;
use alloc::vec::Vec;

use vkload_core::manifest::json::{Kind, Value};
use vkload_driver_runtime::reflect::{self, Named};
use vkload_driver_runtime::vk;

use super::Reader;
use super::fill::{Notes, add_flags, entries, wrong};

/// The supported uses of a format, as 64-bit features.
#[derive(Clone, Copy, Default)]
pub(crate) struct FormatSupport {
    pub(crate) linear: vk::FormatFeatureFlags2,
    pub(crate) optimal: vk::FormatFeatureFlags2,
    pub(crate) buffer: vk::FormatFeatureFlags2,
}

#[derive(Clone, Default)]
pub(crate) struct Formats(Vec<(vk::Format, FormatSupport)>);

impl Formats {
    pub(crate) fn get(&self, format: vk::Format) -> Option<FormatSupport> {
        self.0.iter().find(|(known, _)| *known == format).map(|(_, support)| *support)
    }

    fn entry(&mut self, format: vk::Format) -> Option<&mut FormatSupport> {
        if !self.0.iter().any(|(known, _)| *known == format) {
            self.0.push((format, FormatSupport::default()));
        }
        self.0.iter_mut().find(|(known, _)| *known == format).map(|(_, support)| support)
    }
}

impl Reader<'_> {
    /// Adds formats' supported uses to the uses from other capabilities.
    pub(super) fn formats(&mut self, all: Value<'_>, at: &str) -> Result<(), String> {
        for (name, at, structures) in entries(all, at) {
            let Some((_, number)) = reflect::format_names().iter().find(|(known, _)| *known == name) else {
                self.notes.unknown(structures, &at, "format");
                continue;
            };
            let formats = self.profile.formats.get_or_insert_default();
            let Some(support) = formats.entry(vk::Format::from_raw(*number as i32)) else { continue };
            for (structure, at, members) in entries(structures, &at) {
                match structure.as_str() {
                    "VkFormatProperties" => narrow(support, members, &at, &mut self.notes)?,
                    "VkFormatProperties2" | "VkFormatProperties2KHR" => {
                        let inner = members.member("formatProperties").unwrap_or(members);
                        narrow(support, inner, &at, &mut self.notes)?;
                    }
                    "VkFormatProperties3" | "VkFormatProperties3KHR" => {
                        wide(support, members, &at, &mut self.notes)?
                    }
                    // Its performance information has no effect here.
                    "VkSubpassResolvePerformanceQueryEXT" => {}
                    _ => self.notes.unknown(members, &at, "structure of formats"),
                }
            }
        }
        Ok(())
    }
}

/// Returns the same features of 64 bits.
pub(crate) fn wide_of(narrow: vk::FormatFeatureFlags) -> vk::FormatFeatureFlags2 {
    vk::FormatFeatureFlags2::from_raw(narrow.as_raw().into())
}

fn narrow(
    support: &mut FormatSupport,
    members: Value<'_>,
    at: &str,
    notes: &mut Notes,
) -> Result<(), String> {
    let mut read = vk::FormatProperties::default();
    each(&mut read, members, at, notes)?;
    support.linear |= wide_of(read.linear_tiling_features);
    support.optimal |= wide_of(read.optimal_tiling_features);
    support.buffer |= wide_of(read.buffer_features);
    Ok(())
}

fn wide(support: &mut FormatSupport, members: Value<'_>, at: &str, notes: &mut Notes) -> Result<(), String> {
    let mut read = vk::FormatProperties3::default();
    each(&mut read, members, at, notes)?;
    support.linear |= read.linear_tiling_features;
    support.optimal |= read.optimal_tiling_features;
    support.buffer |= read.buffer_features;
    Ok(())
}

fn each<T: Named>(read: &mut T, members: Value<'_>, at: &str, notes: &mut Notes) -> Result<(), String> {
    for (key, at, value) in entries(members, at) {
        let Some(mut slot) = reflect::member_of(read, &key) else {
            notes.unknown(value, &at, "member");
            continue;
        };
        if value.kind() != Kind::List {
            return Err(wrong(value, &at, "a list of the names of features is wanted"));
        }
        add_flags(&mut slot, value, &at, notes)?;
    }
    Ok(())
}
