//! The content of `vkload info`, as plain data. `docs/schemas/info.schema.json` describes it as JSON.

use serde::Serialize;

use crate::searched::SearchPath;
use crate::view::{Device, DriverView, LayerView};

#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// The loader's file. Empty if it was not tried.
    pub(crate) loader: String,
    /// The version of Vulkan that it has.
    pub(crate) vulkan: String,
    /// Every driver that was found, used or not, in order of discovery.
    pub(crate) drivers: Vec<Driver>,
    /// Every layer that was found, active or not, in order of discovery.
    pub(crate) layers: Vec<Layer>,
    /// Extensions that an instance may enable.
    #[serde(rename = "instanceExtensions")]
    pub(crate) extensions: Vec<Extension>,
    /// In the order in which applications see them.
    pub(crate) devices: Vec<Device>,
    /// Every file and folder that was searched for drivers.
    pub(crate) searched: Vec<SearchPath>,
    pub(crate) notes: Vec<String>,
    /// The reason for the lack of a device, and the remedy.
    pub(crate) problem: Option<Problem>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Driver {
    #[serde(flatten)]
    pub(crate) view: DriverView,
    /// How many devices it has, before any are filtered.
    pub(crate) devices: usize,
}

/// A layer that was found, and what becomes of it in a program that asks for no layer.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Layer {
    #[serde(flatten)]
    pub(crate) view: LayerView,
    pub(crate) api_version: String,
    pub(crate) implementation_version: u32,
    pub(crate) description: String,
    /// The extensions that its manifest says it adds, of instances and of devices.
    pub(crate) instance_extensions: Vec<Extension>,
    pub(crate) device_extensions: Vec<Extension>,
    /// Its manifest's description for people and tools, which format version 1.2.0 introduced. Empty for older manifests.
    #[serde(flatten)]
    pub(crate) about: About,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct About {
    pub(crate) introduction: String,
    pub(crate) url: String,
    pub(crate) platforms: Vec<String>,
    /// Usually `ALPHA`, `BETA`, `STABLE` or `DEPRECATED`.
    pub(crate) status: String,
    /// Its settings: the manifest's `features`, unchanged.
    #[serde(rename = "features")]
    pub(crate) settings: Option<serde_json::Value>,
}

pub(crate) use crate::probe::Extension;

/// The reason for the lack of a device.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Problem {
    pub(crate) reason: String,
    /// The remedy, one step per line.
    pub(crate) advice: Vec<String>,
}
