//! Profile files: a device's description in the JSON format of Khronos' profiles, which the profiles themselves,
//! `vulkaninfo --json` and the device database use.
//!
//! The device has the properties in the profile. Unmentioned limits have the minimum that the specification permits,
//! unmentioned features are off, and unmentioned queue families and memory are the null driver's own. If a profile
//! has formats, all others have the abilities that the specification requires. Of alternatives, the first is taken.

mod fill;
mod formats;
mod parts;
#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use vkload_core::manifest::json::{self, Kind, Value};
use vkload_driver_runtime::format::required_features;
use vkload_driver_runtime::registry::ExtensionSet;
use vkload_driver_runtime::{Description, vk};

use crate::description::bare;

use fill::{Notes, entries, key_of, text_of};
pub(crate) use formats::{FormatSupport, Formats, wide_of};

/// The maximum depth of profiles that need each other.
const DEPTH: usize = 16;

#[derive(Clone)]
pub(crate) struct Profile {
    pub(crate) device: Description,
    pub(crate) extensions: ExtensionSet,
    pub(crate) formats: Option<Formats>,
    /// The parts that were not understood, each in a sentence with its position in the file.
    pub(crate) warnings: Vec<String>,
}

impl Profile {
    /// Returns a format's supported uses, if the profile has formats: from the profile, or otherwise the
    /// specification's requirements.
    pub(crate) fn format(&self, format: vk::Format) -> Option<FormatSupport> {
        let formats = self.formats.as_ref()?;
        Some(formats.get(format).unwrap_or_else(|| {
            let required = required_features(format, &self.device.features);
            FormatSupport {
                linear: vk::FormatFeatureFlags2::empty(),
                optimal: wide_of(required.optimal),
                buffer: wide_of(required.buffer),
            }
        }))
    }
}

/// Reads the profile with this name, or the only one, from the text of a file.
///
/// # Errors
/// An error is a sentence with the position in the file, the fault there, and the remedy.
pub(crate) fn read(text: &[u8], name: Option<&str>) -> Result<Profile, String> {
    // The first time for the version, on which the limits depend that the profile does not mention.
    let version = read_over(text, name, vk::API_VERSION_1_0)?.device.properties.api_version;
    read_over(text, name, version)
}

fn read_over(text: &[u8], name: Option<&str>, version: u32) -> Result<Profile, String> {
    let root = json::parse(text).map_err(|error| format!("{error}: this is not JSON"))?;
    let capabilities = root.member("capabilities").filter(|it| it.kind() == Kind::Object).ok_or(
        "it has no object /capabilities; a profile file of Khronos' schema is wanted, as `vulkaninfo --json` writes it",
    )?;
    let mut reader = Reader {
        profile: Profile {
            device: bare(version),
            extensions: ExtensionSet::default(),
            formats: None,
            warnings: Vec::new(),
        },
        profiles: root.member("profiles"),
        capabilities,
        notes: Notes::default(),
        families: 0,
        version: None,
    };
    reader.choose(name)?;
    if let Some(memory) = root.member("VkPhysicalDeviceMemoryProperties") {
        reader.property("VkPhysicalDeviceMemoryProperties", memory, "/VkPhysicalDeviceMemoryProperties")?;
    }
    reader.finish()
}

struct Reader<'a> {
    profile: Profile,
    profiles: Option<Value<'a>>,
    capabilities: Value<'a>,
    notes: Notes,
    /// The number of queue families read up to now.
    families: u32,
    version: Option<u32>,
}

impl<'a> Reader<'a> {
    fn choose(&mut self, name: Option<&str>) -> Result<(), String> {
        let names: Vec<String> =
            self.profiles.into_iter().flat_map(|it| it.members()).map(|(key, _)| key_of(key)).collect();
        let chosen = match (name, names.as_slice()) {
            (Some(name), _) => name.to_owned(),
            (None, [only]) => only.clone(),
            (None, []) => return self.capability("device", self.capabilities),
            (None, several) => {
                return Err(format!(
                    "/profiles has {}; say which is meant: profile=PATH:NAME",
                    several.join(", ")
                ));
            }
        };
        if names.is_empty() || (!names.contains(&chosen) && self.capability_of(&chosen).is_some()) {
            return self.capability(&chosen, self.capabilities);
        }
        if !names.contains(&chosen) {
            return Err(format!("/profiles has no {chosen}; it has {}", names.join(", ")));
        }
        self.follow(&chosen, self.capabilities, 0)
    }

