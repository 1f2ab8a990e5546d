//! What tests make the driver be, by the variable `VKLOAD_NULL_DRIVER`: words of the form `key=value`, between spaces.
//!
//! | key | value |
//! |---|---|
//! | `api` | the version of Vulkan that instance and devices have: `1.3` |
//! | `devices` | how many physical devices there are: `1` |
//! | `name` | what they are called, a number behind it from the second on: `null` |
//! | `extension` | an instance or device extension that is there too |
//! | `fails` | a command that fails with `VK_ERROR_INITIALIZATION_FAILED`: `vkCreateInstance`, `vkEnumeratePhysicalDevices` or `vkCreateDevice` |

use std::env;
use std::sync::OnceLock;

use driver_runtime::registry::{ExtensionKind, ExtensionSet, extension, find_extension};
use driver_runtime::vk;

/// What the driver is.
pub struct Scenario {
    /// The version of Vulkan.
    pub api_version: u32,
    /// How many physical devices there are.
    pub devices: u32,
    /// What the physical devices are called.
    pub name: String,
    /// Its instance extensions.
    pub instance_extensions: ExtensionSet,
    /// The extensions of its devices.
    pub device_extensions: ExtensionSet,
    fails: Vec<String>,
}

/// The scenario of this process, read once.
pub fn get() -> &'static Scenario {
    static SCENARIO: OnceLock<Scenario> = OnceLock::new();
    SCENARIO.get_or_init(|| Scenario::parse(&env::var("VKLOAD_NULL_DRIVER").unwrap_or_default()))
}

impl Scenario {
    /// Reads a scenario. What cannot be understood is ignored.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut scenario = Self {
            api_version: vk::API_VERSION_1_3,
            devices: 1,
            name: "null".to_owned(),
            instance_extensions: ExtensionSet::new(&[
                extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
                extension::KHR_DEVICE_GROUP_CREATION,
                extension::KHR_EXTERNAL_MEMORY_CAPABILITIES,
                extension::KHR_EXTERNAL_FENCE_CAPABILITIES,
                extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
            ]),
            device_extensions: ExtensionSet::default(),
            fails: Vec::new(),
        };
        for (key, value) in text.split_whitespace().filter_map(|word| word.split_once('=')) {
            match key {
                "api" => scenario.api_version = version(value).unwrap_or(scenario.api_version),
                "devices" => scenario.devices = value.parse().unwrap_or(scenario.devices),
                "name" => value.clone_into(&mut scenario.name),
                "extension" => scenario.add_extension(value),
                "fails" => scenario.fails.push(value.to_owned()),
                _ => {}
            }
        }
        scenario
    }

    /// Whether the command fails.
    #[must_use]
    pub fn fails(&self, command: &str) -> bool {
        self.fails.iter().any(|failing| failing == command)
    }

    fn add_extension(&mut self, name: &str) {
        match find_extension(name.as_bytes()).map(|id| (id, id.kind())) {
            Some((id, ExtensionKind::Instance)) => self.instance_extensions.insert(id),
            Some((id, ExtensionKind::Device)) => self.device_extensions.insert(id),
            None => {}
        }
    }
}

fn version(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once('.')?;
    Some(vk::make_api_version(0, major.parse().ok()?, minor.parse().ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_words_with_values() {
        let scenario = Scenario::parse(
            "api=1.2 devices=3 name=gpu nonsense fails=vkCreateDevice extension=VK_KHR_surface",
        );
        assert_eq!((scenario.api_version, scenario.devices), (vk::API_VERSION_1_2, 3));
        assert!(scenario.fails("vkCreateDevice") && !scenario.fails("vkCreateInstance"));
        assert_ne!(scenario.instance_extensions, ExtensionSet::default());
    }
}
