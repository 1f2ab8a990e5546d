//! The graphics devices on the bus, as the kernel lists them. Reading these files wakes no device.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::{entries, name_of, read};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Gpu {
    /// Its address on the PCI bus (`0000:01:00.0`), or its name as a platform device.
    #[serde(rename = "place")]
    pub(crate) address: String,
    /// The vendor's number on the bus. 0 for platform devices.
    pub(crate) vendor: u32,
    pub(crate) device: u32,
    /// The kernel driver that has taken it.
    pub(crate) driver: Option<String>,
    /// Its files in `/dev/dri`, by name.
    pub(crate) nodes: Vec<String>,
    /// The modules with its usual kernel drivers, if none of them has taken it, or nouveau. Empty if no kernel's list of modules can be read.
    pub(crate) modules: Vec<Module>,
}

/// A module of the kernel, and why it may not take a GPU.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Module {
    pub(crate) name: String,
    /// Whether the kernel that runs has it.
    pub(crate) is_here: bool,
    /// Other kernels of this machine that have it.
    pub(crate) elsewhere: Vec<String>,
    /// The folder of its firmware, if that is not there.
    pub(crate) firmware: Option<String>,
    pub(crate) is_loaded: bool,
}

#[derive(Debug)]
pub(crate) struct Maker {
    /// The number on the bus.
    pub(crate) vendor: u32,
    pub(crate) name: &'static str,
    /// Parts of its drivers' manifest names. Empty if no Vulkan driver for it exists.
    pub(crate) manifests: &'static [&'static str],
    /// The kernel drivers that its Vulkan drivers work with, the usual one first.
    pub(crate) kernel_drivers: &'static [&'static str],
}

const MAKERS: &[Maker] = &[
    maker(0x1002, "AMD", &["radeon", "amd"], &["amdgpu"]),
    maker(0x10de, "NVIDIA", &["nvidia", "nouveau"], &["nvidia", "nouveau", "nova_drm"]),
    maker(0x8086, "Intel", &["intel"], &["i915", "xe"]),
    maker(0x1af4, "virtio", &["virtio", "gfxstream"], &["virtio_gpu", "virtio-pci"]),
    maker(0x1414, "Microsoft", &["dzn"], &["hyperv_drm"]),
    maker(0x1010, "Imagination", &["powervr"], &["powervr"]),
    maker(0x1ed5, "Moore Threads", &["mtgpu", "musa"], &["mtgpu"]),
    maker(0x106b, "Apple", &["asahi"], &["asahi"]),
    maker(0x15ad, "VMware", &[], &["vmwgfx"]),
    maker(0x1234, "QEMU", &[], &["bochs-drm", "bochs"]),
    maker(0x1b36, "QXL", &[], &["qxl"]),
    maker(0x80ee, "VirtualBox", &[], &["vboxvideo"]),
    maker(0x1a03, "ASPEED", &[], &["ast"]),
    maker(0x102b, "Matrox", &[], &["mgag200"]),
    maker(0x1013, "Cirrus", &[], &["cirrus"]),
    maker(0x19e5, "HiSilicon", &[], &["hibmc-drm"]),
    maker(0x126f, "Silicon Motion", &[], &["smifb"]),
    maker(0x18ca, "XGI", &[], &["xgifb"]),
];

const fn maker(
    vendor: u32,
    name: &'static str,
    manifests: &'static [&'static str],
    kernel_drivers: &'static [&'static str],
) -> Maker {
    Maker { vendor, name, manifests, kernel_drivers }
}

/// Kernel drivers of platform devices, and parts of the names of their Vulkan drivers' manifests.
const PLATFORM: &[(&str, &[&str])] = &[
    ("v3d", &["broadcom"]),
    ("vc4", &["broadcom"]),
    ("msm", &["freedreno", "adreno"]),
    ("panfrost", &["panfrost", "mali"]),
    ("panthor", &["panfrost", "mali"]),
    ("mali", &["mali"]),
    ("asahi", &["asahi"]),
    ("etnaviv", &["vivante"]),
    ("tegra", &["nvidia", "tegra"]),
    ("powervr", &["powervr"]),
];

