use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Packages { pub(crate) manager: Option<Manager>, pub(crate) hits: BTreeMap<String, String>, pub(crate) drivers_installed: Vec<String> }
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Manager { Apt }
impl Manager { pub(crate) fn install(&self, p: &str) -> String { p.into() } pub(crate) fn install_library(&self, s: &str, _: u8, _: Option<&str>) -> String { s.into() } pub(crate) fn vulkan_drivers(&self, _: Option<u32>) -> Vec<String> { Vec::new() } pub(crate) fn loader(&self) -> String { String::new() } pub(crate) fn nvidia_driver(&self, _: &super::System) -> Vec<String> { Vec::new() } }
pub(super) fn collect(_: &std::path::Path) -> Packages { Packages { manager: Some(Manager::Apt), ..Packages::default() } }
