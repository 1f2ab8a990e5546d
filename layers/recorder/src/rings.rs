//! Each thread's last calls. One thread writes a ring, and any other may read it meanwhile.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use ash::vk;
use vkload_layer_runtime::registry::CommandId;

use crate::settings::Settings;

/// Bytes for the handler of a signal, and for the program's own, which it calls.
const STACK: usize = 64 << 10;

/// The parameters that an entry keeps. Only three commands of the registry have more.
pub(crate) const PARAMETERS: usize = 11;

#[derive(Default)]
pub(crate) struct Entry {
    command: AtomicU16,
    state: AtomicU16,
    result: AtomicU32,
    /// Nanoseconds of the clock that does not go back.
    start: AtomicU64,
    parameters: [AtomicU64; PARAMETERS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The parameters are not known yet.
    Begun,
    Running,
    Returned,
    ReturnedWith(vk::Result),
}

const BEGUN: u16 = 0;
const RUNNING: u16 = 1;
const RETURNED: u16 = 2;
const WITH_RESULT: u16 = 3;

#[derive(Default)]
pub(crate) struct Ring {
    /// 0 if no thread has the ring.
    thread: AtomicU32,
    /// The thread's name, padded with zeros.
    name: [AtomicU64; 2],
    /// How many calls the thread has begun.
    count: AtomicU64,
    /// Where the thread's signal handlers run if it brings no stack for them, which most threads of C programs do not.
    stack: AtomicPtr<c_void>,
    /// A power of two, so that an index needs no division.
    entries: Box<[Entry]>,
}

/// The rings of all threads, which are never freed.
static RINGS: AtomicPtr<Vec<Ring>> = AtomicPtr::new(core::ptr::null_mut());
/// The rings that have had a thread.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Threads without a ring.
static WITHOUT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The ring of this thread; NULL before its first call.
    static OWN: Cell<*const Ring> = const { Cell::new(null()) };
    /// Whether every ring was another thread's.
    static IS_WITHOUT: Cell<bool> = const { Cell::new(false) };
}

/// Allocates all rings, once. Returns whether this was the first time, and memory sufficed.
pub(crate) fn allocate(settings: &Settings) -> bool {
    if !RINGS.load(Ordering::Acquire).is_null() {
        return false;
    }
    let mut rings = Vec::new();
    if rings.try_reserve_exact(settings.threads).is_err() {
        return false;
    }
    for _ in 0..settings.threads {
        let mut entries = Vec::new();
        let calls = settings.calls.next_power_of_two();
        if entries.try_reserve_exact(calls).is_err() {
            return false;
        }
        entries.resize_with(calls, Entry::default);
        rings.push(Ring { entries: entries.into_boxed_slice(), ..Ring::default() });
    }
    let rings = Box::into_raw(Box::new(rings));
    let nothing = core::ptr::null_mut();
    let published = RINGS.compare_exchange(nothing, rings, Ordering::AcqRel, Ordering::Acquire);
    if published.is_err() {
        // SAFETY: it is not published, so this is the only pointer.
        drop(unsafe { Box::from_raw(rings) });
    }
    published.is_ok()
}

/// Returns the rings that have had a thread.
pub(crate) fn all() -> &'static [Ring] {
    // SAFETY: rings that were published are never freed.
    let rings = unsafe { RINGS.load(Ordering::Acquire).as_ref() };
    let used = USED.load(Ordering::Acquire);
    rings.and_then(|rings| rings.get(..used.min(rings.len()))).unwrap_or_default()
}

/// Returns the number of threads without a ring.
pub(crate) fn without() -> u64 {
    WITHOUT.load(Ordering::Relaxed)
}

/// Writes the beginning of a call to the thread's ring. [`Entry::called_with`] has to follow.
#[inline(never)]
pub(crate) fn begin(command: CommandId) -> Option<&'static Entry> {
    let start = now();
    let mut own = OWN.get();
    if own.is_null() {
        own = claim();
    }
    // SAFETY: rings are never freed.
    let ring = unsafe { own.as_ref()? };
    // Only this thread writes.
    let count = ring.count.load(Ordering::Relaxed);
    let entry = ring.entries.get(count as usize & ring.entries.len().wrapping_sub(1))?;
    entry.state.store(BEGUN, Ordering::Relaxed);
    entry.command.store(command.index() as u16, Ordering::Relaxed);
    entry.start.store(start, Ordering::Relaxed);
    ring.count.store(count.wrapping_add(1), Ordering::Release);
    Some(entry)
}

