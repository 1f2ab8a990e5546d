//! Sets up a test case: a file system in memory, in a mount namespace of one thread, which is removed with the thread.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown, chroot, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::parts::{self, LIB};
use crate::world::{Thing, World};

/// Users and groups of a test case, by number.
const USERS: &[(&str, u32)] = &[("root", 0), ("ann", 1000), ("nobody", 65534)];
const GROUPS: &[(&str, u32)] =
    &[("root", 0), ("video", 44), ("render", 105), ("ann", 1000), ("nogroup", 65534)];

/// Distributions, with what their `os-release` says.
const SYSTEMS: &[(&str, &str)] = &[
    ("debian", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n"),
    ("ubuntu", "PRETTY_NAME=\"Ubuntu 24.04\"\nID=ubuntu\nID_LIKE=debian\n"),
    ("fedora", "PRETTY_NAME=\"Fedora Linux 40\"\nID=fedora\n"),
    ("arch", "PRETTY_NAME=\"Arch Linux\"\nID=arch\n"),
    ("suse", "PRETTY_NAME=\"openSUSE Tumbleweed\"\nID=opensuse-tumbleweed\nID_LIKE=\"opensuse suse\"\n"),
    ("nixos", "PRETTY_NAME=\"NixOS 25.05\"\nID=nixos\n"),
    (
        "steamrt",
        "PRETTY_NAME=\"Steam Runtime 3 (sniper)\"\nID=steamrt\nID_LIKE=debian\nVERSION_CODENAME=sniper\n",
    ),
    ("freedesktop", "PRETTY_NAME=\"Freedesktop SDK 24.08\"\nID=org.freedesktop.platform\n"),
    ("alpine", "PRETTY_NAME=\"Alpine Linux v3.20\"\nID=alpine\n"),
];

/// A program that uses Vulkan.
pub(crate) const PROGRAM: &str = "/usr/bin/game";

/// A test case's own mounts and network: an X server's abstract socket belongs to a network.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS | libc::CLONE_NEWNET;

/// Returns whether this process may make such namespaces.
pub(crate) fn is_possible() -> bool {
    // SAFETY: the call has no preconditions; the namespaces are that thread's.
    thread::spawn(|| unsafe { libc::unshare(NAMESPACES) == 0 }).join().unwrap_or(false)
}

/// Runs `task` in a test case, on a thread of its own: threads share a root and a namespace until they are unshared, and the mounts made
/// after that vanish with the thread.
pub(crate) fn within<T: Send>(world: &World, kept: &Path, task: impl FnOnce(&Built) -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| enter(world, kept, task));
        thread.join().unwrap_or_else(|_| panic!("{}", world.name))
    })
}

fn enter<T>(world: &World, kept: &Path, task: impl FnOnce(&Built) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    // SAFETY: the call has no preconditions.
    check(unsafe { libc::unshare(NAMESPACES) }, "unshare");
    mount("none", Path::new("/"), "", libc::MS_REC | libc::MS_PRIVATE, "");
    mount("world", folder.path(), "tmpfs", 0, "mode=755");
    let mut built = Built { root: folder.path().to_owned(), ..Built::default() };
    // The recording outlives the test case in a folder of this machine.
    fs::set_permissions(kept, fs::Permissions::from_mode(0o1777)).expect("set");
    built.base(world.of("no-dev").next().is_none());
    if world.of("no-proc").next().is_none() {
        built.proc();
    }
    built.loader(world);
    for thing in &world.things {
        built.add(thing);
    }
    let out = built.path("/run/out");
    fs::create_dir(&out).expect("made");
    mount(kept.to_str().expect("UTF-8"), &out, "", libc::MS_BIND, "");
    chroot(&built.root).expect("a new root");
    std::env::set_current_dir("/").expect("a folder");
    task(&built)
}

fn check(result: i32, what: &str) {
    assert!(result == 0, "{what}: {}", io::Error::last_os_error());
}

