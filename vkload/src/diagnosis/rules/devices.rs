//! Device files, and who may use them.

use super::super::case::Case;
use super::super::finding::{Evidence, Finding, Id};
use crate::command::{Command, Step, Word};
use crate::facts::Node;
use crate::probe::{Cause, Ending};
use crate::view::{Device, DriverView};

/// Returns whether this user may not use a file that drivers need. In a recording, a node may have any path.
fn is_closed(node: &Node) -> bool {
    let is_device = node.path.starts_with("/dev/") && !node.path.contains("..");
    is_device && node.is_needed() && node.is_closed()
}

/// Returns whether this user lacks permission for any device file.
pub(super) fn any_closed(case: &Case) -> bool {
    case.facts.nodes.iter().any(is_closed)
}

/// Reports device files that this user has no permission to use.
pub(super) fn closed(case: &Case) -> Vec<Finding> {
    // One GPU has several files; their common problem is reported once.
    let mut groups: Vec<Vec<&Node>> = Vec::new();
    for node in case.facts.nodes.iter().filter(|node| is_closed(node)) {
        let same = |other: &&Node| {
            (&other.kind, other.mode, &other.owner, &other.group)
                == (&node.kind, node.mode, &node.owner, &node.group)
        };
        match groups.iter_mut().find(|group| group.first().is_some_and(same)) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups.iter().filter_map(|group| one(case, group)).collect()
}

/// Files of the same kind, owner and mode.
fn one(case: &Case, nodes: &[&Node]) -> Option<Finding> {
    let node = nodes.first()?;
    let hardware = case.devices().iter().any(|device| device.kind != "cpu");
    let evidence = if hardware { Evidence::Likely } else { Evidence::Seen };
    let user = &case.facts.user;
    let files: Vec<Word<'_>> = nodes.iter().map(|node| &node.path as Word<'_>).collect();
    let others = if nodes.len() > 1 { format!(" and {} more", nodes.len() - 1) } else { String::new() };
    let what = format!(
        "you have no permission for this device file{others} (owner {}, group {}, mode {:04o})",
        node.owner, node.group, node.mode
    );
    let finding = |what: String| Finding::new(case, Id::NoAccess, &node.path, what).evidence(evidence);
    let group_can = node.mode & 0o060 == 0o060
        && !matches!(node.group.as_str(), "root" | "wheel" | "sudo" | "nogroup" | "nobody" | "");
    let in_group = user.groups.contains(&node.group);
    // Groups of the host that a container without root does not have.
    let is_unmapped = matches!(node.group.as_str(), "nogroup" | "nobody" | "65534");
    if is_unmapped && case.facts.environment.container.as_deref() == Some("podman") {
        return Some(
            finding(what).step(
                "Start the container with --group-add keep-groups, as a user who is in the file's group",
            ),
        );
    }
    if group_can && case.facts.environment.container.is_some() {
        let (path, options) = (&node.path, "--device {} --group-add $(stat -c %g {})");
        let step = Step::say("Start the container with ").run(Command::new(options, &[path, path]));
        return Some(finding(what).step(step));
    }
    if group_can && user.member_of.contains(&node.group) && !in_group {
        let what = format!("{what}; you joined the group {} after you logged in", node.group);
        return Some(finding(what).step("Log out and log in again: a session gets its groups at log-in"));
    }
    if group_can && in_group {
        return Some(
            finding(format!("{what}, though you are in its group"))
                .step(Command::new("ls -l", &[]).then_all(&files).then("; getfacl", &[]).then_all(&files)),
        );
    }
    // Other groups may give more rights.
    if group_can && !["render", "video"].contains(&node.group.as_str()) {
        let step = format!("If the group {} is meant for users of graphics devices, join it", node.group);
        return Some(finding(what).step(step));
    }
    if group_can {
        let command = Command::new("sudo usermod -aG {} {}", &[&node.group, &user.name]);
        return Some(finding(what).step(Step::from(command).and_say(", then log out and log in again")));
    }
    if case.facts.environment.container.as_deref() == Some("lxc") {
        let step = "On the host, give the device the number of this container's group render (getent group render): lxc config device set CONTAINER DEVICE gid=NUMBER (on Proxmox, dev0: FILE,gid=NUMBER in its configuration)";
        return Some(finding(what).step(step));
    }
    // No group that an ordinary user should be in has access, so the files' own permissions are wrong.
    let host = if case.facts.environment.container.is_some() { "On the host: " } else { "" };
    if node.kind == "nvidia" {
        return Some(
            finding(what)
                .step(Step::say(host).run(Command::new("sudo chmod a+rw", &[]).then_all(&files)))
                .step("If it happens again after a restart, see NVreg_DeviceFileMode in /etc/modprobe.d"),
        );
    }
    Some(
        finding(what)
            .step(Step::say(host).run(
                Command::new("sudo chgrp render", &[]).then_all(&files).then(" && sudo chmod 0660", &[]).then_all(&files),
            ))
            .step("If it happens again after a restart, look for udev's rule: grep -r renderD /etc/udev/rules.d /usr/lib/udev/rules.d"),
    )
}

