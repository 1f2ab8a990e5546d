//! The tool as one file that runs on any Linux system, even in an empty container.
//!
//! Drivers are shared libraries for the system's C library, and a static program cannot load them. So this static program carries the
//! tool as a dynamic program for glibc. If the system has a glibc that runs it, the carried program replaces this one; otherwise this one is
//! the tool, which then reads but does not load drivers.

use std::ffi::{CString, OsString, c_char};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, iter, ptr};

/// The program for glibc. Empty unless `packaging/release.sh` builds this program.
static CARRIED: &[u8] = include_bytes!(env!("VKLOAD_DYNAMIC_TOOL"));

/// The dynamic linker that the program names.
const DYNAMIC_LINKER: &str = match env::consts::ARCH.as_bytes() {
    b"aarch64" => "/lib/ld-linux-aarch64.so.1",
    _ => "/lib64/ld-linux-x86-64.so.2",
};

/// The argument with which the carried program starts this file again, once it has begun to work.
const TRIAL: &str = "vkload-probe";

fn main() -> ExitCode {
    if !CARRIED.is_empty()
        && Path::new(DYNAMIC_LINKER).exists()
        && let Err(error) = run_carried()
    {
        eprintln!("vkload: loads no drivers, because its part for glibc does not start here: {error}");
    }
    vkload::run()
}

/// Replaces this process by the carried program, with the path of this file as the first argument. Returns only on failure.
fn run_carried() -> io::Result<()> {
    let mut program = anonymous_file()?;
    program.write_all(CARRIED)?;
    let mut arguments = env::args_os();
    let started_as = arguments.next().unwrap_or_default();
    if env::args_os().nth(1).is_none_or(|subcommand| subcommand != TRIAL) {
        try_out(program.as_raw_fd())?;
    }
    let own_path = env::current_exe().map_or(started_as, OsString::from);
    let arguments: Vec<CString> = iter::once(own_path)
        .chain(arguments)
        .map(|argument| CString::new(argument.into_vec()))
        .collect::<Result<_, _>>()?;
    let pointers: Vec<*const c_char> =
        arguments.iter().map(|argument| argument.as_ptr()).chain([ptr::null()]).collect();
    Err(execute(program.as_raw_fd(), &pointers))
}

/// Checks that the program starts: this glibc may be too old, or lack libraries.
fn try_out(program: RawFd) -> io::Result<()> {
    let mut trial = Command::new("vkload");
    // SAFETY: it allocates nothing and takes no lock.
    unsafe {
        trial.pre_exec(move || {
            Err(execute(program, &[c"vkload".as_ptr(), c"--version".as_ptr(), ptr::null()]))
        });
    }
    let output = trial.stdin(Stdio::inherit()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{} ({})", errors.trim(), output.status)))
}

/// Executes the program in this file instead of the current one. The arguments end with a null pointer.
fn execute(program: RawFd, arguments: &[*const c_char]) -> io::Error {
    unsafe extern "C" {
        /// The variables of this process.
        static environ: *const *const c_char;
    }
    // SAFETY: both lists end with a null pointer, and the only thread does not change the environment.
    unsafe { libc::fexecve(program, arguments.as_ptr(), environ) };
    io::Error::last_os_error()
}

/// Returns a file in memory that can be executed, since the file system may be read-only or mounted `noexec`.
fn anonymous_file() -> io::Result<File> {
    // Linux before 6.3 rejects MFD_EXEC. Later versions may demand it.
    let mut descriptor = -1;
    for flags in [libc::MFD_CLOEXEC | libc::MFD_EXEC, libc::MFD_CLOEXEC] {
        if descriptor < 0 {
            // SAFETY: the name is a string.
            descriptor = unsafe { libc::memfd_create(c"vkload".as_ptr(), flags) };
        }
    }
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for this process.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}