    fn capability_of(&self, name: &str) -> Option<Value<'a>> {
        self.capabilities.members().find(|(key, _)| key_of(*key) == name).map(|(_, value)| value)
    }

    /// Reads a profile and the profiles that it needs.
    fn follow(&mut self, name: &str, user: Value<'a>, depth: usize) -> Result<(), String> {
        let found =
            self.profiles.into_iter().flat_map(|it| it.members()).find(|(key, _)| key_of(*key) == name);
        let Some((_, profile)) = found else {
            return Err(format!("line {}: /profiles has no {name}, which is needed here", user.line()));
        };
        if depth > DEPTH {
            return Err(format!("line {}: /profiles/{name} needs itself", profile.line()));
        }
        if let Some(version) = profile.member("api-version") {
            let text = text_of(version).unwrap_or_default();
            let number = parse_version(&text);
            let number = number.ok_or_else(|| {
                format!(
                    "line {}: /profiles/{name}/api-version: a version as \"1.3.204\" is wanted",
                    version.line()
                )
            })?;
            self.version = self.version.max(Some(number));
        }
        for needed in profile.member("profiles").into_iter().flat_map(|it| it.items()) {
            let of = text_of(needed).unwrap_or_default();
            self.follow(&of, needed, depth.saturating_add(1))?;
        }
        for entry in profile.member("capabilities").into_iter().flat_map(|it| it.items()) {
            // A list has alternatives.
            let first = if entry.kind() == Kind::List { entry.items().next() } else { Some(entry) };
            let Some(first) = first else { continue };
            let capability = text_of(first).ok_or_else(|| {
                format!(
                    "line {}: /profiles/{name}/capabilities: names of capabilities are wanted",
                    first.line()
                )
            })?;
            self.capability(&capability, first)?;
        }
        Ok(())
    }

    /// Reads a capability's contents; `user` is the value that names it.
    fn capability(&mut self, name: &str, user: Value<'a>) -> Result<(), String> {
        let Some(all) = self.capability_of(name) else {
            let names: Vec<String> = self.capabilities.members().map(|(key, _)| key_of(key)).collect();
            return Err(format!(
                "line {}: /capabilities has no {name}; it has {}",
                user.line(),
                names.join(", ")
            ));
        };
        for (key, at, value) in entries(all, &format!("/capabilities/{name}")) {
            match key.as_str() {
                "extensions" => self.extensions(value, &at),
                "features" => self.features(value, &at)?,
                "properties" => {
                    for (structure, at, members) in entries(value, &at) {
                        self.property(&structure, members, &at)?;
                    }
                }
                "formats" => self.formats(value, &at)?,
                "queueFamiliesProperties" => self.queue_families(value, &at)?,
                "VkPhysicalDeviceMemoryProperties" => self.property(&key, value, &at)?,
                // Video profiles are of no use without video.
                "videoProfiles" => {}
                _ => self.notes.unknown(value, &at, "part of a capability"),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Profile, String> {
        let properties = &mut self.profile.device.properties;
        if let Some(version) = self.version.filter(|version| *version > properties.api_version) {
            properties.api_version = version;
        }
        if vk::api_version_major(properties.api_version) != 1 {
            return Err(format!(
                "its version of Vulkan is {:#x}; a version 1.x is wanted",
                properties.api_version
            ));
        }
        self.profile.warnings = self.notes.0;
        Ok(self.profile)
    }
}

/// Parses `1.3.204` or `1.3`.
fn parse_version(text: &str) -> Option<u32> {
    let mut numbers = text.split('.');
    let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    let patch = numbers.next().unwrap_or("0").parse().ok()?;
    Some(vk::make_api_version(0, major, minor, patch))
}

/// Splits `PATH` or `PATH:NAME` into the path and a profile's name. A path may contain colons.
pub(crate) fn split(value: &str) -> (String, Option<String>) {
    match value.rsplit_once(':') {
        Some((path, name)) if !name.contains('/') && !name.is_empty() => {
            (path.to_string(), Some(name.to_string()))
        }
        _ => (value.to_string(), None),
    }
}
