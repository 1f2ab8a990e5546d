//! `cargo xtask aar`: the loader for applications as an Android archive (AAR): the classes of the Java API, the libraries for each ABI
//! built by `cargo xtask android-abi`, and the files for C and C++ programs. Also makes a Maven repository with it. Tests read
//! both back.
//!
//! The same sources make the same bytes: files are sorted by name, uncompressed and undated.

mod archive;
mod classes;
mod content;
mod maven;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::android_options::{ABIS, Abi, OLDEST, Options};
use crate::toolchain::report_skipped;
use crate::workspace::target_folder;
use archive::Files;
use content::{VERSION, libraries};

/// Makes the AAR for every ABI with a compiler on this machine, and names the others.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::of(arguments)?;
    let (abis, skipped) = options.available();
    if abis.is_empty() {
        return Err(format!("rustup can add none of {}: there is nothing to pack", skipped.join(", ")).into());
    }
    let path = path(&abis);
    let android = target_folder().join("android");
    let classes = classes::jar(&android.join("classes"))?;
    let files = content::files(&abis, classes)?;
    let aar = archive::archive(&files)?;
    fs::write(&path, &aar)?;
    report(&path, &files, &abis)?;
    let published = maven::Published {
        aar,
        sources: classes::sources_jar()?,
        documentation: classes::documentation_jar(&android.join("documentation"))?,
    };
    maven::make(&maven_folder(&abis), published, &abis)?;
    report_skipped("aar", &skipped);
    Ok(())
}

pub(crate) fn path(abis: &[Abi]) -> PathBuf {
    target_folder().join("android").join(named(&format!("vkload-{VERSION}"), abis) + ".aar")
}

/// Returns the folder of the Maven repository with it.
fn maven_folder(abis: &[Abi]) -> PathBuf {
    target_folder().join("android").join(named("maven", abis))
}

/// Returns the name of something for these ABIs: it says which if they are not all.
fn named(name: &str, abis: &[Abi]) -> String {
    let some = abis.iter().filter(|_| abis.len() < ABIS.len());
    some.fold(name.to_owned(), |name, (abi, _)| name + "-" + abi)
}

/// Says how large everything is, in bytes.
fn report(path: &Path, files: &Files, abis: &[Abi]) -> Result<(), Failure> {
    let size = |name: &str| files.get(name).map_or(0, Vec::len);
    let columns: String = libraries().map(|library| format!("{:>22}", library.file)).collect();
    println!("{:12}{columns}", "ABI");
    for (abi, _) in abis {
        let sizes: String = libraries()
            .map(|library| format!("{:>22}", size(&content::library(abi, library.file))))
            .collect();
        println!("{abi:12}{sizes}");
    }
    println!("{:12}{:>18}", "classes.jar", size("classes.jar"));
    println!("for Android's API level {OLDEST} and newer");
    println!("{}: {} files, {} bytes", path.display(), files.len(), fs::metadata(path)?.len());
    Ok(())
}

#[cfg(test)]
mod tests;