/// Gives the thread a ring: an unused one, or an ended thread's. NULL if all are in use.
#[cold]
fn claim() -> *const Ring {
    if IS_WITHOUT.get() {
        return null();
    }
    // SAFETY: rings that were published are never freed.
    let Some(rings) = (unsafe { RINGS.load(Ordering::Acquire).as_ref() }) else { return null() };
    let thread = own_id();
    let unused = USED.fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
        (used < rings.len()).then(|| used.saturating_add(1))
    });
    let ring = match unused {
        Ok(next) => rings.get(next),
        Err(_) => rings.iter().find(|ring| ring.is_taken_over_by(thread)),
    };
    let Some(ring) = ring else {
        WITHOUT.fetch_add(1, Ordering::Relaxed);
        IS_WITHOUT.set(true);
        return null();
    };
    let mut name = [0_u8; 16];
    // SAFETY: the second parameter leads to 16 bytes, the size that the kernel writes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    for (slot, part) in ring.name.iter().zip(name.as_chunks::<8>().0) {
        slot.store(u64::from_ne_bytes(*part), Ordering::Relaxed);
    }
    ring.count.store(0, Ordering::Relaxed);
    ring.thread.store(thread, Ordering::Release);
    ring.provide_stack();
    OWN.set(ring);
    ring
}

/// Returns this thread's number in its system.
pub(crate) fn own_id() -> u32 {
    // SAFETY: has no preconditions.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Returns nanoseconds of the clock that does not go back.
#[inline]
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer leads to a structure of this type.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

impl Ring {
    /// Takes the ring from a thread that has ended. Returns whether that succeeded.
    fn is_taken_over_by(&self, thread: u32) -> bool {
        let other = self.thread.load(Ordering::Relaxed);
        // SAFETY: signal 0 only asks whether the thread exists.
        let is_running = unsafe {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), other, 0) == 0
                || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
        };
        let exchanged = || self.thread.compare_exchange(other, thread, Ordering::AcqRel, Ordering::Relaxed);
        !is_running && exchanged().is_ok()
    }

    /// Gives this thread a stack for signal handlers unless it has one, so that a handler can run after a stack overflow.
    fn provide_stack(&self) {
        // SAFETY: zeros are a valid structure, and the pointers are to local variables. New memory is this ring's, and the thread that had the
        // ring before has ended.
        unsafe {
            let mut stack: libc::stack_t = core::mem::zeroed();
            if libc::sigaltstack(null(), &raw mut stack) != 0 || stack.ss_flags & libc::SS_DISABLE == 0 {
                return;
            }
            let mut memory = self.stack.load(Ordering::Relaxed);
            if memory.is_null() {
                let (access, flags) =
                    (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                memory = libc::mmap(null_mut(), STACK, access, flags, -1, 0);
                if memory == libc::MAP_FAILED {
                    return;
                }
                self.stack.store(memory, Ordering::Relaxed);
            }
            stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: STACK };
            libc::sigaltstack(&raw const stack, null_mut());
        }
    }

    pub(crate) fn thread(&self) -> u32 {
        self.thread.load(Ordering::Acquire)
    }

    /// Returns the thread's name, padded with zeros.
    pub(crate) fn name(&self) -> [u8; 16] {
        let mut name = [0; 16];
        for (part, slot) in name.as_chunks_mut::<8>().0.iter_mut().zip(&self.name) {
            *part = slot.load(Ordering::Relaxed).to_ne_bytes();
        }
        name
    }

    /// Returns how many calls the thread has begun.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Returns the calls that are kept, the oldest first.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Entry> {
        let (count, length) = (self.count(), self.entries.len() as u64);
        (count.saturating_sub(length)..count)
            .filter_map(move |call| self.entries.get(call.checked_rem(length)? as usize))
    }
}

impl Entry {
    #[inline]
    pub(crate) fn called_with(&self, parameters: &[u64]) {
        for (slot, parameter) in self.parameters.iter().zip(parameters) {
            slot.store(*parameter, Ordering::Relaxed);
        }
        self.state.store(RUNNING, Ordering::Release);
    }

    /// Writes that the call has returned, without a result.
    #[inline]
    pub(crate) fn returned(&self) {
        self.state.store(RETURNED, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn returned_with(&self, result: vk::Result) {
        self.result.store(result.as_raw().cast_unsigned(), Ordering::Relaxed);
        self.state.store(WITH_RESULT, Ordering::Relaxed);
    }

    pub(crate) fn command(&self) -> CommandId {
        CommandId::new(self.command.load(Ordering::Relaxed))
    }

    pub(crate) fn start(&self) -> u64 {
        self.start.load(Ordering::Relaxed)
    }

    pub(crate) fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            BEGUN => State::Begun,
            RUNNING => State::Running,
            WITH_RESULT => {
                let result = self.result.load(Ordering::Relaxed).cast_signed();
                State::ReturnedWith(vk::Result::from_raw(result))
            }
            _ => State::Returned,
        }
    }

    pub(crate) fn parameters(&self) -> impl Iterator<Item = u64> {
        self.parameters.iter().map(|parameter| parameter.load(Ordering::Relaxed))
    }
}
