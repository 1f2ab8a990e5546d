use serde::{Deserialize, Serialize};
pub(crate) struct Named { pub(crate) manifest: String, pub(crate) library: String, pub(crate) layer: bool }
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Library { pub(crate) manifest: String, pub(crate) library: String, pub(crate) path: Option<String>, pub(crate) state: LibraryState, pub(crate) bits: u8, pub(crate) machine: String, pub(crate) is_loader: bool, pub(crate) exports_icd: bool, pub(crate) missing: Vec<Missing>, pub(crate) versions: Vec<VersionNeed> }
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Missing { pub(crate) library: String, pub(crate) needed_by: String, pub(crate) elsewhere: Option<String> }
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct VersionNeed { pub(crate) library: String, pub(crate) version: String, pub(crate) needed_by: String, pub(crate) found: String, pub(crate) because: String, pub(crate) has: Option<String> }
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "is")]
pub(crate) enum LibraryState { #[default] Fine, Absent, DanglingLink { to: String }, Denied { mode: u32, owner: String, of: String }, NotElf { what: String }, Truncated { size: u64, needs: u64 }, WrongClass { bits: u8 }, WrongMachine { machine: String }, NoExecMount { mount: String }, IsFolder }
pub(super) fn collect(_: &std::path::Path, _: &super::linker::Search, _: &[Named]) -> Vec<Library> { Vec::new() }
