//! `cargo xtask build`: the shared libraries.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Failure;

/// A crate that becomes a shared library.
pub(crate) struct Shell {
    /// The package.
    package: &'static str,
    /// What cargo calls the library.
    built: &'static str,
    /// What the dynamic linker looks for: the library's SONAME.
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
    /// Where the library is, with its symbols.
    pub(crate) fn library(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join(self.name)
    }

    /// Where the copy without symbols is, the one to install.
    pub(crate) fn stripped(&self, profile: &str) -> PathBuf {
        target_folder().join(profile).join("stripped").join(self.name)
    }

    fn build(&self, build: &Build<'_>) -> Result<(), Failure> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root()).args(["build", "--quiet", "--package", self.package]);
        cargo.arg("--target-dir").arg(&build.target);
        if build.profile == "release" {
            cargo.arg("--release");
        }
        if let Some(drivers) = build.fixed_drivers {
            cargo.args(["--features", "fixed-drivers"]).env("VKLOAD_FIXED_DRIVERS", drivers);
        }
        finish(&mut cargo)?;
        let folder = build.target.join(build.profile);
        let (library, stripped) = (folder.join(self.name), folder.join("stripped").join(self.name));
        replace(&folder.join(self.built), &library)?;
        fs::create_dir_all(folder.join("stripped"))?;
        finish(Command::new("strip").arg("--strip-all").arg("-o").arg(&stripped).arg(&library))?;
        for folder in [&folder, &folder.join("stripped")] {
            link(self.name, &folder.join(self.built))?;
        }
        println!("{} ({} bytes stripped)", library.display(), fs::metadata(&stripped)?.len());
        Ok(())
    }
}

/// What is built.
struct Build<'a> {
    profile: &'static str,
    /// The only drivers that the library will open, a list of paths with colons.
    fixed_drivers: Option<&'a str>,
    /// Where cargo puts it.
    target: PathBuf,
}

/// Builds every shell alone, so that no crate of the workspace turns on features in another one's dependencies.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut build = Build { profile: "release", fixed_drivers: None, target: target_folder() };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--debug" => build.profile = "debug",
            "--fixed-drivers" => {
                build.fixed_drivers = Some(arguments.next().ok_or("--fixed-drivers PATH:PATH...")?);
                build.target = target_folder().join("fixed-drivers");
            }
            _ => return Err("the options are --debug and --fixed-drivers PATH:PATH...".into()),
        }
    }
    SHELLS.iter().try_for_each(|shell| shell.build(&build))
}

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// What tells cargo to leave out of a library in which folder of this machine the sources of crates are, beside the flags that the
/// repository has for all: it is nobody's business, and would make other bytes elsewhere.
pub(crate) fn without_folders() -> [String; 2] {
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = cargo.unwrap_or_else(|| PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo"));
    let flag = format!("--remap-path-prefix={}=crates", home.join(SOURCES).display());
    ["--config".into(), format!("build.rustflags=[{flag:?}]")]
}

/// Where cargo has the sources of crates, in its own folder.
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
