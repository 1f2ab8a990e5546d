//! `cargo xtask build`: the shared libraries.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::abi;
use crate::command::Run;
use crate::shell::{SHELLS, Shell};
use crate::target::{Binutils, Target};
use crate::toolchain::cargo;
use crate::workspace::target_folder;

struct Build<'a> {
    profile: &'static str,
    /// The only drivers that the library will open, a list of paths with colons.
    fixed_drivers: Option<&'a str>,
    /// The target, if it is not this machine.
    target: Option<&'static Target>,
    folder: PathBuf,
}

/// Builds every shell alone, so that no crate of the workspace turns on features in another one's dependencies.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut build = Build { profile: "release", fixed_drivers: None, target: None, folder: target_folder() };
    let mut arguments = arguments.iter();
    let mut null_driver = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--null-driver" => null_driver = true,
            "--debug" => build.profile = "debug",
            "--fixed-drivers" => {
                build.fixed_drivers = Some(arguments.next().ok_or("--fixed-drivers PATH:PATH...")?);
                build.folder = target_folder().join("fixed-drivers");
            }
            "--target" => build.target = Some(Target::named(arguments.next().ok_or("--target TRIPLE")?)?),
            _ => {
                return Err(
                    "the options are --debug, --target TRIPLE, --fixed-drivers PATH:PATH... and --null-driver".into()
                );
            }
        }
    }
    SHELLS.iter().try_for_each(|shell| build_shell(shell, &build))?;
    // It is compiled like tests.
    if null_driver { build.cargo("null-driver-icd")?.finish() } else { Ok(()) }
}

impl Build<'_> {
    fn cargo(&self, package: &str) -> Result<Command, Failure> {
        let mut cargo = cargo("build --quiet --package");
        cargo.arg(package).arg("--target-dir").arg(&self.folder);
        self.target.map_or(Ok(()), |target| target.choose(&mut cargo))?;
        Ok(cargo)
    }
}

fn build_shell(shell: &Shell, build: &Build<'_>) -> Result<(), Failure> {
    let mut cargo = build.cargo(shell.package)?;
    if build.profile == "release" {
        cargo.arg("--release");
    }
    if let Some(drivers) = build.fixed_drivers {
        cargo.env("VKLOAD_FIXED_DRIVERS", drivers);
    }
    cargo.finish()?;
    let folder = match build.target {
        Some(target) => target.folder(&build.folder, build.profile),
        None => build.folder.join(build.profile),
    };
    let (library, stripped) = (folder.join(shell.name), folder.join("stripped").join(shell.name));
    if !folder.join(shell.built).exists() {
        return Err(format!(
            "cargo made no {}: a compiler whose own target is musl makes static programs alone; name the target (--target TRIPLE)",
            shell.built
        )
        .into());
    }
    replace(&folder.join(shell.built), &library)?;
    fs::create_dir_all(folder.join("stripped"))?;
    Binutils(build.target).strip(&library, &stripped)?;
    for folder in [&folder, &folder.join("stripped")] {
        link(shell.name, &folder.join(shell.built))?;
    }
    println!("{} ({} bytes stripped)", library.display(), fs::metadata(&stripped)?.len());
    build.target.map_or(Ok(()), |target| abi::check_for(target, &library, shell))
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
