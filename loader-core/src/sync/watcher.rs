//! Tools that watch threads, such as ThreadSanitizer and Helgrind.
//!
//! They learn in which order threads do things from the functions that they intercept, such as
//! `pthread_mutex_lock`. They cannot see an order that comes from an atomic word of this library. If such a
//! tool is there, the platform says so with [`watch`], and every word that orders threads is reported to it:
//! before a thread writes it for others, and after a thread has read what others wrote.

use core::ffi::c_void;
use core::ptr::{from_ref, null_mut};

use super::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// What a tool that watches the threads of this process is to be told. Any thread may call the functions with
/// any address.
#[derive(Debug)]
#[repr(C)]
pub struct Watcher {
    /// What threads did before they released the word at this address has happened.
    pub acquired: unsafe extern "C" fn(*const c_void),
    /// What this thread has done happens before what a thread does that acquires the word at this address.
    pub releases: unsafe extern "C" fn(*const c_void),
}

static WATCHER: AtomicPtr<Watcher> = AtomicPtr::new(null_mut());

/// Reports to `watcher` from now on. Must be called before a second thread uses the library.
pub fn watch(watcher: &'static Watcher) {
    WATCHER.store(from_ref(watcher).cast_mut(), Ordering::Relaxed);
}

/// Frees a lock whose holder is in `word`. Once in the library, as there are many locks.
#[inline(never)]
pub(super) fn free(word: &AtomicUsize) {
    if is_watched() {
        return free_watched(word);
    }
    word.store(0, Ordering::Release);
}

/// Must be called when a thread has taken the lock whose holder is in `word`.
#[inline]
pub(super) fn taken(word: &AtomicUsize) {
    if is_watched() {
        acquired(word);
    }
}

/// Adds to a count that is released. Returns the count before. Once in the library, as there are many counts.
#[inline(never)]
pub(crate) fn add(count: &AtomicUsize, more: usize) -> usize {
    if is_watched() {
        return add_watched(count, more);
    }
    count.fetch_add(more, Ordering::Release)
}

/// Reads a count. What threads did before they added to it has happened.
#[inline(never)]
pub(crate) fn read(count: &AtomicUsize) -> usize {
    let now = count.load(Ordering::Acquire);
    if is_watched() {
        acquired(count);
    }
    now
}

#[cold]
#[inline(never)]
fn free_watched(word: &AtomicUsize) {
    releases(word);
    // Helgrind takes a plain write for a race with the threads that are waiting.
    word.swap(0, Ordering::Release);
}

#[cold]
#[inline(never)]
fn add_watched(count: &AtomicUsize, more: usize) -> usize {
    releases(count);
    count.fetch_add(more, Ordering::Release)
}

/// Reports that this thread is about to write `word`, which another thread may acquire.
fn releases(word: &AtomicUsize) {
    if let Some(watcher) = watcher() {
        // SAFETY: `Watcher` takes any address.
        unsafe { (watcher.releases)(from_ref(word).cast()) };
    }
}

/// Reports that this thread has read what another thread released.
#[cold]
#[inline(never)]
fn acquired(word: &AtomicUsize) {
    if let Some(watcher) = watcher() {
        // SAFETY: `Watcher` takes any address.
        unsafe { (watcher.acquired)(from_ref(word).cast()) };
    }
}

fn is_watched() -> bool {
    !WATCHER.load(Ordering::Relaxed).is_null()
}

fn watcher() -> Option<&'static Watcher> {
    // SAFETY: only `watch` stores here, and it stores references to statics.
    unsafe { WATCHER.load(Ordering::Relaxed).as_ref() }
}
