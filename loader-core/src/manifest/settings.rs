//! The settings file, `vk_loader_settings.json` (`docs/settings-file.md`).
//!
//! Nothing in it is ignored silently: every fault is a [`SettingsWarning`], and the rest is used.
#![forbid(unsafe_code)]

mod read;
#[cfg(test)]
mod tests;

use core::fmt;

use super::driver::ManifestError;
use super::fields::FieldProblem;
use crate::log::{Filter, LogLocation};
use crate::memory::{Escaped, OutOfMemory, Text, Vec};

#[derive(Debug, Default)]
pub struct SettingsFile {
    /// Its settings objects, in the order of the file, each for some programs or for all.
    pub objects: Vec<Settings>,
    /// Its faults, in any order. If it has many, only the first ones.
    pub warnings: Vec<SettingsWarning>,
}

#[derive(Debug, Default)]
pub struct Settings {
    /// The executables that they are for, each with its full path. `None`: for every program that
    /// no other object names.
    pub app_keys: Option<Vec<Text>>,
    /// The layers, in call order. `None` if the file has no list of layers, or a faulty one; an empty list
    /// means no layers.
    pub layers: Option<Vec<LayerSetting>>,
    /// The filter for standard error, which replaces the filter of `VK_LOADER_DEBUG` unless it is silent.
    pub stderr_log: Filter,
    pub log_locations: Vec<LogLocation>,
    pub additional_drivers: Vec<Text>,
    /// Whether only those are used. Never set if the list is empty.
    pub additional_drivers_use_exclusively: bool,
    /// The devices to enumerate, in this order. `None`: all of them.
    pub devices: Option<Vec<DeviceSetting>>,
    /// Whether software devices are listed only if no other device is there. `None`: as without the file.
    pub software_devices_last: Option<bool>,
    /// The line of the file on which the object begins, from 1.
    pub line: u32,
    /// The beginning of the object as written, without line breaks and indentation.
    pub written: Text,
}

#[derive(Debug)]
pub struct LayerSetting {
    /// Its name. Empty for [`Control::Unordered`].
    pub name: Text,
    /// Its manifest: an absolute path. Empty for [`Control::Unordered`].
    pub path: Text,
    pub control: Control,
    /// Whether it counts as an implicit layer.
    pub implicit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// `auto`: what would happen without the setting.
    Auto,
    /// `on`: it is active.
    On,
    /// `off`: it cannot be used.
    Off,
    /// `unordered_layer_location`: not a layer, but the position of the unlisted ones.
    Unordered,
}

/// A physical device, as its driver describes it.
#[derive(Debug)]
pub struct DeviceSetting {
    /// `VkPhysicalDeviceIDProperties::deviceUUID`.
    pub device_uuid: [u8; 16],
    /// `VkPhysicalDeviceIDProperties::driverUUID`, if it matters.
    pub driver_uuid: Option<[u8; 16]>,
    /// `VkPhysicalDeviceProperties::driverVersion`, if it matters.
    pub driver_version: Option<u32>,
    pub device_name: Text,
}

#[derive(Debug)]
pub struct SettingsWarning {
    /// The key of the field, as written in the file.
    pub field: Text,
    pub problem: FieldProblem,
    /// The line of the field's value, or of the object that should contain it, from 1.
    pub line: u32,
}

impl SettingsFile {
    /// Reads the settings file in `bytes`. Relative paths in it are relative to `folder`, which includes a
    /// final slash.
    pub fn parse(bytes: &[u8], folder: &[u8]) -> Result<Result<Self, ManifestError>, OutOfMemory> {
        read::file(bytes, folder)
    }

    /// Returns the index of the object for `program`: the first that names it, or else the first for every
    /// program.
    pub fn choose(&self, program: Option<&[u8]>) -> Option<usize> {
        let names = |object: &Settings| {
            object.app_keys.iter().flatten().any(|key| program.is_some_and(|program| key == program))
        };
        let objects = || self.objects.iter();
        objects().position(names).or_else(|| objects().position(|object| object.app_keys.is_none()))
    }
}

impl fmt::Display for SettingsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let follows = match self.problem {
            FieldProblem::WrongEntry => ", so the whole list is ignored: layers are searched for as usual",
            FieldProblem::TooMany => "",
            _ => ", so it is ignored",
        };
        write!(f, "line {}: \"{}\" {}{follows}", self.line, Escaped(&self.field), self.problem)
    }
}
