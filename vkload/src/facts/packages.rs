//! How packages are installed here: commands as they can be typed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::owners;
use super::system::System;
use crate::command::{Command, Step};

/// The package manager, and the installed packages that concern Vulkan.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Packages {
    pub(crate) manager: Option<Manager>,
    /// Their names. Empty if only the manager's own tool can read them (rpm).
    pub(crate) installed: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Manager {
    Apt,
    Dnf,
    RpmOstree,
    Pacman,
    Zypper,
    Apk,
    Xbps,
}

/// A row of `managers.tsv`, whose first line describes the columns.
struct Row {
    manager: Manager,
    distributions: &'static str,
    tool: &'static str,
    install: &'static str,
    reinstall: &'static str,
    owner: &'static str,
    narrow: &'static str,
    narrow_first: &'static str,
    loader: &'static str,
    validation: &'static str,
    drivers: &'static str,
    nvidia: &'static str,
    nvidia_more: &'static str,
}

/// Returns the managers in the order in which they are looked for.
fn rows() -> impl Iterator<Item = Row> {
    include_str!("managers.tsv").lines().skip(1).filter_map(|line| {
        let mut columns = line.split('\t');
        let manager = serde_json::from_value(columns.next()?.into()).ok()?;
        let mut next = || columns.next();
        Some(Row {
            manager,
            distributions: next()?,
            tool: next()?,
            install: next()?,
            reinstall: next()?,
            owner: next()?,
            narrow: next()?,
            narrow_first: next()?,
            loader: next()?,
            validation: next()?,
            drivers: next()?,
            nvidia: next()?,
            nvidia_more: next()?,
        })
    })
}

/// The name of the processor in lists of packages.
pub(crate) const CPU: &str = "cpu";

impl Row {
    /// Returns the package with Mesa's driver for GPUs of this family.
    fn driver(&self, family: &str) -> Option<&'static str> {
        self.drivers.split(' ').find_map(|driver| driver.strip_prefix(family)?.strip_prefix('='))
    }
}

/// Debian's packages of libraries whose names do not follow from the library's.
const DEBIAN: &str = "libz.so.1=zlib1g libc.so.6=libc6 libm.so.6=libc6 libdl.so.2=libc6 libpthread.so.0=libc6 \
    libGLX_nvidia.so.0=libglx-nvidia0 libSPIRV-Tools.so=spirv-tools";

pub(super) fn collect(system: &System) -> Packages {
    // The distribution decides, since the tools of other managers may also be installed.
    let is_of = |row: &Row| row.distributions.split(' ').any(|id| system.is(id));
    let known = rows().find(is_of).map(|row| row.manager);
    let tool = |row: &Row| Path::new("/").join(row.tool).exists();
    let ostree = known == Some(Manager::Dnf) && Path::new("/run/ostree-booted").exists();
    let manager = if ostree {
        Some(Manager::RpmOstree)
    } else {
        known.or_else(|| rows().find(tool).map(|row| row.manager))
    };
    Packages { installed: manager.map(installed).unwrap_or_default(), manager }
}

/// Returns the installed packages that concern Vulkan.
fn installed(manager: Manager) -> Vec<String> {
    let Some(row) = manager.row() else { return Vec::new() };
    let drivers = row.drivers.split(' ').filter_map(|driver| Some(driver.split_once('=')?.1));
    let names = [row.loader, row.validation].into_iter().chain(drivers);
    let known: Vec<String> =
        owners::installed(Path::new("/"), manager).into_iter().map(|(name, _)| name).collect();
    names.filter(|name| known.iter().any(|known| known == name)).map(str::to_owned).collect()
}

impl Packages {
    /// Returns the command that installs a package for programs of this width, or installs it again.
    fn install(&self, manager: Manager, package: &str, bits: u32) -> Option<Command> {
        let row = manager.row()?;
        if bits == 32 && cfg!(target_pointer_width = "64") {
            let name = row.narrow.replace('*', package);
            let command = Command::new(row.narrow_first, &[]).then(row.install, &[]);
            return (!name.is_empty()).then(|| command.then(" {}", &[&name]));
        }
        let is_there =
            !row.reinstall.is_empty() && self.installed.iter().any(|installed| installed == package);
        with_package(if is_there { row.reinstall } else { row.install }, package)
    }

    pub(crate) fn loader(&self, bits: u32) -> Option<Command> {
        let manager = self.manager?;
        self.install(manager, manager.row()?.loader, bits)
    }

    pub(crate) fn validation(&self) -> Option<Command> {
        let manager = self.manager?;
        self.install(manager, manager.row()?.validation, usize::BITS)
    }

    /// Returns the command that installs Mesa's driver for GPUs of this family, or for the processor.
    pub(crate) fn vulkan_driver(&self, family: &str, bits: u32) -> Option<Command> {
        let manager = self.manager?;
        let row = manager.row()?;
        self.install(manager, row.driver(family).or_else(|| row.driver(CPU))?, bits)
    }

    pub(crate) fn firmware(&self, like: &[String], vendor: u32) -> Option<Command> {
        let is_debian = like.iter().any(|id| id == "debian") && !like.iter().any(|id| id == "ubuntu");
        let package = match (self.manager?, vendor) {
            (Manager::Apt, 0x1002) if is_debian => "firmware-amd-graphics",
            (Manager::Apt, _) if is_debian => "firmware-misc-nonfree",
            (Manager::Zypper, _) => "kernel-firmware-all",
            _ => "linux-firmware",
        };
        self.update(package)
    }

    /// Returns the command that brings a package up to date.
    pub(crate) fn update(&self, package: &str) -> Option<Command> {
        self.manager?.install(package)
    }

