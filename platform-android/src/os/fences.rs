//! Fences: descriptors that can be read once what they stand for has happened (`sync_file`).

use core::ffi::c_int;

use super::errno;
use crate::system::Fence;

/// Waits for a fence as libsync does. Whether it was signalled, and without an error.
pub(super) fn wait(fence: Fence, milliseconds: c_int) -> bool {
    if fence < 0 {
        return true;
    }
    let mut asked = libc::pollfd { fd: fence, events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: one valid structure is passed.
        let answers = unsafe { libc::poll(&raw mut asked, 1, milliseconds) };
        match answers {
            // It is interrupted rarely, and then the whole time begins anew.
            -1 if matches!(errno(), libc::EINTR | libc::EAGAIN) => {}
            1.. => return asked.revents & (libc::POLLERR | libc::POLLNVAL) == 0,
            _ => return false,
        }
    }
}

/// Another descriptor, which no program that is started meanwhile inherits.
pub(super) fn duplicate(fence: Fence) -> Option<Fence> {
    // SAFETY: takes numbers only.
    let another = unsafe { libc::fcntl(fence, libc::F_DUPFD_CLOEXEC, 0) };
    (another >= 0).then_some(another)
}

/// Closes a descriptor.
pub(super) fn close(fence: Fence) {
    if fence >= 0 {
        // SAFETY: the descriptor belongs to whoever closes it.
        unsafe { libc::close(fence) };
    }
}