pub(crate) fn mount(what: &str, at: &Path, kind: &str, flags: libc::c_ulong, data: &str) {
    let text = |bytes: &[u8]| CString::new(bytes).expect("no NUL");
    let (what, kind, data) = (text(what.as_bytes()), text(kind.as_bytes()), text(data.as_bytes()));
    let path = text(at.as_os_str().as_bytes());
    // SAFETY: valid strings.
    let result =
        unsafe { libc::mount(what.as_ptr(), path.as_ptr(), kind.as_ptr(), flags, data.as_ptr().cast()) };
    check(result, &at.display().to_string());
}

/// A test case during its setup.
#[derive(Default)]
pub(crate) struct Built {
    root: PathBuf,
    pub(crate) variables: Vec<(String, String)>,
    arguments: Vec<String>,
    /// The numbers of the user's groups, except the user's own group.
    groups: Vec<u32>,
    is_root: bool,
    /// A limit in bytes.
    address_space: Option<u64>,
    sockets: Vec<UnixListener>,
    /// Whether DRM_IOCTL_VERSION is forbidden.
    no_ioctl: bool,
    pub(crate) has_narrow_loader: bool,
    /// The control group and the variables of the process that the doctor looks at.
    pub(crate) process: Option<(String, Vec<(String, String)>)>,
}

