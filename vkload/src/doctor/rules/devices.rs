//! Device files, and who may use them.

use super::super::case::{Case, quoted};
use super::super::finding::{Finding, Severity, weight};
use crate::facts::{Gpu, Node};

/// Kinds of device files that drivers need.
const NEEDED: &[&str] = &["render", "nvidia", "kfd", "dxg", "mali", "kgsl"];

/// Device files that this user has no permission to use.
pub(super) fn closed(case: &Case) -> Vec<Finding> {
    let needed = |node: &&Node| {
        NEEDED.iter().any(|kind| node.kind.starts_with(kind)) && !(node.readable && node.writable)
    };
    let mut all: Vec<Finding> = case.facts.nodes.iter().filter(needed).map(|node| one(case, node)).collect();
    // One GPU has several files; each with the same fault needs no sentence of its own.
    all.dedup_by(|later, earlier| later.next == earlier.next && later.what == earlier.what);
    all
}

fn one(case: &Case, node: &Node) -> Finding {
    let hardware = case.devices().iter().any(|device| device.kind != "cpu");
    let severity = if case.fails() { Severity::Error } else { Severity::Warning };
    let weight = if hardware { weight::LIKELY } else { weight::SEEN };
    let (user, groups) = (&case.facts.user.name, &case.facts.user);
    let what = format!(
        "you have no permission for this device file (owner {}, group {}, mode {:04o})",
        node.owner, node.group, node.mode
    );
    let finding = |what: String| Finding::new(severity, weight, "no-access", &node.path, what);
    let group_can = node.mode & 0o060 == 0o060
        && !matches!(node.group.as_str(), "root" | "wheel" | "sudo" | "nogroup" | "nobody" | "");
    if case.facts.place.container.is_some() {
        let step = format!(
            "Start the container with --device {} --group-add $(stat -c %g {})",
            node.path, node.path
        );
        return finding(what).step(step);
    }
    if group_can && groups.member_of.contains(&node.group) && !groups.groups.contains(&node.group) {
        let what = format!("{what}; you joined the group {} after you logged in", node.group);
        return finding(what).step("Log out and log in again: a session gets its groups at log-in");
    }
    if group_can && groups.groups.contains(&node.group) {
        return finding(format!("{what}, though you are in its group"))
            .step(format!("ls -l {}; getfacl {}", node.path, node.path));
    }
    if group_can {
        return finding(what).step(format!(
            "sudo usermod -aG {} {}, then log out and log in again",
            node.group,
            quoted(user)
        ));
    }
    // No group that an ordinary user should be in has access, so the file's own permissions are wrong.
    let usual = if node.path.starts_with("/dev/nvidia") { ("root", "a+rw") } else { ("render", "g+rw") };
    if node.path.starts_with("/dev/nvidia") {
        return finding(what)
            .step(format!("sudo chmod {} {}", usual.1, node.path))
            .step("If it happens again after a restart, see NVreg_DeviceFileMode in /etc/modprobe.d");
    }
    finding(what)
        .step(format!("sudo chgrp {} {path} && sudo chmod 0660 {path}", usual.0, path = node.path))
        .step("If it happens again after a restart, udev's rules are missing: sudo udevadm trigger --subsystem-match=drm")
}

/// Graphics devices on the bus, and no file for them.
pub(super) fn none(case: &Case) -> Vec<Finding> {
    let any = case.facts.nodes.iter().any(|node| node.kind != "card");
    // What a GPU of another kernel driver needs is said elsewhere.
    let usual = |gpu: &&Gpu| {
        let drivers = gpu.maker().map(|maker| maker.kernel_drivers).unwrap_or_default();
        gpu.driver.as_deref().is_none_or(|driver| drivers.contains(&driver))
    };
    let gpus: Vec<_> = case.facts.gpus.iter().filter(|gpu| gpu.can_have_vulkan()).filter(usual).collect();
    if any
        || gpus.is_empty()
        || case.facts.place.wsl.is_some()
        || case.devices().iter().any(|device| device.kind != "cpu")
    {
        return Vec::new();
    }
    let severity = if case.fails() { Severity::Error } else { Severity::Warning };
    let names =
        gpus.iter().map(|gpu| format!("{} ({})", gpu.place, gpu.name())).collect::<Vec<_>>().join(", ");
    if case.facts.place.container.is_some() {
        let what = format!("there is no device file for GPU {names} in this container");
        let nvidia = gpus.iter().any(|gpu| gpu.vendor == 0x10de);
        let step = if nvidia {
            "Start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all"
        } else {
            "Start the container with --device /dev/dri"
        };
        return vec![
            Finding::new(severity, weight::KNOWN + 5, "no-device-file", "/dev/dri", what).step(step),
        ];
    }
    if let Some(word) = &case.facts.system.no_graphics {
        let what = format!(
            "there is no device file for GPU {names}, because the kernel was started with \"{word}\""
        );
        let finding = Finding::new(severity, weight::PROVEN, "no-modesetting", "/dev/dri", what);
        return vec![finding.step(format!(
            "Remove {word} from the kernel command line (GRUB_CMDLINE_LINUX in /etc/default/grub), update the boot loader and restart"
        ))];
    }
    let loaded = gpus.iter().any(|gpu| gpu.driver.is_some());
    let what = format!(
        "there is no device file for GPU {names}{}",
        if loaded { "" } else { ", because no kernel driver has taken it" }
    );
    let modules = gpus
        .iter()
        .filter_map(|gpu| gpu.maker())
        .flat_map(|maker| maker.kernel_drivers.first())
        .copied()
        .next();
    let finding = Finding::new(severity, weight::KNOWN + 5, "no-device-file", "/dev/dri", what);
    vec![match modules {
        Some(module) => finding.step(format!(
            "sudo modprobe {module}; if that does not help, see why: sudo dmesg | grep -i {module}"
        )),
        None => finding.step("sudo dmesg | grep -i -e drm -e gpu"),
    }]
}
