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
use std::path::PathBuf;

use crate::Failure;
use crate::android_options::{ABIS, Abi, OLDEST_OF_APPLICATIONS, Options};
use crate::toolchain::report_skipped;
use crate::workspace::target_folder;
use content::VERSION;

/// Makes the AAR for every ABI with a compiler on this machine, and names the others.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (abis, skipped) = options.available();
    if abis.is_empty() {
        return Err(format!("rustup can add none of {}: there is nothing to pack", skipped.join(", ")).into());
    }
    let classes = classes::jar(&target_folder().join("android/classes"))?;
    let files = content::files(&abis, classes)?;
    let (path, aar) = (path(&abis), archive::archive(&files)?);
    fs::write(&path, &aar)?;
    println!(
        "{}: {} files, {} bytes, for API level {OLDEST_OF_APPLICATIONS} and newer",
        path.display(),
        files.len(),
        aar.len()
    );
    maven::make(&maven_folder(&abis), aar, &abis)?;
    report_skipped("aar", &skipped);
    Ok(())
}

pub(crate) fn path(abis: &[Abi]) -> PathBuf {
    target_folder().join("android").join(named(&format!("vkload-{VERSION}"), abis) + ".aar")
}

fn maven_folder(abis: &[Abi]) -> PathBuf {
    target_folder().join("android").join(named("maven", abis))
}

/// Returns the name of something for these ABIs: it says which if they are not all.
fn named(name: &str, abis: &[Abi]) -> String {
    let some = abis.iter().filter(|_| abis.len() < ABIS.len());
    some.fold(name.to_owned(), |name, (abi, _)| name + "-" + abi)
}

#[cfg(test)]
mod tests;
