//! The program's environment: a container, Flatpak, a virtual machine.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{entries, name_of, read};
use super::variables::Variables;

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
    /// Whether `/proc` is not mounted, as in a bare chroot.
    pub(crate) no_proc: bool,
    pub(crate) virtual_machine: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Flatpak {
    pub(crate) application: String,
    /// The branch of its runtime: `23.08`.
    pub(crate) branch: String,
    /// The installed extensions with drivers: `default`, `nvidia-550-54-14`.
    pub(crate) gl_extensions: Vec<String>,
    /// Whether it may use graphics devices.
    pub(crate) devices: bool,
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

pub(super) fn collect(root: &Path, variables: &Variables) -> Environment {
    Environment {
        container: container(root, variables),
        flatpak: flatpak(root),
        snap: variables
            .get("SNAP_NAME")
            .or_else(|| variables.get("SNAP_INSTANCE_NAME"))
            .filter(|_| variables.contains_key("SNAP"))
            .cloned(),
        wsl: wsl(root),
        steam_runtime: steam(root, variables),
        no_proc: root.join("proc/self").symlink_metadata().is_err(),
        virtual_machine: virtual_machine(root),
    }
}

fn container(root: &Path, variables: &Variables) -> Option<String> {
    let marks = [
        (".dockerenv", "docker"),
        ("run/.containerenv", "podman"),
        ("var/run/secrets/kubernetes.io", "kubernetes"),
    ];
    if let Some((_, name)) = marks.iter().find(|(path, _)| root.join(path).exists()) {
        return Some((*name).to_owned());
    }
    let told = read(&root.join("run/systemd/container"));
    let told = if told.is_empty() { variables.get("container").cloned().unwrap_or_default() } else { told };
    if !told.is_empty() && told != "flatpak" && told != "pressure-vessel" {
        return Some(told);
    }
    let groups = read(&root.join("proc/1/cgroup"));
    let words = [
        ("docker", "docker"),
        ("kubepods", "kubernetes"),
        ("libpod", "podman"),
        ("/lxc", "lxc"),
        ("containerd", "containerd"),
    ];
    words.iter().find(|(word, _)| groups.contains(word)).map(|(_, name)| (*name).to_owned())
}

fn flatpak(root: &Path) -> Option<Flatpak> {
    let info = read(&root.join(".flatpak-info"));
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
    let folders = entries(&root.join("usr/lib"))
        .into_iter()
        .map(|folder| folder.join("GL"))
        .chain([root.join("usr/lib/GL")]);
    let extensions =
        folders.flat_map(|folder| entries(&folder)).filter(|extension| !entries(extension).is_empty());
    let mut gl_extensions: Vec<String> = extensions.map(|extension| name_of(&extension)).collect();
    gl_extensions.sort();
    gl_extensions.dedup();
    Some(Flatpak {
        application: field("name"),
        branch: runtime.rsplit('/').next().unwrap_or_default().to_owned(),
        gl_extensions,
        devices: field("devices").split(';').any(|device| matches!(device, "dri" | "all")),
    })
}

fn wsl(root: &Path) -> Option<u8> {
    let release = read(&root.join("proc/sys/kernel/osrelease"));
    if !release.to_ascii_lowercase().contains("microsoft") {
        return None;
    }
    Some(if release.contains("WSL2") || release.contains("microsoft-standard") { 2 } else { 1 })
}

fn steam(root: &Path, variables: &Variables) -> Option<String> {
    let release = read(&root.join("etc/os-release"));
    if release.lines().any(|line| line == "ID=steamrt") {
        let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        return Some(codename.unwrap_or("steamrt").to_owned());
    }
    if root.join("run/pressure-vessel").exists() {
        return Some("pressure-vessel".to_owned());
    }
    variables.get("STEAM_RUNTIME").filter(|value| value.starts_with('/')).map(|_| "steam-runtime".to_owned())
}

fn virtual_machine(root: &Path) -> Option<String> {
    let identity = root.join("sys/class/dmi/id");
    let told = [read(&identity.join("sys_vendor")), read(&identity.join("product_name"))].join(" ");
    let named = VIRTUAL.iter().find(|(word, _)| told.contains(word)).map(|(_, name)| (*name).to_owned());
    let hidden = || {
        read(&root.join("proc/cpuinfo"))
            .lines()
            .find(|line| line.starts_with("flags"))
            .is_some_and(|flags| flags.contains(" hypervisor"))
    };
    named.or_else(|| hidden().then(|| "unknown hypervisor".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn environment(files: &[(&str, &str)], variables: &Variables) -> Environment {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        collect(root.path(), variables)
    }

    #[test]
    fn each_environment_is_known_by_its_marks() {
        let none = Variables::new();
        assert_eq!(environment(&[(".dockerenv", "")], &none).container.as_deref(), Some("docker"));
        assert_eq!(
            environment(&[("proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2")], &none).wsl,
            Some(2)
        );
        assert_eq!(
            environment(&[("etc/os-release", "ID=steamrt\nVERSION_CODENAME=sniper\n")], &none)
                .steam_runtime
                .as_deref(),
            Some("sniper")
        );
        assert_eq!(
            environment(&[("sys/class/dmi/id/sys_vendor", "VMware, Inc.")], &none).virtual_machine.as_deref(),
            Some("VMware")
        );
        let snap = Variables::from([
            ("SNAP".to_owned(), "/snap/game/1".to_owned()),
            ("SNAP_NAME".to_owned(), "game".to_owned()),
        ]);
        assert_eq!(environment(&[], &snap).snap.as_deref(), Some("game"));
        let none = environment(&[], &none);
        assert!(
            none.container.is_none() && none.flatpak.is_none() && none.snap.is_none() && none.wsl.is_none()
        );
    }

    #[test]
    fn a_flatpak_is_reported_with_its_runtime_and_extensions() {
        let info = "[Application]\nname=org.example.Game\nruntime=runtime/org.freedesktop.Platform/x86_64/23.08\n[Context]\ndevices=dri;\n";
        let files = [
            (".flatpak-info", info),
            ("usr/lib/x86_64-linux-gnu/GL/default/lib/x", ""),
            ("usr/lib/x86_64-linux-gnu/GL/nvidia-550-54-14/x", ""),
        ];
        let flatpak = environment(&files, &Variables::new()).flatpak.unwrap();
        assert_eq!(
            (flatpak.application.as_str(), flatpak.branch.as_str(), flatpak.devices),
            ("org.example.Game", "23.08", true)
        );
        assert_eq!(flatpak.gl_extensions, ["default", "nvidia-550-54-14"]);
    }
}
