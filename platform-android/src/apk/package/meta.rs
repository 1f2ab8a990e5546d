//! What a package says of its driver: `meta.json`.
#![forbid(unsafe_code)]

use loader_core::manifest::json::{self, Value};
use loader_core::memory::Text;

use super::fault::Fault;
use super::stop::Stop;

/// What a package says of its driver.
#[derive(Debug, Default)]
pub struct Package {
    /// The driver's name.
    pub name: Text,
    /// What it is.
    pub description: Text,
    /// Who made the package.
    pub author: Text,
    /// The package's version.
    pub package_version: Text,
    /// Whose driver it is.
    pub vendor: Text,
    /// The driver's version.
    pub driver_version: Text,
    /// The oldest level of Android's API that it runs on; 0 if it does not say.
    pub min_api: u32,
    /// The driver's library.
    pub library: Text,
}

impl Package {
    /// Reads `meta.json`. `schemaVersion` and `libraryName` have to be there.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Stop> {
        let root = json::parse(bytes).map_err(Fault::Json)?;
        let schema = number(&root, "schemaVersion")?;
        if schema != Some(1) {
            return Err(Fault::Schema(schema).into());
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
        if !is_file_name(&package.library) {
            return Err(Fault::LibraryName(package.library).into());
        }
        Ok(package)
    }
}

fn number(root: &Value<'_>, name: &'static str) -> Result<Option<u32>, Fault> {
    let Some(value) = root.member(name) else { return Ok(None) };
    value.unsigned().map(Some).ok_or(Fault::Member { name, wanted: "a number" })
}

fn string(root: &Value<'_>, name: &'static str) -> Result<Text, Stop> {
    let Some(value) = root.member(name) else { return Ok(Text::new()) };
    Ok(value.string().ok_or(Fault::Member { name, wanted: "a string" })?.to_text()?)
}

/// Whether this names a file in a folder and nothing else. A colon would part lists of libraries.
fn is_file_name(name: &[u8]) -> bool {
    let forbidden = |byte: &u8| matches!(byte, b'/' | b'\\' | b':') || *byte < b' ';
    !(name.is_empty() || name == b"." || name == b".." || name.iter().any(forbidden))
}
