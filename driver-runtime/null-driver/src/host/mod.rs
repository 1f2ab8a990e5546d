//! The system below.

use core::ops::DerefMut;
use core::sync::atomic::{AtomicU64, Ordering};

use driver_runtime::sync::Primitive;
use loader_core::platform::Lock;

#[cfg(target_os = "fuchsia")]
mod fuchsia;
#[cfg(not(target_os = "fuchsia"))]
mod hosted;

#[cfg(target_os = "fuchsia")]
pub(crate) use fuchsia::{System, complain, file, finish, hold, variable};
#[cfg(not(target_os = "fuchsia"))]
pub(crate) use hosted::{System, complain, file, finish, hold, variable};

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

/// A synchronisation object: a number.
pub struct Value(AtomicU64);

impl Value {
    pub(crate) fn new(initial: u64) -> Self {
        Self(initial.into())
    }
}

impl Primitive for Value {
    fn value(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
    // Rust 1.95 compiles a loop over signals around this store wrongly for 32-bit Arm, if it is optimised for size: the pointer into
    // the list of 16 bytes each advances by 12 (`ldm r0!, {r2, r3, r6}`). `cargo xtask test-arches armv7` runs such a submission.
    #[cfg_attr(target_arch = "arm", inline(never))]
    fn signal(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }
    fn reset(&self) {
        self.0.store(0, Ordering::Release);
    }
}
