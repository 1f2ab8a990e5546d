use serde::{Deserialize, Serialize};
use super::{LibraryState, Variables};
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LoaderFile { pub(crate) name: String, pub(crate) path: String, pub(crate) real_path: String, pub(crate) because: String, pub(crate) bits: u8, pub(crate) first: bool, pub(crate) version: String, pub(crate) state: LibraryState }
pub(super) struct Search;
impl Search { pub(super) fn new(_: &std::path::Path, _: &Variables, _: Option<&std::path::Path>) -> Self { Self } pub(super) fn loaders(&self) -> Vec<LoaderFile> { Vec::new() } }
