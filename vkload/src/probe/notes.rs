//! The messages of the process that runs the trial to the one that watches it: lines in shared memory.
//!
//! A library may close every descriptor, fork, or crash at any moment. Lines in this memory survive that, and a signal handler can write
//! there.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt as _;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use crate::lossless;

/// More than all lines of one trial need.
const SIZE: usize = 1 << 20;
/// The memory begins with how much of the rest is taken.
const HEADER: usize = size_of::<AtomicUsize>();
const ROOM: usize = SIZE - HEADER;

/// The descriptor on which a child finds the memory.
pub(super) const DESCRIPTOR: RawFd = 100;
/// What only the parent's file is: in memory, and of a fixed size.
const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// The memory that this process writes to. Null in a process that runs no trial.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// The process that may write: copies of it that a library makes may not.
static WRITER: AtomicI32 = AtomicI32::new(0);

/// The memory as the watching process has it.
pub(super) struct Notes(File);

impl Notes {
    /// Returns memory for a child of this process that is to try `subject`, a line of text.
    pub(super) fn new(subject: &str) -> io::Result<Self> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name is a string.
        let descriptor = unsafe { libc::memfd_create(c"vkload".as_ptr(), flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made it for this process.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(SIZE as u64)?;
        let line = format!("{} {subject}\n", std::process::id());
        file.write_all_at(&line.len().to_ne_bytes(), 0)?;
        file.write_all_at(line.as_bytes(), HEADER as u64)?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, SEALS) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self(file))
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Returns the subject for which the parent of this process made the memory. `None` if another process made it.
    fn subject(&self) -> Option<String> {
        let text = self.text();
        let (parent, subject) = text.lines().next()?.split_once(' ')?;
        // SAFETY: the call only answers.
        let is_parent = parent.parse() == Ok(unsafe { libc::getppid() });
        (is_parent && self.0.metadata().ok()?.len() == SIZE as u64).then(|| subject.to_owned())
    }

    /// Returns the text written until now. The subject is in its first line.
    pub(super) fn text(&self) -> String {
        let mut header = [0; HEADER];
        if self.0.read_exact_at(&mut header, 0).is_err() {
            return String::new();
        }
        let mut bytes = vec![0; usize::from_ne_bytes(header).min(ROOM)];
        let read = self.0.read_at(&mut bytes, HEADER as u64).unwrap_or(0);
        bytes.truncate(read);
        lossless::text(&bytes)
    }
}

/// Makes the memory that the parent left on [`DESCRIPTOR`] the place where this process writes, closes the descriptor, and returns the subject.
/// Otherwise does nothing.
pub(super) fn open() -> Option<String> {
    // SAFETY: the call only answers, even for a number that is not open.
    if unsafe { libc::fcntl(DESCRIPTOR, libc::F_GET_SEALS) } != SEALS {
        return None;
    }
    // SAFETY: the descriptor is open. It is not closed before the subject shows that the parent passed it on.
    let notes = ManuallyDrop::new(Notes(File::from(unsafe { OwnedFd::from_raw_fd(DESCRIPTOR) })));
    let subject = notes.subject()?;
    let Notes(file) = ManuallyDrop::into_inner(notes);
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping, which stays for as long as the process lives.
    let memory = unsafe { libc::mmap(null_mut(), SIZE, protection, flags, file.as_raw_fd(), 0) };
    if memory == libc::MAP_FAILED {
        return None;
    }
    MEMORY.store(memory.cast(), Ordering::Release);
    become_writer();
    Some(subject)
}

/// Makes this copy of the process the one that tries.
pub(super) fn become_writer() {
    // SAFETY: the call only answers.
    WRITER.store(unsafe { libc::getpid() }, Ordering::Release);
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
