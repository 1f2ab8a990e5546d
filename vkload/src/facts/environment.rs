//! The program's environment: a container, Flatpak, a virtual machine.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::files::{entries, name_of, read};
use super::variables::Variables;
use crate::command::Command;

/// Containers, virtual machines and other environments of a program.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Environment {
    /// The kind of container: `docker`, `podman`.
    pub(crate) container: Option<String>,
    pub(crate) flatpak: Option<Flatpak>,
    pub(crate) snap: Option<String>,
    /// The generation of Windows' subsystem for Linux.
    pub(crate) wsl: Option<u8>,
    pub(crate) steam_runtime: Option<String>,
    /// The file systems of the kernel that are not mounted, as in a bare chroot: `/proc`, `/dev`.
    pub(crate) unmounted: Vec<String>,
    /// Folders of the kernel in which drivers look for GPUs, and that may not be read.
    pub(crate) hidden: Vec<String>,
    /// The board, by its device tree, and the graphics devices that its device tree turns off.
    pub(crate) board: Option<String>,
    pub(crate) turned_off: Vec<String>,
    pub(crate) virtual_machine: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Flatpak {
    pub(crate) application: String,
    /// Its runtime, `org.gnome.Platform`, and the branch: `46`.
    pub(crate) runtime: String,
    pub(crate) branch: String,
    /// The installed extensions with drivers: `default`, `nvidia-550-54-14`.
    pub(crate) gl_extensions: Vec<String>,
    /// Whether it may use graphics devices.
    pub(crate) devices: bool,
}

impl Flatpak {
    /// Returns the command that installs a loader and drivers for 32-bit programs.
    pub(crate) fn install_narrow(&self, drivers: &str) -> Command {
        let syntax = "flatpak install flathub {}.Compat.i386//{} org.freedesktop.Platform.GL32.{}";
        Command::new(syntax, &[&self.runtime, &self.branch, &drivers])
    }

    /// Returns the command that installs this extension of the runtime, in the runtime's branch.
    pub(crate) fn install(&self, extension: &str) -> Command {
        let branch = if self.branch.is_empty() { String::new() } else { format!("//{}", self.branch) };
        Command::new("flatpak install flathub org.freedesktop.Platform.{}{}", &[&extension, &branch])
    }
}

