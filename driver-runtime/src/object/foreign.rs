//! Names and private data of objects that the driver did not create.
//!
//! Surfaces and, on Android, swapchains belong to the loader, so their handles have no base behind them.

use core::ptr::NonNull;

use ash::vk::Handle;
use vkload_core::memory::{Box, OutOfMemory, SharedList};

use super::base::ObjectBase;
use super::memory::ParentMemory;
use super::parent::{ParentKind, Root};
use super::private_data::Slot;

/// A table from handles to the bases that the objects would have if the driver had created them.
pub struct Foreign {
    root: NonNull<Root>,
    /// [`Root::release`] must run before the drop: it frees the bases.
    known: SharedList<Known, ParentMemory>,
}

/// A handle, and a base in a box of the parent's memory.
#[derive(Clone, Copy)]
struct Known(u64, NonNull<ObjectBase>);

// SAFETY: the base may be shared.
unsafe impl Send for Known {}

impl Foreign {
    pub(super) fn new(root: NonNull<Root>) -> Self {
        Self { root, known: SharedList::new_in(Root::memory_of(root)) }
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
    pub(crate) fn find(&self, handle: u64) -> Option<&ObjectBase> {
        let find = |known: &[Known]| known.iter().copied().find(|Known(known, _)| *known == handle);
        // SAFETY: the base lives until the parent goes.
        self.known.read(self.root().host(), find).map(|Known(_, base)| unsafe { base.as_ref() })
    }

    /// Frees all bases.
    ///
    /// # Safety
    /// No other code uses the bases that [`Self::find`] returned.
    pub(super) unsafe fn clear(&self) {
        for Known(_, base) in self.known.take(self.root().host()) {
            // SAFETY: the base was boxed in this memory, and by this function's `# Safety` nothing else uses it.
            drop(unsafe { Box::from_non_null_in(base, Root::memory_of(self.root)) });
        }
    }

    fn find_or_add<H: Handle>(&self, handle: H) -> Result<&ObjectBase, OutOfMemory> {
        let raw = handle.as_raw();
        if let Some(found) = self.find(raw) {
            return Ok(found);
        }
        let (host, memory) = (self.root().host(), Root::memory_of(self.root));
        let new = Box::try_new_in(ObjectBase::new(H::TYPE, ParentKind::Device, self.root), memory)?;
        let new = Box::into_non_null(new);
        let added = self.known.find_or_insert(host, Known(raw, new), |Known(known, _)| *known == raw);
        if !matches!(added, Ok((_, true))) {
            // SAFETY: the base is not in the list, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(new, memory) });
        }
        // SAFETY: the base lives until the parent goes.
        added.map(|(Known(_, base), _)| unsafe { base.as_ref() })
    }

    fn root(&self) -> &Root {
        // SAFETY: the table is a field of the root.
        unsafe { self.root.as_ref() }
    }
}

// SAFETY: the pointer points to the value that this one is a field of.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}
