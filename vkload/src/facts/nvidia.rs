use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Nvidia { pub(crate) module: Option<String>, pub(crate) module_open: bool, pub(crate) libraries: Vec<String>, pub(crate) nouveau: bool, pub(crate) capabilities: Option<String>, pub(crate) visible_devices: Option<String> }
pub(super) fn collect(_: &std::path::Path, _: &super::linker::Search) -> Nvidia { Nvidia::default() }
