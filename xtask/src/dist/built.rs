//! Building what is installed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::archive::Archive;
use super::options::Options;
use super::{folder, null_driver};
use crate::Failure;
use crate::build::{finish, root};

/// What was built, each file without symbols that only debuggers need.
pub(crate) struct Built {
    /// The shared library.
    pub(crate) library: PathBuf,
    /// The static library.
    pub(crate) archive: PathBuf,
    /// The command line tool.
    pub(crate) tool: PathBuf,
    /// The null driver's library.
    pub(crate) null_driver: PathBuf,
    /// Manual pages, and completions of shells.
    pub(crate) pages: PathBuf,
}

impl Built {
    /// Builds in a folder of its own: these files know the folders that they are installed for.
    pub(crate) fn build(options: &Options) -> Result<Self, Failure> {
        let cargo =
            Cargo { sysconfdir: &options.sysconfdir, target: folder().join("build"), flags: flags()? };
        finish(cargo.command("build").args(["--package", "libvulkan-linux"]))?;
        finish(cargo.command("build").args([
            "--package",
            "vkload",
            "--bin",
            "vkload",
            "--example",
            "pages",
        ]))?;
        finish(cargo.command("build").args(["--package", null_driver::PACKAGE]))?;
        let (from, to) = (cargo.target.join("release"), folder().join("files"));
        fs::create_dir_all(&to)?;
        let built = Self {
            library: to.join("libvulkan.so"),
            archive: to.join("libvkload.a"),
            tool: to.join("vkload"),
            null_driver: to.join(null_driver::LIBRARY),
            pages: super::emptied("pages")?,
        };
        strip(&from.join("libvulkan.so"), &built.library)?;
        strip(&from.join("vkload"), &built.tool)?;
        strip(&from.join(null_driver::LIBRARY), &built.null_driver)?;
        Archive::new(&options.symbol_prefix)?.make(&from.join("libvulkan.a"), &built.archive)?;
        finish(Command::new(from.join("examples/pages")).arg(&built.pages))?;
        Ok(built)
    }
}

/// How cargo is called.
struct Cargo<'a> {
    sysconfdir: &'a Path,
    target: PathBuf,
    flags: OsString,
}

impl Cargo<'_> {
    fn command(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args([subcommand, "--quiet", "--release"]);
        cargo.arg("--target-dir").arg(&self.target);
        cargo.env("SYSCONFDIR", self.sysconfdir).env("CARGO_ENCODED_RUSTFLAGS", &self.flags);
        cargo
    }
}

/// The flags of `.cargo/config.toml`, which flags in a variable replace, those that the user wants, and those that keep the
/// paths of this machine out of the files.
fn flags() -> Result<OsString, Failure> {
    let sysroot = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--print", "sysroot"])
        .output()
        .map_err(|error| format!("cannot run rustc: {error}"))?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo_home = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut flags = OsString::from("-Cforce-frame-pointers=yes\u{1f}");
    for flag in env::var("RUSTFLAGS").unwrap_or_default().split_whitespace() {
        flags.push(flag);
        flags.push("\u{1f}");
    }
    let places = [
        (root().to_owned(), "/vkload"),
        (cargo_home, "/cargo"),
        (sysroot.join("lib/rustlib/src/rust"), "/rust"),
    ];
    for (number, (path, name)) in places.iter().enumerate() {
        flags.push(if number == 0 { "--remap-path-prefix=" } else { "\u{1f}--remap-path-prefix=" });
        flags.push(path);
        flags.push("=");
        flags.push(name);
    }
    Ok(flags)
}

fn strip(from: &Path, to: &Path) -> Result<(), Failure> {
    finish(Command::new("strip").arg("--strip-all").arg("-o").arg(to).arg(from))
}
