//! Builds the files to install.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::archive::Archive;
use super::options::Options;
use super::{folder, null_driver, statistics_layer};
use crate::Failure;
use crate::build::{finish, root};
use crate::target::{Binutils, Target};

/// The files built, each without symbols that only debuggers need.
pub(crate) struct Built {
    /// The shared library.
    pub(crate) library: PathBuf,
    /// The static library.
    pub(crate) archive: PathBuf,
    /// The command-line tool. Not built for a library with fixed drivers: the tool would check manifests that the library never reads.
    pub(crate) tool: Option<PathBuf>,
    /// The null driver's library, likewise.
    pub(crate) null_driver: Option<PathBuf>,
    /// The statistics layer's library, likewise.
    pub(crate) statistics_layer: Option<PathBuf>,
    /// Manual pages, and completions of shells.
    pub(crate) pages: PathBuf,
}

impl Built {
    /// Builds in a folder of its own: these files know the folders that they are installed for.
    pub(crate) fn build(options: &Options) -> Result<Self, Failure> {
        let cargo = Cargo { options, folder: folder().join("build") };
        let mut library = cargo.command(options.target)?;
        if let Some(drivers) = &options.fixed_drivers {
            library.args(["--features", "fixed-drivers"]).env("VKLOAD_FIXED_DRIVERS", drivers);
        }
        finish(library.args(["--package", "libvulkan-linux"]))?;
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
            null_driver: None,
            statistics_layer: None,
            pages: super::emptied("pages")?,
        };
        let tools = Binutils(options.target);
        tools.strip(&from.join("libvulkan.so"), &built.library)?;
        Archive::new(&options.symbol_prefix)?.make(&from.join("libvulkan.a"), &built.archive, tools)?;
        if options.fixed_drivers.is_none() {
            cargo.build_tool(&built.pages)?;
            for package in [null_driver::PACKAGE, statistics_layer::PACKAGE] {
                finish(cargo.command(options.target)?.args(["--package", package]))?;
            }
            let stripped = |name: &str| -> Result<_, Failure> {
                tools.strip(&from.join(name), &to.join(name))?;
                Ok(Some(to.join(name)))
            };
            built.tool = stripped("vkload")?;
            built.null_driver = stripped(null_driver::LIBRARY)?;
            built.statistics_layer = stripped(statistics_layer::LIBRARY)?;
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
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--release"]);
        cargo.arg("--target-dir").arg(&self.folder);
        let own = target.map_or(Ok(Vec::new()), Target::flags)?;
        cargo.env("SYSCONFDIR", &self.options.sysconfdir).env("CARGO_ENCODED_RUSTFLAGS", flags(&own)?);
        if let Some(target) = target {
            cargo.args(["--target", target.name]);
            target.set_linker(&mut cargo)?;
        }
        Ok(cargo)
    }

    /// Builds the tool, and writes its pages, which a program does that this machine can run.
    fn build_tool(&self, pages: &Path) -> Result<(), Failure> {
        let (tool, example) = (["--package", "vkload", "--bin", "vkload"], ["--example", "pages"]);
        if self.options.target.is_some() {
            finish(self.command(self.options.target)?.args(tool))?;
            finish(self.command(None)?.args(["--package", "vkload"]).args(example))?;
        } else {
            finish(self.command(None)?.args(tool).args(example))?;
        }
        finish(Command::new(self.folder.join("release/examples/pages")).arg(pages))
    }
}

/// Returns the flags of `.cargo/config.toml`, which flags in a variable replace, those that the user wants, and those that keep the paths
/// of this machine out of the files; and those that a target needs.
fn flags(own: &[String]) -> Result<OsString, Failure> {
    let sysroot = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--print", "sysroot"])
        .output()
        .map_err(|error| format!("cannot run rustc: {error}"))?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo_home = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut flags = OsString::from("-Cforce-frame-pointers=yes\u{1f}");
    for flag in own {
        flags.push(flag);
        flags.push("\u{1f}");
    }
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
