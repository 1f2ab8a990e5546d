//! A Maven repository with the AAR, so that a Gradle build needs one line: the AAR itself, the metadata for Gradle and Maven, the sources,
//! the documentation, and the libraries with their symbols for decoding crash reports. Each file has checksum files.
//!
//! The same files make the same bytes: no build time is included.

mod check;
mod checksums;
mod metadata;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Failure;
use crate::android_options::Abi;
use crate::build::target_folder;

use super::archive::{archive, contents};
use super::{VERSION, libraries};
use checksums::ALGORITHMS;

/// The group: the name of the Java package.
const GROUP: &str = "dev.vkload";

const NAME: &str = "vkload";

/// File name suffixes of the other published files, after the version.
const SOURCES: &str = "-sources.jar";
const DOCUMENTATION: &str = "-javadoc.jar";
const SYMBOLS: &str = "-symbols.zip";

/// The published files: the AAR, and archives of sources and documentation of its classes.
pub(crate) struct Published {
    pub(crate) aar: Vec<u8>,
    pub(crate) sources: Vec<u8>,
    pub(crate) documentation: Vec<u8>,
}

/// Makes the repository in this folder, which is emptied first, and returns its problems.
pub(crate) fn make(folder: &Path, published: Published, abis: &[Abi]) -> Result<Vec<String>, Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    for (name, content) in files(published, symbols(abis)?) {
        let path = folder.join(&name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        for (algorithm, sum) in ALGORITHMS {
            fs::write(folder.join(format!("{name}.{algorithm}")), sum(&content))?;
        }
        fs::write(path, content)?;
    }
    let files = contents(folder, None)?;
    println!("{}: {} files, for {GROUP}:{NAME}:{VERSION}", folder.display(), files.len());
    Ok(check::complaints(&files))
}

/// Returns the files without their checksums, by their paths in the repository.
fn files(published: Published, symbols: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let archives = [
        (".aar", published.aar),
        (SOURCES, published.sources),
        (DOCUMENTATION, published.documentation),
        (SYMBOLS, symbols),
    ];
    let module = metadata::module(&archives);
    let described = [(".module", module.into_bytes()), (".pom", metadata::pom().into_bytes())];
    let mut files: BTreeMap<String, Vec<u8>> =
        archives.into_iter().chain(described).map(|(end, content)| (path(end), content)).collect();
    files.insert(format!("{}/maven-metadata.xml", folder()), metadata::versions().into_bytes());
    files
}

/// Returns the folder of all versions.
fn folder() -> String {
    format!("{}/{NAME}", GROUP.replace('.', "/"))
}

/// Returns the path of the file whose name ends like this behind the version.
fn path(end: &str) -> String {
    format!("{}/{VERSION}/{}", folder(), file_name(end))
}

fn file_name(end: &str) -> String {
    format!("{NAME}-{VERSION}{end}")
}

/// Returns the libraries with their symbols, in the folders that Google Play and debuggers expect.
fn symbols(abis: &[Abi]) -> Result<Vec<u8>, Failure> {
    let folder = target_folder().join("android/symbols");
    let mut files = BTreeMap::new();
    for (abi, _) in abis {
        for library in libraries() {
            let name = format!("{abi}/{}", library.file);
            let path = folder.join(&name);
            let content = fs::read(&path).map_err(|error| {
                format!("{}: {error}; `cargo xtask android-abi --abi {abi}` makes it", path.display())
            })?;
            files.insert(name, content);
        }
    }
    archive(&files)
}
