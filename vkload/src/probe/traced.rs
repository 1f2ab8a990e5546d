//! Watches the files that a trial uses, by tracing its process, and hides some from it: a trial without a file changes nothing on this machine.
//!
//! Where the kernel or a sandbox forbids tracing, the trial runs untraced: nothing is observed and nothing is hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::{Line, Refused, notes};
use crate::lossless;

const STOP_AT_CALL: i32 = libc::SIGTRAP | 0x80;
/// More files than that are not noted.
const MOST: usize = 500;

/// System calls that use a file by its path, each with the position of the path among the arguments.
const BY_PATH: &[(libc::c_long, usize)] = &[
    #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "arm"))]
    (libc::SYS_open, 0),
    #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "arm"))]
    (libc::SYS_access, 0),
    (libc::SYS_openat, 1),
    (libc::SYS_openat2, 1),
    (libc::SYS_faccessat, 1),
    (libc::SYS_faccessat2, 1),
];

/// Continues in a copy of this process, which this process traces until it ends, and then ends in the same way. If there
/// can be no copy, this process continues untraced.
pub(super) fn start(hidden: &[String]) {
    // SAFETY: this process has no other thread yet.
    match unsafe { libc::fork() } {
        -1 => {}
        0 => {
            notes::become_writer();
            // SAFETY: numbers only. Without the permission to be traced, it does not stop, and ends with the other process all the same.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::ptrace(libc::PTRACE_TRACEME, 0, 0usize, 0usize) == 0 {
                    libc::raise(libc::SIGSTOP);
                }
            }
        }
        child => {
            // A trial that takes long is asked for its library; the copy answers.
            // SAFETY: numbers only.
            unsafe { libc::signal(libc::SIGQUIT, libc::SIG_IGN) };
            Tracer { hidden, calls: BTreeMap::new(), noted: BTreeSet::new(), usable: BTreeSet::new() }
                .run(child)
        }
    }
}

/// A system call that a thread has begun.
struct Call {
    path: String,
    is_ioctl: bool,
    /// Where the path is in the memory of a process from which it is hidden.
    hidden: Option<u64>,
}

struct Tracer<'a> {
    hidden: &'a [String],
    /// By thread.
    calls: BTreeMap<i32, Call>,
    noted: BTreeSet<(String, i32)>,
    /// Files on which some ioctl succeeded: drivers try others that need more rights.
    usable: BTreeSet<String>,
}

