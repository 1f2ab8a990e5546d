//! From the first word of a handle to the data of its instance or device. Reading takes no lock.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// The number of instances and devices that need no allocation.
const FIRST: usize = 64;

/// An open-addressing hash map. Entries are never moved: if the map is full, a larger one replaces it, and the old one stays for its
/// current readers; all old maps together are smaller than the newest.
pub(crate) struct Map<T> {
    /// The larger map, if one exists.
    entries: AtomicPtr<Vec<Entry<T>>>,
    first: [Entry<T>; FIRST],
    writer: Mutex<()>,
}

struct Entry<T> {
    /// NULL, or the first word of handles.
    word: AtomicPtr<c_void>,
    /// NULL if the object was destroyed; the entry can then be reused for another object.
    value: AtomicPtr<T>,
}

impl<T> Entry<T> {
    const fn new() -> Self {
        Self { word: AtomicPtr::new(null_mut()), value: AtomicPtr::new(null_mut()) }
    }
}

impl<T> Map<T> {
    pub(crate) const fn new() -> Self {
        Self {
            entries: AtomicPtr::new(null_mut()),
            first: [const { Entry::new() }; FIRST],
            writer: Mutex::new(()),
        }
    }

    /// Returns the data of handles with this first word.
    #[inline]
    pub(crate) fn find(&self, word: *const c_void) -> Option<NonNull<T>> {
        for entry in probe_all(self.entries(), word) {
            let found = entry.word.load(Ordering::Relaxed);
            if core::ptr::eq(found, word) {
                return NonNull::new(entry.value.load(Ordering::Acquire));
            }
            if found.is_null() {
                break;
            }
        }
        None
    }

    /// Adds an object. Replaces one with the same first word that was never destroyed.
    pub(crate) fn insert(&self, word: *const c_void, value: NonNull<T>) -> Result<(), vk::Result> {
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = self.entries();
        let live = entries.iter().filter(|entry| !entry.value.load(Ordering::Relaxed).is_null()).count();
        let entries = if live >= entries.len() / 2 { self.grow(entries)? } else { entries };
        put(entries, word, value.as_ptr());
        Ok(())
    }

    /// Removes an object and gives what belonged to it.
    pub(crate) fn remove(&self, word: *const c_void) -> Option<NonNull<T>> {
        let _turn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = probe(self.entries(), word).find(|entry| has(entry, word))?;
        NonNull::new(entry.value.swap(null_mut(), Ordering::Relaxed))
    }

    #[inline]
    fn entries(&self) -> &[Entry<T>] {
        // SAFETY: a map that was published is never freed.
        match unsafe { self.entries.load(Ordering::Acquire).as_ref() } {
            Some(entries) => entries,
            None => &self.first,
        }
    }

    /// Publishes a map of twice the size with the objects of this one.
    fn grow(&self, old: &[Entry<T>]) -> Result<&[Entry<T>], vk::Result> {
        let count = old.len().saturating_mul(2);
        let mut new = Vec::new();
        new.try_reserve_exact(count).map_err(|_| vk::Result::ERROR_OUT_OF_HOST_MEMORY)?;
        new.resize_with(count, Entry::new);
        for entry in old {
            let value = entry.value.load(Ordering::Relaxed);
            if !value.is_null() {
                put(&new, entry.word.load(Ordering::Relaxed), value);
            }
        }
        self.entries.store(Box::into_raw(Box::new(new)), Ordering::Release);
        Ok(self.entries())
    }
}

/// Fills the entry of this word, or else the first free one. A reader that meets the entry meanwhile is looking for another word and
/// continues, whichever word it reads.
fn put<T>(entries: &[Entry<T>], word: *const c_void, value: *mut T) {
    let own = probe(entries, word).find(|entry| has(entry, word));
    let free = || probe_all(entries, word).find(|entry| entry.value.load(Ordering::Relaxed).is_null());
    if let Some(entry) = own.or_else(free) {
        entry.word.store(word.cast_mut(), Ordering::Relaxed);
        entry.value.store(value, Ordering::Release);
    }
}

#[inline]
fn has<T>(entry: &Entry<T>, word: *const c_void) -> bool {
    core::ptr::eq(entry.word.load(Ordering::Relaxed), word)
}

/// Returns the entries that may be this word's: from its hash on up to the first that was never used.
#[inline]
fn probe<T>(entries: &[Entry<T>], word: *const c_void) -> impl Iterator<Item = &Entry<T>> {
    probe_all(entries, word).take_while(|entry| !entry.word.load(Ordering::Relaxed).is_null())
}

/// Returns all entries, from the one that the word hashes to.
#[inline]
fn probe_all<T>(entries: &[Entry<T>], word: *const c_void) -> impl Iterator<Item = &Entry<T>> {
    let start = word.addr().wrapping_mul(0x9E37_79B9) >> 12;
    let last = entries.len().wrapping_sub(1);
    (0..entries.len()).map_while(move |step| entries.get(start.wrapping_add(step) & last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: usize) -> *const c_void {
        core::ptr::without_provenance(number)
    }

    fn value(number: usize) -> NonNull<u64> {
        NonNull::new(core::ptr::without_provenance_mut(number * 64)).unwrap()
    }

    #[test]
    fn every_object_is_found_until_it_is_removed() {
        let map = Map::new();
        for number in 1..1_000 {
            map.insert(word(number * 16), value(number)).unwrap();
        }
        for number in 1..1_000 {
            assert_eq!(map.find(word(number * 16)), Some(value(number)), "{number}");
        }
        for number in (1..1_000).step_by(2) {
            assert_eq!(map.remove(word(number * 16)), Some(value(number)));
            assert_eq!(map.remove(word(number * 16)), None);
        }
        for number in 1..1_000 {
            let expected = (number % 2 == 0).then(|| value(number));
            assert_eq!(map.find(word(number * 16)), expected, "{number}");
        }
    }

    #[test]
    fn entries_of_objects_that_are_gone_are_used_again() {
        let map = Map::new();
        for number in 1..10_000 {
            map.insert(word(number * 16), value(number)).unwrap();
            assert_eq!(map.find(word(number * 16)), Some(value(number)));
            assert_eq!(map.remove(word(number * 16)), Some(value(number)));
        }
        assert_eq!(map.entries().len(), FIRST, "it never had more than one object");
    }

    #[test]
    fn an_object_with_the_same_first_word_replaces_the_other() {
        let map = Map::new();
        map.insert(word(16), value(1)).unwrap();
        map.insert(word(16), value(2)).unwrap();
        assert_eq!(map.find(word(16)), Some(value(2)));
        assert_eq!((map.remove(word(16)), map.find(word(16))), (Some(value(2)), None));
    }
}
