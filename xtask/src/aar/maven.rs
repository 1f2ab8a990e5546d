//! A Maven repository with the AAR, so that a Gradle build needs one line: the AAR itself, the metadata for Gradle and Maven, the sources,
//! the documentation, and the libraries with their symbols for decoding crash reports. Each file has checksum files.
//!
//! The same files make the same bytes: no build time is included.

use std::fs;
use std::path::Path;

use md5::Md5;
use serde_json::json;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::archive::{Files, archive};
use super::classes;
use super::content::{VERSION, built, libraries};
use crate::Failure;
use crate::android_options::Abi;
use crate::workspace::{make_empty, read, root, target_folder};

/// The group: the name of the Java package.
pub(super) const GROUP: &str = "dev.vkload";

pub(super) const NAME: &str = "vkload";

/// File name suffixes of the other published files, after the version.
pub(super) const SOURCES: &str = "-sources.jar";
pub(super) const DOCUMENTATION: &str = "-javadoc.jar";
pub(super) const SYMBOLS: &str = "-symbols.zip";

type Sum = fn(&[u8]) -> String;

/// Each checksum, by the end of a file's name in a repository, which is also its name in Gradle's description. All are written: older
/// versions of Maven read the short ones alone.
pub(super) const ALGORITHMS: &[(&str, Sum)] =
    &[("md5", sum::<Md5>), ("sha1", sum::<Sha1>), ("sha256", sum::<Sha256>), ("sha512", sum::<Sha512>)];

fn sum<D: Digest>(content: &[u8]) -> String {
    D::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes the repository in this folder, which is emptied first.
pub(super) fn make(folder: &Path, aar: Vec<u8>, abis: &[Abi]) -> Result<(), Failure> {
    make_empty(folder)?;
    let mut files = Files::new();
    let mut module = template("vkload.module")?;
    let archives = [
        (".aar", aar),
        (SOURCES, classes::sources_jar()?),
        (DOCUMENTATION, classes::documentation_jar(&folder.with_file_name("documentation"))?),
        (SYMBOLS, symbols(abis)?),
    ];
    for (end, content) in archives {
        let mut file = json!({ "name": file_name(end), "url": file_name(end), "size": content.len() });
        for (algorithm, sum) in ALGORITHMS {
            file[algorithm] = sum(&content).into();
        }
        module = module.replace(&format!("\"{end}\""), &file.to_string());
        files.insert(path(end), content);
    }
    files.insert(path(".module"), module.into_bytes());
    files.insert(path(".pom"), template("vkload.pom")?.into_bytes());
    files.insert(
        format!("{}/maven-metadata.xml", self::folder()),
        template("maven-metadata.xml")?.into_bytes(),
    );
    for (name, content) in &files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        for (algorithm, sum) in ALGORITHMS {
            fs::write(folder.join(format!("{name}.{algorithm}")), sum(content))?;
        }
        fs::write(path, content)?;
    }
    let count = files.len() * (1 + ALGORITHMS.len());
    println!("{}: {count} files, for {GROUP}:{NAME}:{VERSION}", folder.display());
    Ok(())
}

/// Reads a description. In Gradle's, the ends of names stand for the files, whose sizes and checksums are not known before.
fn template(name: &str) -> Result<String, Failure> {
    Ok(String::from_utf8(read(&root().join("jni/maven").join(name))?)?)
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
    for (abi, library) in abis.iter().flat_map(|(abi, _)| libraries().map(move |library| (abi, library))) {
        let name = format!("{abi}/{}", library.file);
        let content = built(&folder.join(&name), abi)?;
        files.insert(name, content);
    }
    archive(&files)
}
