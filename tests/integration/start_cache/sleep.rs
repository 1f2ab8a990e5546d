//! A GPU that sleeps goes on sleeping.
//!
//! The kernel's files for a second GPU are made here: a device node, and its folder in `/sys`, whose `power/runtime_status` a driver
//! changes that opens the node, as the kernel does.
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use vkload_tests::{Device, Driver, Run, Scenario, Vk};

use super::{opened, start};

const NODE: &str = "/dev/dri/renderD128";
const DEVICE: &str = "/sys/bus/pci/devices/0000:01:00.0";

/// Lists devices while watching for opens of the second GPU's node and of the files that would wake it.
pub(super) fn watch(vk: &Vk) {
    let status = Path::new(DEVICE).join("power/runtime_status");
    // The driver's own file imitates the kernel's behaviour.
    let watched = [NODE.to_owned(), format!("{DEVICE}/config"), format!("{DEVICE}/resource0")];
    let watch = Watch::new(&watched);
    super::list_devices(vk);
    vk.say("status", fs::read_to_string(status).unwrap().trim());
    vk.say("opened", watch.events());
}

/// Replaces `/sys` and `/dev` for this thread and the processes that it starts. Only root can, and not in every container.
fn make_gpu() -> io::Result<()> {
    let c = |text: &str| CString::new(text).unwrap();
    let check = |result: i32| if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    let mount = |kind: &str, place: &str| {
        // SAFETY: all parameters are C strings or NULL.
        check(unsafe {
            libc::mount(c(kind).as_ptr(), c(place).as_ptr(), c(kind).as_ptr(), 0, std::ptr::null())
        })
    };
    // SAFETY: valid calls, which change this thread only.
    unsafe {
        check(libc::unshare(libc::CLONE_FS | libc::CLONE_NEWNS))?;
        let flags = libc::MS_REC | libc::MS_PRIVATE;
        check(libc::mount(std::ptr::null(), c("/").as_ptr(), std::ptr::null(), flags, std::ptr::null()))?;
    }
    mount("tmpfs", "/sys")?;
    mount("tmpfs", "/dev")?;
    for folder in ["/dev/dri", "/sys/dev/char/1:3", &format!("{DEVICE}/power")] {
        fs::create_dir_all(folder)?;
    }
    // The numbers of `/dev/null`: a node that opens without a GPU.
    for node in [NODE, "/dev/null"] {
        // SAFETY: the path is a C string.
        check(unsafe { libc::mknod(c(node).as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(1, 3)) })?;
    }
    for (name, content) in
        [("uevent", "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:73FF\n"), ("config", ""), ("resource0", "")]
    {
        fs::write(Path::new(DEVICE).join(name), content)?;
    }
    std::os::unix::fs::symlink(DEVICE, "/sys/dev/char/1:3/device")
}

/// Counts how often files are opened.
struct Watch(OwnedFd);

impl Watch {
    fn new(paths: &[String]) -> Self {
        // SAFETY: no preconditions.
        let queue = unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) };
        assert!(queue >= 0);
        for path in paths {
            let path = CString::new(Path::new(path).as_os_str().as_bytes()).unwrap();
            // SAFETY: the path is a C string.
            assert!(unsafe { libc::inotify_add_watch(queue, path.as_ptr(), libc::IN_OPEN) } >= 0);
        }
        // SAFETY: the descriptor was just made, and no other code has it.
        Self(unsafe { OwnedFd::from_raw_fd(queue) })
    }

    /// Each event has the length of the structure: files that are watched themselves have no names.
    fn events(&self) -> usize {
        let mut buffer = [0u8; 4096];
        // SAFETY: the buffer is writable.
        let length = unsafe { libc::read(self.0.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(length).unwrap_or(0) / size_of::<libc::inotify_event>()
    }
}

/// Starts the program while the second GPU sleeps.
fn start_while_it_sleeps(scenario: &Scenario) -> Run {
    fs::write(Path::new(DEVICE).join("power/runtime_status"), "suspended\n").unwrap();
    start(scenario, "sleep")
}

#[test]
fn a_sleeping_gpu_is_not_woken_by_drivers_that_have_no_device() {
    // The driver of another GPU, which looks at every node.
    let looks = |name: &str| {
        Driver::new(name).line("node", NODE).line("status", format!("{DEVICE}/power/runtime_status"))
    };
    let scenario = Scenario::new()
        .driver(looks("absent"))
        .driver(Driver::new("real").device(Device::new("integrated")))
        .driver(looks("refusing"))
        .env("VK_LOADER_X_START_CACHE", "1")
        .log();
    if let Err(why) = make_gpu() {
        eprintln!("skipped: this user cannot make the files of a GPU: {why}");
        return;
    }
    let first = start_while_it_sleeps(&scenario);
    assert_eq!(opened(first.ok().says("status", "active")), "absent,real,refusing");
    assert_ne!(first.said("opened"), "0", "the watch sees drivers");
    start_while_it_sleeps(&scenario).ok().says("status", "active");
    let third = start_while_it_sleeps(&scenario);
    assert_eq!(opened(third.ok().says("devices", "integrated")), "", "{third:#?}");
    third.says("status", "suspended").says("opened", 0);
}
