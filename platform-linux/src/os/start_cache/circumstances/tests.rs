//! Tests which changes of a small system in a folder are noticed.

use super::*;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::string::String;
use tempfile::{TempDir, tempdir};

const UEVENT: &str = "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73BF\n";
const FUNCTIONS: &str = "0008\t808672a0\t0\nff00\t100273bf\tb\t0\tamdgpu\n";

const STATUS: &str =
    "Name:\tprogram\nCapEff:\t0\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\nCpus_allowed:\tff\n";

/// A system with one GPU in a folder.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempdir().unwrap());
        world.write("opt/program", "program");
        world.write("proc/bus/pci/devices", FUNCTIONS);
        world.write("sys/bus/pci/devices/0000:03:00.0/vendor", "");
        world.write("sys/dev/char/226:128/device/uevent", UEVENT);
        world.write_process();
        world.write("etc/ld.so.cache", "list");
        world.write("usr/share/drirc.d/00-mesa-defaults.conf", "<driconf/>");
        world.write("dev/dri/by-path/pci", "");
        world.write("home/.keep", "");
        world
    }

    /// Writes the kernel's files about the process and about itself.
    fn write_process(&self) {
        self.write("proc/version", "Linux version 6.1.0-9\n");
        self.write("proc/sys/kernel/hostname", "desk\n");
        self.write("proc/self/fd/0", "");
        self.write("proc/thread-self/status", STATUS);
        self.write("proc/thread-self/limits", "Max open files 1024\n");
        self.write("proc/thread-self/cgroup", "0::/user.slice/user-1000.slice/app-gnome-vkcube-4711.scope\n");
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Makes a node that leads to no device. `false` if only the system may make one.
    fn node(&self, path: &str, major: u32, minor: u32) -> bool {
        let path = CString::new(self.path(path).as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a valid C string.
        let made = unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(major, minor)) };
        if made != 0 {
            std::eprintln!("skipped: only root can make a device node, and not everywhere");
        }
        made == 0
    }

    fn facts_of(&self, ids: &[u32], environment: [u64; 2]) -> String {
        let root = self.0.path().as_os_str().as_bytes();
        let (program, home) = (self.path("opt/program"), b"/home");
        let library_path = [root, b"/opt/lib:relative"].concat();
        loop {
            let program = program.as_os_str().as_bytes();
            match (Facts { root, program, ids, environment, home, library_path: &library_path }).lines() {
                Ok(text) => return String::from_utf8(text.to_vec()).unwrap(),
                // Until a further change of a file would show.
                Err(fault) => assert_eq!(fault, CacheFault::Changed),
            }
            std::thread::yield_now();
        }
    }

    fn facts(&self) -> String {
        self.facts_of(&[1000, 1000, 44], [1, 2])
    }

    /// Checks that `change` shows, and only in a line about `subject`.
    fn differs_after(&self, subject: &str, change: impl FnOnce()) {
        let before = self.facts();
        assert_eq!(self.facts(), before);
        change();
        let after = self.facts();
        let others = |text: &str| -> std::vec::Vec<String> {
            text.lines().filter(|line| !line.starts_with(subject)).map(String::from).collect()
        };
        assert_ne!(after, before, "{subject}");
        assert_eq!(others(&after), others(&before), "{subject}");
    }
}

#[test]
fn a_system_without_devices_has_lines_for_what_there_is() {
    let facts = World::new().facts();
    let subjects: std::vec::Vec<_> = facts.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(
        subjects,
        [
            "program",
            "user",
            "limits",
            "rights",
            "namespaces",
            "group",
            "kernel",
            "kernel",
            "environment",
            "file",
            "file",
            "pci",
            "functions"
        ],
        "{facts}"
    );
    assert!(facts.contains("\nuser 1000 1000 44\n"), "{facts}");
    assert!(facts.contains("\nenvironment 0000000000000001 0000000000000002\n"), "{facts}");
    assert!(facts.contains("\npci 0000:03:00.0\nfunctions 0008%09808672a0 ff00%09100273bf\n"), "{facts}");
}

#[test]
fn a_program_that_is_gone_has_no_circumstances() {
    let world = World::new();
    fs::remove_file(world.path("opt/program")).unwrap();
    let root = world.0.path().as_os_str().as_bytes();
    loop {
        let (ids, environment, home, library_path) = (&[][..], [0; 2], &[][..], &[][..]);
        let facts = Facts { root, program: b"/nowhere", ids, environment, home, library_path };
        match facts.lines() {
            // Another file of this world is too new.
            Err(CacheFault::Changed) => std::thread::yield_now(),
            other => break assert_eq!(other, Err(CacheFault::NotFound)),
        }
    }
}

#[test]
fn a_change_of_the_user_or_the_environment_shows() {
    let world = World::new();
    let plain = world.facts();
    for ids in [&[1000, 1000][..], &[1000, 1000, 44, 45], &[1001, 1000, 44]] {
        assert_ne!(world.facts_of(ids, [1, 2]), plain);
    }
    assert_ne!(world.facts_of(&[1000, 1000, 44], [1, 3]), plain);
}

#[test]
fn a_change_of_a_file_shows() {
    let world = World::new();
    world.differs_after("program", || world.write("opt/program", "another"));
    world.differs_after("file", || world.write("etc/ld.so.cache", "another"));
    world.differs_after("file", || world.write("usr/share/drirc.d/01-user.conf", ""));
    world.differs_after("file", || world.write("etc/drirc", ""));
    world.differs_after("file", || world.write("home/.drirc", ""));
    #[cfg(target_env = "gnu")]
    {
        world.differs_after("folder", || world.write("opt/lib/libone.so", ""));
        world.differs_after("folder", || world.write("opt/lib/libanother.so", ""));
    }
}