/// Reports device files that cannot be opened, although their permissions allow it. Those with the same problem are reported once.
pub(super) fn refused(case: &Case) -> Vec<Finding> {
    let mut groups: Vec<(&Cause, String, Option<&String>, Vec<&str>)> = Vec::new();
    for (path, trial) in &case.trials.files {
        let Ending::Failed { words, cause } = &trial.ending else { continue };
        let node = case.facts.nodes.iter().find(|node| node.path == *path);
        let mount = node.and_then(|node| node.no_dev.as_ref());
        let what = match mount {
            Some(mount) => format!("no device file works on {mount}, which is mounted nodev"),
            None => format!("{words}, although its permissions allow it"),
        };
        match groups.iter_mut().find(|group| group.1 == what) {
            Some(group) => group.3.push(path),
            None => groups.push((cause, what, mount, vec![path])),
        }
    }
    let of = |(cause, what, mount, paths): (&Cause, String, Option<&String>, Vec<&str>)| {
        let others =
            if paths.len() > 1 { format!(", nor can {} more", paths.len() - 1) } else { String::new() };
        let about = paths.first().copied().unwrap_or_default();
        let finding =
            Finding::new(case, Id::DeviceRefused, about, format!("cannot be opened{others}: {what}"));
        finding.step(match (mount, cause) {
            (Some(mount), _) => Command::new("sudo mount -o remount,dev {}", &[mount]).into(),
            (None, Cause::NotPermitted) if case.facts.environment.container.is_some() => case.give_device(&paths),
            (None, Cause::Denied) if case.facts.environment.container.is_some() => {
                "SELinux may forbid it: start the container with --security-opt label=disable, or allow it on the host: setsebool -P container_use_devices=1 (as root)".into()
            }
            (None, Cause::NotPermitted | Cause::Denied) => {
                "See what forbids it (SELinux, AppArmor, a device policy of systemd): sudo dmesg | grep -i denied".into()
            }
            _ => "The kernel driver of the device does not answer; see why: sudo dmesg | tail -n 50".into(),
        })
    };
    groups.into_iter().map(of).collect()
}

/// Reports a default device whose driver says itself that it lacks something, if there is another GPU.
pub(super) fn incomplete(case: &Case) -> Option<Finding> {
    let devices = case.devices();
    let default = devices.first().filter(|default| default.kind != "cpu")?;
    let other = devices.iter().find(|other| other.kind != "cpu" && !other.is_same(default))?;
    let has = |driver: &&DriverView, device: &Device| {
        case.trial(driver).is_some_and(|trial| trial.usable().any(|own| own.is_same(device)))
    };
    let driver = case.drivers.iter().find(|driver| has(driver, default) && !has(driver, other))?;
    let line = case.trial(driver)?.printed.iter().find(|line| line.contains("incomplete"))?;
    let what = format!("is the default, and its driver printed: {line}; {} works as well", other.name);
    Some(
        Finding::new(case, Id::DeviceIncomplete, &default.name, what)
            .step(super::drivers::disable(case, driver)),
    )
}
