//! `cargo xtask source [--deb] [--out DIR]`: the archive from which distributions build without a network, and Debian's source package.
//!
//! Both hold the last commit and the crates in `Cargo.lock`. Equal commits make equal archives.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::command::{Run, command};
use crate::dist::{debian, output};
use crate::toolchain::cargo;
use crate::workspace::{make_empty, root, target_folder};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Debian's files that are not generated, in `packaging/debian` and in `debian`.
const DEBIAN_FILES: &[&str] = &["rules", "source/format", "source/lintian-overrides"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let (mut out, mut deb) = (target_folder().join("source"), false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.as_slice().first()) {
            ("--deb", _) => deb = true,
            ("--out", Some(folder)) => {
                out = folder.into();
                arguments.next();
            }
            _ => return Err("the options are --deb and --out DIR".into()),
        }
    }
    let work = target_folder().join("source-tree");
    make_empty(&work)?;
    fs::create_dir_all(&out)?;
    let out = out.canonicalize()?;
    let tree = work.join(format!("vkload-{VERSION}"));
    check_out(&tree)?;
    vendor(&tree)?;
    let archive = pack(&tree, &out)?;
    println!("{}", command("sha256sum").arg(&archive).read()?);
    if deb { make_debian(&tree, &archive, &out) } else { Ok(()) }
}

/// Writes the last commit's files.
fn check_out(tree: &Path) -> Result<(), Failure> {
    fs::create_dir_all(tree)?;
    let archive = tree.with_extension("tar");
    command("git archive --format=tar HEAD --output").arg(&archive).finish()?;
    command("tar --extract --directory").arg(tree).arg("--file").arg(&archive).finish()
}

/// Adds the crates, and makes cargo use them. Buildroot expects this name of their folder.
fn vendor(tree: &Path) -> Result<(), Failure> {
    cargo("vendor --quiet --locked --versioned-dirs VENDOR").current_dir(tree).read()?;
    let mut config = OpenOptions::new().append(true).open(tree.join(".cargo/config.toml"))?;
    Ok(config.write_all(
        b"\n[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"VENDOR\"\n",
    )?)
}

/// Packs the tree, with the commit's time as the time of each file.
fn pack(tree: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let archive = out.join(format!("vkload-{VERSION}.tar.xz"));
    let time = output::source_date()?;
    let mut tar = command(
        "tar --create --xz --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX",
    );
    tar.arg(format!("--mtime=@{time}")).arg("--file").arg(&archive);
    tar.arg("--directory").args(tree.parent()).args(tree.file_name()).finish()?;
    Ok(archive)
}

/// Makes Debian's source package of the archive.
fn make_debian(tree: &Path, archive: &Path, out: &Path) -> Result<(), Failure> {
    fs::copy(archive, out.join(format!("vkload_{VERSION}.orig.tar.xz")))?;
    let folder = tree.join("debian");
    fs::create_dir_all(folder.join("source"))?;
    for name in DEBIAN_FILES {
        fs::copy(root().join("packaging/debian").join(name), folder.join(name))?;
    }
    for (name, text) in debian::source_files()? {
        fs::write(folder.join(name), text)?;
    }
    command("dpkg-source --build").arg(tree).current_dir(out).finish()
}
