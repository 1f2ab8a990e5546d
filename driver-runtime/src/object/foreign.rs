//! Names and private data of objects that the driver did not create.
//!
//! Surfaces belong to the loader, and so do swapchains on Android: their handles have no base behind them.

use core::ptr::NonNull;

use ash::vk::Handle;
use vkload_core::memory::{Arc, OutOfMemory, Vec};
use vkload_core::platform::Lock;

use super::base::ObjectBase;
use super::memory::ParentMemory;
use super::parent::{ParentKind, Root};
use super::private_data::Slot;

/// A table from handles to the base that the object would have had.
pub struct Foreign {
    root: NonNull<Root>,
    known: Lock<Vec<(u64, Arc<ObjectBase>), ParentMemory>>,
}

impl Foreign {
    pub(super) fn new(root: NonNull<Root>) -> Self {
        Self { root, known: Lock::new(Vec::new_in(Root::memory_of(root))) }
    }

    /// Does the same as [`ObjectBase::private_data`].
    pub fn private_data(&self, handle: impl Handle, slot: &Slot) -> u64 {
        self.find(handle.as_raw()).map_or(0, |base| base.private_data(slot))
    }

    /// Does the same as [`ObjectBase::set_private_data`].
    #[inline(never)]
    pub fn set_private_data<H: Handle>(&self, handle: H, slot: &Slot, value: u64) -> Result<(), OutOfMemory> {
        self.find_or_add(handle)?.set_private_data(slot, value)
    }

    /// Does the same as [`ObjectBase::set_name`].
    pub fn set_name<H: Handle>(&self, handle: H, name: Option<&[u8]>) -> Result<(), OutOfMemory> {
        self.find_or_add(handle)?.set_name(name)
    }

    /// Returns the base of an object that has attachments.
    pub(crate) fn find(&self, handle: u64) -> Option<Arc<ObjectBase>> {
        let known = self.known.lock(self.root().host());
        let at = known.binary_search_by_key(&handle, |(known, _)| *known).ok()?;
        known.get(at).map(|(_, base)| base.clone())
    }

    pub(super) fn clear(&self) {
        let empty = Vec::new_in(Root::memory_of(self.root));
        let old = core::mem::replace(&mut *self.known.lock(self.root().host()), empty);
        drop(old);
    }

    fn find_or_add<H: Handle>(&self, handle: H) -> Result<Arc<ObjectBase>, OutOfMemory> {
        let raw = handle.as_raw();
        let mut larger = Vec::new_in(Root::memory_of(self.root));
        let mut made = None;
        loop {
            if let Some(found) = self.find(raw) {
                return Ok(found);
            }
            let base = match &made {
                Some(base) => Arc::clone(base),
                None => made
                    .insert(Arc::try_new(ObjectBase::new(H::TYPE, ParentKind::Device, self.root))?)
                    .clone(),
            };
            let wanted = {
                let mut known = self.known.lock(self.root().host());
                let Err(at) = known.binary_search_by_key(&raw, |(known, _)| *known) else { continue };
                if known.len() == known.capacity() && larger.capacity() > known.len() {
                    larger.append(&mut known);
                    core::mem::swap(&mut *known, &mut larger);
                }
                if known.len() < known.capacity() {
                    known.insert(at, (raw, Arc::clone(&base)));
                    return Ok(base);
                }
                known.len().saturating_mul(2).max(4)
            };
            larger.try_reserve(wanted).map_err(|_| OutOfMemory)?;
        }
    }

    fn root(&self) -> &Root {
        // SAFETY: the table is a field of the root.
        unsafe { self.root.as_ref() }
    }
}

// SAFETY: the pointer points to the value that this one is a field of.
unsafe impl Send for Foreign {}
// SAFETY: as above, and the list is behind a lock.
unsafe impl Sync for Foreign {}
