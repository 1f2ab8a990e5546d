//! The objects that Linux processes can share: memory in unnamed files, and descriptors that become readable.

extern crate std;

use core::ffi::c_int;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicU64, Ordering};
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

/// Memory that other processes can map, zero at first.
pub(crate) struct SharedMemory {
    file: OwnedFd,
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the memory is bytes; the specification makes applications order their accesses.
unsafe impl Send for SharedMemory {}
// SAFETY: as above.
unsafe impl Sync for SharedMemory {}

/// The file cannot shrink, so no access to a mapping of it fails.
const SEALS: c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

impl SharedMemory {
    pub(crate) fn new(size: usize) -> Option<Self> {
        // SAFETY: the name is a C string.
        let file = unsafe {
            libc::memfd_create(c"vkload null driver".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)
        };
        if file < 0 {
            return None;
        }
        // SAFETY: the descriptor is new and has no other owner.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(size as u64).ok()?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } < 0 {
            return None;
        }
        Self::map(file.into(), size)
    }

    /// Maps the first `size` bytes of memory behind a handle from [`SharedMemory::export`]. The caller keeps the
    /// descriptor.
    pub(crate) fn import(handle: RawFd, size: usize) -> Option<Self> {
        if handle < 0 || size == 0 {
            return None;
        }
        // SAFETY: the call accepts any number. Only memory files have seals, and only this driver's files have all of
        // these.
        let seals = unsafe { libc::fcntl(handle, libc::F_GET_SEALS) };
        if seals < 0 || seals & SEALS != SEALS {
            return None;
        }
        // SAFETY: the descriptor is open, as the seals show, and the caller keeps it so.
        let file = File::from(unsafe { BorrowedFd::borrow_raw(handle) }.try_clone_to_owned().ok()?);
        if file.metadata().ok()?.len() < size as u64 {
            return None;
        }
        Self::map(file.into(), size)
    }

    /// Returns a descriptor that the caller owns.
    pub(crate) fn export(&self) -> Option<RawFd> {
        self.file.try_clone().ok().map(IntoRawFd::into_raw_fd)
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    fn map(file: OwnedFd, size: usize) -> Option<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the file is large enough, and a mapping at an address of the system's choice affects no other code.
        let start = unsafe { libc::mmap(null_mut(), size, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self { file, start: NonNull::new(start.cast())?, size })
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: this value made the mapping, which is no longer in use.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.size) };
    }
}

/// A number that processes share.
pub(crate) struct SharedNumber(SharedMemory);

impl SharedNumber {
    pub(crate) fn new(initial: u64) -> Option<Self> {
        let number = Self(SharedMemory::new(size_of::<AtomicU64>())?);
        number.get().store(initial, Ordering::Release);
        Some(number)
    }

    /// Imports a handle from [`SharedNumber::export`]. On success the value owns the descriptor, otherwise the caller
    /// keeps it.
    pub(crate) fn import(handle: RawFd) -> Option<Self> {
        let number = SharedMemory::import(handle, size_of::<AtomicU64>()).map(Self)?;
        // SAFETY: the caller gives the descriptor away.
        unsafe { close(handle) };
        Some(number)
    }

    pub(crate) fn export(&self) -> Option<RawFd> {
        self.0.export()
    }

    pub(crate) fn get(&self) -> &AtomicU64 {
        // SAFETY: mappings begin at pages, this one is as large as a number, and all processes use it atomically.
        unsafe { self.0.start().cast().as_ref() }
    }
}

/// A fence of the kernel, or whatever else becomes readable once: a sync file.
pub(crate) struct SyncFile(OwnedFd);

impl SyncFile {
    /// Takes the descriptor, which is open.
    ///
    /// # Safety
    /// The descriptor belongs to the caller.
    pub(crate) unsafe fn new(handle: RawFd) -> Self {
        // SAFETY: the caller vouches for the descriptor.
        Self(unsafe { OwnedFd::from_raw_fd(handle) })
    }

    pub(crate) fn is_signalled(&self) -> bool {
        let mut asked = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid structure is passed.
        unsafe { libc::poll(&mut asked, 1, 0) > 0 }
    }
}

/// Returns whether the descriptor can be waited for.
pub(crate) fn is_open(handle: RawFd) -> bool {
    // SAFETY: the call accepts any number.
    handle >= 0 && unsafe { libc::fcntl(handle, libc::F_GETFD) } >= 0
}

/// Closes a descriptor.
///
/// # Safety
/// It is open and the caller's.
pub(crate) unsafe fn close(handle: RawFd) {
    // SAFETY: the caller vouches for the descriptor.
    drop(unsafe { OwnedFd::from_raw_fd(handle) });
}