impl Built {
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    pub(crate) fn link(&self, path: &str, to: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        symlink(to, &path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Mounts a file of this machine at a path of the test case.
    fn bind(&self, from: &Path, to: &str) {
        if !self.path(to).exists() {
            self.write(to, "");
        }
        mount(from.to_str().expect("UTF-8"), &self.path(to), "", libc::MS_BIND, "");
    }

    /// Sets up the parts common to all test cases: the C library, the tool, users, devices and processes.
    fn base(&mut self, has_devices: bool) {
        for folder in
            ["usr/lib", "usr/lib64", "usr/bin", "etc", "dev", "proc", "sys", "root", "home/ann", "tmp", "run"]
        {
            fs::create_dir_all(self.root.join(folder)).expect("made");
        }
        for name in ["lib", "lib64", "bin"] {
            self.link(name, &format!("usr/{name}"));
        }
        for (from, to) in parts::c_library() {
            self.bind(&from, to.to_str().expect("UTF-8"));
        }
        self.bind(Path::new(env!("CARGO_BIN_EXE_vkload")), "/usr/bin/vkload");
        self.program("");
        // For the commands that the doctor prints.
        for (from, to) in [("dash", "sh"), ("rm", "rm"), ("chmod", "chmod"), ("env", "env")] {
            if let Ok(from) = fs::canonicalize(Path::new("/bin").join(from)) {
                self.bind(&from, &format!("/usr/bin/{to}"));
            }
        }
        self.write("/usr/bin/sudo", "#!/usr/bin/sh\nexec \"$@\"\n");
        fs::set_permissions(self.path("/usr/bin/sudo"), fs::Permissions::from_mode(0o755)).expect("set");
        for device in ["null", "zero", "urandom"].into_iter().filter(|_| has_devices) {
            self.bind(&Path::new("/dev").join(device), &format!("/dev/{device}"));
        }
        let users: Vec<String> =
            USERS.iter().map(|(name, id)| format!("{name}:x:{id}:{id}::/home/{name}:/bin/sh\n")).collect();
        self.write("/etc/passwd", users.concat());
        self.write("/etc/os-release", SYSTEMS[0].1);
        fs::create_dir_all(self.path("/usr/share/vulkan/icd.d")).expect("made");
        fs::set_permissions(self.path("/tmp"), fs::Permissions::from_mode(0o1777)).expect("set");
        self.variables = vec![("HOME".into(), "/home/ann".into()), ("PATH".into(), "/usr/bin".into())];
        self.members(&[]);
    }

    fn program(&self, rpath: &str) {
        self.write(PROGRAM, parts::program(rpath));
        fs::set_permissions(self.path(PROGRAM), fs::Permissions::from_mode(0o755)).expect("set");
    }

    /// Sets up `/proc`: processes, and replacements for files that describe this machine.
    fn proc(&self) {
        mount("/proc", &self.path("/proc"), "", libc::MS_BIND | libc::MS_REC, "");
        mount("driver", &self.path("/proc/driver"), "tmpfs", 0, "");
        self.cover("/proc/1/cgroup", "0::/init.scope\n");
        self.cover("/proc/sys/kernel/osrelease", "6.8.0\n");
        self.cover("/proc/cpuinfo", "flags\t\t: fpu sse2\n");
        self.cover("/proc/cmdline", "root=/dev/sda1 quiet\n");
    }

    /// Replaces the text of a kernel file.
    fn cover(&self, path: &str, text: &str) {
        let file = format!("/run/cover{}", path.replace('/', "-"));
        self.write(&file, text);
        self.bind(&self.path(&file), path);
    }

    /// Writes the groups, with those that list the user.
    fn members(&self, of: &[&str]) {
        let line = |(name, id): &(&str, u32)| {
            format!("{name}:x:{id}:{}\n", if of.contains(name) { "ann" } else { "" })
        };
        self.write("/etc/group", GROUPS.iter().map(line).collect::<String>());
    }

    fn loader(&self, world: &World) {
        let chosen = world.of("loader").next().map(Thing::text).unwrap_or_else(|| "own".to_owned());
        let file = match chosen.as_str() {
            "none" => return,
            "old" => {
                self.bind(&parts::own_loader(), "/opt/libvulkan.so.1");
                parts::old_loader()
            }
            "other" => parts::other_loader().expect("another loader"),
            _ => parts::own_loader(),
        };
        self.bind(&file, &format!("{LIB}/libvulkan.so.1.4.0"));
        self.link(&format!("{LIB}/libvulkan.so.1"), "libvulkan.so.1.4.0");
    }

    fn add(&mut self, thing: &Thing) {
        let (first, rest) = thing.split();
        match thing.kind.as_str() {
            "loader" | "no-proc" | "no-dev" => {}
            "address-space" => self.address_space = Some(first.parse::<u64>().expect("KiB") * 1024),
            "ldconfig" => self.ldconfig(&first),
            "mesa" => self.mesa(thing),
            "narrow-loader" => {
                self.has_narrow_loader = true;
                self.write(&first, library_of_32_bits());
            }
            "driver" => self.driver(&first, thing),
            "layer" => self.layer(&first, thing),
            "stub" => {
                let name = first.rsplit('/').next().unwrap_or_default();
                self.write(&first, fs::read(parts::stub(name, &rest)).expect("a library"));
            }
            "stub32" => self.write(&first, library_of_32_bits()),
            "gpu" => self.gpu(&first, &rest),
            "platform-gpu" => self.platform_gpu(&first, &rest),
            "node" => self.node(&first, &rest),
            // Nobody may write to it, as to a device file that a control group does not allow: EPERM, not EACCES.
            "immutable" => self.immutable(&first),
            // Device files can be opened, and drivers cannot use them, as under Landlock.
            "no-ioctl" => self.no_ioctl = true,
            // A server of this path, such as an X server.
            "socket" => {
                fs::create_dir_all(self.path(&first).parent().expect("a folder")).expect("made");
                self.sockets.push(UnixListener::bind(self.path(&first)).expect("bound"));
                self.mode(&first, "777");
            }
            "dead-node" => self.dead_node(&first, &rest),
            "write" => self.write(&first, unescaped(&rest)),
            // The program looks for libraries in this folder first.
            "rpath" => self.program(&first),
            // The size of the pages for which an ELF file was linked.
            "align" => self.change(&first, |bytes| align(bytes, rest.parse().expect("a number"))),
            "cover" => self.cover(&first, &rest.replace("\\n", "\n")),
            "link" => self.link(&first, &rest),
            "folder" => fs::create_dir_all(self.path(&first)).expect("made"),
            "remove" => fs::remove_file(self.path(&first)).expect("removed"),
            "copy" => self.write(&rest, fs::read(self.path(&first)).expect("read")),
            "move" => fs::rename(self.path(&first), self.path(&rest)).expect("moved"),
            "mode" => self.mode(&first, &rest),
            "cut" => self.change(&first, |bytes| bytes.truncate(bytes.len() / 2)),
            // The kind of processor in an ELF header: 183 is aarch64.
            "machine" => self.change(&first, |bytes| bytes[18] = rest.parse().expect("a number")),
            "replace" => {
                let (old, new) = rest.split_once(' ').expect("two words");
                self.change(&first, |bytes| replace(bytes, old.as_bytes(), new.as_bytes()));
            }
            "noexec" | "nodev" => {
                let folder = self.path(&first);
                mount(folder.to_str().expect("UTF-8"), &folder, "", libc::MS_BIND, "");
                let flag = if thing.kind == "nodev" { libc::MS_NODEV } else { libc::MS_NOEXEC };
                mount("none", &folder, "", libc::MS_BIND | libc::MS_REMOUNT | flag, "");
            }
            "os" => {
                self.write("/etc/os-release", SYSTEMS.iter().find(|row| row.0 == first).expect("a system").1)
            }
            "env" => {
                let text = thing.text();
                let (name, value) = text.split_once('=').expect("NAME=VALUE");
                self.variables.retain(|known| known.0 != name);
                self.variables.push((name.to_owned(), value.to_owned()));
            }
            "root" => self.is_root = true,
            // The files of a package that dpkg has installed.
            "package" => {
                let files = rest.replace(' ', "\n");
                self.write(&format!("/var/lib/dpkg/info/{first}.list"), format!("/.\n{files}\n"));
            }
            // A running process: its own variables and its control group.
            "process" => {
                let variables = rest.split(' ').filter_map(|word| word.split_once('='));
                let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
                self.process = Some((first, variables.collect()));
            }
            "preload" => self.write(&first, fs::read(parts::preload()).expect("a library")),
            "loader-in" => {
                self.bind(&parts::own_loader(), &format!("{first}/libvulkan.so.1.4.313"));
                self.link(&format!("{first}/libvulkan.so.1"), "libvulkan.so.1.4.313");
            }
            // The groups that this user has, and those that the list of groups has.
            "groups" => self.groups = rest_groups(&thing.text()),
            "members" => self.members(&thing.text().split(' ').collect::<Vec<_>>()),
            "args" => self.arguments = thing.text().split(' ').map(str::to_owned).collect(),
            other => panic!("a world has no {other:?}"),
        }
    }

    /// Makes the dynamic linker's cache, with this folder before the usual ones.
    fn ldconfig(&self, folder: &str) {
        self.write("/etc/ld.so.conf", format!("{folder}\n{LIB}\n"));
        let output = Command::new("/sbin/ldconfig").arg("-r").arg(&self.root).output();
        assert!(output.expect("ldconfig runs").status.success());
    }

    fn driver(&self, name: &str, thing: &Thing) {
        let library = thing.value("library").unwrap_or_else(|| format!("{LIB}/libvulkan_{name}.so"));
        if thing.value("library").is_none() {
            let made = match thing.value("needs") {
                _ if thing.text().ends_with(" other-processors") => parts::driver_for_other_processors(),
                needs => parts::driver(&needs.unwrap_or_default()),
            };
            self.write(&library, fs::read(made).expect("a driver"));
            self.write(&format!("{library}.acts"), thing.acts.join("\n") + "\n");
        }
        let folder = thing.value("folder").unwrap_or_else(|| "/usr/share/vulkan/icd.d".to_owned());
        let part =
            if thing.text().ends_with(" portability") { ", \"is_portability_driver\": true" } else { "" };
        let api = thing.value("api").unwrap_or_else(|| "1.1.0".to_owned());
        let manifest = format!(
            "{{\"file_format_version\": \"1.0.0\", \"ICD\": {{\"library_path\": \"{library}\", \"api_version\": \"{api}\"{part}}}}}\n"
        );
        self.write(&format!("{folder}/{name}.json"), manifest);
    }

    fn layer(&self, name: &str, thing: &Thing) {
        let implicit = thing.text().split(' ').any(|word| word == "implicit");
        let library = thing.value("library").unwrap_or_else(|| format!("{LIB}/lib{name}.so"));
        if thing.value("library").is_none() {
            self.write(&library, fs::read(parts::layer()).expect("a layer"));
            self.write(&format!("{library}.acts"), thing.acts.join("\n") + "\n");
        }
        let switch = |key: &str, field: &str| {
            let value = thing.value(key).map(|variable| format!(", \"{field}\": {{\"{variable}\": \"1\"}}"));
            value.unwrap_or_default()
        };
        let off = if implicit && thing.value("off").is_none() {
            format!(", \"disable_environment\": {{\"DISABLE_{}\": \"1\"}}", name.to_ascii_uppercase())
        } else {
            switch("off", "disable_environment")
        };
        let manifest = format!(
            "{{\"file_format_version\": \"1.0.0\", \"layer\": {{\"name\": \"{name}\", \"type\": \"GLOBAL\", \"library_path\": \"{library}\", \"api_version\": \"1.3.0\", \"implementation_version\": \"1\", \"description\": \"a layer\"{off}{}}}}}\n",
            switch("on", "enable_environment")
        );
        let folder = if implicit { "implicit_layer.d" } else { "explicit_layer.d" };
        self.write(&format!("/usr/share/vulkan/{folder}/{name}.json"), manifest);
    }

    /// Adds a graphics device on the bus: `ADDRESS VENDOR:DEVICE [KERNEL-DRIVER]`.
    fn gpu(&self, address: &str, rest: &str) {
        let folder = format!("/sys/bus/pci/devices/{address}");
        let (numbers, kernel) = rest.split_once(' ').unwrap_or((rest, ""));
        let (vendor, device) = numbers.split_once(':').expect("VENDOR:DEVICE");
        self.write(&format!("{folder}/class"), "0x030000\n");
        self.write(&format!("{folder}/vendor"), format!("0x{vendor}\n"));
        self.write(&format!("{folder}/device"), format!("0x{device}\n"));
        if !kernel.is_empty() {
            self.link(&format!("{folder}/driver"), &format!("../../../bus/pci/drivers/{kernel}"));
        }
    }

    /// Adds a graphics device that is part of the processor's chip: `ADDRESS KERNEL-DRIVER NODE`.
    fn platform_gpu(&self, address: &str, rest: &str) {
        let (kernel, node) = rest.split_once(' ').expect("a driver and a node");
        let folder = format!("/sys/bus/platform/devices/{address}");
        fs::create_dir_all(self.path(&format!("{folder}/drm/{node}"))).expect("made");
        self.link(&format!("{folder}/driver"), &format!("../../../bus/platform/drivers/{kernel}"));
    }

    /// Adds a device file unknown to any kernel driver: `MODE OWNER:GROUP`. Linux reserves the number for experiments.
    fn dead_node(&self, path: &str, rest: &str) {
        let here = self.path(path);
        fs::create_dir_all(here.parent().expect("a folder")).expect("made");
        let name = CString::new(here.as_os_str().as_bytes()).expect("no NUL");
        // SAFETY: a valid string.
        check(unsafe { libc::mknod(name.as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(60, 1)) }, "mknod");
        self.mode(path, rest);
    }

    fn immutable(&self, path: &str) {
        let file = fs::File::open(self.path(path)).expect("opened");
        // FS_IMMUTABLE_FL. SAFETY: the file is open, and the number is readable.
        check(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const IMMUTABLE) }, path);
    }

