//! Fences: descriptors that become readable once their event has happened (`sync_file`).

use core::ffi::c_int;

use super::errno;
use crate::system::Fence;

/// Waits for a fence as libsync does. Returns whether it was signalled without an error.
pub(super) fn wait(fence: Fence, milliseconds: c_int) -> bool {
    if fence < 0 {
        return true;
    }
    let mut asked = libc::pollfd { fd: fence, events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: `asked` is one valid, writable structure, and the count is 1.
        let answers = unsafe { libc::poll(&raw mut asked, 1, milliseconds) };
        match answers {
            // Interruptions are rare; the full timeout then begins again.
            -1 if matches!(errno(), libc::EINTR | libc::EAGAIN) => {}
            1.. => return asked.revents & (libc::POLLERR | libc::POLLNVAL) == 0,
            _ => return false,
        }
    }
}

/// Duplicates a descriptor; a program started meanwhile does not inherit it.
pub(super) fn duplicate(fence: Fence) -> Option<Fence> {
    // SAFETY: `fcntl` takes numbers only here.
    let another = unsafe { libc::fcntl(fence, libc::F_DUPFD_CLOEXEC, 0) };
    (another >= 0).then_some(another)
}

pub(super) fn close(fence: Fence) {
    if fence >= 0 {
        // SAFETY: the caller owns the descriptor and gives it up.
        unsafe { libc::close(fence) };
    }
}
