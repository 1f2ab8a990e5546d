//! Linux and Android as a driver's system, through libc: with or without the standard library.

#[cfg(test)]
mod tests;

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::ffi::{CStr, c_long, c_void};
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::sync::atomic::AtomicU32;

use ash::vk;
use vkload_core::memory::OutOfMemory;
use vkload_core::platform::{Pause, Waiting};

use super::{Host, NoThread, Thread, ThreadWork};
use crate::drm::{DrmDevices, scan};

/// A driver's system on Linux and Android: `fn host() -> &'static dyn Host { &Linux }`.
///
/// * A thread that waits sleeps in the kernel, by a futex, until it is woken or its deadline passes. If no thread can
///   wake it ([`Waiting::wait`]), it sleeps for longer and longer times, up to a millisecond.
/// * [`Host::now`] is `CLOCK_MONOTONIC` in nanoseconds, so its values also serve the kernel as deadlines.
/// * Threads are pthreads. They block all signals, which belong to the application.
///
/// Users have three variables. Programs with more rights than their user ignore them.
///
/// | variable | meaning |
/// |---|---|
/// | `VKLOAD_DRIVER_DRM_ROOT` | a folder whose `dev/dri` and `sys` are read instead of the system's ([`Host::drm_devices`]) |
/// | `VKLOAD_DRIVER_SUBMIT_THREAD` | `1`, `true` or `on`: every queue of the assisted mode has a thread; `0`, `false` or `off`: none has ([`Host::submit_thread`]) |
/// | `VKLOAD_DRIVER_TRACE_FILE` | a path: creating that file requests a trace; the driver deletes it ([`Host::trace_requested`]) |
#[derive(Clone, Copy, Debug, Default)]
pub struct Linux;

impl Waiting for Linux {
    fn wait(&self, turn: u32) {
        match Pause::of(turn) {
            Pause::Spin => core::hint::spin_loop(),
            Pause::Yield => {
                // SAFETY: `sched_yield` has no preconditions.
                unsafe { libc::sched_yield() };
            }
            Pause::Sleep => {
                let time = libc::timespec { tv_sec: 0, tv_nsec: nap(turn) };
                // SAFETY: a valid time; NULL declines the rest of the sleep.
                unsafe { libc::nanosleep(&raw const time, ptr::null_mut()) };
            }
        }
    }

    fn thread(&self) -> usize {
        // SAFETY: `pthread_self` has no preconditions. It is the address of the thread's descriptor.
        (unsafe { libc::pthread_self() }) as usize
    }
}

/// Returns a thread's sleep in this turn, in nanoseconds: it doubles after every eight turns, up to a millisecond.
fn nap(turn: u32) -> c_long {
    let doublings = (turn / 8).saturating_sub(4).min(5);
    (Pause::NANOSECONDS << doublings).min(1_000_000)
}

impl Host for Linux {
    fn now(&self) -> u64 {
        clock(libc::CLOCK_MONOTONIC).unwrap_or(0)
    }

    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        match domain {
            vk::TimeDomainKHR::CLOCK_MONOTONIC => clock(libc::CLOCK_MONOTONIC),
            vk::TimeDomainKHR::CLOCK_MONOTONIC_RAW => clock(libc::CLOCK_MONOTONIC_RAW),
            _ => None,
        }
    }

    fn drm_devices(&self) -> Result<DrmDevices, OutOfMemory> {
        scan(variable(c"VKLOAD_DRIVER_DRM_ROOT").unwrap_or(c"/"))
    }

    fn trace_requested(&self) -> bool {
        // SAFETY: the path is a C string. Deleting the file separates one request from the next.
        variable(c"VKLOAD_DRIVER_TRACE_FILE").is_some_and(|path| unsafe { libc::unlink(path.as_ptr()) } == 0)
    }

    fn spawn(&self, work: ThreadWork) -> Result<Thread, NoThread> {
        spawn(work)
    }

    fn sleep_until(&self, word: &AtomicU32, seen: u32, deadline: u64) {
        let deadline = KernelTime::of(deadline);
        let deadline = deadline.as_ref().map_or(ptr::null(), ptr::from_ref);
        let operation = libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG;
        let nothing = ptr::null::<u32>();
        // SAFETY: the word and the time live as long as the call. The time is one of CLOCK_MONOTONIC. Whatever ends the
        // sleep, the caller looks at the word again.
        unsafe { libc::syscall(FUTEX, word.as_ptr(), operation, seen, deadline, nothing, ANY) };
    }

    fn wake(&self, word: &AtomicU32) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: waking only takes the address of the word.
        unsafe { libc::syscall(FUTEX, word.as_ptr(), operation, i32::MAX) };
    }

    fn submit_thread(&self) -> Option<bool> {
        match variable(c"VKLOAD_DRIVER_SUBMIT_THREAD")?.to_bytes() {
            b"1" | b"true" | b"on" => Some(true),
            b"0" | b"false" | b"off" => Some(false),
            _ => None,
        }
    }
}