impl Tracer<'_> {
    fn run(mut self, child: i32) -> ! {
        let options = libc::PTRACE_O_TRACESYSGOOD
            | libc::PTRACE_O_TRACECLONE
            | libc::PTRACE_O_TRACEFORK
            | libc::PTRACE_O_TRACEVFORK
            | libc::PTRACE_O_TRACEEXEC
            | libc::PTRACE_O_EXITKILL;
        let mut is_new = true;
        loop {
            let mut status = 0;
            // SAFETY: a writable number.
            let thread = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL) };
            if thread < 0 || (thread == child && !libc::WIFSTOPPED(status)) {
                end(status);
            }
            if !libc::WIFSTOPPED(status) {
                continue;
            }
            // SAFETY: the thread is stopped and traced by this process.
            unsafe {
                if is_new {
                    libc::ptrace(libc::PTRACE_SETOPTIONS, child, 0usize, libc::c_long::from(options));
                    is_new = false;
                }
                let signal = match libc::WSTOPSIG(status) {
                    STOP_AT_CALL => {
                        self.at_call(thread);
                        0
                    }
                    libc::SIGTRAP if status >> 16 != 0 => 0,
                    // A new thread.
                    libc::SIGSTOP => 0,
                    other => other,
                };
                libc::ptrace(libc::PTRACE_SYSCALL, thread, 0usize, libc::c_long::from(signal));
            }
        }
    }

    fn at_call(&mut self, thread: i32) {
        let mut info = [0u64; 16];
        // PTRACE_GET_SYSCALL_INFO. SAFETY: the thread is stopped, and the array as large as said.
        let length = unsafe { libc::ptrace(0x420e, thread, size_of_val(&info), info.as_mut_ptr()) };
        if length <= 0 {
            return;
        }
        // The kind of stop is the first byte; the number of the call or its result, and its arguments, follow two addresses.
        match (info[0].to_ne_bytes()[0], info[3].cast_signed()) {
            (1, number) => self.begin(thread, number, &info[4..10]),
            (2, result) => self.finish(thread, result),
            _ => {}
        }
    }

    // A system's numbers have 32 bits on some processors.
    #[allow(clippy::useless_conversion)]
    fn begin(&mut self, thread: i32, number: i64, arguments: &[u64]) {
        self.calls.remove(&thread);
        let by_path = BY_PATH.iter().find(|(call, _)| i64::from(*call) == number);
        if number == i64::from(libc::SYS_ioctl) {
            let link = format!("/proc/{thread}/fd/{}", arguments.first().copied().unwrap_or_default());
            let path = fs::read_link(link).map(lossless::of).unwrap_or_default();
            self.calls.insert(thread, Call { path, is_ioctl: true, hidden: None });
        } else if let Some(address) = by_path.and_then(|(_, at)| arguments.get(*at).copied())
            && let Ok(memory) = memory(thread)
        {
            let mut bytes = [0; libc::PATH_MAX as usize];
            let read = memory.read_at(&mut bytes, address).unwrap_or(0);
            let path = bytes.get(..read).and_then(|bytes| bytes.split(|byte| *byte == 0).next());
            let path = lossless::text(path.unwrap_or_default());
            // A path that is empty leads nowhere.
            let is_hidden = self.hidden.contains(&path) && memory.write_at(&[0], address).is_ok();
            self.calls.insert(thread, Call { path, is_ioctl: false, hidden: is_hidden.then_some(address) });
        }
    }

    fn finish(&mut self, thread: i32, result: i64) {
        let Some(Call { path, is_ioctl, hidden }) = self.calls.remove(&thread) else { return };
        if let (Some(address), Ok(memory)) = (hidden, memory(thread)) {
            let _ = memory.write_at(b"/", address);
            return;
        }
        let error = i32::try_from(-result.min(0)).unwrap_or(0);
        let is_absent = error == libc::ENOENT;
        if is_ioctl && (error == 0 || self.usable.contains(&path)) {
            self.usable.insert(path);
            return;
        }
        let line = if error == 0 && is_content(&path) {
            Line::Used(path.clone())
        } else if matters(&path, is_absent) && [libc::ENOENT, libc::EACCES, libc::EPERM].contains(&error) {
            Line::Refused(Refused { path: path.clone(), is_absent, by_ioctl: is_ioctl })
        } else {
            return;
        };
        if self.noted.len() < MOST
            && self.noted.insert((path, error))
            && let Ok(line) = serde_json::to_vec(&line)
        {
            notes::write(&[&line]);
        }
    }
}

/// By these drivers reach a GPU. They try others that they can do without.
const NEEDED: &[&str] =
    &["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/dxg", "/dev/mali0"];
const NEEDED_FOLDERS: &[&str] =
    &["/dev/dri/render", "/sys/dev/char", "/sys/class/drm", "/sys/bus/pci", "/proc/driver/nvidia"];

/// Returns whether this is a file by which drivers reach a GPU. They look for more render nodes than there are.
fn matters(path: &str, is_absent: bool) -> bool {
    NEEDED.contains(&path) || !is_absent && NEEDED_FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Returns whether this is a file with content that a library or a program reads, and no library.
fn is_content(path: &str) -> bool {
    let is_kernels = ["/dev/", "/proc/", "/sys/"].iter().any(|folder| path.starts_with(folder));
    !is_kernels
        && !path.ends_with(".so")
        && !path.contains(".so.")
        && fs::metadata(Path::new(path)).is_ok_and(|found| found.is_file())
}

fn memory(thread: i32) -> std::io::Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{thread}/mem"))
}

/// Ends this process in the same way as another one.
fn end(status: i32) -> ! {
    // SAFETY: nothing of this process is needed any more.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            libc::prctl(libc::PR_SET_DUMPABLE, 0);
            // Rust's runtime handles some.
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            libc::_exit(128 + signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}