    /// Returns the command that installs a package again. `None` if the system is one image, whose files cannot be replaced one by one.
    pub(crate) fn reinstall(&self, package: &str) -> Option<Command> {
        let row = self.manager?.row().filter(|row| !row.reinstall.is_empty())?;
        with_package(row.reinstall, package)
    }

    /// Returns the command that installs the package again to which the file at `path` belongs.
    pub(crate) fn reinstall_owner(&self, path: &str) -> Option<Command> {
        let row = self.manager?.row().filter(|row| !row.reinstall.is_empty())?;
        Some(Command::new(row.reinstall, &[]).then(" $(", &[]).then(row.owner, &[&path]).then(")", &[]))
    }
}

impl Manager {
    fn row(self) -> Option<Row> {
        rows().find(|row| row.manager == self)
    }

    fn install(self, package: &str) -> Option<Command> {
        with_package(self.row()?.install, package)
    }

    pub(crate) fn install_library(self, soname: &str, bits: u32) -> Vec<Step> {
        let (install, wide) =
            (|package: &str| self.install(package).map(Step::from), format!("{soname}()(64bit)"));
        let steps = match self {
            _ if !is_package(soname) => vec![None],
            Self::Apt => {
                let package = debian_package(soname)
                    + if bits == 32 && cfg!(target_arch = "x86_64") { ":i386" } else { "" };
                let search = Command::new("apt-file search {}", &[&soname]);
                vec![install(&package), Some(Step::say("If there is no such package: ").run(search))]
            }
            Self::Dnf | Self::RpmOstree | Self::Zypper => {
                vec![install(if bits == 64 { &wide } else { soname })]
            }
            Self::Apk => vec![install(&format!("so:{soname}"))],
            Self::Pacman => {
                let syntax = "sudo pacman -Fy && sudo pacman -S $(pacman -Fq {} | head -n 1)";
                vec![Some(Command::new(syntax, &[&soname]).into())]
            }
            Self::Xbps => {
                let locate = Command::new("xlocate {}", &[&soname]);
                let then = ", which names the package; then sudo xbps-install PACKAGE";
                vec![Some(Step::from(locate).and_say(then))]
            }
        };
        let unknown = || Step::say(format!("Install the package that has {soname}"));
        steps.into_iter().map(|step| step.unwrap_or_else(unknown)).collect()
    }

    /// Returns the steps that install NVIDIA's driver with its Vulkan part.
    pub(crate) fn nvidia_driver(self, system: &System) -> Vec<Step> {
        let row = self.row().map(|row| (row.nvidia, row.nvidia_more)).unwrap_or_default();
        let (command, words) = if system.is("ubuntu") { ("sudo ubuntu-drivers install", "") } else { row };
        let command = (!command.is_empty()).then(|| Command::new(command, &[]).into());
        command.into_iter().chain((!words.is_empty()).then(|| Step::from(words))).collect()
    }
}

fn with_package(command: &'static str, package: &str) -> Option<Command> {
    is_package(package).then(|| Command::new(command, &[]).then(" {}", &[&package]))
}

/// Returns whether it can be a package's name and no option, since options of package managers may run commands.
fn is_package(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric()) && !name.contains('/')
}

/// Returns Debian's package name for a library: its name and number in small letters, with a dash between two digits.
fn debian_package(soname: &str) -> String {
    if let Some(package) = DEBIAN.split(' ').find_map(|pair| pair.strip_prefix(soname)?.strip_prefix('=')) {
        return package.to_owned();
    }
    // The position of LLVM's number varies: libLLVM-15.so.1, libLLVM.so.19.1.
    if let Some(rest) = soname.strip_prefix("libLLVM") {
        let number: String =
            rest.chars().skip_while(|it| !it.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        return format!("libllvm{number}");
    }
    let (name, number) = soname.split_once(".so.").unwrap_or((soname.trim_end_matches(".so"), ""));
    let name = name.to_ascii_lowercase().replace('_', "-");
    let dash = if name.ends_with(|it: char| it.is_ascii_digit()) && !number.is_empty() { "-" } else { "" };
    format!("{name}{dash}{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_option_of_a_package_manager_comes_from_a_file() {
        let known = |manager| Packages { manager: Some(manager), installed: Vec::new() };
        for name in ["-oDPkg::Pre-Invoke::=touch x", "--root=/x", "/tmp/x.deb", "x/../../y.rpm", ""] {
            for manager in rows().map(|row| row.manager) {
                assert_eq!(known(manager).reinstall(name), None);
                assert_eq!(known(manager).update(name), None);
                let steps = manager.install_library(name, 64);
                assert!(steps.iter().all(|step| step.commands().next().is_none()), "{steps:?}");
            }
        }
    }

    #[test]
    fn debians_package_follows_from_the_librarys_name() {
        for (soname, package) in [
            ("libLLVM-19.so.1", "libllvm19"),
            ("libLLVM.so.20.1", "libllvm20"),
            ("libX11.so.6", "libx11-6"),
            ("libxcb-dri3.so.0", "libxcb-dri3-0"),
            ("libdrm_amdgpu.so.1", "libdrm-amdgpu1"),
            ("libstdc++.so.6", "libstdc++6"),
            ("libz.so.1", "zlib1g"),
            ("libwayland-client.so.0", "libwayland-client0"),
            ("libgcc_s.so.1", "libgcc-s1"),
            ("libdisplay-info.so.2", "libdisplay-info2"),
        ] {
            assert_eq!(debian_package(soname), package);
        }
    }
}