impl Gpu {
    pub(crate) fn maker(&self) -> Option<&'static Maker> {
        MAKERS.iter().find(|maker| maker.vendor == self.vendor)
    }

    pub(crate) fn name(&self) -> String {
        match (self.maker(), self.vendor) {
            (Some(maker), _) => maker.name.to_owned(),
            (None, 0) => self.driver.clone().unwrap_or_else(|| "platform device".to_owned()),
            (None, vendor) => format!("vendor {vendor:04x}"),
        }
    }

    /// Returns parts of the names of its drivers' manifests.
    fn manifests(&self) -> &'static [&'static str] {
        let of_platform =
            || PLATFORM.iter().find(|row| self.driver.as_deref() == Some(row.0)).map(|row| row.1);
        self.maker().map(|maker| maker.manifests).or_else(of_platform).unwrap_or_default()
    }

    /// Returns whether a manifest of this name is one of a driver for it.
    pub(crate) fn is_driven_by(&self, manifest: &str) -> bool {
        let name = manifest.rsplit('/').next().unwrap_or(manifest);
        let is_others = name.contains("nouveau") && self.driver.as_deref() == Some("nvidia");
        !is_others && self.manifests().iter().any(|part| name.contains(part))
    }

    /// Returns the name of its maker, or of a platform device's driver, in lists of packages.
    pub(crate) fn family(&self) -> &'static str {
        self.manifests().first().copied().unwrap_or_default()
    }

    /// Returns whether a kernel driver has it that its Vulkan drivers work with.
    pub(crate) fn has_usual_driver(&self) -> bool {
        let usual = self.maker().map(|maker| maker.kernel_drivers).unwrap_or_default();
        self.driver.as_deref().is_some_and(|driver| usual.contains(&driver))
    }

    /// Returns whether a Vulkan driver for this vendor's devices is known to exist.
    pub(crate) fn can_have_vulkan(&self) -> bool {
        !self.is_too_old()
            && (self.vendor == 0 || self.maker().is_some_and(|maker| !maker.manifests.is_empty()))
    }

    /// Returns whether it is one of Intel's before Ivy Bridge, of NVIDIA's before Kepler or of AMD's before Southern Islands, for which no Vulkan
    /// driver was made.
    pub(crate) fn is_too_old(&self) -> bool {
        let before_kepler = matches!(self.device, 0x0001..0x0fc0 | 0x1040..0x1150 | 0x1200..0x1260);
        if self.vendor == 0x10de && before_kepler {
            return true;
        }
        // Of the GPUs that radeon drives, amdgpu can take Southern Islands and Sea Islands.
        let is_of_islands = matches!(self.device, 0x1304..=0x131d | 0x6600..=0x667f | 0x6780..=0x67bf | 0x6800..=0x683f | 0x9830..=0x985f);
        if self.vendor == 0x1002 && self.driver.as_deref() == Some("radeon") {
            return !is_of_islands;
        }
        const SANDY_BRIDGE: [u32; 7] = [0x0102, 0x0106, 0x010a, 0x0112, 0x0116, 0x0122, 0x0126];
        const OLDER: [u32; 4] = [0x0042, 0x0046, 0xa001, 0xa011];
        let old = SANDY_BRIDGE.contains(&self.device) || OLDER.contains(&self.device);
        self.vendor == 0x8086 && (old || (0x2500..0x2f00).contains(&self.device))
    }

    /// Returns whether it is one of NVIDIA's (Blackwell and later) that only the open kernel modules drive.
    pub(crate) fn needs_open_modules(&self) -> bool {
        self.vendor == 0x10de && self.device >= 0x2900
    }

    /// Returns whether it is one of Intel's (Ivy Bridge to Broadwell) for which Mesa has a driver of its own since 22.3.
    pub(crate) fn needs_hasvk(&self) -> bool {
        const IVY_BRIDGE: [u32; 8] = [0x0152, 0x0155, 0x0156, 0x0157, 0x015a, 0x0162, 0x0166, 0x016a];
        let (device, family) = (self.device, self.device >> 8);
        let newer =
            matches!(family, 0x04 | 0x0a | 0x0c | 0x0d | 0x16) || matches!(device >> 4, 0x0f3 | 0x22b);
        self.vendor == 0x8086 && (IVY_BRIDGE.contains(&device) || newer)
    }
}

/// Returns whether a driver with a manifest of this name may be for one of these GPUs, as far as the name says it.
pub(crate) fn may_drive(manifest: &str, gpus: &[Gpu]) -> bool {
    let name = manifest.rsplit('/').next().unwrap_or(manifest);
    let known = MAKERS.iter().map(|maker| maker.manifests).chain(PLATFORM.iter().map(|row| row.1));
    let is_known = known.flatten().any(|part| name.contains(part));
    gpus.is_empty() || !is_known || gpus.iter().any(|gpu| gpu.is_driven_by(manifest))
}

pub(super) fn collect() -> Vec<Gpu> {
    let mut gpus = Vec::new();
    for device in entries(Path::new("/sys/bus/pci/devices")) {
        if number(&device.join("class")).is_some_and(|class| class >> 16 == 3) {
            let vendor = number(&device.join("vendor")).unwrap_or(0);
            let mut gpu = Gpu { vendor, device: number(&device.join("device")).unwrap_or(0), ..of(&device) };
            let is_idle = gpu.driver.as_ref().is_none_or(|driver| driver == "nouveau");
            let drivers = gpu.maker().filter(|_| is_idle).map(|maker| maker.kernel_drivers);
            let modules = drivers.into_iter().flatten();
            gpu.modules = modules.filter_map(|driver| module(driver)).collect();
            gpus.push(gpu);
        }
    }
    for device in entries(Path::new("/sys/bus/platform/devices")) {
        let gpu = of(&device);
        let renders = gpu.nodes.iter().any(|name| name.starts_with("renderD"));
        if renders || gpu.driver.as_deref().is_some_and(|driver| PLATFORM.iter().any(|row| row.0 == driver)) {
            gpus.push(gpu);
        }
    }
    gpus
}

