//! The system below.

use core::ops::DerefMut;
use core::sync::atomic::{AtomicU32, Ordering};
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_core::platform::Lock;
#[cfg(target_os = "linux")]
use vkload_driver_runtime::sync_object::HandleKind;
use vkload_driver_runtime::sync_object::{Handle, SyncObject};
use vkload_driver_runtime::{Host, Waiting};

#[cfg(not(target_os = "linux"))]
mod alone;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "fuchsia")))]
mod bare;
#[cfg(target_os = "fuchsia")]
mod fuchsia;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod hosted;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod no_files;

#[cfg(not(target_os = "linux"))]
pub(crate) use alone::{SharedMemory, close};
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "fuchsia")))]
pub(crate) use bare::{System, complain, variable};
#[cfg(target_os = "fuchsia")]
pub(crate) use fuchsia::{System, complain, variable};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use hosted::{System, append, complain, file, finish, hold, variable};
#[cfg(target_os = "linux")]
pub(crate) use linux::{SharedMemory, close};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) use no_files::{append, file, finish, hold};

/// A value that threads take turns with, for a few instructions each.
pub(crate) struct Shared<T>(Lock<T>);

impl<T> Shared<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Lock::new(value))
    }

    pub(crate) fn lock(&self) -> impl DerefMut<Target = T> + '_ {
        self.0.lock(&System)
    }
}

pub(crate) fn pause(milliseconds: u32) {
    if milliseconds == 0 {
        return;
    }
    let nobody_wakes = AtomicU32::new(0);
    let deadline = System.now().saturating_add(u64::from(milliseconds).saturating_mul(1_000_000));
    while System.now() < deadline {
        System.sleep_until(&nobody_wakes, 0, deadline);
    }
}

/// A synchronisation object: a number, or a handle for an object of another process.
pub struct Value(ValueSource);

enum ValueSource {
    Here(AtomicU64),
    #[cfg(target_os = "linux")]
    Shared(linux::SharedNumber),
    /// It is never reset: it is used once.
    #[cfg(target_os = "linux")]
    Fence(linux::SyncFile),
}

impl Value {
    pub(crate) fn new(initial: u64) -> Self {
        Self(ValueSource::Here(initial.into()))
    }

    /// Waits until it is signalled, if that is up to others.
    pub(crate) fn wait(&self) {
        if matches!(self.0, ValueSource::Here(_)) {
            return;
        }
        let mut turn = 0u32;
        while self.value() == 0 {
            System.wait(turn);
            turn = turn.saturating_add(1);
        }
    }
}

#[cfg(target_os = "linux")]
impl Value {
    /// Returns a number that can be shared with other processes.
    pub(crate) fn shared(initial: u64) -> Option<Self> {
        linux::SharedNumber::new(initial).map(|number| Self(ValueSource::Shared(number)))
    }

    /// Imports the object behind a handle. On success the value owns the handle.
    pub(crate) fn import(handle: Handle) -> Option<Self> {
        Some(Self(match handle.kind() {
            HandleKind::OpaqueFd => ValueSource::Shared(linux::SharedNumber::import(handle.fd())?),
            HandleKind::SyncFd if linux::is_open(handle.fd()) => {
                // SAFETY: the descriptor is open, and the caller gives it away.
                ValueSource::Fence(unsafe { linux::SyncFile::new(handle.fd()) })
            }
            _ => return None,
        }))
    }

    /// Returns a handle to a number that is shared.
    pub(crate) fn export(&self) -> Option<i32> {
        match &self.0 {
            ValueSource::Shared(number) => number.export(),
            _ => None,
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Value {
    pub(crate) fn shared(_: u64) -> Option<Self> {
        None
    }

    pub(crate) fn import(_: Handle) -> Option<Self> {
        None
    }

    pub(crate) fn export(&self) -> Option<i32> {
        None
    }
}

impl SyncObject for Value {
    fn value(&self) -> u64 {
        match &self.0 {
            ValueSource::Here(number) => number.load(Ordering::Acquire),
            #[cfg(target_os = "linux")]
            ValueSource::Shared(number) => number.get().load(Ordering::Acquire),
            #[cfg(target_os = "linux")]
            ValueSource::Fence(file) => file.is_signalled().into(),
        }
    }
    // Rust 1.95 compiles a loop over signals around this store wrongly for 32-bit Arm, if it is optimised for size: the pointer into
    // the list of 16 bytes each advances by 12 (`ldm r0!, {r2, r3, r6}`). `tests/run.sh arches armv7` runs such a submission.
    #[cfg_attr(target_arch = "arm", inline(never))]
    fn signal(&self, value: u64) {
        self.set(value);
    }
    fn reset(&self) {
        self.set(0);
    }
}

impl Value {
    fn set(&self, value: u64) {
        match &self.0 {
            ValueSource::Here(number) => number.store(value, Ordering::Release),
            #[cfg(target_os = "linux")]
            ValueSource::Shared(number) => number.get().store(value, Ordering::Release),
            #[cfg(target_os = "linux")]
            ValueSource::Fence(_) => {}
        }
    }
}