    /// Makes a file that replaces a device file: `MODE OWNER:GROUP`.
    fn node(&self, path: &str, rest: &str) {
        self.write(path, "");
        self.mode(path, rest);
    }

    /// `MODE [OWNER:GROUP]`
    fn mode(&self, path: &str, rest: &str) {
        let (mode, owner) = rest.split_once(' ').unwrap_or((rest, ""));
        let path = self.path(path);
        if let Some((user, group)) = owner.split_once(':') {
            let number =
                |list: &[(&str, u32)], name: &str| list.iter().find(|row| row.0 == name).map(|row| row.1);
            chown(&path, number(USERS, user), number(GROUPS, group)).expect("given away");
        }
        let mode = u32::from_str_radix(mode, 8).expect("a mode");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    }

    fn change(&self, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(path)).expect("read");
        change(&mut bytes);
        self.write(path, bytes);
    }

    /// Returns a command that runs the doctor as the test case's user.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut command = self.as_user("/usr/bin/vkload");
        command.arg("doctor").args(more).args(&self.arguments);
        command
    }

    /// Returns a command that the test case's user runs.
    pub(crate) fn as_user(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().cloned());
        if !self.is_root {
            let groups = self.groups.clone();
            let limit = self.address_space.unwrap_or(libc::RLIM_INFINITY);
            let no_ioctl = self.no_ioctl;
            // SAFETY: the calls may be made between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
                    let ok = libc::setrlimit(libc::RLIMIT_AS, &raw const limit) == 0
                        && libc::setgroups(groups.len(), groups.as_ptr()) == 0
                        && libc::setgid(1000) == 0
                        && libc::setuid(1000) == 0
                        && (!no_ioctl || forbid_ioctl());
                    if ok { Ok(()) } else { Err(io::Error::last_os_error()) }
                });
            }
        }
        command
    }
}

