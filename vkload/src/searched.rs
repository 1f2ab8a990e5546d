//! Search paths, in words.

use std::ffi::CStr;
use std::io;

use serde::Serialize;
use vkload_core::discovery::{Origin, SearchResult, Searched};
use vkload_core::platform::FileError;

use crate::lossless;
#[cfg(feature = "tool")]
use crate::table::Table;

/// A file or folder that was searched.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SearchPath {
    pub(crate) path: String,
    pub(crate) because: String,
    pub(crate) found: String,
}

impl SearchPath {
    pub(crate) fn new(searched: &Searched) -> Self {
        Self {
            path: lossless::text(&searched.path),
            because: origin(searched.origin),
            found: found(&searched.result),
        }
    }

    #[cfg(feature = "tool")]
    pub(crate) fn table(paths: &[Self]) -> Table {
        let mut table = Table::new(&["PLACE", "FOUND", "BECAUSE OF"]);
        for searched in paths {
            table.row([&searched.path, &searched.found, &searched.because]);
        }
        table
    }
}

/// Returns the reason for searching a path.
pub(crate) fn origin(origin: Origin) -> String {
    let words = |name: &CStr| name.to_string_lossy().into_owned();
    match origin {
        Origin::Replacing(name) | Origin::Adding(name) | Origin::Variable(name) => words(name),
        Origin::Fallback(name) => format!("{} is unset", words(name)),
        Origin::BuiltIn(name) => name.to_owned(),
        Origin::Settings => "the settings file".to_owned(),
        Origin::Service => "the loader service".to_owned(),
        Origin::OverrideLayer => "override_paths".to_owned(),
    }
}

fn found(result: &SearchResult) -> String {
    match result {
        SearchResult::Folder { manifests: 1 } => "1 manifest".into(),
        SearchResult::Folder { manifests } => format!("{manifests} manifests"),
        SearchResult::File => "a manifest".into(),
        SearchResult::Repeated => "the same as above".into(),
        SearchResult::Failed(FileError::NotFound) => "nothing".into(),
        SearchResult::Failed(FileError::Denied) => "no permission to read".into(),
        SearchResult::Failed(FileError::Other(number)) => io::Error::from_raw_os_error(*number).to_string(),
        SearchResult::Failed(error) => format!("{error:?}"),
    }
}
