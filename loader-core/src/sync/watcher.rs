//! Tools that watch threads, such as ThreadSanitizer and Helgrind.
//!
//! They learn the order of threads from the functions that they intercept, such as `pthread_mutex_lock`. They
//! cannot see an order that comes from an atomic word of this library. For such a tool, the platform calls
//! [`watch`], and every word that orders threads is reported to the tool: before a thread writes it for
//! others, and after a thread has read a word that others wrote.

use core::ffi::c_void;
use core::ptr::{from_ref, null_mut};

use super::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The functions that report to a tool that watches the threads of this process. Any thread may call them
/// with any address.
#[derive(Debug)]
#[repr(C)]
pub struct Watcher {
    /// Reports that the calling thread has acquired the word at this address: everything that threads did
    /// before they released it has happened.
    pub acquired: unsafe extern "C" fn(*const c_void),
    /// Reports that the calling thread releases the word at this address: everything it has done happens
    /// before the actions of a thread that acquires the word.
    pub releases: unsafe extern "C" fn(*const c_void),
}

static WATCHER: AtomicPtr<Watcher> = AtomicPtr::new(null_mut());

/// Reports to `watcher` from now on. Must be called before a second thread uses the library.
pub fn watch(watcher: &'static Watcher) {
    WATCHER.store(from_ref(watcher).cast_mut(), Ordering::Relaxed);
}

/// Frees a lock whose holder is in `word`. Not inlined, as the loader has many locks.
#[inline(never)]
pub(super) fn free(word: &AtomicUsize) {
    if is_watched() {
        return free_watched(word);
    }
    word.store(0, Ordering::Release);
}

/// Reports that a thread has taken the lock whose holder is in `word`.
#[inline]
pub(super) fn taken(word: &AtomicUsize) {
    if is_watched() {
        acquired(word);
    }
}

/// Adds to a count that is released. Returns the previous count. Not inlined, as the loader has many counts.
#[inline(never)]
pub(crate) fn add(count: &AtomicUsize, more: usize) -> usize {
    if is_watched() {
        return add_watched(count, more);
    }
    count.fetch_add(more, Ordering::Release)
}

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