/// The system call by which the kernel takes [`KernelTime`].
const FUTEX: c_long = libc::SYS_futex;

const ANY: u32 = u32::MAX;

/// `struct timespec` in the form of `SYS_futex`, which is the same on every processor, whatever libc's `time_t` is.
#[repr(C)]
struct KernelTime {
    seconds: c_long,
    nanoseconds: c_long,
}

impl KernelTime {
    /// Returns the time, or `None` for `u64::MAX`, which means never.
    fn of(nanoseconds: u64) -> Option<Self> {
        let seconds = c_long::try_from(nanoseconds / 1_000_000_000).unwrap_or(c_long::MAX);
        let rest = c_long::try_from(nanoseconds % 1_000_000_000).unwrap_or(0);
        (nanoseconds != u64::MAX).then_some(Self { seconds, nanoseconds: rest })
    }
}

/// Reads a clock, in nanoseconds.
fn clock(number: libc::clockid_t) -> Option<u64> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the buffer holds a time, which is read only if it was written.
    let time = unsafe {
        if libc::clock_gettime(number, time.as_mut_ptr()) != 0 {
            return None;
        }
        time.assume_init()
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec).ok()?)
}

/// Returns the value of an environment variable, to be read at once. Returns `None` in a program with more rights
/// than its user.
fn variable(name: &CStr) -> Option<&CStr> {
    // SAFETY: reading this value has no preconditions.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return None;
    }
    // SAFETY: a C string. The value does not move until the environment changes, which a program must not do while
    // other threads read it.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: as above; `getenv` returns a C string.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
}

/// Starts a thread that blocks all signals.
fn spawn(work: ThreadWork) -> Result<Thread, NoThread> {
    let layout = Layout::new::<ThreadWork>();
    // SAFETY: the layout is not empty.
    let room = NonNull::new(unsafe { alloc(layout) }.cast::<ThreadWork>()).ok_or(NoThread)?;
    let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
    let (mut all, mut before) =
        (MaybeUninit::<libc::sigset_t>::uninit(), MaybeUninit::<libc::sigset_t>::uninit());
    // SAFETY: the memory is new and large enough, and goes to the thread if one starts. A new thread inherits the
    // signal mask of the thread that starts it, whose own mask is then restored. `run` has the type that pthreads
    // calls.
    unsafe {
        room.write(work);
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let failed = libc::pthread_create(thread.as_mut_ptr(), ptr::null(), run, room.as_ptr().cast());
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        if failed != 0 {
            dealloc(room.as_ptr().cast(), layout);
            return Err(NoThread);
        }
        Ok(Thread::new(thread.assume_init() as usize, join))
    }
}

fn join(thread: usize) {
    // SAFETY: the number is a thread that `spawn` made, whose `Thread` brings it here once.
    unsafe { libc::pthread_join(thread as libc::pthread_t, ptr::null_mut()) };
}

/// Runs a thread's work. A panic aborts the process: C frames cannot be unwound.
extern "C" fn run(work: *mut c_void) -> *mut c_void {
    // SAFETY: `spawn` wrote it there for this thread alone, in a block of this layout.
    let work = unsafe {
        let read = work.cast::<ThreadWork>().read();
        dealloc(work.cast(), Layout::new::<ThreadWork>());
        read
    };
    work.run();
    ptr::null_mut()
}
