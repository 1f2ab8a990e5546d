//! A Maven repository with the AAR, so that a Gradle build needs one line: the AAR itself, the metadata for Gradle and Maven, the sources,
//! the documentation, and the libraries with their symbols for decoding crash reports. Each file has checksum files.
//!
//! The same files make the same bytes: no build time is included.

mod metadata;

use std::fs;
use std::path::Path;

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::archive::{Files, archive};
use super::content::{VERSION, built, libraries};
use crate::Failure;
use crate::android_options::Abi;
use crate::workspace::{make_empty, target_folder};

/// The group: the name of the Java package.
pub(super) const GROUP: &str = "dev.vkload";

pub(super) const NAME: &str = "vkload";

/// File name suffixes of the other published files, after the version.
pub(super) const SOURCES: &str = "-sources.jar";
pub(super) const DOCUMENTATION: &str = "-javadoc.jar";
pub(super) const SYMBOLS: &str = "-symbols.zip";

/// Makes a checksum: its hexadecimal digits.
type Sum = fn(&[u8]) -> String;

/// Each checksum, by the end of a file's name in a repository, which is also its name in Gradle's description. All are written: older
/// versions of Maven read the short ones alone.
pub(super) const ALGORITHMS: &[(&str, Sum)] =
    &[("md5", sum::<Md5>), ("sha1", sum::<Sha1>), ("sha256", sum::<Sha256>), ("sha512", sum::<Sha512>)];

fn sum<D: Digest>(content: &[u8]) -> String {
    D::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The published files: the AAR, and archives of sources and documentation of its classes.
pub(crate) struct Published {
    pub(crate) aar: Vec<u8>,
    pub(crate) sources: Vec<u8>,
    pub(crate) documentation: Vec<u8>,
}

/// Makes the repository in this folder, which is emptied first.
pub(crate) fn make(folder: &Path, published: Published, abis: &[Abi]) -> Result<(), Failure> {
    make_empty(folder)?;
    let files = files(published, symbols(abis)?)?;
    let count = files.len() * (1 + ALGORITHMS.len());
    for (name, content) in files {
        let path = folder.join(&name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        for (algorithm, sum) in ALGORITHMS {
            fs::write(folder.join(format!("{name}.{algorithm}")), sum(&content))?;
        }
        fs::write(path, content)?;
    }
    println!("{}: {count} files, for {GROUP}:{NAME}:{VERSION}", folder.display());
    Ok(())
}

/// Returns the files without their checksums, by their paths in the repository.
fn files(published: Published, symbols: Vec<u8>) -> Result<Files, Failure> {
    let archives = [
        (".aar", published.aar),
        (SOURCES, published.sources),
        (DOCUMENTATION, published.documentation),
        (SYMBOLS, symbols),
    ];
    let module = metadata::module(&archives)?;
    let described = [(".module", module.into_bytes()), (".pom", metadata::pom().into_bytes())];
    let mut files: Files =
        archives.into_iter().chain(described).map(|(end, content)| (path(end), content)).collect();
    files.insert(format!("{}/maven-metadata.xml", folder()), metadata::versions().into_bytes());
    Ok(files)
}

pub(super) fn folder() -> String {
    format!("{}/{NAME}", GROUP.replace('.', "/"))
}

/// Returns the path of the file whose name ends like this behind the version.
pub(super) fn path(end: &str) -> String {
    format!("{}/{VERSION}/{}", folder(), file_name(end))
}

fn file_name(end: &str) -> String {
    format!("{NAME}-{VERSION}{end}")
}

/// Returns the libraries with their symbols, in the folders that Google Play and debuggers expect.
fn symbols(abis: &[Abi]) -> Result<Vec<u8>, Failure> {
    let folder = target_folder().join("android/symbols");
    let mut files = Files::new();
    for (abi, _) in abis {
        for library in libraries() {
            let name = format!("{abi}/{}", library.file);
            let content = built(&folder.join(&name), abi)?;
            files.insert(name, content);
        }
    }
    archive(&files)
}
