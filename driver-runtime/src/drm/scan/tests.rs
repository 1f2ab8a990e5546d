//! A folder imitates `/dev` and `/sys`. Its nodes are links to device files that every system has, such as `/dev/null`, since only
//! root can make device files.

use std::ffi::CString;
use std::format;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{fs, thread};

use super::*;
use crate::drm::LeftOut;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for folder in ["dev/dri", "sys/dev/char", "sys/devices", "sys/bus"] {
            fs::create_dir_all(tree.path().join(folder)).unwrap();
        }
        tree
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Adds the folder of a device, on a bus, with the content of its files.
    fn device(&self, folder: &str, bus: &str, files: &[(&str, &str)]) {
        let device = self.path().join("sys/devices").join(folder);
        fs::create_dir_all(&device).unwrap();
        symlink(Path::new("/nowhere/sys/bus").join(bus), device.join("subsystem")).unwrap();
        files.iter().for_each(|(name, content)| fs::write(device.join(name), content).unwrap());
    }

    /// Adds a node with the numbers of a device file.
    fn node(&self, name: &str, like: &str, folder: &str) {
        symlink(like, self.path().join("dev/dri").join(name)).unwrap();
        let number = fs::metadata(like).unwrap().rdev();
        let entry = format!("sys/dev/char/{}:{}", libc::major(number), libc::minor(number));
        let entry = self.path().join(entry);
        fs::create_dir_all(&entry).unwrap();
        symlink(Path::new("../../../devices").join(folder), entry.join("device")).unwrap();
    }

    fn pci(&self, folder: &str, vendor: &str) {
        let files = [
            ("vendor", vendor),
            ("device", "0x744c\n"),
            ("subsystem_vendor", "0x1eae\n"),
            ("subsystem_device", "0x7901\n"),
            ("revision", "0xc8\n"),
        ];
        self.device(folder, "pci", &files);
        symlink(
            "/nowhere/bus/pci/drivers/amdgpu",
            self.path().join("sys/devices").join(folder).join("driver"),
        )
        .unwrap();
    }

    fn scan(&self) -> DrmDevices {
        scan(&CString::new(self.path().as_os_str().as_bytes()).unwrap()).unwrap()
    }

    /// Returns the names of the nodes that are left out, and the messages about them.
    fn left_out(&self, found: &DrmDevices) -> Vec<String> {
        let root = format!("{}/dev/dri", self.path().display());
        let mut all: Vec<_> =
            found.left_out().iter().map(|it: &LeftOut| it.to_string().replace(&root, "")).collect();
        all.sort();
        all
    }
}

