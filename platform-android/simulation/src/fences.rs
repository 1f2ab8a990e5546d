//! Fences, as pipes: a fence is signalled when its pipe is readable, which is when the other end
//! has been closed.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs::File;
use std::io::{PipeWriter, pipe};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

use platform_android::system::Fence;

use crate::Android;

/// The open fences, by their pipes: a driver closes fences that it owns without notice.
#[derive(Default)]
pub(crate) struct Ledger {
    open: BTreeMap<Fence, u64>,
}

/// A fence is signalled when this is dropped.
pub struct SignalledLater(#[expect(dead_code, reason = "it is there to be dropped")] PipeWriter);

impl Android {
    /// Creates a fence, and the object that signals it.
    pub fn fence(&self) -> (Fence, SignalledLater) {
        let (end, other) = pipe().expect("a pipe");
        let fence = end.into_raw_fd();
        self.change().fences.insert(fence);
        (fence, SignalledLater(other))
    }
}

impl Ledger {
    pub(crate) fn open(&self) -> usize {
        self.open.iter().filter(|(fence, pipe)| pipe_of(**fence) == Some(**pipe)).count()
    }

    fn insert(&mut self, fence: Fence) {
        self.open.insert(fence, pipe_of(fence).expect("an open pipe"));
    }

    pub(crate) fn duplicate(&mut self, fence: Fence) -> Option<Fence> {
        assert!(self.open.contains_key(&fence), "fence {fence} is used after it was closed");
        // SAFETY: the ledger lists the descriptor as open.
        let another = unsafe { std::os::fd::BorrowedFd::borrow_raw(fence) }.try_clone_to_owned().ok()?;
        let another = another.into_raw_fd();
        self.insert(another);
        Some(another)
    }

    pub(crate) fn close(&mut self, fence: Fence) {
        assert!(self.open.remove(&fence).is_some(), "fence {fence} is closed twice");
        // SAFETY: the ledger listed the descriptor as open, and the caller, its owner, gives it up.
        drop(unsafe { OwnedFd::from_raw_fd(fence) });
    }
}

/// Returns the pipe of a descriptor, if it is open.
fn pipe_of(fence: Fence) -> Option<u64> {
    // SAFETY: `ManuallyDrop` keeps the file from closing the descriptor; the call fails if that is
    // not open.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fence) });
    file.metadata().ok().map(|state| state.ino())
}

pub(crate) fn wait(fence: Fence, milliseconds: c_int) -> bool {
    if fence < 0 {
        return true;
    }
    let mut asked = libc::pollfd { fd: fence.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `asked` is one valid, writable structure, and the count is 1.
    unsafe { libc::poll(&raw mut asked, 1, milliseconds) > 0 }
}
