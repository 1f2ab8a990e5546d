//! The distribution, the kernel and the processor.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::elf;
use super::files::read;

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct System {
    /// Its name for people: "Debian GNU/Linux 12 (bookworm)".
    pub(crate) name: String,
    /// Its ID, and those that it is like: "ubuntu", "debian".
    pub(crate) like: Vec<String>,
    /// The number of its release: "12".
    pub(crate) version: String,
    pub(crate) kernel: String,
    /// The processor: "x86-64".
    pub(crate) machine: String,
    /// The word on the kernel's command line that keeps drivers of graphics devices from starting: `nomodeset`.
    pub(crate) no_graphics: Option<String>,
}

impl System {
    /// Returns whether it is this distribution or one like it.
    pub(crate) fn is(&self, id: &str) -> bool {
        self.like.iter().any(|like| like == id)
    }
}

pub(super) fn collect(root: &Path) -> System {
    let mut release = read(&root.join("etc/os-release"));
    if release.is_empty() {
        release = read(&root.join("usr/lib/os-release"));
    }
    let field = |name: &str| {
        let value = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
    };
    let like = [field("ID"), field("ID_LIKE")].join(" ").split_whitespace().map(str::to_owned).collect();
    System {
        name: field("PRETTY_NAME"),
        version: field("VERSION_ID"),
        like,
        kernel: read(&root.join("proc/sys/kernel/osrelease")),
        machine: elf::OWN_MACHINE.to_owned(),
        no_graphics: read(&root.join("proc/cmdline"))
            .split_whitespace()
            .find(|word| {
                matches!(*word, "nomodeset" | "i915.modeset=0" | "amdgpu.modeset=0" | "nouveau.modeset=0")
            })
            .map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_recognised_by_id_and_id_like() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("etc")).unwrap();
        std::fs::write(
            root.path().join("etc/os-release"),
            "PRETTY_NAME=\"Linux Mint 22\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
        )
        .unwrap();
        let system = collect(root.path());
        assert_eq!(system.name, "Linux Mint 22");
        assert!(system.is("linuxmint") && system.is("ubuntu") && !system.is("arch"));
    }
}
