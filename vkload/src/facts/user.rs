use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct User { pub(crate) name: String, pub(crate) id: u32, pub(crate) home: String, pub(crate) groups: Vec<String>, pub(crate) member_of: Vec<String>, pub(crate) elevated: bool }
pub(super) fn collect(_: &std::path::Path) -> User { User::default() }
