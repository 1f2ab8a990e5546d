//! How packages are installed here: commands as they can be typed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::System;

/// The package manager.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Packages {
    pub(crate) manager: Option<Manager>,
}

/// A package manager.
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

/// What is known of a package manager.
struct Row {
    manager: Manager,
    /// The tool that tells that it is there.
    tool: &'static str,
    install: &'static str,
    loader: &'static str,
    /// Packages with Mesa's drivers, by the vendor's number; 0 is for the one that draws on the processor.
    drivers: &'static [(u32, &'static str)],
    validation: &'static str,
}

const ALL_OF_MESA: &[(u32, &str)] = &[(0, "mesa-vulkan-drivers")];

/// Those that are looked for, in this order.
const ROWS: &[Row] = &[
    Row {
        manager: Manager::Apt,
        tool: "usr/bin/apt-get",
        install: "sudo apt-get install",
        loader: "libvulkan1",
        drivers: ALL_OF_MESA,
        validation: "vulkan-validationlayers",
    },
    Row {
        manager: Manager::RpmOstree,
        tool: "usr/bin/rpm-ostree",
        install: "rpm-ostree install",
        loader: "vulkan-loader",
        drivers: ALL_OF_MESA,
        validation: "vulkan-validation-layers",
    },
    Row {
        manager: Manager::Dnf,
        tool: "usr/bin/dnf",
        install: "sudo dnf install",
        loader: "vulkan-loader",
        drivers: ALL_OF_MESA,
        validation: "vulkan-validation-layers",
    },
    Row {
        manager: Manager::Pacman,
        tool: "usr/bin/pacman",
        install: "sudo pacman -S",
        loader: "vulkan-icd-loader",
        drivers: &[
            (0, "vulkan-swrast"),
            (0x1002, "vulkan-radeon"),
            (0x8086, "vulkan-intel"),
            (0x10de, "vulkan-nouveau"),
            (0x1af4, "vulkan-virtio"),
        ],
        validation: "vulkan-validation-layers",
    },
    Row {
        manager: Manager::Zypper,
        tool: "usr/bin/zypper",
        install: "sudo zypper install",
        loader: "libvulkan1",
        drivers: &[
            (0, "libvulkan_lvp"),
            (0x1002, "libvulkan_radeon"),
            (0x8086, "libvulkan_intel"),
            (0x10de, "libvulkan_nouveau"),
        ],
        validation: "vulkan-validationlayers",
    },
    Row {
        manager: Manager::Apk,
        tool: "sbin/apk",
        install: "sudo apk add",
        loader: "vulkan-loader",
        drivers: &[
            (0, "mesa-vulkan-swrast"),
            (0x1002, "mesa-vulkan-ati"),
            (0x8086, "mesa-vulkan-intel"),
            (0x10de, "mesa-vulkan-nouveau"),
            (0x1af4, "mesa-vulkan-virtio"),
        ],
        validation: "vulkan-validation-layers",
    },
    Row {
        manager: Manager::Xbps,
        tool: "usr/bin/xbps-install",
        install: "sudo xbps-install",
        loader: "vulkan-loader",
        drivers: &[
            (0, "mesa-vulkan-lavapipe"),
            (0x1002, "mesa-vulkan-radeon"),
            (0x8086, "mesa-vulkan-intel"),
            (0x10de, "mesa-vulkan-nouveau"),
        ],
        validation: "Vulkan-ValidationLayers",
    },
];

/// Distributions whose package manager is known where its tool is not seen.
const BY_DISTRIBUTION: &[(&str, Manager)] = &[
    ("debian", Manager::Apt),
    ("ubuntu", Manager::Apt),
    ("fedora", Manager::Dnf),
    ("rhel", Manager::Dnf),
    ("arch", Manager::Pacman),
    ("suse", Manager::Zypper),
    ("opensuse", Manager::Zypper),
    ("alpine", Manager::Apk),
    ("void", Manager::Xbps),
];

