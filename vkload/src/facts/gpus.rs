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
    pub(crate) suspended: bool,
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

    /// Returns whether a manifest of this name is one of a driver for it.
    pub(crate) fn is_driven_by(&self, manifest: &str) -> bool {
        let name = manifest.rsplit('/').next().unwrap_or(manifest);
        let of_platform =
            || PLATFORM.iter().find(|row| self.driver.as_deref() == Some(row.0)).map(|row| row.1);
        let parts = self.maker().map(|maker| maker.manifests).or_else(of_platform).unwrap_or_default();
        parts.iter().any(|part| name.contains(part))
    }

    /// Returns whether a Vulkan driver for this vendor's devices is known to exist.
    pub(crate) fn can_have_vulkan(&self) -> bool {
        !self.is_too_old()
            && (self.vendor == 0 || self.maker().is_some_and(|maker| !maker.manifests.is_empty()))
    }

    /// Returns whether it is one of Intel's before Ivy Bridge, for which no Vulkan driver was made.
    pub(crate) fn is_too_old(&self) -> bool {
        const SANDY_BRIDGE: [u32; 7] = [0x0102, 0x0106, 0x010a, 0x0112, 0x0116, 0x0122, 0x0126];
        const OLDER: [u32; 4] = [0x0042, 0x0046, 0xa001, 0xa011];
        let old = SANDY_BRIDGE.contains(&self.device) || OLDER.contains(&self.device);
        self.vendor == 0x8086 && (old || (0x2500..0x2f00).contains(&self.device))
    }
}

