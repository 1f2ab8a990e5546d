//! Pipeline caches, for drivers that compile something.
//!
//! A driver defines the cached type ([`PipelineCaches`]), looks objects up with [`Cache::find`] before it compiles,
//! and adds compiled ones with [`Cache::add`]. The runtime implements the commands ([`entry_points`]): data in the
//! specification's format, checked on the way in, and merging. A driver that wants a cache for pipelines without one
//! keeps a [`Cache`] in its part of the device; one that has a cache on disk searches it when [`Cache::find`] finds nothing.

mod commands;
mod data;
mod entries;
mod once;
#[cfg(test)]
mod tests;

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, Text, TryGrow, Vec};

use crate::device::{Device, device_object};
use crate::driver::Driver;
use entries::{Entries, Keyed};
use once::Once;

pub use commands::entry_points;

/// A driver's use of pipeline caches.
pub trait PipelineCaches: Driver {
    /// Something compiled, to be shared: a counted pointer to a shader or a pipeline.
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

/// A pipeline cache, or a cache of a driver's own: objects by key. Objects remain until the cache is dropped. Finding
/// takes no lock, and its time does not grow with the cache.
pub struct Cache<D: PipelineCaches> {
    entries: Entries<CacheEntry<D>>,
    memory: CopiedCallbacks,
}

struct CacheEntry<D: PipelineCaches> {
    key: Text<CopiedCallbacks>,
    kind: u32,
    /// The bytes to build the object from, if they came first.
    bytes: Text<CopiedCallbacks>,
    object: Once<D::Cached>,
}

impl<D: PipelineCaches> Keyed for CacheEntry<D> {
    fn key(&self) -> &[u8] {
        &self.key
    }
}

device_object! { <D: PipelineCaches> Cache<D> = PipelineCache }

impl<D: PipelineCaches> Cache<D> {
    /// Creates an empty cache in memory of `memory`.
    #[must_use]
    pub fn new(memory: CopiedCallbacks) -> Self {
        let memory = memory.scoped(vk::SystemAllocationScope::CACHE);
        Self { entries: Entries::new(memory), memory }
    }

    /// Returns the object added under `key`.
    pub fn find(&self, device: &Device<D>, key: &[u8]) -> Option<D::Cached> {
        self.entries.find(key)?.object(device)
    }

    /// Adds the object for `key`. Returns the cached object: the first addition wins, and if memory for an entry runs out the
    /// object is not stored.
    pub fn add(&self, key: &[u8], object: D::Cached) -> D::Cached {
        self.insert(key, object.clone()).unwrap_or(object)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the cache has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, key: &[u8], object: D::Cached) -> Result<D::Cached, OutOfMemory> {
        let kind = D::kind(&object);
        let kept = self.insert_kept(key, kind, &[], Some(object.clone()))?;
        Ok(kept.object.get_or_set(object, D::host()).clone())
    }

    /// Adds an entry, unless the key already has one; returns the entry under the key.
    fn insert_kept(
        &self,
        key: &[u8],
        kind: u32,
        bytes: &[u8],
        object: Option<D::Cached>,
    ) -> Result<&CacheEntry<D>, OutOfMemory> {
        if let Some(kept) = self.entries.find(key) {
            return Ok(kept);
        }
        let (mut own_key, mut own_bytes) = (Vec::new_in(self.memory), Vec::new_in(self.memory));
        own_key.try_extend(key)?;
        own_bytes.try_extend(bytes)?;
        let new = CacheEntry { key: own_key, kind, bytes: own_bytes, object: Once::new(object) };
        self.entries.find_or_insert(new)
    }
}

impl<D: PipelineCaches> CacheEntry<D> {
    /// Returns the object, made now if it was not yet.
    fn object(&self, device: &Device<D>) -> Option<D::Cached> {
        if let Some(object) = self.object.get() {
            return Some(object.clone());
        }
        let object = D::read(device, self.kind, &self.bytes)?;
        Some(self.object.get_or_set(object, D::host()).clone())
    }

    /// Appends the bytes to rebuild the object from.
    fn append_bytes(&self, out: &mut Text<CopiedCallbacks>) -> Result<(), OutOfMemory> {
        if !self.bytes.is_empty() {
            return out.try_extend(&self.bytes);
        }
        self.object.get().map_or(Ok(()), |object| D::write(object, &mut Written(out)))
    }
}