/// Debian's packages of libraries whose names do not follow from the library's.
const DEBIAN: &[(&str, &str)] = &[
    ("libz.so.1", "zlib1g"),
    ("libc.so.6", "libc6"),
    ("libm.so.6", "libc6"),
    ("libdl.so.2", "libc6"),
    ("libpthread.so.0", "libc6"),
    ("libgcc_s.so.1", "libgcc-s1"),
    ("libexpat.so.1", "libexpat1"),
    ("libedit.so.2", "libedit2"),
    ("libGLX_nvidia.so.0", "libglx-nvidia0"),
    ("libsensors.so.5", "libsensors5"),
    ("libudev.so.1", "libudev1"),
    ("libdisplay-info.so.1", "libdisplay-info1"),
    ("libdisplay-info.so.2", "libdisplay-info2"),
    ("libSPIRV-Tools.so", "spirv-tools"),
];

pub(super) fn collect(root: &Path, system: &System) -> Packages {
    // The distribution decides: other managers' tools can be installed beside its own.
    let known = BY_DISTRIBUTION.iter().find(|(id, _)| system.is(id)).map(|row| row.1);
    let tool = |row: &&Row| root.join(row.tool).exists();
    let ostree = known == Some(Manager::Dnf) && root.join("run/ostree-booted").exists();
    let manager = if ostree {
        Some(Manager::RpmOstree)
    } else {
        known.or_else(|| ROWS.iter().find(tool).map(|row| row.manager))
    };
    Packages { manager }
}

impl Manager {
    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.manager == self)
    }

    /// The command that installs a package.
    pub(crate) fn install(self, package: &str) -> String {
        format!("{} {package}", self.row().map_or("install", |row| row.install))
    }

    /// The command that installs the Vulkan loader.
    pub(crate) fn loader(self) -> String {
        self.install(self.row().map_or("libvulkan1", |row| row.loader))
    }

    /// A command of these, for a program of this width: distributions keep libraries for 32-bit programs in packages beside the others.
    pub(crate) fn for_bits(self, command: &str, bits: u32) -> String {
        if bits == usize::BITS {
            return command.to_owned();
        }
        let debian = if cfg!(target_arch = "aarch64") { "armhf" } else { "i386" };
        match (self, command.rsplit_once(' ')) {
            (Self::Apt, _) => {
                format!("sudo dpkg --add-architecture {debian} && sudo apt-get update && {command}:{debian}")
            }
            (Self::Dnf | Self::RpmOstree, _) => format!("{command}.i686"),
            (Self::Pacman, Some((start, package))) => format!("{start} lib32-{package}"),
            (Self::Zypper | Self::Xbps, _) => format!("{command}-32bit"),
            _ => command.to_owned(),
        }
    }

    /// The command that installs the validation layers.
    pub(crate) fn validation(self) -> String {
        self.install(self.row().map_or("vulkan-validation-layers", |row| row.validation))
    }

    /// The commands that install Mesa's driver for devices of this vendor, or for the processor.
    pub(crate) fn vulkan_drivers(self, vendor: Option<u32>) -> Vec<String> {
        let drivers = self.row().map_or(ALL_OF_MESA, |row| row.drivers);
        let of = |vendor: u32| drivers.iter().find(|row| row.0 == vendor).map(|row| row.1);
        vendor.and_then(of).or_else(|| of(0)).map(|package| self.install(package)).into_iter().collect()
    }

    /// The commands that install the package with this library.
    pub(crate) fn install_library(self, soname: &str, bits: u32) -> Vec<String> {
        let (wide, narrow) = (format!("'{soname}()(64bit)'"), format!("'{soname}'"));
        match self {
            Self::Apt => {
                let package = debian_package(soname)
                    + if bits == 32 && cfg!(target_arch = "x86_64") { ":i386" } else { "" };
                vec![self.install(&package), format!("If there is no such package: apt-file search {soname}")]
            }
            Self::Dnf | Self::RpmOstree | Self::Zypper => {
                vec![self.install(if bits == 64 { &wide } else { &narrow })]
            }
            Self::Apk => vec![self.install(&format!("so:{soname}"))],
            Self::Pacman => vec![format!(
                "sudo pacman -Fy {soname}, which names the package; then sudo pacman -S PACKAGE"
            )],
            Self::Xbps => {
                vec![format!("xlocate {soname}, which names the package; then sudo xbps-install PACKAGE")]
            }
        }
    }

    /// The steps that install NVIDIA's driver with its Vulkan part.
    pub(crate) fn nvidia_driver(self, system: &System) -> Vec<String> {
        let steps: &[&str] = match self {
            Self::Apt if system.is("ubuntu") => &["sudo ubuntu-drivers install"],
            Self::Apt => &[
                "sudo apt-get install nvidia-driver nvidia-vulkan-icd",
                "If there are no such packages, add contrib and non-free to /etc/apt/sources.list",
            ],
            Self::Dnf => &[
                "sudo dnf install akmod-nvidia",
                "If there is no such package, add RPM Fusion (nonfree) to the repositories",
            ],
            Self::RpmOstree => {
                &["rpm-ostree install akmod-nvidia, with RPM Fusion (nonfree) among the repositories"]
            }
            Self::Pacman => &["sudo pacman -S nvidia-open nvidia-utils"],
            Self::Zypper => &[
                "sudo zypper install openSUSE-repos-Tumbleweed-NVIDIA or -Leap-NVIDIA, then sudo zypper install-new-recommends --repo NVIDIA",
            ],
            Self::Apk => {
                &["NVIDIA has no driver for this distribution's C library: sudo apk add mesa-vulkan-nouveau"]
            }
            Self::Xbps => &["sudo xbps-install void-repo-nonfree, then sudo xbps-install nvidia"],
        };
        steps.iter().map(|step| (*step).to_owned()).collect()
    }
}

