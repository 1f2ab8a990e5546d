//! The memory with which the tool, as a child of this process, tries a library and notes what happens.

use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

pub(crate) const SIZE: u64 = 1 << 20;
pub(crate) const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

pub(crate) struct Memory(File);

impl Memory {
    /// Returns memory for a child of the process `parent`, to try this subject.
    pub(crate) fn new(parent: u32, subject: &str, size: u64, seals: i32) -> Self {
        // SAFETY: the kernel makes the file, which nothing else uses.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"test".as_ptr(), 3)) };
        let line = format!("{parent} {subject}\n");
        file.set_len(size).unwrap();
        file.write_all_at(&line.len().to_ne_bytes(), 0).unwrap();
        file.write_all_at(line.as_bytes(), 8).unwrap();
        // SAFETY: the descriptor is open.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }, 0);
        Self(file)
    }

    /// Passes it on to a child.
    pub(crate) fn pass_to(&self, command: &mut Command) {
        let descriptor = self.0.as_raw_fd();
        // SAFETY: the call may be made between fork and exec.
        unsafe {
            command.pre_exec(move || {
                if libc::dup2(descriptor, 100) < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
            })
        };
    }

    /// Returns the child's notes.
    pub(crate) fn text(&self) -> String {
        let mut bytes = vec![0; SIZE as usize];
        let length = self.0.read_at(&mut bytes, 0).unwrap();
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    }
}
