//! `cargo xtask package`: packs the crates that are published, and tests each package outside the repository, as users compile it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::Failure;
use crate::command::Run;
use crate::toolchain::cargo;
use crate::workspace::{make_empty, packages, root, target_folder};

/// The features with which packages are tested. `vkload-linux` is tested without `fixed-drivers`, which needs a variable while building.
const FEATURES: &[(&str, &str)] = &[
    ("vkload", "vulkanalia,vulkano"),
    ("vkload-driver-runtime", "linux"),
    ("vkload-registry", "every-extension,types"),
];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if !arguments.is_empty() {
        return Err("package has no options".into());
    }
    let published: BTreeMap<String, String> = packages()?.iter().filter_map(published).collect();
    let names: Vec<_> = published.keys().flat_map(|name| ["--package", name]).collect();
    // The tests are offline, so that nothing newer than the lock file gets in.
    cargo("fetch --quiet --locked").finish()?;
    // The tests compile the packages anyway.
    cargo("package --quiet --locked --no-verify --allow-dirty").args(names).finish()?;

    let folder = target_folder().join("package/outside");
    make_empty(&folder)?;
    for (name, version) in &published {
        let file = target_folder().join(format!("package/{name}-{version}.crate"));
        let mut archive = tar::Archive::new(GzDecoder::new(File::open(file)?));
        // Cargo gives every file in a package the same time, and compiles again if a time is new.
        archive.set_preserve_mtime(false);
        archive.unpack(&folder)?;
    }
    fs::write(folder.join("Cargo.toml"), workspace(&published))?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    published.keys().try_for_each(|name| test(&folder, name))
}

/// Returns the name and version of a package unless its manifest forbids publishing.
fn published(package: &Value) -> Option<(String, String)> {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    package["publish"].is_null().then(|| Some((text("name")?, text("version")?)))?
}

/// Returns the manifest of a workspace in which the packages depend on each other instead of on a registry.
fn workspace(packages: &BTreeMap<String, String>) -> String {
    let patches = packages.iter().map(|(name, version)| format!("{name}.path = \"{name}-{version}\"\n"));
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n{}",
        patches.collect::<String>()
    )
}

/// Runs the tests in a package, without the repository's flags for the compiler.
fn test(folder: &Path, name: &str) -> Result<(), Failure> {
    println!("package: testing {name}");
    let features = FEATURES.iter().find(|(package, _)| *package == name).map_or("", |(_, features)| features);
    let mut cargo = cargo("test --quiet --offline --package");
    cargo.args([name, "--features", features]).current_dir(folder).env("RUSTFLAGS", "");
    cargo.env("CARGO_TARGET_DIR", target_folder().join("package/target")).finish()
}
