//! Entries by key, for many threads at once. A tree branches by the key's hash, four bits at a time: an entry is at
//! the depth where it differs from all others, which takes five steps among 100,000. Entries never move or disappear,
//! so finding takes no lock, and adding is an exchange of one pointer after all memory has been allocated.

use core::ops::ControlFlow;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use vkload_core::memory::{Box, CopiedCallbacks, OutOfMemory};

pub(super) trait Keyed: Send + Sync {
    fn key(&self) -> &[u8];
}

/// Entries by key. Entries remain until the whole is dropped.
pub(super) struct Entries<T: Keyed> {
    root: Node<T>,
    count: AtomicUsize,
    memory: CopiedCallbacks,
}

/// A slot for each value of four bits.
struct Node<T>([Slot<T>; 16]);

// SAFETY: the entries belong to this, and may be sent and shared.
unsafe impl<T: Keyed> Send for Entries<T> {}
// SAFETY: as above.
unsafe impl<T: Keyed> Sync for Entries<T> {}

/// NULL, an [`Entry`], or a node; the lowest bit of the address distinguishes them.
struct Slot<T>(AtomicPtr<Entry<T>>);

#[repr(align(8))]
struct Entry<T> {
    hash: u64,
    value: T,
    /// Another entry whose key has the same hash.
    same_hash: Slot<T>,
}

const NODE: usize = 1;
const BITS: u32 = 4;

