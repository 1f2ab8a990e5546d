//! The identity of the process, from the auxiliary vector and `/proc`.

use core::mem::MaybeUninit;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec};
use vkload_core::platform::{Identity, LONGEST_PATH};

use super::errno;

pub(crate) struct Process;

impl Identity for Process {
    fn elevated(&self) -> bool {
        // Nothing depends on it if no variable and no file is read.
        cfg!(not(feature = "fixed-drivers")) && is_secure()
    }

    fn executable(&self) -> Result<Option<Text>, OutOfMemory> {
        if cfg!(feature = "fixed-drivers") {
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

    fn has_memory(&self, address: usize) -> bool {
        // SAFETY: `sysconf` has no preconditions.
        let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) else { return true };
        let first = address & !page.wrapping_sub(1);
        let Some(end) = address.checked_add(size_of::<[usize; 2]>()) else { return false };
        let mut resident = [0u8; 2];
        let length = end.wrapping_sub(first);
        // SAFETY: two words span at most two pages, and `resident` has a byte for each. Nothing is
        // read at the address.
        let result = unsafe {
            libc::mincore(core::ptr::without_provenance_mut(first), length, resident.as_mut_ptr().cast())
        };
        // A sandbox may refuse the call, which says nothing about the address.
        result == 0 || errno() != libc::ENOMEM
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
        assert!(Process.has_memory(core::ptr::from_ref(&here).addr()));
        for nowhere in [0, 0x1230, usize::MAX - 7, usize::MAX / 2 + 1] {
            assert!(!Process.has_memory(nowhere), "{nowhere:#x}");
        }
    }

    #[test]
    fn a_program_that_its_user_started_is_not_elevated() {
        assert!(!Process.elevated());
    }
}
