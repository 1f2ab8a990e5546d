use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Stray { pub(crate) path: String, pub(crate) why: StrayKind }
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(crate) enum StrayKind { DanglingLink { to: String }, Ending { of: String }, Misplaced { belongs: String }, Unreadable { mode: u32, owner: String }, ByteOrderMark, #[default] Empty, NotJson { line: usize, problem: String } }
pub(super) fn collect(_: &std::path::Path, _: &super::Variables) -> Vec<Stray> { Vec::new() }
