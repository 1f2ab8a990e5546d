//! What every object begins with.

use core::fmt::{self, Write};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ash::vk;
use loader_core::memory::{OutOfMemory, Process, Text, TryGrow, Vec};
use loader_core::platform::Lock;

use super::parent::{ParentKind, ParentMemory, Root};
use super::private_data::{Slot, Values};
use crate::dispatch::DispatchTable;

/// What a driver puts into the first word of an object, so that the loader can tell that it may write there
/// (`ICD_LOADER_MAGIC`; Android's `HWVULKAN_DISPATCH_MAGIC` is the same).
pub const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// The beginning of every object.
///
/// The first word belongs to the loader, the second is what the runtime's trampolines go through.
#[repr(C)]
pub struct ObjectBase {
    loader: AtomicUsize,
    dispatch: *const DispatchTable,
    kind: vk::ObjectType,
    parent_kind: ParentKind,
    visible: AtomicBool,
    root: NonNull<Root>,
    details: Lock<Details>,
}

/// What applications attach to an object.
struct Details {
    values: Values,
    name: Text<ParentMemory>,
}

// SAFETY: the pointers lead to a parent that outlives the object and to a table that never changes; what changes is
// atomic or behind a lock.
unsafe impl Send for ObjectBase {}
// SAFETY: as above.
unsafe impl Sync for ObjectBase {}

impl ObjectBase {
    /// The base of a new object. `root` is the parent, or the object itself for instances and devices; it is only stored.
    pub(crate) fn new(kind: vk::ObjectType, parent_kind: ParentKind, root: NonNull<Root>) -> Self {
        // SAFETY: every caller passes the root of a live parent, whose table is set.
        let dispatch = unsafe { root.as_ref() }.base().dispatch;
        Self::with_dispatch(kind, parent_kind, root, dispatch)
    }

    /// As [`ObjectBase::new`], for objects with a table of their own; `root` need not be complete yet.
    pub(crate) fn with_dispatch(
        kind: vk::ObjectType,
        parent_kind: ParentKind,
        root: NonNull<Root>,
        dispatch: *const DispatchTable,
    ) -> Self {
        let memory = ParentMemory::of(root);
        Self {
            loader: AtomicUsize::new(LOADER_MAGIC),
            dispatch,
            kind,
            parent_kind,
            visible: AtomicBool::new(false),
            root,
            details: Lock::new(Details { values: Values::new(memory), name: Vec::new_in(memory) }),
        }
    }

    /// The type of the object.
    pub fn kind(&self) -> vk::ObjectType {
        self.kind
    }

    /// Whether the application has got the handle. Messages name visible objects only.
    pub fn is_visible(&self) -> bool {
        self.visible.load(Ordering::Relaxed)
    }

    /// Makes the object as new, for objects that a pool gives to the application again: not visible, without name and
    /// private data. Type and parent stay.
    pub fn recycle(&self) {
        self.visible.store(false, Ordering::Relaxed);
        self.loader.store(LOADER_MAGIC, Ordering::Relaxed);
        let memory = ParentMemory::of(self.root);
        let empty = Details { values: Values::new(memory), name: Vec::new_in(memory) };
        let old = core::mem::replace(&mut *self.details.lock(self.root().host()), empty);
        drop(old);
    }

    /// The instance that the object was created from, or that it is; `None` for objects of devices.
    pub fn instance(&self) -> Option<&Root> {
        (self.parent_kind == ParentKind::Instance).then(|| self.root())
    }

    /// The device that the object was created from, or that it is; `None` for objects of instances.
    pub fn device(&self) -> Option<&Root> {
        (self.parent_kind == ParentKind::Device).then(|| self.root())
    }

    /// The table that commands with this object as first parameter go through.
    pub fn dispatch(&self) -> &DispatchTable {
        // SAFETY: the pointer comes from a reference to a table that lives as long as the object.
        unsafe { &*self.dispatch }
    }

    /// Names the object; `None` takes the name away.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the old name stays.
    pub fn set_name(&self, name: Option<&[u8]>) -> Result<(), OutOfMemory> {
        let mut new = Vec::new_in(ParentMemory::of(self.root));
        new.try_extend(name.unwrap_or_default())?;
        let old = core::mem::replace(&mut self.details.lock(self.root().host()).name, new);
        drop(old);
        Ok(())
    }

    /// The name that the application gave the object; empty if it gave none.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn name(&self) -> Result<Text, OutOfMemory> {
        let mut copy = Vec::new_in(Process);
        loop {
            let needed = self.details.lock(self.root().host()).name.len();
            copy.try_reserve(needed).map_err(|_| OutOfMemory)?;
            let details = self.details.lock(self.root().host());
            if details.name.len() <= copy.capacity() {
                copy.try_extend(&details.name)?;
                return Ok(copy);
            }
        }
    }

    /// The value of a private data slot: 0 if it was not set, or if the slot is of another device.
    pub fn private_data(&self, slot: &Slot) -> u64 {
        if !slot.is_of(self.root) {
            return 0;
        }
        self.details.lock(self.root().host()).values.get(slot.index())
    }

    /// Sets the value of a private data slot. A slot of another device is ignored.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn set_private_data(&self, slot: &Slot, value: u64) -> Result<(), OutOfMemory> {
        if !slot.is_of(self.root) {
            return Ok(());
        }
        let host = self.root().host();
        let mut larger = Values::new(ParentMemory::of(self.root));
        loop {
            let needed = {
                let mut details = self.details.lock(host);
                if details.values.set_within(slot.index(), value, &mut larger) {
                    break;
                }
                details.values.wanted_capacity()
            };
            larger.reserve(needed)?;
        }
        Ok(())
    }

    pub(crate) fn set_visible(&self) {
        debug_assert_eq!(self.loader.load(Ordering::Relaxed), LOADER_MAGIC, "handed out twice");
        self.visible.store(true, Ordering::Relaxed);
    }

    /// As [`ObjectBase::set_visible`], for objects whose handle is given out again and again.
    pub(crate) fn set_shared(&self) {
        self.visible.store(true, Ordering::Relaxed);
    }

    pub(crate) fn root(&self) -> &Root {
        // SAFETY: the parent outlives the object.
        unsafe { self.root.as_ref() }
    }

    pub(crate) fn root_pointer(&self) -> NonNull<Root> {
        self.root
    }

    pub(crate) const DISPATCH_OFFSET: usize = core::mem::offset_of!(Self, dispatch);
}

/// The name that the application gave the object, or else its type and address: `VkBuffer(0x55d0)`.
impl fmt::Display for ObjectBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().unwrap_or_default();
        if !name.is_empty() {
            return write!(f, "{}", loader_core::memory::Shown(&name));
        }
        f.write_str("Vk")?;
        type_words(self.kind, f)?;
        write!(f, "({:#x})", core::ptr::from_ref(self).addr())
    }
}

/// The name of an object type as the type of its handle has it: `COMMAND_BUFFER` is `CommandBuffer`.
fn type_words(kind: vk::ObjectType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    struct Words<'a, 'b>(&'a mut fmt::Formatter<'b>, bool);
    impl Write for Words<'_, '_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            for letter in part.chars() {
                let capital = core::mem::replace(&mut self.1, letter == '_');
                match letter {
                    '_' => {}
                    _ if capital => self.0.write_char(letter)?,
                    _ => self.0.write_char(letter.to_ascii_lowercase())?,
                }
            }
            Ok(())
        }
    }
    write!(Words(f, true), "{kind:?}")
}
