//! Copies of a test's process.

use std::fs::File;
use std::io::{Error, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};

use crate::child::TIME_LIMIT;

/// Runs `action` in a copy of the process, which an alarm ends if it waits. Returns the number of the signal that ended it, or 0 if the
/// action succeeded and -1 if it did not; and its output on standard error.
pub fn in_a_copy(action: impl FnOnce() -> bool) -> (libc::c_int, String) {
    // SAFETY: the descriptors are new, and nothing else owns them. The child does what a child of a threaded program may do, except that it
    // uses the locks of standard error and of the allocator, which the C library restores in it; it leaves no core dump behind, and runs
    // none of the parent's exit handlers.
    let (child, mut reader) = unsafe {
        let mut ends = [0; 2];
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let [reader, writer] = ends.map(|end| File::from_raw_fd(end));
        let child = libc::fork();
        assert!(child >= 0, "{}", Error::last_os_error());
        if child == 0 {
            libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            libc::dup2(writer.as_raw_fd(), libc::STDERR_FILENO);
            libc::alarm(TIME_LIMIT);
            libc::_exit(i32::from(!action()));
        }
        (child, reader)
    };
    let mut said = String::new();
    reader.read_to_string(&mut said).expect("text");
    let mut status = 0;
    // SAFETY: the child is this process's, and the status is writable.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    (if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { -libc::WEXITSTATUS(status) }, said)
}
