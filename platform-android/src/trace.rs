//! Slices of a system trace: the loader's steps, and how long they take, for people who look at a
//! recording of the whole system (Perfetto, atrace).
//!
//! They have the names that Android's own loader gives them, without `vk`, since recordings are
//! searched by name. If nothing is recorded, a slice costs two relaxed loads and a branch. Buffers
//! that are taken out and put back have slices of the window's (`dequeueBuffer`, `queueBuffer`).

use core::ffi::CStr;
use core::ptr::from_ref;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::host;
use crate::system::{GRAPHICS, System};

static NOTHING: AtomicU32 = AtomicU32::new(0);

/// The word in the system's memory that shows what is being recorded.
static RECORDED: AtomicPtr<AtomicU32> = AtomicPtr::new(from_ref(&NOTHING).cast_mut());

/// A slice, which ends when this is dropped.
#[must_use]
pub struct Slice {
    is_recorded: bool,
}

pub fn find(system: &dyn System) {
    let tags = system.recorded_tags().unwrap_or(&NOTHING);
    RECORDED.store(from_ref(tags).cast_mut(), Ordering::Relaxed);
}

#[inline]
pub fn slice(name: &'static CStr) -> Slice {
    // SAFETY: the pointer comes from a reference to a word that lives as long as the process.
    let recorded = unsafe { &*RECORDED.load(Ordering::Relaxed) }.load(Ordering::Relaxed);
    Slice { is_recorded: recorded & GRAPHICS != 0 && begin(name) }
}

#[cold]
#[inline(never)]
fn begin(name: &'static CStr) -> bool {
    host::current().is_some_and(|host| host.system.begin_slice(name))
}

#[cold]
#[inline(never)]
fn end() {
    if let Some(host) = host::current() {
        host.system.end_slice();
    }
}

impl Drop for Slice {
    #[inline]
    fn drop(&mut self) {
        if self.is_recorded {
            end();
        }
    }
}