fn name(node: Option<&DrmNode>) -> &str {
    node.map_or("", |node| node.path.as_c_str().to_str().unwrap().rsplit('/').next().unwrap())
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn the_nodes_of_a_device_are_one_device_in_the_order_of_addresses() {
    let tree = Tree::new();
    tree.pci("pci0000:00/0000:41:00.0", "0x1002\n");
    tree.pci("pci0000:00/0000:03:00.0", "0x10de\n");
    tree.pci("pci10000:00/10000:01:00.0", "0x8086\n");
    tree.node("card0", "/dev/null", "pci0000:00/0000:41:00.0");
    tree.node("renderD129", "/dev/zero", "pci0000:00/0000:41:00.0");
    tree.node("card1", "/dev/full", "pci0000:00/0000:03:00.0");
    tree.node("renderD128", "/dev/urandom", "pci10000:00/10000:01:00.0");
    fs::create_dir(tree.path().join("dev/dri/by-path")).unwrap();
    fs::write(tree.path().join("dev/dri/card"), "").unwrap();
    let found = tree.scan();
    let addresses: Vec<_> = found
        .devices()
        .iter()
        .map(|device| {
            let Bus::Pci(address, id) = device.bus else { panic!("{device:?}") };
            let numbers = (address.domain, address.bus, id.vendor);
            (numbers, name(device.primary.as_ref()), name(device.render.as_ref()))
        })
        .collect();
    assert_eq!(
        addresses,
        [
            ((0, 0x03, 0x10de), "card1", ""),
            ((0, 0x41, 0x1002), "card0", "renderD129"),
            ((0x10000, 1, 0x8086), "", "renderD128"),
        ]
    );
    assert_eq!(tree.left_out(&found), [""; 0]);
    let device = &found.devices()[1];
    let expected = PciId {
        vendor: 0x1002,
        device: 0x744c,
        subsystem_vendor: 0x1eae,
        subsystem_device: 0x7901,
        revision: 0xc8,
    };
    assert!(matches!(device.bus, Bus::Pci(_, id) if id == expected));
    assert_eq!(&device.kernel_driver[..], b"amdgpu");
    let zero = fs::metadata("/dev/zero").unwrap().rdev();
    let render = device.for_rendering().unwrap();
    assert_eq!(
        (name(Some(render)), render.major, render.minor),
        ("renderD129", libc::major(zero), libc::minor(zero))
    );
    assert_eq!(name(found.devices()[0].for_rendering()), "card1");
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn virtio_devices_have_the_address_of_the_pci_device_above() {
    let tree = Tree::new();
    tree.pci("pci0000:00/0000:00:02.0", "0x1af4\n");
    tree.device("pci0000:00/0000:00:02.0/virtio1", "virtio", &[]);
    tree.node("card0", "/dev/null", "pci0000:00/0000:00:02.0/virtio1");
    tree.node("renderD128", "/dev/zero", "pci0000:00/0000:00:02.0/virtio1");
    let found = tree.scan();
    assert_eq!(found.devices().len(), 1, "{found:?}");
    let device = &found.devices()[0];
    assert!(matches!(device.bus, Bus::Pci(address, id) if address.device == 2 && id.vendor == 0x1af4));
    assert!(device.primary.is_some() && device.render.is_some());
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn platform_devices_have_the_names_of_the_device_tree() {
    let event = "DRIVER=panthor\nOF_NAME=gpu\nOF_FULLNAME=/soc/gpu@fb000000\nOF_COMPATIBLE_0=rockchip,rk3588-mali\n\
                 OF_COMPATIBLE_1=arm,mali-valhall-csf\nOF_COMPATIBLE_N=2\n";
    let tree = Tree::new();
    tree.device("platform/fb000000.gpu", "platform", &[("uevent", event)]);
    tree.device("platform/ARMHC502:00", "platform", &[("uevent", "MODALIAS=acpi:ARMHC502:\n")]);
    tree.device("faux/vgem", "faux", &[]);
    tree.node("card0", "/dev/null", "faux/vgem");
    tree.node("renderD128", "/dev/zero", "platform/fb000000.gpu");
    tree.node("renderD129", "/dev/full", "platform/ARMHC502:00");
    let found = tree.scan();
    let texts: Vec<_> = found
        .devices()
        .iter()
        .map(|device| match &device.bus {
            Bus::Platform { name, compatible } => (&name[..], compatible.iter().map(|it| &it[..]).collect()),
            Bus::Other { bus, name } => (&bus[..], std::vec![&name[..]]),
            Bus::Pci(..) => panic!("{device:?}"),
        })
        .collect();
    let names: Vec<&[u8]> = std::vec![b"rockchip,rk3588-mali", b"arm,mali-valhall-csf"];
    let expected: [(&[u8], Vec<&[u8]>); 3] =
        [(b"/soc/gpu@fb000000", names), (b"ARMHC502:00", Vec::new()), (b"faux", std::vec![b"vgem"])];
    assert_eq!(texts, expected);
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn nodes_that_cannot_be_used_are_left_out_with_a_reason() {
    let tree = Tree::new();
    tree.pci("0000:03:00.0", "0x1002\n");
    tree.pci("0000:04:00.0", "none\n");
    tree.node("renderD128", "/dev/null", "0000:03:00.0");
    tree.node("renderD129", "/dev/zero", "0000:04:00.0");
    tree.node("renderD130", "/dev/full", "gone");
    fs::write(tree.path().join("dev/dri/renderD131"), "").unwrap();
    symlink("nowhere", tree.path().join("dev/dri/renderD132")).unwrap();
    let found = tree.scan();
    assert_eq!(found.devices().len(), 1);
    assert_eq!(
        tree.left_out(&found),
        [
            "/renderD129: cannot be read (error 22)",
            "/renderD130: /sys/dev/char has no entry for it; mount /sys, or expose it to the container",
            "/renderD131: not a device file",
            "/renderD132: the device was removed",
        ]
    );
}

/// Runs `work` as a user without rights: root may open anything.
fn without_rights<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let nobody = || {
        const NOBODY: libc::c_long = 65534;
        // SAFETY: the system call changes this thread alone, which ends after the work.
        let is_root = unsafe { libc::geteuid() } == 0;
        if is_root {
            // SAFETY: as above.
            assert_eq!(unsafe { libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) }, 0);
        }
        work()
    };
    thread::scope(|scope| scope.spawn(nobody).join().unwrap())
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn a_node_without_permission_is_reported_with_its_path() {
    let closed = ["/dev/mem", "/dev/kmsg", "/dev/console", "/dev/hpet", "/dev/snapshot", "/dev/mcelog"];
    let is_closed = |path: &&&str| fs::metadata(path).is_ok_and(|facts| facts.mode() & 0o6 == 0);
    let Some(closed) = closed.iter().find(is_closed) else {
        std::eprintln!("skipped: every device file of this system is open to everybody");
        return;
    };
    let tree = Tree::new();
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(tree.path(), everybody).unwrap();
    tree.pci("0000:03:00.0", "0x1002\n");
    tree.pci("0000:04:00.0", "0x1002\n");
    tree.node("card0", closed, "0000:03:00.0");
    tree.node("renderD128", "/dev/null", "0000:03:00.0");
    let refused = "/card0: no permission to open it; add the user to the group that owns the file";
    // A render node is enough.
    let found = without_rights(|| tree.scan());
    assert_eq!(tree.left_out(&found), [refused]);
    assert_eq!(found.devices().len(), 1);
    assert_eq!(found.devices()[0].primary.as_ref().unwrap().access, Err(Errno(libc::EACCES)));
    assert_eq!(name(found.devices()[0].for_rendering()), "renderD128");
    // Without one, the device cannot be used.
    fs::remove_file(tree.path().join("dev/dri/renderD128")).unwrap();
    let found = without_rights(|| tree.scan());
    assert_eq!((found.devices().len(), tree.left_out(&found)), (0, std::vec![refused.to_string()]));
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn a_system_without_drm_has_no_devices() {
    let empty = tempfile::tempdir().unwrap();
    let found = scan(&CString::new(empty.path().as_os_str().as_bytes()).unwrap()).unwrap();
    assert!(found.devices().is_empty() && found.left_out().is_empty());
}

/// On a machine without DRM this test checks no more than the one above.
#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn every_node_of_this_machine_is_in_a_device_or_left_out() {
    let found = scan(c"/").unwrap();
    let is_node = |name: &String| Kind::of(name.as_bytes()).is_some();
    let names = fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(is_node);
    for name in names {
        let is = |path: &CText| path.as_c_str().to_bytes().ends_with(format!("/{name}").as_bytes());
        let in_devices =
            found.devices().iter().flat_map(|device| [&device.primary, &device.render]).flatten();
        let in_devices = in_devices.filter(|node| is(&node.path)).count();
        let left_out = found.left_out().iter().any(|it| is(&it.path));
        assert!(in_devices == 1 || left_out, "{name}: {found:?}");
    }
    std::eprintln!("{} devices of DRM on this machine", found.devices().len());
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn a_list_without_memory_is_an_error_and_leaks_nothing() {
    use crate::testing::{Fail, failing};
    let tree = Tree::new();
    tree.pci("0000:03:00.0", "0x1002\n");
    tree.node("card0", "/dev/null", "0000:03:00.0");
    tree.node("renderD128", "/dev/zero", "0000:03:00.0");
    let root = CString::new(tree.path().as_os_str().as_bytes()).unwrap();
    for number in 0.. {
        let (ended, reached, left) = failing(Fail::Only(number), || scan(&root).map(drop));
        assert_eq!((ended.is_err(), left), (reached, 0), "allocation {number}");
        if !reached {
            break;
        }
    }
}
