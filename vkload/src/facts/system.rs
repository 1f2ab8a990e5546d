//! The distribution, the kernel and the processor.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::elf;
use super::files::{entries, name_of, read};
use crate::lossless;

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
    /// The words on the kernel's command line that keep drivers of graphics devices from starting: `nomodeset`.
    pub(crate) no_graphics: Option<String>,
    /// Whether the modules of the running kernel are gone, and those of another are there, as after an update.
    pub(crate) is_updated: bool,
    /// Whether Secure Boot is on, so that the kernel loads no module without a signature that it knows.
    pub(crate) secure_boot: bool,
    /// The key with which this machine signs modules that it builds.
    pub(crate) module_key: Option<String>,
    /// Modules that are kept from being loaded, each with the file that does it.
    pub(crate) blocked_modules: Vec<(String, String)>,
}

/// Keys of shim and of DKMS.
const KEYS: &[&str] =
    &["/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub", "/etc/pki/akmods/certs/public_key.der"];

impl System {
    pub(crate) fn is(&self, id: &str) -> bool {
        self.like.iter().any(|like| like == id)
    }
}

pub(super) fn collect() -> System {
    let mut release = read(Path::new("/etc/os-release"));
    if release.is_empty() {
        release = read(Path::new("/usr/lib/os-release"));
    }
    let field = |name: &str| {
        let value = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
    };
    let like = [field("ID"), field("ID_LIKE")].join(" ").split_whitespace().map(str::to_owned).collect();
    let kernel = read(Path::new("/proc/sys/kernel/osrelease"));
    let modules = ["/usr/lib/modules", "/lib/modules"].map(|folder| entries(Path::new(folder))).concat();
    let efi = entries(Path::new("/sys/firmware/efi/efivars"));
    let secure_boot = efi.iter().find(|path| name_of(path).starts_with("SecureBoot-"));
    let lists = ["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d"]
        .map(|folder| entries(Path::new(folder)));
    let blocked = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["blacklist", module]
        | ["alias", module, "off"]
        | ["install", module, "/bin/false" | "/bin/true" | "/usr/bin/false" | "/usr/bin/true"] => {
            Some(module.replace('-', "_"))
        }
        _ => None,
    };
    let in_file = |path: &PathBuf| {
        let modules: Vec<_> = read(path).lines().filter_map(blocked).collect();
        modules.into_iter().map(|module| (module, lossless::of(path))).collect::<Vec<_>>()
    };
    // A file hides those of the same name in later folders.
    let mut names = BTreeSet::new();
    let is_read = |path: &&PathBuf| name_of(path).ends_with(".conf") && names.insert(name_of(path));
    let blocked = lists.iter().flatten().filter(is_read).flat_map(in_file);
    let line = read(Path::new("/proc/cmdline"));
    let is_off = |word: &&str| {
        *word == "nomodeset"
            || word.ends_with(".modeset=0")
            || word.contains(".force_probe=")
            || word.contains("blacklist=")
    };
    let off: Vec<&str> = line.split_whitespace().filter(is_off).collect();
    System {
        is_updated: !modules.is_empty()
            && !kernel.is_empty()
            && !modules.iter().any(|path| name_of(path) == kernel),
        secure_boot: secure_boot
            .and_then(|path| fs::read(path).ok())
            .is_some_and(|bytes| bytes.last() == Some(&1)),
        module_key: KEYS.iter().find(|key| Path::new(key).exists()).map(|key| (*key).to_owned()),
        blocked_modules: blocked.collect(),
        name: field("PRETTY_NAME"),
        version: field("VERSION_ID"),
        like,
        kernel,
        machine: elf::OWN_MACHINE.to_owned(),
        no_graphics: Some(off.join(" ")).filter(|words| !words.is_empty()),
    }
}
