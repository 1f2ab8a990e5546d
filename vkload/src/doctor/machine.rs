//! What the machine has: graphics devices, their files, and the loader that programs find.

use std::ffi::CString;
use std::fs;
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ash::vk;
use loader_core::manifest::Version;
use loader_core::memory::Shown;
use loader_core::platform::LibraryKind;
use platform_linux::PLATFORM;

/// Facts about this machine.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) gpus: Vec<Gpu>,
    pub(super) nodes: Vec<Node>,
    /// The loader, or the dynamic linker's words.
    pub(super) loader: Result<Loader, String>,
}

/// A graphics device on the bus.
#[derive(Debug)]
pub(super) struct Gpu {
    /// Where it is on the PCI bus.
    pub(super) place: String,
    pub(super) vendor: u32,
}

/// A device file that drivers use.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) path: String,
    /// Whether this user may read and write it.
    pub(super) accessible: bool,
    /// The group that it belongs to, where it has a name.
    pub(super) group: Option<String>,
}

/// A `libvulkan.so.1`.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) path: String,
    pub(super) version: String,
}

/// Makers of graphics devices: their number on the bus, their name, and what names of their drivers' manifests have in them.
const MAKERS: &[(u32, &str, &[&str])] = &[
    (0x1002, "AMD", &["radeon", "amd"]),
    (0x10de, "NVIDIA", &["nvidia", "nouveau"]),
    (0x8086, "Intel", &["intel"]),
    (0x1af4, "a virtual machine's", &["virtio", "gfxstream"]),
];

impl Machine {
    pub(super) fn here() -> Self {
        let root = Path::new("/");
        Self { gpus: gpus(root), nodes: nodes(root), loader: loader() }
    }
}

impl Gpu {
    pub(super) fn name(&self) -> String {
        self.maker().map_or_else(|| format!("maker {:04x}", self.vendor), |maker| maker.1.to_owned())
    }

    /// Whether the name of this manifest is one of a driver for it.
    pub(super) fn is_driven_by(&self, manifest: &str) -> bool {
        let name = manifest.rsplit('/').next().unwrap_or(manifest);
        self.maker().is_some_and(|maker| maker.2.iter().any(|part| name.contains(part)))
    }

    fn maker(&self) -> Option<&'static (u32, &'static str, &'static [&'static str])> {
        MAKERS.iter().find(|maker| maker.0 == self.vendor)
    }
}

/// The display controllers on the PCI bus. Nothing is woken: these files are kept by the kernel.
fn gpus(root: &Path) -> Vec<Gpu> {
    let number = |path: &Path| {
        let text = fs::read_to_string(path).ok()?;
        u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
    };
    let mut gpus = Vec::new();
    for device in entries(&root.join("sys/bus/pci/devices")) {
        let is_display = number(&device.join("class")).is_some_and(|class| class >> 16 == 3);
        if let (true, Some(vendor)) = (is_display, number(&device.join("vendor"))) {
            let place =
                device.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            gpus.push(Gpu { place, vendor });
        }
    }
    gpus
}

/// The files through which drivers reach devices.
fn nodes(root: &Path) -> Vec<Node> {
    let groups = fs::read_to_string(root.join("etc/group")).unwrap_or_default();
    let is_node = |path: &&std::path::PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with("renderD") || name == "nvidiactl" || name == "kfd"
        })
    };
    let all = [entries(&root.join("dev/dri")), entries(&root.join("dev"))].concat();
    all.iter()
        .filter(is_node)
        .map(|path| Node {
            path: path.display().to_string(),
            accessible: may_use(path),
            group: fs::metadata(path).ok().and_then(|state| group_name(&groups, state.gid())),
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// Asks without opening, which could wake a device.
fn may_use(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the path is a valid C string.
    unsafe { libc::access(path.as_ptr(), libc::R_OK | libc::W_OK) == 0 }
}

/// The name of a group in the text of `/etc/group`.
fn group_name(groups: &str, number: u32) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, its) = (fields.next()?, fields.nth(1)?);
        (its.parse() == Ok(number)).then(|| name.to_owned())
    })
}

/// The library that a program gets which opens it by its name, with this process's variables.
fn loader() -> Result<Loader, String> {
    let libraries = PLATFORM.libraries;
    let library =
        libraries.open(b"libvulkan.so.1", LibraryKind::Driver).map_err(|words| Shown(&words).to_string())?;
    let mut version = vk::API_VERSION_1_0;
    let mut path = None;
    if let Some(function) = libraries.symbol(library, c"vkEnumerateInstanceVersion") {
        path = mapped_file(function.as_ptr() as usize);
        // SAFETY: a Vulkan loader's function has the type of its name, and may be called at any time.
        let function: vk::PFN_vkEnumerateInstanceVersion = unsafe { transmute(function) };
        // SAFETY: the number is writable.
        let _ = unsafe { function(&raw mut version) };
    }
    // SAFETY: nothing of the library is used any more.
    unsafe { libraries.close(library) };
    Ok(Loader {
        path: path.unwrap_or_else(|| "libvulkan.so.1".to_owned()),
        version: Version::from_encoded(version).to_string(),
    })
}

/// The file that is mapped at this address.
fn mapped_file(address: usize) -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let number = |digits| usize::from_str_radix(digits, 16).ok();
        let inside = (number(from)?..number(to)?).contains(&address);
        inside.then(|| rest.find('/').and_then(|at| rest.get(at..)).map(str::to_owned))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn display_controllers_are_found_on_the_bus() {
        let root = tempfile::tempdir().unwrap();
        for (place, class, vendor) in [
            ("0000:00:02.0", "0x030000\n", "0x8086\n"),
            ("0000:01:00.0", "0x030200\n", "0x10de\n"),
            ("0000:02:00.0", "0x010802\n", "0x144d\n"),
        ] {
            let device = root.path().join("sys/bus/pci/devices").join(place);
            fs::create_dir_all(&device).unwrap();
            fs::write(device.join("class"), class).unwrap();
            fs::write(device.join("vendor"), vendor).unwrap();
        }
        let gpus = gpus(root.path());
        let found: Vec<_> = gpus.iter().map(|gpu| (gpu.place.as_str(), gpu.name())).collect();
        assert_eq!(found, [("0000:00:02.0", "Intel".to_owned()), ("0000:01:00.0", "NVIDIA".to_owned())]);
        assert!(gpus[0].is_driven_by("/usr/share/vulkan/icd.d/intel_icd.x86_64.json"));
        assert!(!gpus[0].is_driven_by("/usr/share/intel/icd.d/lvp_icd.json"));
    }

    #[test]
    fn device_files_are_named_with_their_group() {
        let root = tempfile::tempdir().unwrap();
        let dri = root.path().join("dev/dri");
        fs::create_dir_all(&dri).unwrap();
        fs::create_dir(root.path().join("etc")).unwrap();
        fs::write(dri.join("renderD128"), "").unwrap();
        fs::write(dri.join("card0"), "").unwrap();
        fs::set_permissions(dri.join("renderD128"), fs::Permissions::from_mode(0o600)).unwrap();
        let gid = fs::metadata(dri.join("renderD128")).unwrap().gid();
        fs::write(root.path().join("etc/group"), format!("other:x:9999:\nrender:x:{gid}:me\n")).unwrap();
        let nodes = nodes(root.path());
        assert_eq!(nodes.len(), 1, "{nodes:?}");
        assert!(nodes[0].path.ends_with("renderD128") && nodes[0].accessible);
        assert_eq!(nodes[0].group.as_deref(), Some("render"));
    }
}
