//! The settings file of a test case. The other loader does not support it; its input is changed so that its answers are the expected ones.

use crate::world::World;

const PLACE: &str = "data/vulkan/loader_settings.d/vk_loader_settings.json";

/// A settings file for this loader, and in which order its devices have to be.
pub(crate) struct Settings {
    pub(crate) text: String,
    /// Names, if the file lists devices.
    pub(crate) order: Option<Vec<String>>,
}

impl Settings {
    pub(crate) const PLACE: &'static str = PLACE;

    /// Returns the file of a test case whose devices are those, without a settings file.
    pub(crate) fn of(world: &World, devices: &str) -> Option<Self> {
        let line = world.of_kind("settings").next()?;
        if line.subject == "file" {
            return Some(Self { text: line.value.clone(), order: None });
        }
        let order: Vec<String> = devices.split(',').rev().map(str::to_owned).collect();
        let marks: Vec<(u32, u32)> = order.iter().map_while(|name| marks(world, name)).collect();
        let told_apart = (1..marks.len()).all(|at| !marks[..at].contains(&marks[at]));
        if marks.len() < order.len() || !told_apart {
            return None;
        }
        let entries = marks.iter().map(|(device, driver)| {
            let uuid = |byte: u32| vec![byte.to_string(); 16].join(", ");
            format!("{{\"deviceUUID\": [{}], \"driverUUID\": [{}]}}", uuid(*device), uuid(*driver))
        });
        let entries: Vec<String> = entries.collect();
        let text = format!(
            "{{\"file_format_version\": \"1.0.0\", \"settings\": {{\"device_configurations\": [{}]}}}}",
            entries.join(", ")
        );
        Some(Self { text, order: Some(order) })
    }

    /// Returns the device names in the order that this file requires.
    pub(crate) fn reorder(&self, devices: &str) -> String {
        let mut names: Vec<&str> = devices.split(',').collect();
        if let Some(order) = &self.order {
            names.sort_by_key(|name| order.iter().position(|one| one == name));
        }
        names.join(",")
    }
}

/// Returns the bytes that a test driver makes a device's `deviceUUID` and `driverUUID` of: its place in the driver, its vendor.
fn marks(world: &World, device: &str) -> Option<(u32, u32)> {
    for driver in world.subjects("driver") {
        let mut place = 0;
        let mut found = None;
        for (key, value) in world.about("driver", driver) {
            match key {
                "device" if found.is_some() => break,
                "device" => {
                    place += 1;
                    found = (value == device).then_some((place, 0));
                }
                "device_vendor" => {
                    let vendor: u32 = value.parse().ok()?;
                    found = found.map(|(place, _)| (place, vendor & 0xFF));
                }
                _ => {}
            }
        }
        if found.is_some() {
            return found;
        }
    }
    None
}
