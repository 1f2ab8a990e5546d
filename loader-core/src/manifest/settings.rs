//! The settings file, `vk_loader_settings.json` (`docs/settings-file.md`).
//!
//! Nothing in it is ignored silently: what is wrong or unknown is a [`SettingsWarning`], and the rest counts.
#![forbid(unsafe_code)]

mod read;
#[cfg(test)]
mod tests;

use core::fmt;

use super::driver::{FieldProblem, ManifestError};
use crate::log::{Filter, LogLocation};
use crate::memory::{OutOfMemory, Shown, Text, Vec};

/// What a settings file says.
#[derive(Debug, Default)]
pub struct SettingsFile {
    /// Its objects with settings, in the order of the file, each for some programs or for all.
    pub objects: Vec<Settings>,
    /// What is wrong with it, in no particular order. Of a file with many faults, the first ones.
    pub warnings: Vec<SettingsWarning>,
}

/// Settings for some programs, or for all.
#[derive(Debug, Default)]
pub struct Settings {
    /// The executables that they are for, each with its whole path. `None`: for every program that no other object
    /// names.
    pub app_keys: Option<Vec<Text>>,
    /// Which layers there are, in the order of calls. `None` says nothing about layers, or something wrong; an empty list
    /// says that there are none.
    pub layers: Option<Vec<LayerSetting>>,
    /// What is written to standard error, in place of what `VK_LOADER_DEBUG` asks for unless this is silent.
    pub stderr_log: Filter,
    /// Files that messages are appended to.
    pub log_locations: Vec<LogLocation>,
    /// Manifests of drivers that are looked at before those that are found.
    pub additional_drivers: Vec<Text>,
    /// Whether only those count. Never without any.
    pub additional_drivers_use_exclusively: bool,
    /// The devices that are enumerated, in this order. `None`: all of them.
    pub devices: Option<Vec<DeviceSetting>>,
    /// The line of the file on which the object begins, from 1.
    pub line: u32,
    /// The object as it is written, line breaks and indentation left out.
    pub written: Text,
}

/// What is said about one layer.
#[derive(Debug)]
pub struct LayerSetting {
    /// Its name. Empty for [`Control::Unordered`].
    pub name: Text,
    /// Its manifest: an absolute path. Empty for [`Control::Unordered`].
    pub path: Text,
    /// What to do with it.
    pub control: Control,
    /// Whether it counts as an implicit layer.
    pub implicit: bool,
}

/// What to do with a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// `auto`: what would be done with it anyhow.
    Auto,
    /// `on`: it is active.
    On,
    /// `off`: it cannot be used.
    Off,
    /// `unordered_layer_location`: no layer, but the place of those that are not listed.
    Unordered,
}

/// A physical device, as a driver describes it.
#[derive(Debug)]
pub struct DeviceSetting {
    /// `VkPhysicalDeviceIDProperties::deviceUUID`.
    pub device_uuid: [u8; 16],
    /// `VkPhysicalDeviceIDProperties::driverUUID`, if it matters.
    pub driver_uuid: Option<[u8; 16]>,
    /// `VkPhysicalDeviceProperties::driverVersion`, if it matters.
    pub driver_version: Option<u32>,
    /// What it is called, for messages.
    pub device_name: Text,
}

/// Something in a settings file that does not count.
#[derive(Debug)]
pub struct SettingsWarning {
    /// The key of the field, as it is written in the file.
    pub field: Text,
    /// What is wrong with it.
    pub problem: FieldProblem,
    /// The line of the field's value, or of the object that should hold it, from 1.
    pub line: u32,
}

impl SettingsFile {
    /// Reads the settings file in `bytes`. Paths in it that are not absolute are relative to `folder`, which ends with a
    /// slash.
    ///
    /// # Errors
    /// The outer error is [`OutOfMemory`], the inner one says why nothing in the file counts.
    pub fn parse(bytes: &[u8], folder: &[u8]) -> Result<Result<Self, ManifestError>, OutOfMemory> {
        read::file(bytes, folder)
    }

    /// The place of the object for `program`: the first one that names it, or else the first one for every program.
    #[must_use]
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
            FieldProblem::WrongEntry => "the whole list does not count: layers are searched for as usual",
            _ => "it does not count",
        };
        write!(f, "line {}: \"{}\" {}, so {follows}", self.line, Shown(&self.field), self.problem)
    }
}