/// Words in a machine's vendor and product names, and the virtual machine that they identify.
const VIRTUAL: &[(&str, &str)] = &[
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("Parallels", "Parallels"),
    ("Xen", "Xen"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Bochs", "Bochs"),
];

impl Environment {
    /// Returns whether NVIDIA's container toolkit may have made this container.
    pub(crate) fn may_have_toolkit(&self) -> bool {
        let others = ["lxc", "lxc-libvirt", "systemd-nspawn", "openvz", "proot"];
        self.container.as_deref().is_some_and(|name| !others.contains(&name))
    }
}

/// Folders in which drivers look for GPUs.
const LOOKED_AT: &[&str] =
    &["/sys/module", "/sys/bus/pci/devices", "/sys/class/drm", "/sys/dev/char", "/proc/driver/nvidia"];

fn is_denied(folder: &Path) -> bool {
    fs::read_dir(folder).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// The device tree of boards that have one.
const DEVICE_TREE: &str = "/sys/firmware/devicetree/base";

pub(super) fn collect(variables: &Variables) -> Environment {
    Environment {
        container: container(variables),
        flatpak: flatpak(),
        snap: variables
            .get("SNAP_NAME")
            .or_else(|| variables.get("SNAP_INSTANCE_NAME"))
            .filter(|_| variables.contains_key("SNAP"))
            .cloned(),
        wsl: wsl(),
        steam_runtime: steam(variables),
        unmounted: [("/proc", "/proc/self"), ("/dev", "/dev/null")]
            .into_iter()
            .filter(|(_, file)| Path::new(file).symlink_metadata().is_err())
            .map(|(folder, _)| folder.to_owned())
            .collect(),
        hidden: (LOOKED_AT.iter().filter(|folder| is_denied(Path::new(folder))))
            .map(|folder| (*folder).to_owned())
            .collect(),
        board: Some(read(&Path::new(DEVICE_TREE).join("model")).trim_end_matches('\0').to_owned())
            .filter(|model| !model.is_empty()),
        turned_off: turned_off(Path::new(DEVICE_TREE)),
        virtual_machine: virtual_machine(),
    }
}

/// Returns the nodes of graphics devices that are not `okay`, below the root of the device tree or a bus.
fn turned_off(tree: &Path) -> Vec<String> {
    let nodes = [tree.to_owned(), tree.join("soc"), tree.join("soc@0")].map(|bus| entries(&bus)).concat();
    let is_off = |node: &PathBuf| {
        let name = name_of(node);
        let is_gpu = ["gpu@", "v3d@", "mali@", "gpu-"].iter().any(|start| name.starts_with(start));
        is_gpu && read(&node.join("status")).trim_end_matches('\0') == "disabled"
    };
    nodes.into_iter().filter(is_off).map(|node| name_of(&node)).collect()
}

fn container(variables: &Variables) -> Option<String> {
    let marks = [
        ("/.dockerenv", "docker"),
        ("/run/.containerenv", "podman"),
        ("/var/run/secrets/kubernetes.io", "kubernetes"),
    ];
    if let Some((_, name)) = marks.iter().find(|(path, _)| Path::new(path).exists()) {
        return Some((*name).to_owned());
    }
    let told = read(Path::new("/run/systemd/container"));
    let told = if told.is_empty() { variables.get("container").cloned().unwrap_or_default() } else { told };
    // These are sandboxes, in which the host's drivers are used.
    if !["", "flatpak", "pressure-vessel", "firejail"].contains(&told.as_str()) {
        return Some(told);
    }
    let groups = read(Path::new("/proc/1/cgroup"));
    let words = [
        ("docker", "docker"),
        ("kubepods", "kubernetes"),
        ("libpod", "podman"),
        ("/lxc", "lxc"),
        ("containerd", "containerd"),
    ];
    words.iter().find(|(word, _)| groups.contains(word)).map(|(_, name)| (*name).to_owned())
}

fn flatpak() -> Option<Flatpak> {
    let info = read(Path::new("/.flatpak-info"));
    if info.is_empty() {
        return None;
    }
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let runtime = field("runtime");
    let folders = entries(Path::new("/usr/lib"))
        .into_iter()
        .map(|folder| folder.join("GL"))
        .chain([PathBuf::from("/usr/lib/GL")]);
    let extensions =
        folders.flat_map(|folder| entries(&folder)).filter(|extension| !entries(extension).is_empty());
    let mut gl_extensions: Vec<String> = extensions.map(|extension| name_of(&extension)).collect();
    gl_extensions.sort();
    gl_extensions.dedup();
    Some(Flatpak {
        application: field("name"),
        runtime: runtime.split('/').nth(1).unwrap_or_default().to_owned(),
        branch: runtime.rsplit('/').next().unwrap_or_default().to_owned(),
        gl_extensions,
        devices: field("devices").split(';').any(|device| matches!(device, "dri" | "all")),
    })
}

fn wsl() -> Option<u8> {
    let release = read(Path::new("/proc/sys/kernel/osrelease"));
    if !release.to_ascii_lowercase().contains("microsoft") {
        return None;
    }
    Some(if release.contains("WSL2") || release.contains("microsoft-standard") { 2 } else { 1 })
}

fn steam(variables: &Variables) -> Option<String> {
    let release = read(Path::new("/etc/os-release"));
    if release.lines().any(|line| line == "ID=steamrt") {
        let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        return Some(codename.unwrap_or("steamrt").to_owned());
    }
    if Path::new("/run/pressure-vessel").exists() {
        return Some("pressure-vessel".to_owned());
    }
    variables.get("STEAM_RUNTIME").filter(|value| value.starts_with('/')).map(|_| "steam-runtime".to_owned())
}

fn virtual_machine() -> Option<String> {
    let identity = Path::new("/sys/class/dmi/id");
    let told = [read(&identity.join("sys_vendor")), read(&identity.join("product_name"))].join(" ");
    let named = VIRTUAL.iter().find(|(word, _)| told.contains(word)).map(|(_, name)| (*name).to_owned());
    let hidden = || {
        read(Path::new("/proc/cpuinfo"))
            .lines()
            .find(|line| line.starts_with("flags"))
            .is_some_and(|flags| flags.contains(" hypervisor"))
    };
    named.or_else(|| hidden().then(|| "unknown hypervisor".to_owned()))
}
