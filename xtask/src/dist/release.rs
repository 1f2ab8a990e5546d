//! The downloads of a release: for each processor an archive with everything, and the tool as one static program.
//!
//! Dynamic files are linked with Zig's libraries of an old glibc, so that they run on any distribution of the last years.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::built::{Built, flags};
use super::check;
use super::deb::{self, Entries, Entry};
use super::dependencies::Dependencies;
use super::options::Options;
use super::output::{build_folder, emptied, source_date};
use super::tree::Tree;
use crate::Failure;
use crate::command::{Run, command};
use crate::elf::{Facts, GlibcVersion};
use crate::target::{Binutils, Target};
use crate::toolchain::{cargo, rustc};
use crate::workspace::{files, read};

const PROCESSORS: &[&str] = &["x86_64", "aarch64"];

/// The oldest supported glibc: Debian 10, Ubuntu 20.04 and RHEL 8 have it or a newer one.
const GLIBC: &str = "2.28";

/// The packages whose dependencies are in the downloads. The portable tool contains `vkload`.
const PACKAGES: &[&str] = &[
    "libvulkan-linux",
    "null-driver-icd",
    "statistics-layer",
    "recorder-layer",
    "faults-layer",
    "vkload-portable",
];

/// The tools that link with an old glibc, by the versions that releases are made with.
const REQUIREMENTS: &str = "packaging/release/requirements.txt";

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Makes the downloads for these processors, or for all, and their checksums. `--check` runs those made.
pub(super) fn run(arguments: &[String]) -> Result<(), Failure> {
    if arguments == ["--check"] { check::run() } else { make(arguments) }
}

fn make(processors: &[String]) -> Result<(), Failure> {
    let unknown = processors.iter().find(|name| !PROCESSORS.contains(&name.as_str()));
    if let Some(name) = unknown {
        return Err(format!("--release {name}: the processors are {}", PROCESSORS.join(", ")).into());
    }
    if !command("cargo-zigbuild --version").succeeds() {
        let remedy = format!("python3 -m pip install --requirement {REQUIREMENTS}");
        return Err(format!("no cargo-zigbuild in PATH, which links with glibc {GLIBC}: {remedy}").into());
    }
    let out = emptied("release")?;
    for processor in
        PROCESSORS.iter().filter(|it| processors.is_empty() || processors.iter().any(|name| name == *it))
    {
        make_for(processor, &out)?;
    }
    let mut sums = String::new();
    for (name, path) in files(&out)? {
        let content = read(&path)?;
        let sum: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{} ({} bytes)", path.display(), content.len());
        sums.push_str(&format!("{sum}  {name}\n"));
    }
    print!("{sums}");
    Ok(fs::write(out.join("SHA256SUMS"), sums)?)
}

fn make_for(processor: &str, out: &Path) -> Result<(), Failure> {
    let target = Target::named(&format!("{processor}-unknown-linux-gnu"))?;
    let mut options = Options::parse(&["--target".to_owned(), target.name.to_owned()])?;
    options.glibc = Some(GLIBC);
    let built = Built::build(&options)?;
    let tool = built.tool.as_deref().ok_or("no tool was built")?;
    for file in [tool, &built.library].into_iter().chain(built.plugins.iter().map(PathBuf::as_path)) {
        check_glibc(file)?;
    }
    let portable = build_portable(&format!("{processor}-unknown-linux-musl"), tool)?;
    let name = format!("vkload-{VERSION}-{processor}");
    fs::copy(portable, out.join(&name))?;

    let staged = emptied("staged")?;
    Tree::new(&staged).install(&built, &options)?;
    let dependencies = Dependencies::of(PACKAGES, target.name)?;
    let (sbom, licences) = (dependencies.sbom(VERSION)?, dependencies.licences()?);
    let mut entries = Entries::new();
    for (file, path) in files(&staged.join("usr/local"))? {
        entries.insert(format!("{name}/{file}"), Entry::read(&path)?);
    }
    let rust = Path::new(&rustc("--print sysroot").read()?).join("share/doc/rust/COPYRIGHT-library.html");
    for (file, content) in [
        ("vkload.cdx.json", sbom.clone().into_bytes()),
        ("THIRD-PARTY-LICENSES", licences.into_bytes()),
        ("COPYRIGHT-rust.html", read(&rust)?),
    ] {
        entries.insert(format!("{name}/share/doc/vkload/{file}"), Entry::of(content));
    }
    fs::write(out.join(format!("{name}.cdx.json")), sbom)?;
    Ok(fs::write(out.join(format!("{name}.tar.xz")), deb::archive("", &entries, source_date()?)?)?)
}

/// Builds the static program that carries the dynamic one.
fn build_portable(target: &str, tool: &Path) -> Result<PathBuf, Failure> {
    let target = Target::named(target)?;
    let mut build = cargo("build --quiet --release --package vkload-portable --target-dir");
    build.arg(build_folder()).args(["--target", target.name]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags(&[])?).env("VKLOAD_DYNAMIC_TOOL", tool);
    target.set_linker(&mut build)?;
    build.finish()?;
    let built = target.folder(&build_folder(), "release").join("vkload-portable");
    let stripped = built.with_file_name("vkload-portable-stripped");
    Binutils(Some(target)).strip(&built, &stripped)?;
    Ok(stripped)
}

/// Fails if the file needs a newer glibc, and prints the newest version that it needs.
fn check_glibc(file: &Path) -> Result<(), Failure> {
    let facts = Facts::of(file)?;
    let (name, newest) = newest_import(&facts);
    println!("{}: glibc {newest} ({name}), needs {}", file.display(), facts.needed.join(", "));
    if GlibcVersion::parse(GLIBC).is_some_and(|oldest| newest <= oldest) {
        return Ok(());
    }
    Err(format!("{}: {name} needs glibc {newest}, and releases are for {GLIBC}", file.display()).into())
}

/// Returns the imported name that needs the newest glibc.
fn newest_import(facts: &Facts) -> (&str, GlibcVersion) {
    facts.glibc_versions().max_by_key(|(_, version)| *version).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_import_is_found_by_number() {
        let versions = [("a", "GLIBC_2.2.5"), ("b", "GLIBC_2.28"), ("c", "GLIBC_2.3.4"), ("d", "OTHER_9.9")];
        let versions = versions.map(|(name, version)| (name.to_owned(), version.to_owned()));
        let facts = Facts { versions: versions.into_iter().collect(), ..Facts::default() };
        assert_eq!(newest_import(&facts), ("b", GlibcVersion::parse("2.28").unwrap()));
    }

    #[test]
    fn a_file_that_needs_a_newer_glibc_is_refused_by_the_name_of_the_symbol() {
        // The tests themselves were linked with this machine's glibc.
        let error = check_glibc(&std::env::current_exe().unwrap()).unwrap_err().to_string();
        assert!(error.contains(" needs glibc 2.") && error.ends_with("and releases are for 2.28"), "{error}");
    }

    #[test]
    fn an_unknown_processor_is_refused() {
        let error = make(&["pdp11".to_owned()]).unwrap_err().to_string();
        assert_eq!(error, "--release pdp11: the processors are x86_64, aarch64");
    }
}
