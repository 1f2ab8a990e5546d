//! A package's description of its driver: `meta.json`.
#![forbid(unsafe_code)]

use vkload_core::manifest::json::{self, Value};
use vkload_core::memory::{OrOutOfMemory, Text};

use super::error::PackageError;

#[derive(Debug, Default)]
pub struct Package {
    pub name: Text,
    pub description: Text,
    pub author: Text,
    pub package_version: Text,
    pub vendor: Text,
    pub driver_version: Text,
    /// The oldest Android API level that it runs on; 0 if not given.
    pub min_api: u32,
    pub library: Text,
}

impl Package {
    /// Reads `meta.json`. `schemaVersion` and `libraryName` are required.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, OrOutOfMemory<PackageError>> {
        let root = json::parse(bytes).map_err(PackageError::Json)?;
        match number(&root, "schemaVersion")? {
            Some(1) => (),
            Some(version) => return Err(PackageError::Schema(version).into()),
            None => return Err(PackageError::NoSchema.into()),
        }
        let package = Self {
            name: string(&root, "name")?,
            description: string(&root, "description")?,
            author: string(&root, "author")?,
            package_version: string(&root, "packageVersion")?,
            vendor: string(&root, "vendor")?,
            driver_version: string(&root, "driverVersion")?,
            min_api: number(&root, "minApi")?.unwrap_or_default(),
            library: string(&root, "libraryName")?,
        };
        match package.library.as_slice() {
            [] => Err(PackageError::NoLibraryName.into()),
            name if !is_file_name(name) => Err(PackageError::LibraryName(package.library).into()),
            _ => Ok(package),
        }
    }
}

fn number(root: &Value<'_>, name: &'static str) -> Result<Option<u32>, PackageError> {
    let Some(value) = root.member(name) else { return Ok(None) };
    value.unsigned().map(Some).ok_or(PackageError::Member { name, wanted: "a number" })
}

fn string(root: &Value<'_>, name: &'static str) -> Result<Text, OrOutOfMemory<PackageError>> {
    let Some(value) = root.member(name) else { return Ok(Text::new()) };
    Ok(value.string().ok_or(PackageError::Member { name, wanted: "a string" })?.to_text()?)
}

/// Returns whether this is a plain file name. A colon would split lists of libraries.
fn is_file_name(name: &[u8]) -> bool {
    let forbidden = |byte: &u8| matches!(byte, b'/' | b'\\' | b':') || *byte < b' ';
    !(name == b"." || name == b".." || name.iter().any(forbidden))
}
