//! Packages to install if no driver is installed.

use std::fs;

/// A family of distributions: its ids in os-release, and the command that installs Mesa's drivers, which serve AMD,
/// Intel and many embedded GPUs and bring one that runs on the processor.
struct Family(&'static [&'static str], &'static str);

const FAMILIES: &[Family] = &[
    Family(&["debian", "ubuntu"], "sudo apt-get install mesa-vulkan-drivers"),
    Family(&["fedora", "rhel"], "sudo dnf install mesa-vulkan-drivers"),
    Family(&["arch"], "sudo pacman -S vulkan-radeon vulkan-intel vulkan-swrast"),
    Family(&["suse", "opensuse"], "sudo zypper install Mesa-vulkan-drivers"),
    Family(&["alpine"], "sudo apk add mesa-vulkan-ati mesa-vulkan-intel mesa-vulkan-swrast"),
    Family(&["void"], "sudo xbps-install mesa-vulkan-radeon mesa-vulkan-intel mesa-vulkan-lavapipe"),
];

/// Returns the steps, one per line.
pub(crate) fn install_a_driver() -> Vec<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let command = command_for(&release).map_or_else(
        || "Install your distribution's Vulkan drivers: Mesa's for AMD, Intel and others".to_owned(),
        |command| format!("Install a driver: {command}"),
    );
    let nvidia = "For an NVIDIA GPU install the vendor's driver; its Vulkan part comes with it.".to_owned();
    vec![command, nvidia]
}

/// Returns the command for the distribution that `release`, the text of os-release, describes.
fn command_for(release: &str) -> Option<&'static str> {
    let field = |name: &str| release.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("");
    let ids = [field("ID="), field("ID_LIKE=")].join(" ").replace(['"', '\''], " ");
    ids.split_whitespace()
        .find_map(|id| FAMILIES.iter().find(|family| family.0.contains(&id)))
        .map(|family| family.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_recognised_by_id_or_id_like() {
        assert!(command_for("NAME=x\nID=debian\n").unwrap().contains("apt-get"));
        assert!(command_for("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n").unwrap().contains("apt-get"));
        assert!(command_for("ID='arch'\n").unwrap().contains("pacman"));
        assert_eq!(command_for("ID=slackware\n"), None);
        assert_eq!(command_for(""), None);
    }
}