#[test]
fn a_change_of_the_process_permissions_is_noticed() {
    let world = World::new();
    for (old, new) in
        [("CapEff:\t0", "CapEff:\t1"), ("Privs:\t0", "Privs:\t1"), ("filters:\t0", "filters:\t2")]
    {
        world.differs_after("rights", || {
            world.write("proc/thread-self/status", &STATUS.replace(old, new));
        });
    }
    let plain = world.facts();
    world.write(
        "proc/thread-self/status",
        &STATUS.replace("filters:\t0", "filters:\t2").replace("\tff", "\t0f"),
    );
    assert_eq!(world.facts(), plain, "the other lines say nothing about drivers");
    world.differs_after("limits", || world.write("proc/thread-self/limits", "Max open files 4096\n"));
    world.differs_after("label", || world.write("proc/thread-self/attr/current", "vkcube (enforce)\n"));
    world.differs_after("namespaces", || world.write("proc/thread-self/ns/mnt", ""));
    world.differs_after("group", || world.write("proc/thread-self/cgroup", "0::/system.slice/x.service\n"));
}

#[test]
fn the_same_program_started_again_by_a_desktop_is_in_the_same_group() {
    let world = World::new();
    let group_of = |name: &str| {
        world.write("proc/thread-self/cgroup", name);
        world.facts()
    };
    for (one, other) in [
        ("0::/app-gnome-vkcube-4711.scope", "0::/app-gnome-vkcube-815.scope"),
        ("0::/vte-spawn-b0a1-77.scope", "0::/vte-spawn-00cf-1e.scope"),
        ("9:name=systemd:/session-3.scope", "9:name=systemd:/session-12.scope"),
    ] {
        assert_eq!(group_of(one), group_of(other));
    }
    assert!(group_of("0::/app-a-b-4711.scope").contains("\ngroup ::/app-a-b-.scope\n"));
    assert_ne!(group_of("0::/a.service"), group_of("0::/b.service"));
}

#[test]
fn a_change_of_the_pci_functions_shows() {
    let world = World::new();
    world.differs_after("pci", || world.write("sys/bus/pci/devices/0000:04:00.0/vendor", ""));
    let other = FUNCTIONS.replace("73bf", "73ef");
    world.differs_after("functions", || world.write("proc/bus/pci/devices", &other));
    let plain = world.facts();
    world.write("proc/bus/pci/devices", &other.replace("\t0\n", "\t1f\n").replace("\tb\t", "\tc\t"));
    assert_eq!(world.facts(), plain, "interrupts differ from start to start");
}

#[test]
fn another_kernel_or_machine_shows() {
    let world = World::new();
    world.differs_after("kernel", || world.write("proc/version", "Linux version 6.1.0-10\n"));
    world.differs_after("kernel", || world.write("proc/sys/kernel/hostname", "sofa\n"));
}

#[test]
fn a_change_of_nvidias_kernel_module_shows() {
    let world = World::new();
    world
        .differs_after("nvidia", || world.write("proc/driver/nvidia/version", "NVRM version: 550\nGCC 12\n"));
    world
        .differs_after("nvidia", || world.write("proc/driver/nvidia/version", "NVRM version: 555\nGCC 12\n"));
    assert!(world.facts().ends_with("nvidia NVRM%20version:%20555\n"));
}

#[test]
fn a_change_of_a_device_node_shows() {
    let world = World::new();
    let node = world.path("dev/dri/renderD128");
    if !world.node("dev/dri/renderD128", 226, 128) {
        return;
    }
    let facts = world.facts();
    let line = "\nnode /dev/dri/renderD128 226:128 8576 0 0 1 1\n\
        device DRIVER=amdgpu PCI_CLASS=30000 PCI_ID=1002:73BF\npci ";
    assert!(facts.contains(line), "{facts}");
    world.differs_after("node", || set_mode(&node, 0o666));
    world.differs_after("node", || chown(&node, None, Some(44)).unwrap());
    world.differs_after("node", || chown(&node, Some(44), None).unwrap());
    world.differs_after("device", || {
        world.write("sys/dev/char/226:128/device/uevent", &UEVENT.replace("amdgpu", "vfio-pci"));
    });
    world.differs_after("node", || assert!(world.node("dev/nvidiactl", 195, 255)));
    let plain = world.facts();
    world.write("dev/nvidia-caps/x", "");
    assert!(world.node("dev/ttyS7", 4, 71));
    symlink("nowhere", world.path("dev/mali0")).unwrap();
    assert_eq!(world.facts(), plain, "drivers open none of these");
    world.differs_after("node", || fs::remove_file(world.path("dev/nvidiactl")).unwrap());
}

#[test]
fn the_same_hardware_has_the_same_lines_after_a_restart() {
    let world = World::new();
    if !world.node("dev/dri/renderD128", 226, 128) {
        return;
    }
    let before = world.facts();
    for folder in ["dev", "sys", "proc"] {
        fs::remove_dir_all(world.path(folder)).unwrap();
    }
    world.write_process();
    world.write("sys/dev/char/226:128/device/uevent", UEVENT);
    world.write("sys/bus/pci/devices/0000:03:00.0/vendor", "");
    world.write("proc/bus/pci/devices", FUNCTIONS);
    fs::create_dir_all(world.path("dev/dri")).unwrap();
    assert!(world.node("dev/dri/renderD128", 226, 128));
    assert_eq!(world.facts(), before);
}

#[test]
fn no_name_can_forge_a_line() {
    let world = World::new();
    world.write("sys/bus/pci/devices/x\nnode y/vendor", "");
    let facts = world.facts();
    assert!(facts.contains(" x%0anode%20y\n"), "{facts}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
