//! The identity of the process, from the auxiliary vector and `/proc`.

use core::mem::MaybeUninit;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec};
use vkload_core::platform::{Identity, LONGEST_PATH};

use super::errno;
use crate::policy::IS_FIXED;

pub(crate) struct Process;

impl Identity for Process {
    fn elevated(&self) -> bool {
        // Nothing depends on it if no variable and no file is read.
        !IS_FIXED && is_secure()
    }

    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        if IS_FIXED {
            // Only settings depend on it.
            return Ok(None);
        }
        let mut buffer = [MaybeUninit::<u8>::uninit(); LONGEST_PATH];
        // SAFETY: the name is a valid C string and the buffer is writable for its whole length.
        let length =
            unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), buffer.as_mut_ptr().cast(), buffer.len()) };
        let Some(link) = usize::try_from(length).ok().and_then(|length| buffer.get(..length)) else {
            return Ok(None);
        };
        let mut path = Vec::new();
        for byte in link {
            // SAFETY: `readlink` has written the `length` bytes of `link`.
            path.try_push(unsafe { byte.assume_init() })?;
        }
        Ok(Some(path))
    }

    fn can_read(&self, address: usize) -> Option<bool> {
        const NO_COMMAND: libc::c_long = -1;
        const SET_SIZE: usize = 8;
        // SAFETY: the kernel reads a set of signals at the address, or reports a fault, and then rejects the
        // command. The C library's function would read the set itself.
        let result =
            unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_COMMAND, address, 0usize, SET_SIZE) };
        match (result, errno()) {
            (0, _) | (_, libc::EFAULT) => Some(false), // 0 is the answer for NULL
            (_, libc::EINVAL) => Some(true),
            _ => None, // a sandbox refuses the call
        }
    }
}

/// Returns whether the kernel started this program with privileges that its caller may lack (set-user-id,
/// set-group-id or file capabilities): the condition that `secure_getenv` tests.
pub(super) fn is_secure() -> bool {
    // SAFETY: `getauxval` only reads the auxiliary vector; a missing entry reads as 0.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn the_executable_is_this_test() {
        let executable = Process.executable().unwrap().unwrap();
        assert_eq!(executable.as_slice(), std::env::current_exe().unwrap().as_os_str().as_bytes());
    }

    #[test]
    fn memory_is_known_from_no_memory() {
        let here = 7usize;
        assert_eq!(Process.can_read(core::ptr::from_ref(&here).addr()), Some(true));
        // SAFETY: a new mapping, which nothing reads.
        let guard = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                1,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        for nowhere in [0, 0x1230, usize::MAX - 7, usize::MAX / 2 + 1, guard.addr()] {
            assert_eq!(Process.can_read(nowhere), Some(false), "{nowhere:#x}");
        }
    }

    #[test]
    fn a_program_that_its_user_started_is_not_elevated() {
        assert!(!Process.elevated());
    }
}
