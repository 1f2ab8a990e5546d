//! The messages of the process that runs the trial to the one that watches it: lines in shared memory.
//!
//! A library may close every descriptor, fork, or crash at any moment. Lines in this memory survive that, and a signal handler can write
//! there.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt as _;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

/// More than all lines of one trial need.
const SIZE: usize = 1 << 20;
/// The memory begins with how much of the rest is taken.
const HEADER: usize = size_of::<AtomicUsize>();
const ROOM: usize = SIZE - HEADER;

/// The memory that this process writes to. Null in a process that runs no trial.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// The process that may write: copies of it that a library makes may not.
static WRITER: AtomicI32 = AtomicI32::new(0);

/// The memory as the watching process has it.
pub(super) struct Notes(File);

impl Notes {
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: the name is a string.
        let descriptor = unsafe { libc::memfd_create(c"vkload".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made it for this process.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(SIZE as u64)?;
        Ok(Self(file))
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Returns the text written until now.
    pub(super) fn text(&self) -> String {
        let mut header = [0; HEADER];
        if self.0.read_exact_at(&mut header, 0).is_err() {
            return String::new();
        }
        let mut bytes = vec![0; usize::from_ne_bytes(header).min(ROOM)];
        let read = self.0.read_at(&mut bytes, HEADER as u64).unwrap_or(0);
        bytes.truncate(read);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Makes the memory behind `descriptor` the place where this process writes, and closes the descriptor.
pub(super) fn open(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: the parent passed the descriptor on, and no other code uses it.
    let file = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping, which stays for as long as the process lives.
    let memory = unsafe { libc::mmap(null_mut(), SIZE, protection, flags, file.as_raw_fd(), 0) };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    MEMORY.store(memory.cast(), Ordering::Release);
    // SAFETY: the call only answers.
    WRITER.store(unsafe { libc::getpid() }, Ordering::Release);
    Ok(())
}

/// Returns whether this is the process that tries, and not a copy of it that a library has made.
pub(super) fn is_writer() -> bool {
    // SAFETY: the call only answers, also in a signal handler.
    WRITER.load(Ordering::Acquire) == unsafe { libc::getpid() }
}

/// Writes these parts as a line. Does nothing if the memory is full. Allocates nothing, so signal handlers may call it.
pub(super) fn write(parts: &[&[u8]]) {
    let memory = MEMORY.load(Ordering::Acquire);
    if memory.is_null() || !is_writer() {
        return;
    }
    let length = parts.iter().map(|part| part.len()).sum::<usize>() + 2;
    // SAFETY: the mapping begins with this number, is aligned to a page, and stays.
    let taken = unsafe { &*memory.cast::<AtomicUsize>() };
    let start = taken.fetch_add(length, Ordering::AcqRel);
    if start.saturating_add(length) > ROOM {
        return;
    }
    let mut at = HEADER + start;
    for part in [&b"\n"[..]].iter().chain(parts).chain(&[&b"\n"[..]]) {
        // SAFETY: the range lies within the mapping, as was checked, and no other code writes to it.
        unsafe { memory.add(at).copy_from_nonoverlapping(part.as_ptr(), part.len()) };
        at += part.len();
    }
}