/// Folders of firmware below `/lib/firmware`, by module.
const FIRMWARE: &[(&str, &str)] =
    &[("amdgpu", "amdgpu"), ("i915", "i915"), ("nouveau", "nvidia"), ("radeon", "radeon"), ("xe", "xe")];
/// Debian's names for the module nvidia, by series.
const NVIDIA: [&str; 3] = ["/nvidia_current", "/nvidia_tesla", "/nvidia_legacy"];
fn module(name: &str) -> Option<Module> {
    let running = read(Path::new("/proc/sys/kernel/osrelease"));
    let folders = ["/usr/lib/modules", "/lib/modules"].map(|folder| entries(Path::new(folder))).concat();
    // The kernel does not distinguish dashes from underscores, and its lists have both, so all become underscores.
    let file = format!("/{}.ko", name.replace('-', "_"));
    let has = |folder: &&PathBuf| {
        let lists = ["modules.dep", "modules.builtin"].map(|list| read(&folder.join(list)).replace('-', "_"));
        let is_debians = |list: &String| name == "nvidia" && NVIDIA.iter().any(|start| list.contains(start));
        lists.iter().any(|list| list.contains(&file) || is_debians(list))
    };
    let mut kernels: Vec<String> = folders.iter().filter(has).map(|folder| name_of(folder)).collect();
    kernels.sort();
    kernels.dedup();
    let is_here = kernels.contains(&running);
    kernels.retain(|kernel| *kernel != running);
    let folder = FIRMWARE.iter().find(|(of, _)| *of == name).map(|(_, folder)| *folder);
    let is_there = |folder: &&str| {
        ["/usr/lib/firmware", "/lib/firmware"]
            .iter()
            .any(|top| !entries(&Path::new(top).join(folder)).is_empty())
    };
    let firmware = folder.filter(|folder| is_here && !is_there(folder));
    folders.iter().any(|folder| folder.join("modules.dep").exists()).then(|| Module {
        name: name.to_owned(),
        is_here,
        elsewhere: kernels,
        firmware: firmware.map(|folder| format!("/lib/firmware/{folder}")),
        is_loaded: Path::new("/sys/module").join(name.replace('-', "_")).exists(),
    })
}

fn of(device: &Path) -> Gpu {
    Gpu {
        address: name_of(device),
        driver: fs::read_link(device.join("driver")).ok().map(|driver| name_of(&driver)),
        nodes: entries(&device.join("drm")).iter().map(|path| name_of(path)).collect(),
        ..Gpu::default()
    }
}

/// Returns whether the device at this address sleeps, in the kernel's words: `active`, or `suspended (D3cold)`. Asking does not wake it. Empty
/// if the kernel does not say it.
pub(super) fn power(root: &Path, address: &str) -> String {
    let folders = ["sys/bus/pci/devices", "sys/bus/platform/devices"];
    let device = folders.iter().map(|folder| root.join(folder).join(address)).find(|device| device.exists());
    let Some(device) = device else { return String::new() };
    let (status, state) = (read(&device.join("power/runtime_status")), read(&device.join("power_state")));
    match (status.as_str(), state.as_str()) {
        (status, "" | "unknown" | "D0") => status.to_owned(),
        (status, state) => format!("{status} ({state})"),
    }
}

/// Returns the programs that have a file of the GPU open, each with its process number. Of other users' processes, only root learns it.
pub(crate) fn holders(root: &Path, gpu: &Gpu) -> Vec<(u32, String)> {
    let mut files: Vec<_> = gpu.nodes.iter().map(|node| Path::new("/dev/dri").join(node)).collect();
    let nvidia = read(&root.join("proc/driver/nvidia/gpus").join(&gpu.address).join("information"));
    let minor = nvidia.lines().find_map(|line| line.strip_prefix("Device Minor:"));
    files.extend(minor.map(|minor| Path::new("/dev").join(format!("nvidia{}", minor.trim()))));
    let has_it = |process: &PathBuf| {
        let open = entries(&process.join("fd")).into_iter().filter_map(|file| fs::read_link(file).ok());
        open.into_iter().any(|file| files.contains(&file))
    };
    let processes = entries(&root.join("proc")).into_iter();
    let numbered = processes.filter_map(|process| Some((name_of(&process).parse().ok()?, process)));
    let holders = numbered.filter(|(_, process)| has_it(process));
    holders.map(|(number, process)| (number, read(&process.join("comm")))).collect()
}

fn number(path: &Path) -> Option<u32> {
    u32::from_str_radix(read(path).strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests;
