//! Pipeline caches, for drivers that compile something.
//!
//! A driver defines the cached type ([`PipelineCaches`]), looks objects up with [`Cache::find`] before it compiles,
//! and adds compiled ones with [`Cache::add`]. The runtime implements the commands ([`entry_points`]): data in the
//! specification's format, checked on the way in, and merging. A driver that wants a cache for pipelines without one
//! keeps a [`Cache`] in its part of the device; one that has a cache on disk searches it when [`Cache::find`] finds nothing.

mod commands;
mod data;
#[cfg(test)]
mod tests;

use core::ptr::NonNull;

use ash::vk;
use vkload_core::memory::{Box, CopiedCallbacks, OutOfMemory, SharedList, Text, TryGrow, Vec};
use vkload_core::platform::Lock;

use crate::device::{Device, device_object};
use crate::driver::Driver;

pub use commands::entry_points;

/// A driver's use of pipeline caches.
pub trait PipelineCaches: Driver {
    /// Something compiled, to be shared: a counted pointer to a shader or a pipeline. It is cloned under a lock.
    type Cached: Clone + Send + Sync;

    /// The kinds that are built from their bytes when data is imported. Others are built at their first look-up:
    /// until then they take memory for their bytes, but unused ones take no time.
    const IMPORTED: &'static [u32] = &[];

    /// Returns a number for the kind of the object, which [`PipelineCaches::read`] is given.
    fn kind(object: &Self::Cached) -> u32;

    /// Appends the bytes to rebuild the object from.
    fn write(object: &Self::Cached, out: &mut Written<'_>) -> Result<(), OutOfMemory>;

    /// Builds an object from the bytes that [`PipelineCaches::write`] wrote; returns `None` for bytes that are not an
    /// object of this kind. The bytes may come from any source.
    fn read(device: &Device<Self>, kind: u32, bytes: &[u8]) -> Option<Self::Cached>;
}

/// The bytes to rebuild an object from, while they are written.
pub struct Written<'a>(&'a mut Text<CopiedCallbacks>);

impl Written<'_> {
    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        self.0.try_extend(bytes)
    }
}

/// A pipeline cache, or a cache of a driver's own: objects by key. Objects remain until the cache is dropped.
/// A look-up holds a lock for a binary search, an addition while it moves up to one pointer for each entry.
pub struct Cache<D: PipelineCaches> {
    /// In the order of the keys.
    entries: SharedList<Listed<D>, CopiedCallbacks>,
    memory: CopiedCallbacks,
}

struct CacheEntry<D: PipelineCaches> {
    key: Text<CopiedCallbacks>,
    kind: u32,
    /// The bytes to build the object from, if they came first.
    bytes: Text<CopiedCallbacks>,
    object: Lock<Option<D::Cached>>,
}

/// An entry, in a box of the cache's memory that lives as long as the cache.
struct Listed<D: PipelineCaches>(NonNull<CacheEntry<D>>);

impl<D: PipelineCaches> Clone for Listed<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: PipelineCaches> Copy for Listed<D> {}

// SAFETY: an entry may be sent and shared.
unsafe impl<D: PipelineCaches> Send for Listed<D> {}

/// Returns the position of a key, or the one to insert it at.
fn position<D: PipelineCaches>(entries: &[Listed<D>], key: &[u8]) -> Result<usize, usize> {
    // SAFETY: the entries live as long as the cache.
    entries.binary_search_by(|entry| unsafe { entry.0.as_ref() }.key.as_slice().cmp(key))
}

device_object! { <D: PipelineCaches> Cache<D> = PipelineCache }

impl<D: PipelineCaches> Cache<D> {
    /// Creates an empty cache in memory of `memory`.
    #[must_use]
    pub fn new(memory: CopiedCallbacks) -> Self {
        let memory = memory.scoped(vk::SystemAllocationScope::CACHE);
        Self { entries: SharedList::new_in(memory), memory }
    }

    /// Returns the object added under `key`.
    pub fn find(&self, device: &Device<D>, key: &[u8]) -> Option<D::Cached> {
        self.entry(key)?.object(device)
    }

