use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Place { pub(crate) container: Option<String>, pub(crate) flatpak: Option<Flatpak>, pub(crate) snap: Option<String>, pub(crate) wsl: Option<u8>, pub(crate) steam_runtime: Option<String>, pub(crate) virtual_machine: Option<String>, pub(crate) appimage: Option<String> }
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Flatpak { pub(crate) application: String, pub(crate) runtime: String, pub(crate) branch: String, pub(crate) gl_extensions: Vec<String>, pub(crate) devices: bool }
pub(super) fn collect(_: &std::path::Path, _: &super::Variables) -> Place { Place::default() }