static IMMUTABLE: libc::c_long = 0x10;

/// Makes DRM_IOCTL_VERSION return EACCES in this process.
fn forbid_ioctl() -> bool {
    let row = |code: u32, value: u32, yes, no| libc::sock_filter {
        code: u16::try_from(code).expect("a short number"),
        jt: yes,
        jf: no,
        k: value,
    };
    let (load, is, ret) = (0x20, 0x15, 0x06);
    let ioctl = u32::try_from(libc::SYS_ioctl).expect("a short number");
    // The number of the call lies at 0, and the second argument at 24.
    let mut rows = [
        row(load, 0, 0, 0),
        row(is, ioctl, 0, 3),
        row(load, 24, 0, 0),
        row(is, 0xc040_6400, 0, 1),
        row(ret, libc::SECCOMP_RET_ERRNO | 13, 0, 0),
        row(ret, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let filter = libc::sock_fprog { len: 6, filter: rows.as_mut_ptr() };
    // SAFETY: the filter is valid.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) == 0
    }
}

/// Returns the header of an i386 library, and no more.
pub(crate) fn library_of_32_bits() -> Vec<u8> {
    let mut header = vec![0; 52];
    header[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    // A shared object (3) for i386 (3), of this version, with a header of this size.
    for (at, byte) in [(16, 3), (18, 3), (20, 1), (40, 52)] {
        header[at] = byte;
    }
    header
}

/// Returns the text with `\n` and `\u{HEX}` replaced.
fn unescaped(text: &str) -> String {
    let code = regex_lite::Regex::new(r"\\u\{([0-9a-f]+)\}").expect("a pattern");
    let character = |found: &regex_lite::Captures<'_>| {
        let number = u32::from_str_radix(&found[1], 16).expect("a number");
        char::from_u32(number).expect("a character").to_string()
    };
    code.replace_all(&text.replace("\\n", "\n"), character).into_owned()
}

/// Makes an ELF file's segments ones for pages of this size: the last one lies half a page off.
fn align(bytes: &mut [u8], page: u64) {
    let number =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let headers: Vec<usize> = (0..usize::from(bytes[56])).map(|index| 64 + index * 56).collect();
    let loaded: Vec<usize> =
        headers.iter().copied().filter(|&at| bytes[at..at + 4] == [1, 0, 0, 0]).collect();
    let last = number(bytes, loaded.last().expect("a segment") + 16);
    for at in headers {
        let address = number(bytes, at + 16);
        if address >= last {
            bytes[at + 16..at + 24].copy_from_slice(&(address + page).to_le_bytes());
        }
        if loaded.contains(&at) {
            bytes[at + 48..at + 56].copy_from_slice(&page.to_le_bytes());
        }
    }
}

fn rest_groups(names: &str) -> Vec<u32> {
    names.split(' ').filter_map(|name| GROUPS.iter().find(|row| row.0 == name)).map(|row| row.1).collect()
}

fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes.windows(old.len()).position(|window| window == old).expect("the old text");
    for (index, byte) in bytes[at..at + old.len()].iter_mut().enumerate() {
        *byte = new.get(index).copied().unwrap_or(0);
    }
}