impl Gpu {
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

pub(super) fn collect(root: &Path) -> Vec<Gpu> {
    let mut gpus = Vec::new();
    for device in entries(&root.join("sys/bus/pci/devices")) {
        if number(&device.join("class")).is_some_and(|class| class >> 16 == 3) {
            let vendor = number(&device.join("vendor")).unwrap_or(0);
            gpus.push(Gpu { vendor, device: number(&device.join("device")).unwrap_or(0), ..of(&device) });
        }
    }
    for device in entries(&root.join("sys/bus/platform/devices")) {
        let gpu = of(&device);
        let renders = gpu.nodes.iter().any(|name| name.starts_with("renderD"));
        if renders || gpu.driver.as_deref().is_some_and(|driver| PLATFORM.iter().any(|row| row.0 == driver)) {
            gpus.push(gpu);
        }
    }
    gpus
}

fn of(device: &Path) -> Gpu {
    Gpu {
        address: name_of(device),
        driver: fs::read_link(device.join("driver")).ok().map(|driver| name_of(&driver)),
        nodes: entries(&device.join("drm")).iter().map(|path| name_of(path)).collect(),
        suspended: read(&device.join("power/runtime_status")) == "suspended",
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
pub(super) fn holders(root: &Path, gpu: &Gpu) -> Vec<(u32, String)> {
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

/// Returns whether the driver with this manifest is for devices on the bus, and none of them is among `gpus`. Only PCs have all GPUs on the bus.
pub(super) fn is_without_device(root: &Path, gpus: &[Gpu], manifest: &str) -> bool {
    let sees_bus = !entries(&root.join("sys/bus/pci/devices")).is_empty();
    if !sees_bus || !cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
        return false;
    }
    let name = manifest.rsplit('/').next().unwrap_or(manifest);
    let is_for = |maker: &Maker| maker.manifests.iter().any(|part| name.contains(part));
    MAKERS.iter().any(is_for) && !gpus.iter().any(|gpu| gpu.is_driven_by(manifest))
}

fn number(path: &Path) -> Option<u32> {
    u32::from_str_radix(read(path).strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_with_a_file_of_a_gpu_are_found() {
        let root = tempfile::tempdir().unwrap();
        for (process, name, file) in [
            ("7", "game\n", "/dev/dri/renderD129"),
            ("8", "compositor\n", "/dev/dri/renderD128"),
            ("9", "cuda\n", "/dev/nvidia1"),
            ("self", "game\n", "/dev/dri/renderD129"),
        ] {
            let folder = root.path().join("proc").join(process);
            fs::create_dir_all(folder.join("fd")).unwrap();
            fs::write(folder.join("comm"), name).unwrap();
            std::os::unix::fs::symlink("/dev/null", folder.join("fd/0")).unwrap();
            std::os::unix::fs::symlink(file, folder.join("fd/1")).unwrap();
        }
        let nvidia = root.path().join("proc/driver/nvidia/gpus/0000:01:00.0");
        fs::create_dir_all(&nvidia).unwrap();
        fs::write(nvidia.join("information"), "Model: \t X\nDevice Minor: \t 1\n").unwrap();
        let nodes = vec!["card1".to_owned(), "renderD129".to_owned()];
        let gpu = Gpu { address: "0000:01:00.0".to_owned(), nodes, ..Gpu::default() };
        assert_eq!(holders(root.path(), &gpu), [(7, "game".to_owned()), (9, "cuda".to_owned())]);
    }

    #[test]
    fn display_controllers_are_found_on_the_bus_with_the_kernel_drivers_that_have_them() {
        let root = tempfile::tempdir().unwrap();
        for (address, class, vendor) in [
            ("0000:00:02.0", "0x030000\n", "0x8086\n"),
            ("0000:01:00.0", "0x030200\n", "0x10de\n"),
            ("0000:02:00.0", "0x010802\n", "0x144d\n"),
        ] {
            let device = root.path().join("sys/bus/pci/devices").join(address);
            fs::create_dir_all(device.join("drm/renderD128")).unwrap();
            fs::write(device.join("class"), class).unwrap();
            fs::write(device.join("vendor"), vendor).unwrap();
            std::os::unix::fs::symlink("../../../drivers/i915", device.join("driver")).unwrap();
        }
        let gpus = collect(root.path());
        let found: Vec<_> = gpus.iter().map(|gpu| (gpu.address.as_str(), gpu.name())).collect();
        assert_eq!(found, [("0000:00:02.0", "Intel".to_owned()), ("0000:01:00.0", "NVIDIA".to_owned())]);
        assert_eq!(
            (gpus[0].driver.as_deref(), &gpus[0].nodes[..]),
            (Some("i915"), &["renderD128".to_owned()][..])
        );
        assert!(gpus[0].is_driven_by("/usr/share/vulkan/icd.d/intel_icd.x86_64.json"));
        assert!(!gpus[0].is_driven_by("/usr/share/intel/icd.d/lvp_icd.json"));
        let absent =
            |name: &str| is_without_device(root.path(), &gpus, &format!("/icd.d/{name}.x86_64.json"));
        assert_eq!(
            ["radeon_icd", "intel_icd", "lvp_icd"].map(absent),
            [cfg!(target_arch = "x86_64"), false, false]
        );
        assert!(
            !is_without_device(&root.path().join("etc"), &[], "/icd.d/radeon_icd.json"),
            "no bus is seen"
        );
    }

    #[test]
    fn the_kernel_says_whether_a_device_sleeps() {
        let root = tempfile::tempdir().unwrap();
        let device = root.path().join("sys/bus/pci/devices/0000:01:00.0");
        fs::create_dir_all(device.join("power")).unwrap();
        assert_eq!(power(root.path(), "0000:02:00.0"), "");
        fs::write(device.join("power/runtime_status"), "active\n").unwrap();
        fs::write(device.join("power_state"), "D0\n").unwrap();
        assert_eq!(power(root.path(), "0000:01:00.0"), "active");
        fs::write(device.join("power/runtime_status"), "suspended\n").unwrap();
        fs::write(device.join("power_state"), "D3cold\n").unwrap();
        assert_eq!(power(root.path(), "0000:01:00.0"), "suspended (D3cold)");
    }
}
