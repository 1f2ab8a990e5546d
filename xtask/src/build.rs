//! `cargo xtask build`: the shared libraries.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use crate::target::{Binutils, Target};
use crate::{Failure, abi};

/// A crate that becomes a shared library.
pub(crate) struct Shell {
    /// The package.
    package: &'static str,
    /// Cargo's name for the library.
    built: &'static str,
    /// The name that the dynamic linker looks for: the library's SONAME.
    pub(crate) name: &'static str,
    /// The committed list of its exported functions, one a line, in byte order.
    pub(crate) exports: &'static str,
}

/// Every shell that can be built on this machine.
pub(crate) const SHELLS: &[Shell] = &[Shell {
    package: "libvulkan-linux",
    built: "libvulkan.so",
    name: "libvulkan.so.1",
    exports: "platform-linux/exports.txt",
}];

impl Shell {
    /// Returns the path of the library with its symbols.
    pub(crate) fn library(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join(self.name)
    }

    /// Returns the path of the copy without symbols, the one to install.
    pub(crate) fn stripped(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join("stripped").join(self.name)
    }

    fn build(&self, build: &Build<'_>) -> Result<(), Failure> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--package", self.package]);
        cargo.arg("--target-dir").arg(&build.folder);
        if let Some(target) = build.target {
            target.choose(&mut cargo)?;
        }
        if build.profile == "release" {
            cargo.arg("--release");
        }
        if let Some(drivers) = build.fixed_drivers {
            cargo.args(["--features", "fixed-drivers"]).env("VKLOAD_FIXED_DRIVERS", drivers);
        }
        finish(&mut cargo)?;
        let folder = match build.target {
            Some(target) => target.folder(&build.folder, build.profile),
            None => build.folder.join(build.profile),
        };
        let (library, stripped) = (folder.join(self.name), folder.join("stripped").join(self.name));
        if !folder.join(self.built).exists() {
            return Err(format!(
                "cargo made no {}: a compiler whose own target is musl makes static programs alone; name the target (--target TRIPLE)",
                self.built
            )
            .into());
        }
        replace(&folder.join(self.built), &library)?;
        fs::create_dir_all(folder.join("stripped"))?;
        Binutils(build.target).strip(&library, &stripped)?;
        for folder in [&folder, &folder.join("stripped")] {
            link(self.name, &folder.join(self.built))?;
        }
        println!("{} ({} bytes stripped)", library.display(), fs::metadata(&stripped)?.len());
        build.target.map_or(Ok(()), |target| abi::check_for(target, &library, self))
    }
}

/// The thing to build.
struct Build<'a> {
    profile: &'static str,
    /// The only drivers that the library will open, a list of paths with colons.
    fixed_drivers: Option<&'a str>,
    /// The target, if it is not this machine.
    target: Option<&'static Target>,
    /// Cargo's output folder for it.
    folder: PathBuf,
}

/// Builds every shell alone, so that no crate of the workspace turns on features in another one's dependencies.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut build = Build { profile: "release", fixed_drivers: None, target: None, folder: target_folder() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--debug" => build.profile = "debug",
            "--fixed-drivers" => {
                build.fixed_drivers = Some(arguments.next().ok_or("--fixed-drivers PATH:PATH...")?);
                build.folder = target_folder().join("fixed-drivers");
            }
            "--target" => build.target = Some(Target::named(arguments.next().ok_or("--target TRIPLE")?)?),
            _ => {
                return Err(
                    "the options are --debug, --target TRIPLE and --fixed-drivers PATH:PATH...".into()
                );
            }
        }
    }
    SHELLS.iter().try_for_each(|shell| shell.build(&build))
}

/// Returns the folder of the workspace: the one that contains the folder for which cargo runs this program, or else the current folder. It
/// is not a compile-time constant, since a copied tree includes the compiled program.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let starts = [package, env::current_dir().ok()];
        starts.iter().flatten().find_map(|start| workspace_around(start)).unwrap_or_else(|| ".".into())
    })
}

fn workspace_around(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file()).map(Path::to_owned)
}

/// Returns cargo's output folder.
pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Returns flags that keep source paths out of the library, in addition to the repository's own flags. Such paths reveal the machine's
/// folders, and differ between machines.
pub(crate) fn without_folders() -> [String; 2] {
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = cargo.unwrap_or_else(|| PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo"));
    let flag = format!("--remap-path-prefix={}=crates", home.join(SOURCES).display());
    ["--config".into(), format!("build.rustflags=[{flag:?}]")]
}

/// The sources of crates, in cargo's own folder.
pub(crate) const SOURCES: &str = "registry/src";

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

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command) -> Result<(), Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("cannot run {program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program} ended with {status}").into()) }
}