enum Found<'a, T> {
    Nothing,
    Entry(&'a Entry<T>),
    Node(&'a Node<T>),
}

impl<T> Slot<T> {
    const fn empty() -> Self {
        Self(AtomicPtr::new(core::ptr::null_mut()))
    }

    fn load(&self) -> (Found<'_, T>, *mut Entry<T>) {
        let pointer = self.0.load(Ordering::Acquire);
        // SAFETY: a slot's target lives until everything is dropped, and has the type that the bit says.
        let found = unsafe {
            if pointer.is_null() {
                Found::Nothing
            } else if pointer.addr() & NODE != 0 {
                Found::Node(&*node_of(pointer))
            } else {
                Found::Entry(&*pointer)
            }
        };
        (found, pointer)
    }

    /// Replaces `old` with `new`, if the slot still contains `old`.
    fn exchange(&self, old: *mut Entry<T>, new: *mut Entry<T>) -> bool {
        self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

fn node_of<T>(pointer: *mut Entry<T>) -> *mut Node<T> {
    pointer.map_addr(|address| address & !NODE).cast()
}

impl<T> Node<T> {
    const fn new() -> Self {
        Self([const { Slot::empty() }; 16])
    }

    /// Returns the slot for a hash in a node this many bits below the root.
    fn slot(&self, hash: u64, depth: u32) -> Option<&Slot<T>> {
        self.0.get(hash.checked_shr(depth)? as usize & 15)
    }
}

impl<T: Keyed> Entries<T> {
    pub(super) const fn new(memory: CopiedCallbacks) -> Self {
        Self { root: Node::new(), count: AtomicUsize::new(0), memory }
    }

    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn find(&self, key: &[u8]) -> Option<&T> {
        self.find_hashed(hash(key), key)
    }

    /// Stores `value`, unless its key already has a value; returns the stored value.
    pub(super) fn find_or_insert(&self, value: T) -> Result<&T, OutOfMemory> {
        self.insert_hashed(hash(value.key()), value)
    }

    fn find_hashed(&self, hash: u64, key: &[u8]) -> Option<&T> {
        let (mut node, mut depth) = (&self.root, 0);
        loop {
            match node.slot(hash, depth)?.load().0 {
                Found::Nothing => return None,
                Found::Entry(entry) => {
                    let entry = if entry.hash == hash { entry.find(key).ok() } else { None };
                    return entry.map(|entry| &entry.value);
                }
                Found::Node(next) => (node, depth) = (next, depth.saturating_add(BITS)),
            }
        }
    }

    fn insert_hashed(&self, hash: u64, value: T) -> Result<&T, OutOfMemory> {
        let new = Entry { hash, value, same_hash: Slot::empty() };
        let new = Box::into_non_null(Box::try_new_in(new, self.memory)?);
        // SAFETY: the entry lives at least until it is dropped here, which is when another one or none is returned.
        let placed = self.insert(unsafe { new.as_ref() }, new);
        let is_new = placed.as_ref().is_ok_and(|entry| core::ptr::eq(*entry, new.as_ptr()));
        if is_new {
            self.count.fetch_add(1, Ordering::Relaxed);
        } else {
            // SAFETY: the entry is in no slot, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(new, self.memory) });
        }
        placed.map(|entry| &entry.value)
    }

    fn insert<'a>(
        &'a self,
        entry: &'a Entry<T>,
        pointer: NonNull<Entry<T>>,
    ) -> Result<&'a Entry<T>, OutOfMemory> {
        let (mut node, mut depth) = (&self.root, 0);
        loop {
            let slot = node.slot(entry.hash, depth).ok_or(OutOfMemory)?;
            match slot.load() {
                (Found::Nothing, nothing) => {
                    if slot.exchange(nothing, pointer.as_ptr()) {
                        return Ok(entry);
                    }
                }
                (Found::Node(next), _) => (node, depth) = (next, depth.saturating_add(BITS)),
                (Found::Entry(other), old) if other.hash != entry.hash => {
                    self.split(slot, old, other.hash, depth.saturating_add(BITS))?;
                }
                (Found::Entry(other), _) => match other.find(entry.value.key()) {
                    Ok(present) => return Ok(present),
                    Err(end) => {
                        if end.exchange(core::ptr::null_mut(), pointer.as_ptr()) {
                            return Ok(entry);
                        }
                    }
                },
            }
        }
    }

    /// Replaces an entry with a node that contains it. If another thread was first, its node is used.
    fn split(&self, slot: &Slot<T>, old: *mut Entry<T>, hash: u64, depth: u32) -> Result<(), OutOfMemory> {
        let node = Box::try_new_in(Node::<T>::new(), self.memory)?;
        if let Some(Slot(word)) = node.slot(hash, depth) {
            word.store(old, Ordering::Relaxed);
        }
        let node = Box::into_non_null(node);
        if !slot.exchange(old, node.as_ptr().cast::<Entry<T>>().map_addr(|address| address | NODE)) {
            // SAFETY: the node is in no slot, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(node, self.memory) });
        }
        Ok(())
    }

    /// Looks at all entries, in the order of their hashes, until `look` breaks off.
    pub(super) fn try_for_each<B>(&self, mut look: impl FnMut(&T) -> ControlFlow<B>) -> ControlFlow<B> {
        self.root.try_for_each(&mut look)
    }
}

impl<T> Node<T> {
    /// Calls `look` for every entry. The recursion is as deep as a hash is long.
    fn try_for_each<B>(&self, look: &mut impl FnMut(&T) -> ControlFlow<B>) -> ControlFlow<B> {
        for slot in &self.0 {
            match slot.load().0 {
                Found::Nothing => {}
                Found::Node(node) => node.try_for_each(look)?,
                Found::Entry(first) => {
                    look(&first.value)?;
                    let mut entry = first;
                    while let Found::Entry(next) = entry.same_hash.load().0 {
                        look(&next.value)?;
                        entry = next;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<T: Keyed> Entry<T> {
    /// Returns the entry with this key among entries with the same hash as this one, or otherwise the slot to link it
    /// into.
    fn find(&self, key: &[u8]) -> Result<&Self, &Slot<T>> {
        let mut entry = self;
        while entry.value.key() != key {
            match entry.same_hash.load().0 {
                Found::Entry(next) => entry = next,
                _ => return Err(&entry.same_hash),
            }
        }
        Ok(entry)
    }
}

impl<T: Keyed> Drop for Entries<T> {
    fn drop(&mut self) {
        // SAFETY: the entries are no longer in use; nodes and entries were boxed in this memory.
        unsafe { drop_all(&mut self.root, self.memory) };
    }
}

/// # Safety
/// The node's contents were boxed in `memory`, and are no longer in use.
unsafe fn drop_all<T>(node: &mut Node<T>, memory: CopiedCallbacks) {
    for Slot(slot) in &mut node.0 {
        let mut pointer = core::mem::take(slot.get_mut());
        // SAFETY: the caller vouches for the slots' contents.
        unsafe {
            if pointer.addr() & NODE != 0 {
                if let Some(inner) = NonNull::new(node_of(pointer)) {
                    let mut inner = Box::from_non_null_in(inner, memory);
                    drop_all(&mut inner, memory);
                }
                continue;
            }
            while let Some(entry) = NonNull::new(pointer) {
                let mut entry = Box::from_non_null_in(entry, memory);
                pointer = core::mem::take(entry.same_hash.0.get_mut());
            }
        }
    }
}

/// Computes FNV-1a, whose bits are mixed again: most keys are hashes themselves, and keys are compared in full.
fn hash(key: &[u8]) -> u64 {
    let hash = key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::string::String;
    use std::sync::Arc;
    use std::thread;
    use std::vec::Vec;

    use super::*;

    struct Word(Arc<str>);

    impl Keyed for Word {
        fn key(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }

    fn entries() -> Entries<Word> {
        Entries::new(CopiedCallbacks::process())
    }

    fn all(entries: &Entries<Word>) -> Vec<String> {
        let mut found = Vec::new();
        let _ = entries.try_for_each(|word| {
            found.push(String::from(&*word.0));
            ControlFlow::<()>::Continue(())
        });
        found
    }

    #[test]
    fn keys_with_equal_hashes_are_distinguished() {
        let entries = entries();
        let top = 1 << 63;
        let words = [(0, "a"), (top, "b"), (0, "c"), (0, "d"), (top, "e"), (u64::MAX, "f"), (0, "c")];
        let kept: Arc<str> = "kept".into();
        for (hash, word) in words {
            assert_eq!(&*entries.insert_hashed(hash, Word(word.into())).unwrap().0, word);
        }
        assert_eq!((entries.len(), all(&entries).concat()), (6, "acdbef".into()));
        for (hash, word) in words {
            assert_eq!(&*entries.find_hashed(hash, word.as_bytes()).unwrap().0, word);
            assert!(entries.find_hashed(hash ^ 16, word.as_bytes()).is_none());
        }
        entries.insert_hashed(0, Word(kept.clone())).unwrap();
        drop(entries);
        assert_eq!(Arc::strong_count(&kept), 1, "what was kept was dropped");
    }

    #[test]
    fn threads_that_add_the_same_words_share_them() {
        let (entries, count) = (entries(), if cfg!(miri) { 40 } else { 4000 });
        thread::scope(|scope| {
            for start in 0..3 {
                let entries = &entries;
                scope.spawn(move || {
                    for number in 0..count {
                        let word = std::format!("{}", (number + start * 7) % count);
                        let added = entries.find_or_insert(Word(word.as_str().into())).unwrap();
                        assert!(core::ptr::eq(added, entries.find(word.as_bytes()).unwrap()));
                    }
                });
            }
        });
        let found: BTreeSet<_> = all(&entries).into_iter().collect();
        assert_eq!((entries.len(), found.len()), (count, count));
    }
}