    /// Adds the object for `key`. Returns the cached object: the first addition wins, and if memory for an entry runs out the
    /// object is not stored.
    pub fn add(&self, key: &[u8], object: D::Cached) -> D::Cached {
        self.insert(key, object.clone()).unwrap_or(object)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.read(D::host(), <[_]>::len)
    }

    /// Returns whether the cache has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, key: &[u8], object: D::Cached) -> Result<D::Cached, OutOfMemory> {
        let kind = D::kind(&object);
        Ok(self.insert_kept(key, kind, &[], Some(object.clone()))?.get_or_set(object))
    }

    /// Adds an entry, unless the key already has one; returns the entry under the key.
    fn insert_kept(
        &self,
        key: &[u8],
        kind: u32,
        bytes: &[u8],
        object: Option<D::Cached>,
    ) -> Result<&CacheEntry<D>, OutOfMemory> {
        if let Some(kept) = self.entry(key) {
            return Ok(kept);
        }
        let (mut own_key, mut own_bytes) = (Vec::new_in(self.memory), Vec::new_in(self.memory));
        own_key.try_extend(key)?;
        own_bytes.try_extend(bytes)?;
        let new = CacheEntry { key: own_key, kind, bytes: own_bytes, object: Lock::new(object) };
        let new = Listed(Box::into_non_null(Box::try_new_in(new, self.memory)?));
        let placed = self.entries.find_or_insert_at(
            D::host(),
            new,
            |list| list.get(position(list, key).ok()?).copied(),
            |list| {
                let at =
                    list.split_last().map_or(0, |(_, others)| position(others, key).unwrap_or_else(|at| at));
                list.get_mut(at..).unwrap_or_default().rotate_right(1);
            },
        );
        if !matches!(placed, Ok((_, true))) {
            // SAFETY: the entry is not in the list, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(new.0, self.memory) });
        }
        // SAFETY: entries live as long as the cache.
        placed.map(|(kept, _)| unsafe { kept.0.as_ref() })
    }

    fn entry(&self, key: &[u8]) -> Option<&CacheEntry<D>> {
        let found = self.entries.read(D::host(), |list| list.get(position(list, key).ok()?).copied());
        // SAFETY: entries live as long as the cache.
        found.map(|found| unsafe { found.0.as_ref() })
    }

    /// Returns the entries in the order of their keys. No lock is held between one and the next, so each step finds
    /// its position again.
    fn iter(&self) -> impl Iterator<Item = &CacheEntry<D>> {
        let mut last = None::<&CacheEntry<D>>;
        core::iter::from_fn(move || {
            let next = |list: &[Listed<D>]| {
                let index = last.and_then(|last| position(list, &last.key).ok());
                list.get(index.map_or(0, |index| index.saturating_add(1))).copied()
            };
            // SAFETY: entries live as long as the cache.
            last = self.entries.read(D::host(), next).map(|next| unsafe { next.0.as_ref() });
            last
        })
    }
}

impl<D: PipelineCaches> Drop for Cache<D> {
    fn drop(&mut self) {
        for entry in self.entries.take(D::host()) {
            // SAFETY: the entry was boxed in this memory, and nothing uses it any more.
            drop(unsafe { Box::from_non_null_in(entry.0, self.memory) });
        }
    }
}

impl<D: PipelineCaches> CacheEntry<D> {
    /// Returns the object, if it was made.
    fn made(&self) -> Option<D::Cached> {
        self.object.lock(D::host()).clone()
    }

    /// Sets the object, unless another one was first; returns the one that is set.
    fn get_or_set(&self, object: D::Cached) -> D::Cached {
        let kept = self.object.lock(D::host()).get_or_insert_with(|| object.clone()).clone();
        drop(object);
        kept
    }

    /// Returns the object, made now if it was not yet.
    fn object(&self, device: &Device<D>) -> Option<D::Cached> {
        self.made().or_else(|| Some(self.get_or_set(D::read(device, self.kind, &self.bytes)?)))
    }

    /// Appends the bytes to rebuild the object from.
    fn append_bytes(&self, out: &mut Text<CopiedCallbacks>) -> Result<(), OutOfMemory> {
        if !self.bytes.is_empty() {
            return out.try_extend(&self.bytes);
        }
        self.made().map_or(Ok(()), |object| D::write(&object, &mut Written(out)))
    }
}
