//! `cargo xtask build`: the shared libraries.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::Failure;
use crate::abi::{self, SONAME};
use crate::command::Run;
use crate::target::{Binutils, Target};
use crate::toolchain::cargo;
use crate::workspace::target_folder;

/// Cargo's name for the library.
const BUILT: &str = "libvulkan.so";

#[derive(Args)]
pub(crate) struct Options {
    /// Build without optimisations, into target/debug
    #[arg(long)]
    debug: bool,
    /// Build for another system
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The only drivers that the library opens
    #[arg(long, value_name = "PATH:PATH")]
    fixed_drivers: Option<String>,
    /// Build the driver for tests, too
    #[arg(long)]
    null_driver: bool,
}

struct Build<'a> {
    options: &'a Options,
    /// The target, if it is not this machine.
    target: Option<&'static Target>,
    folder: PathBuf,
}

/// Builds the library alone, so that no crate of the workspace turns on features in another one's dependencies.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let target = options.target.as_deref().map(Target::named).transpose()?;
    let all = target_folder();
    let folder = if options.fixed_drivers.is_some() { all.join("fixed-drivers") } else { all };
    let build = Build { options, target, folder };
    build.library()?;
    // It is compiled like tests.
    if options.null_driver { build.cargo("null-driver-icd")?.finish() } else { Ok(()) }
}

impl Build<'_> {
    fn cargo(&self, package: &str) -> Result<Command, Failure> {
        let mut cargo = cargo("build --quiet --package");
        cargo.arg(package).arg("--target-dir").arg(&self.folder);
        self.target.map_or(Ok(()), |target| target.choose(&mut cargo))?;
        Ok(cargo)
    }

    fn library(&self) -> Result<(), Failure> {
        let mut cargo = self.cargo("libvulkan-linux")?;
        let profile = if self.options.debug { "debug" } else { "release" };
        cargo.args((!self.options.debug).then_some("--release"));
        cargo.envs(self.options.fixed_drivers.iter().map(|drivers| ("VKLOAD_FIXED_DRIVERS", drivers)));
        cargo.finish()?;
        let folder = match self.target {
            Some(target) => target.folder(&self.folder, profile),
            None => self.folder.join(profile),
        };
        let (library, stripped) = (folder.join(SONAME), folder.join("stripped").join(SONAME));
        if !folder.join(BUILT).exists() {
            return Err("cargo made no libvulkan.so: a compiler whose own target is musl makes static programs alone; name the target (--target TRIPLE)".into());
        }
        replace(&folder.join(BUILT), &library)?;
        fs::create_dir_all(folder.join("stripped"))?;
        Binutils(self.target).strip(&library, &stripped)?;
        for folder in [&folder, &folder.join("stripped")] {
            link(SONAME, &folder.join(BUILT))?;
        }
        println!("{} ({} bytes stripped)", library.display(), fs::metadata(&stripped)?.len());
        self.target.map_or(Ok(()), |target| abi::check_for(target, &library))
    }
}

/// Copies `from` to `to` under a new inode: a program that runs on the old library keeps it.
fn replace(from: &Path, to: &Path) -> Result<(), Failure> {
    let copy = to.with_extension("new");
    fs::copy(from, &copy).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
    fs::rename(&copy, to)?;
    Ok(())
}

/// Makes `link` lead to `name` in its folder, in one step. Programs that open both names get one library, since it is one file.
fn link(name: &str, link: &Path) -> Result<(), Failure> {
    let new = link.with_extension("link");
    let _ = fs::remove_file(&new);
    symlink(name, &new)?;
    fs::rename(&new, link)?;
    Ok(())
}