/// Debian's package of a library: its name and number in small letters, with a dash between two digits.
fn debian_package(soname: &str) -> String {
    if let Some((_, package)) = DEBIAN.iter().find(|row| row.0 == soname) {
        return (*package).to_owned();
    }
    // LLVM's number stands in different places: libLLVM-15.so.1, libLLVM.so.19.1.
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
        ] {
            assert_eq!(debian_package(soname), package);
        }
    }

    #[test]
    fn the_distribution_decides_which_manager_is_asked() {
        let root = tempfile::tempdir().unwrap();
        let system = |like: &str| System { like: vec![like.to_owned()], ..System::default() };
        let install = |like: &str| {
            collect(root.path(), &system(like))
                .manager
                .map(|manager| manager.vulkan_drivers(Some(0x1002)).concat())
        };
        assert_eq!(install("debian").as_deref(), Some("sudo apt-get install mesa-vulkan-drivers"));
        assert_eq!(install("arch").as_deref(), Some("sudo pacman -S vulkan-radeon"));
        assert_eq!(install("alpine").as_deref(), Some("sudo apk add mesa-vulkan-ati"));
        assert_eq!(install("slackware"), None);
        let narrow = |manager: Manager| manager.for_bits(&manager.loader(), 32);
        assert_eq!(Manager::Apt.for_bits(&Manager::Apt.loader(), 64), "sudo apt-get install libvulkan1");
        if cfg!(target_arch = "x86_64") {
            assert!(narrow(Manager::Apt).ends_with("sudo apt-get install libvulkan1:i386"));
            assert_eq!(narrow(Manager::Pacman), "sudo pacman -S lib32-vulkan-icd-loader");
            assert_eq!(narrow(Manager::Dnf), "sudo dnf install vulkan-loader.i686");
        }
        assert_eq!(
            Manager::Dnf.install_library("libLLVM-19.so.1", 64),
            ["sudo dnf install 'libLLVM-19.so.1()(64bit)'"]
        );
    }
}
