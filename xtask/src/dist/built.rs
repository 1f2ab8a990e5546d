//! Builds the files to install.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use super::archive::Archive;
use super::options::Options;
use super::output::{build_folder, emptied, folder};
use super::plugins::PLUGINS;
use crate::Failure;
use crate::command::Run;
use crate::target::{Binutils, Target};
use crate::toolchain::{self, cargo_home, rustc};
use crate::workspace::root;

/// The files built, each without symbols that only debuggers need.
pub(crate) struct Built {
    pub(crate) library: PathBuf,
    /// The static library.
    pub(crate) archive: PathBuf,
    /// The command-line tool. Not built for a library with fixed drivers: the tool would check manifests that the library never reads.
    pub(crate) tool: Option<PathBuf>,
    /// The libraries of [`PLUGINS`], likewise.
    pub(crate) plugins: Vec<PathBuf>,
    /// Manual pages, and completions of shells.
    pub(crate) pages: PathBuf,
}

impl Built {
    /// Builds in a folder of its own: these files know the folders that they are installed for.
    pub(crate) fn build(options: &Options) -> Result<Self, Failure> {
        let cargo = Cargo { options, folder: build_folder() };
        let mut library = cargo.command(options.target)?;
        if let Some(drivers) = &options.fixed_drivers {
            library.args(["--features", "fixed-drivers"]).env("VKLOAD_FIXED_DRIVERS", drivers);
        }
        library.args(["--package", "libvulkan-linux"]).finish()?;
        let from = match options.target {
            Some(target) => target.folder(&cargo.folder, "release"),
            None => cargo.folder.join("release"),
        };
        let to = folder().join("files");
        fs::create_dir_all(&to)?;
        let mut built = Self {
            library: to.join("libvulkan.so"),
            archive: to.join("libvkload.a"),
            tool: None,
            plugins: Vec::new(),
            pages: emptied("pages")?,
        };
        let tools = Binutils(options.target);
        tools.strip(&from.join("libvulkan.so"), &built.library)?;
        Archive::new(&options.symbol_prefix)?.make(&from.join("libvulkan.a"), &built.archive, tools)?;
        if options.fixed_drivers.is_none() {
            toolchain::cargo("run --quiet --package vkload-pages").arg(&built.pages).finish()?;
            cargo.command(options.target)?.args(["--package", "vkload", "--bin", "vkload"]).finish()?;
            for plugin in PLUGINS {
                cargo.command(options.target)?.args(["--package", plugin.package]).finish()?;
                tools.strip(&from.join(plugin.library), &to.join(plugin.library))?;
                built.plugins.push(to.join(plugin.library));
            }
            tools.strip(&from.join("vkload"), &to.join("vkload"))?;
            built.tool = Some(to.join("vkload"));
        }
        Ok(built)
    }
}

/// How cargo is called.
struct Cargo<'a> {
    options: &'a Options,
    folder: PathBuf,
}

impl Cargo<'_> {
    fn command(&self, target: Option<&Target>) -> Result<Command, Failure> {
        let old_glibc = target.zip(self.options.glibc);
        let mut cargo = toolchain::cargo(if old_glibc.is_some() { "zigbuild" } else { "build" });
        cargo.args(["--quiet", "--release", "--target-dir"]).arg(&self.folder);
        let own = target.map_or(Ok(Vec::new()), Target::flags)?;
        cargo.env("SYSCONFDIR", &self.options.sysconfdir).env("CARGO_ENCODED_RUSTFLAGS", flags(&own)?);
        if let Some((target, glibc)) = old_glibc {
            cargo.args(["--target", &format!("{}.{glibc}", target.name)]).env("VKLOAD_LINKER", "zig");
        } else if let Some(target) = target {
            cargo.args(["--target", target.name]);
            target.set_linker(&mut cargo)?;
        }
        Ok(cargo)
    }
}

/// Returns the flags of `.cargo/config.toml`, which flags in a variable replace, those that the user wants, and those that keep the paths
/// of this machine out of the files; and those that a target needs.
pub(super) fn flags(own: &[String]) -> Result<OsString, Failure> {
    let sysroot = PathBuf::from(rustc("--print sysroot").read()?);
    let folders = [
        (root().to_owned(), "/vkload"),
        (cargo_home(), "/cargo"),
        (sysroot.join("lib/rustlib/src/rust"), "/rust"),
    ];
    let given = env::var("RUSTFLAGS").unwrap_or_default();
    let given = own.iter().map(String::as_str).chain(given.split_whitespace());
    let mut flags: Vec<OsString> =
        ["-Cforce-frame-pointers=yes"].into_iter().chain(given).map(OsString::from).collect();
    flags.extend(folders.iter().map(|(folder, name)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(folder);
        flag.push("=");
        flag.push(name);
        flag
    }));
    Ok(flags.join(OsStr::new("\u{1f}")))
}
