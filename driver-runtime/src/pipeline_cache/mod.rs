//! Pipeline caches, for drivers that compile something.
//!
//! A driver says what it keeps ([`PipelineCaches`]), looks for it with [`Cache::find`] before it compiles, and adds what it
//! has compiled with [`Cache::add`]. The runtime has the commands ([`entry_points`]): data in the form of the
//! specification, checked on the way in, and merging. A driver that wants a cache for pipelines without one keeps a
//! [`Cache`] in its part of the device; one that has a cache on disk says so with [`PipelineCaches::disk_cache`].

mod commands;
mod data;
mod entries;
mod once;
#[cfg(test)]
mod tests;

use ash::vk;
use loader_core::memory::{CopiedCallbacks, OutOfMemory, Text, TryGrow, Vec};

use crate::device::Device;
use crate::driver::Driver;
use crate::object::VkObject;
use entries::{Entries, Keyed};
use once::Once;

pub use commands::entry_points;

/// What a driver keeps in pipeline caches.
pub trait PipelineCaches: Driver {
    /// Something compiled, to be shared: a counted pointer to a shader or a pipeline.
    type Cached: Clone + Send + Sync;

    /// The kinds that are made from their bytes when data is imported. Others wait until they are looked for, which takes
    /// the memory of their bytes until then, but no time for what is never used.
    const IMPORTED: &'static [u32] = &[];

    /// A number for the kind of the object, which [`PipelineCaches::read`] is given.
    fn kind(object: &Self::Cached) -> u32;

    /// Appends what the object can be made from again.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn write(object: &Self::Cached, out: &mut Written<'_>) -> Result<(), OutOfMemory>;

    /// Makes an object of what [`PipelineCaches::write`] wrote; `None` for bytes that are no object of this kind, which may
    /// come from anywhere.
    fn read(device: &Device<Self>, kind: u32, bytes: &[u8]) -> Option<Self::Cached>;

    /// The cache on disk, if there is one.
    fn disk_cache(device: &Device<Self>) -> Option<&dyn DiskCache> {
        let _ = device;
        None
    }
}

/// What an object can be made from again, as far as it is written.
pub struct Written<'a>(&'a mut Text<CopiedCallbacks>);

impl Written<'_> {
    /// Appends bytes.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        self.0.try_extend(bytes)
    }
}

/// A cache that outlives the process. What it gives back is checked by who reads it.
pub trait DiskCache: Sync {
    /// Calls `found` with kind and bytes of what is kept under `key`, if anything is.
    fn load(&self, key: &[u8], found: &mut dyn FnMut(u32, &[u8]));
    /// Keeps bytes, if it can.
    fn store(&self, key: &[u8], kind: u32, bytes: &[u8]);
}

/// A pipeline cache, or a cache of a driver's own: objects by key. What is in it stays until the cache is dropped. Finding takes
/// no lock, and the same time however much is in the cache.
pub struct Cache<D: PipelineCaches> {
    entries: Entries<Kept<D>>,
    memory: CopiedCallbacks,
}

struct Kept<D: PipelineCaches> {
    key: Text<CopiedCallbacks>,
    kind: u32,
    /// What the object is made from, if it was not there first.
    bytes: Text<CopiedCallbacks>,
    object: Once<D::Cached>,
}

impl<D: PipelineCaches> Keyed for Kept<D> {
    fn key(&self) -> &[u8] {
        &self.key
    }
}

// SAFETY: no other type is behind such handles.
unsafe impl<D: PipelineCaches> VkObject for Cache<D> {
    type Handle = vk::PipelineCache;
    type Parent = Device<D>;
}

impl<D: PipelineCaches> Cache<D> {
    /// An empty cache in memory of `memory`.
    #[must_use]
    pub fn new(memory: CopiedCallbacks) -> Self {
        let memory = memory.scoped(vk::SystemAllocationScope::CACHE);
        Self { entries: Entries::new(memory), memory }
    }

    /// What was added under `key`, to this cache or, by an earlier process, to the cache on disk.
    pub fn find(&self, device: &Device<D>, key: &[u8]) -> Option<D::Cached> {
        if let Some(kept) = self.entries.find(key) {
            return kept.object(device);
        }
        let mut found = None;
        D::disk_cache(device)?.load(key, &mut |kind, bytes| found = D::read(device, kind, bytes));
        let object = found?;
        // Without memory for the entry, the object is found on disk again.
        Some(self.insert(key, object.clone()).unwrap_or(object))
    }

    /// Adds what was made for `key`, also to the cache on disk. Returns what is in the cache: the first that was added counts,
    /// and without memory for an entry the object is just not kept.
    pub fn add(&self, device: &Device<D>, key: &[u8], object: D::Cached) -> D::Cached {
        if let Some(disk) = D::disk_cache(device) {
            let mut bytes = Vec::new_in(self.memory.scoped(vk::SystemAllocationScope::COMMAND));
            if D::write(&object, &mut Written(&mut bytes)).is_ok() {
                disk.store(key, D::kind(&object), &bytes);
            }
        }
        self.insert(key, object.clone()).unwrap_or(object)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, key: &[u8], object: D::Cached) -> Result<D::Cached, OutOfMemory> {
        let kind = D::kind(&object);
        let kept = self.insert_kept(key, kind, &[], Some(object.clone()))?;
        Ok(kept.object.get_or_set(object, D::host()).clone())
    }

    /// Adds an entry, unless there is one under this key; returns what is there then.
    fn insert_kept(
        &self,
        key: &[u8],
        kind: u32,
        bytes: &[u8],
        object: Option<D::Cached>,
    ) -> Result<&Kept<D>, OutOfMemory> {
        if let Some(kept) = self.entries.find(key) {
            return Ok(kept);
        }
        let (mut own_key, mut own_bytes) = (Vec::new_in(self.memory), Vec::new_in(self.memory));
        own_key.try_extend(key)?;
        own_bytes.try_extend(bytes)?;
        let new = Kept { key: own_key, kind, bytes: own_bytes, object: Once::new(object) };
        self.entries.find_or_insert(new)
    }
}

impl<D: PipelineCaches> Kept<D> {
    /// The object, made now if it was not yet.
    fn object(&self, device: &Device<D>) -> Option<D::Cached> {
        if let Some(object) = self.object.get() {
            return Some(object.clone());
        }
        let object = D::read(device, self.kind, &self.bytes)?;
        Some(self.object.get_or_set(object, D::host()).clone())
    }

    /// What the object can be made from.
    fn append_bytes(&self, out: &mut Text<CopiedCallbacks>) -> Result<(), OutOfMemory> {
        if !self.bytes.is_empty() {
            return out.try_extend(&self.bytes);
        }
        self.object.get().map_or(Ok(()), |object| D::write(object, &mut Written(out)))
    }
}
