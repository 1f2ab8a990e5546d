use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct System { pub(crate) distribution: String, pub(crate) like: Vec<String>, pub(crate) name: String, pub(crate) kernel: String, pub(crate) machine: String, pub(crate) pointer_width: u32, pub(crate) glibc: Option<String>, pub(crate) musl: bool }
pub(super) fn collect(_: &std::path::Path) -> System { System::default() }
