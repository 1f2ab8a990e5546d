//! The counters of one thread.

use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};
use std::alloc;

use vkload_layer_runtime::registry::{COMMAND_COUNT, CommandId};

use super::Record;
use super::events::Log;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: u32,
    /// Its name, up to the first NUL.
    name: [u8; 16],
}

impl Identity {
    pub(super) fn of_this_thread() -> Self {
        let mut name = [0; 16];
        // SAFETY: the second parameter leads to 16 bytes, the size that the kernel writes.
        let id = unsafe {
            libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
            libc::syscall(libc::SYS_gettid)
        };
        Self { id: id as u32, name }
    }

    #[cfg(test)]
    pub(crate) fn named(id: u32, text: &str) -> Self {
        let mut name = [0; 16];
        name[..text.len()].copy_from_slice(text.as_bytes());
        Self { id, name }
    }

    /// Returns its name at the time of its first call.
    pub(crate) fn name(&self) -> String {
        let text = self.name.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) calls: u64,
    /// Nanoseconds of all calls.
    pub(crate) time: u64,
    /// Nanoseconds of the longest.
    pub(crate) longest: u64,
    pub(crate) bytes: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.time = self.time.saturating_add(other.time);
        self.longest = self.longest.max(other.longest);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// The counters of a command. One thread writes them.
struct Counters {
    calls: AtomicU64,
    time: AtomicU64,
    longest: AtomicU64,
    bytes: AtomicU64,
}

pub(super) struct Thread {
    who: Identity,
    pub(super) log: Log,
    commands: [Counters; COMMAND_COUNT],
}

impl Thread {
    /// Adds a call, if this is the thread that they belong to.
    #[inline]
    pub(super) fn add(&self, command: CommandId, start: u64, end: u64, bytes: u64) {
        let Some(counters) = self.commands.get(command.index()) else { return };
        let time = end.saturating_sub(start);
        increase(&counters.calls, 1);
        increase(&counters.time, time);
        if time > counters.longest.load(Ordering::Relaxed) {
            counters.longest.store(time, Ordering::Relaxed);
        }
        if bytes != 0 {
            increase(&counters.bytes, bytes);
        }
        self.log.add(command, start, time);
    }

    /// Returns a copy of the counters, or `None` if memory is short.
    pub(super) fn record(&self) -> Option<Record> {
        let mut commands = Vec::new();
        for (command, counters) in CommandId::all().zip(&self.commands) {
            let sums = Sums {
                calls: counters.calls.load(Ordering::Relaxed),
                time: counters.time.load(Ordering::Relaxed),
                longest: counters.longest.load(Ordering::Relaxed),
                bytes: counters.bytes.load(Ordering::Relaxed),
            };
            if sums.calls != 0 {
                commands.try_reserve(1).ok()?;
                commands.push((command, sums));
            }
        }
        Some(Record { who: self.who, commands, log: self.log.clone() })
    }
}

/// Not an atomic addition: only the thread that the counter belongs to writes it.
#[inline]
fn increase(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

/// Counters in memory of their own, at an address that does not change.
pub(super) struct Owned(NonNull<Thread>);

// SAFETY: everything in the counters may be read by any thread; only the thread that they belong to calls `add`.
unsafe impl Send for Owned {}

impl Owned {
    /// Returns counters at zero, with capacity for this number of events.
    pub(super) fn new(who: Identity, events: usize) -> Option<Self> {
        // SAFETY: the type has a size. Zeros are what counters begin with, and the other members are written before anybody
        // reads them.
        unsafe {
            let memory = NonNull::new(alloc::alloc_zeroed(Layout::new::<Thread>()).cast::<Thread>())?;
            (&raw mut (*memory.as_ptr()).who).write(who);
            (&raw mut (*memory.as_ptr()).log).write(Log::new(events));
            Some(Self(memory))
        }
    }
}

impl Deref for Owned {
    type Target = Thread;

    fn deref(&self) -> &Thread {
        // SAFETY: the memory is this object's, and initialised.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: this object owns the memory, which was allocated with this layout, and no references into it exist.
        unsafe {
            self.0.as_ptr().drop_in_place();
            alloc::dealloc(self.0.as_ptr().cast(), Layout::new::<Thread>());
        }
    }
}
