//! Pipeline caches, for drivers that compile something.
//!
//! A driver says what it keeps ([`PipelineCaches`]), looks for it with [`Cache::find`] before it compiles, and adds what it
//! has compiled with [`Cache::add`]. The runtime has the commands ([`entry_points`]): data in the form of the
//! specification, checked on the way in, and merging. A driver that wants a cache for pipelines without one keeps a
//! [`Cache`] in its part of the device; one that has a cache on disk says so with [`PipelineCaches::disk_cache`].

mod commands;
mod data;
#[cfg(test)]
mod tests;

use core::ptr::NonNull;

use ash::vk;
use loader_core::memory::{Application, Box, OutOfMemory, SharedList, Text, TryGrow, Vec};
use loader_core::platform::Lock;

use crate::device::Device;
use crate::driver::Driver;
use crate::object::VkObject;

pub use commands::entry_points;

/// What a driver keeps in pipeline caches.
pub trait PipelineCaches: Driver {
    /// Something compiled, to be shared: a counted pointer to a shader or a pipeline. Its clone must not call back.
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
    fn write(object: &Self::Cached, out: &mut Text<Application>) -> Result<(), OutOfMemory>;

    /// Makes an object of what [`PipelineCaches::write`] wrote; `None` for bytes that are no object of this kind, which may
    /// come from anywhere.
    fn read(device: &Device<Self>, kind: u32, bytes: &[u8]) -> Option<Self::Cached>;

    /// The cache on disk, if there is one.
    fn disk_cache(device: &Device<Self>) -> Option<&dyn DiskCache> {
        let _ = device;
        None
    }
}

/// A cache that outlives the process. What it gives back is checked by who reads it.
pub trait DiskCache: Sync {
    /// Calls `found` with kind and bytes of what is kept under `key`, if anything is.
    fn load(&self, key: &[u8], found: &mut dyn FnMut(u32, &[u8]));
    /// Keeps bytes, if it can.
    fn store(&self, key: &[u8], kind: u32, bytes: &[u8]);
}

/// A pipeline cache, or a cache of a driver's own: objects by key. What is in it stays until the cache is dropped.
pub struct Cache<D: PipelineCaches> {
    entries: SharedList<Entry<D>, Application>,
    memory: Application,
}

/// An entry, by pointer: entries never move.
struct Entry<D: PipelineCaches> {
    hash: u64,
    kept: NonNull<Kept<D>>,
}

struct Kept<D: PipelineCaches> {
    key: Text<Application>,
    kind: u32,
    /// What the object is made from, until it is made.
    bytes: Text<Application>,
    object: Lock<Option<D::Cached>>,
}

impl<D: PipelineCaches> Clone for Entry<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: PipelineCaches> Copy for Entry<D> {}

// SAFETY: what the pointers lead to belongs to the cache, and may be shared and sent.
unsafe impl<D: PipelineCaches> Send for Cache<D> {}
// SAFETY: as above.
unsafe impl<D: PipelineCaches> Sync for Cache<D> {}

impl<D: PipelineCaches> VkObject for Cache<D> {
    type Handle = vk::PipelineCache;
    type Parent = Device<D>;
}

impl<D: PipelineCaches> Cache<D> {
    /// An empty cache in memory of `memory`.
    #[must_use]
    pub fn new(memory: Application) -> Self {
        let memory = memory.scoped(vk::SystemAllocationScope::CACHE);
        Self { entries: SharedList::new_in(memory), memory }
    }

    /// What was added under `key`, to this cache or, by an earlier process, to the cache on disk.
    pub fn find(&self, device: &Device<D>, key: &[u8]) -> Option<D::Cached> {
        if let Some(kept) = self.kept(key) {
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
            if D::write(&object, &mut bytes).is_ok() {
                disk.store(key, D::kind(&object), &bytes);
            }
        }
        self.insert(key, object.clone()).unwrap_or(object)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.read(D::host(), <[_]>::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, key: &[u8], object: D::Cached) -> Result<D::Cached, OutOfMemory> {
        let kind = D::kind(&object);
        let kept = self.insert_kept(key, kind, &[], Some(object.clone()))?;
        Ok(kept.object.lock(D::host()).get_or_insert(object).clone())
    }

    /// Adds an entry, unless there is one under this key; returns what is there then.
    fn insert_kept(
        &self,
        key: &[u8],
        kind: u32,
        bytes: &[u8],
        object: Option<D::Cached>,
    ) -> Result<&Kept<D>, OutOfMemory> {
        let (mut own_key, mut own_bytes) = (Vec::new_in(self.memory), Vec::new_in(self.memory));
        own_key.try_extend(key)?;
        own_bytes.try_extend(bytes)?;
        let new = Kept { key: own_key, kind, bytes: own_bytes, object: Lock::new(object) };
        let new = Box::into_non_null(Box::try_new_in(new, self.memory)?);
        let entry = Entry { hash: hash(key), kept: new };
        let inserted = self.entries.find_or_insert(D::host(), entry, |other| other.is(entry.hash, key));
        if !matches!(inserted, Ok((_, true))) {
            // SAFETY: the entry is not in the list, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(new, self.memory) });
        }
        // SAFETY: what is in the list stays until the cache is dropped.
        inserted.map(|(entry, _)| unsafe { entry.kept.as_ref() })
    }

    fn kept(&self, key: &[u8]) -> Option<&Kept<D>> {
        let hash = hash(key);
        let found =
            self.entries.read(D::host(), |list| list.iter().find(|entry| entry.is(hash, key)).copied());
        // SAFETY: what is in the list stays until the cache is dropped.
        found.map(|entry| unsafe { entry.kept.as_ref() })
    }

    /// The entries, also those that are added while this goes on.
    fn iter(&self) -> impl Iterator<Item = &Kept<D>> {
        let mut place = 0usize;
        core::iter::from_fn(move || {
            let entry = self.entries.read(D::host(), |list| list.get(place).copied())?;
            place = place.saturating_add(1);
            // SAFETY: what is in the list stays until the cache is dropped.
            Some(unsafe { entry.kept.as_ref() })
        })
    }
}

impl<D: PipelineCaches> Entry<D> {
    fn is(&self, hash: u64, key: &[u8]) -> bool {
        // SAFETY: what is in the list stays until the cache is dropped.
        self.hash == hash && unsafe { self.kept.as_ref() }.key.as_slice() == key
    }
}

impl<D: PipelineCaches> Kept<D> {
    /// The object, made now if it was not yet.
    fn object(&self, device: &Device<D>) -> Option<D::Cached> {
        if let Some(object) = self.object.lock(D::host()).clone() {
            return Some(object);
        }
        let object = D::read(device, self.kind, &self.bytes)?;
        Some(self.object.lock(D::host()).get_or_insert(object).clone())
    }

    /// What the object can be made from.
    fn append_bytes(&self, out: &mut Text<Application>) -> Result<(), OutOfMemory> {
        if !self.bytes.is_empty() {
            return out.try_extend(&self.bytes);
        }
        let object = self.object.lock(D::host()).clone();
        object.map_or(Ok(()), |object| D::write(&object, out))
    }
}

impl<D: PipelineCaches> Drop for Cache<D> {
    fn drop(&mut self) {
        for entry in &self.entries.take(D::host()) {
            // SAFETY: entries were boxed in this memory, and nobody uses the cache any more.
            drop(unsafe { Box::from_non_null_in(entry.kept, self.memory) });
        }
    }
}

/// FNV-1a: keys are hashes of their own mostly, and compared in full.
fn hash(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
