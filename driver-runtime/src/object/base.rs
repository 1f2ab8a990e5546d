//! The common start of every object.

use crate::atomic::AtomicU64;
use core::fmt::{self, Write};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use ash::vk::{self, Handle};
use vkload_core::memory::{Box, OutOfMemory, Process, Text, TryGrow, Vec};
use vkload_core::platform::Lock;

use super::labels::{Label, Labels};
use super::memory::ParentMemory;
use super::parent::{Listeners, ParentKind, Root};
use super::private_data::{Slot, Values};
use crate::dispatch::{DispatchTable, TABLE_OFFSET};

/// The value that a driver writes into an object's first word, which shows the loader that it may write there
/// (`ICD_LOADER_MAGIC`; Android's `HWVULKAN_DISPATCH_MAGIC` is the same).
pub const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// The beginning of every object.
///
/// The first word belongs to the loader; the runtime's trampolines use the second.
#[repr(C, align(8))]
pub struct ObjectBase {
    loader: AtomicUsize,
    dispatch: *const DispatchTable,
    kind: vk::ObjectType,
    parent_kind: ParentKind,
    visible: AtomicBool,
    root: NonNull<Root>,
    /// How many bytes the block of the object has.
    size: usize,
    /// The private data of the first slot of the device; most applications and layers have one.
    first_value: AtomicU64,
    /// The application's attachments, once it has made any: most objects have none.
    details: AtomicPtr<Lock<Details>>,
}

/// The attachments of an application to an object.
struct Details {
    values: Values,
    name: Text<ParentMemory>,
    labels: Labels<ParentMemory>,
}

impl Details {
    fn new(memory: ParentMemory) -> Self {
        Self { values: Values::new(memory), name: Vec::new_in(memory), labels: Labels::new(memory) }
    }
}

// SAFETY: the pointers point to a parent that outlives the object and to a table that never changes; what changes is
// atomic or behind a lock.
unsafe impl Send for ObjectBase {}
// SAFETY: as above.
unsafe impl Sync for ObjectBase {}

impl ObjectBase {
    /// Returns the base of a new object. `root` is the parent, or the object itself for instances and devices; it is
    /// only stored.
    pub(crate) fn new(kind: vk::ObjectType, parent_kind: ParentKind, root: NonNull<Root>) -> Self {
        // SAFETY: every caller passes the root of a live parent, whose table is set.
        let dispatch = unsafe { root.as_ref() }.base().dispatch;
        Self::with_dispatch(kind, parent_kind, root, dispatch)
    }

    /// Does the same as [`ObjectBase::new`], for objects with a table of their own; `root` need not be complete yet.
    #[inline]
    pub(crate) fn with_dispatch(
        kind: vk::ObjectType,
        parent_kind: ParentKind,
        root: NonNull<Root>,
        dispatch: *const DispatchTable,
    ) -> Self {
        Self {
            loader: AtomicUsize::new(LOADER_MAGIC),
            dispatch,
            kind,
            parent_kind,
            visible: AtomicBool::new(false),
            root,
            size: 0,
            first_value: AtomicU64::new(0),
            details: AtomicPtr::default(),
        }
    }

    /// Returns the type of the object.
    #[inline]
    pub fn kind(&self) -> vk::ObjectType {
        self.kind
    }

    /// Returns whether the application has received the handle. Messages name only visible objects.
    pub fn is_visible(&self) -> bool {
        self.visible.load(Ordering::Relaxed)
    }

    /// Resets an object that a pool hands out again: not visible, without name, private data and labels. Type and
    /// parent remain. No other code uses the object meanwhile.
    #[inline]
    pub(crate) fn recycle(&self) {
        self.visible.store(false, Ordering::Relaxed);
        self.loader.store(LOADER_MAGIC, Ordering::Relaxed);
        self.first_value.store(0, Ordering::Relaxed);
        self.drop_details();
    }

    #[inline]
    fn drop_details(&self) {
        if !self.details.load(Ordering::Relaxed).is_null() {
            self.drop_some_details();
        }
    }

    #[cold]
    fn drop_some_details(&self) {
        let old = self.details.swap(core::ptr::null_mut(), Ordering::Acquire);
        if let Some(old) = NonNull::new(old) {
            // SAFETY: `details_or_new` boxed it in this memory, and no code uses it: the object is destroyed or
            // recycled.
            drop(unsafe { Box::from_non_null_in(old, Root::memory_of(self.root)) });
        }
    }

    /// Returns the application's attachments, if it has made any.
    #[inline]
    fn details(&self) -> Option<&Lock<Details>> {
        // SAFETY: attachments live until the object is destroyed or recycled.
        unsafe { self.details.load(Ordering::Acquire).as_ref() }
    }

    /// Returns the store for the application's attachments, and creates it if necessary.
    fn details_or_new(&self) -> Result<&Lock<Details>, OutOfMemory> {
        if let Some(details) = self.details() {
            return Ok(details);
        }
        let memory = Root::memory_of(self.root);
        let new = Box::into_non_null(Box::try_new_in(Lock::new(Details::new(memory)), memory)?);
        let none = core::ptr::null_mut();
        if self.details.compare_exchange(none, new.as_ptr(), Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: another thread was first, so this is the only pointer to it.
            drop(unsafe { Box::from_non_null_in(new, memory) });
        }
        self.details().ok_or(OutOfMemory)
    }

    /// Returns the base of the object behind a handle of any type; `None` for the null handle.
    ///
    /// # Safety
    /// `handle` is 0 or a live handle of the runtime's objects, and stays live for `'a`.
    pub unsafe fn of<'a>(handle: u64) -> Option<&'a Self> {
        let address = usize::try_from(handle).ok()?;
        let base = NonNull::new(core::ptr::with_exposed_provenance_mut::<Self>(address))?;
        // SAFETY: the caller vouches for the handle, which is the address of an object, and that begins with its base.
        Some(unsafe { base.as_ref() })
    }

    /// Returns the address of a handle's object, or `None` for the null handle and for an object of another type. All
    /// objects of the handle's type are an `O`.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects.
    #[inline]
    pub(super) unsafe fn pointer<H: Handle, O>(handle: H) -> Option<NonNull<O>> {
        let address = usize::try_from(handle.as_raw()).ok()?;
        let base = NonNull::new(core::ptr::with_exposed_provenance_mut::<Self>(address))?;
        // SAFETY: a live handle is the address of an object, which begins with its base; the type says what follows.
        let is_one = unsafe { base.as_ref() }.kind() == H::TYPE;
        is_one.then_some(base.cast())
    }

    /// Returns the instance that the object was created from, or that it is; `None` for device objects.
    pub fn instance(&self) -> Option<&Root> {
        (self.parent_kind == ParentKind::Instance).then(|| self.root())
    }

    /// Returns the device that the object was created from, or that it is; `None` for instance objects.
    pub fn device(&self) -> Option<&Root> {
        (self.parent_kind == ParentKind::Device).then(|| self.root())
    }

    /// Returns the instance that the object belongs to, directly or through its device.
    pub fn instance_root(&self) -> &Root {
        match self.root().physical_device() {
            Some(physical) => physical.root(),
            None => self.root(),
        }
    }

    /// Returns the physical device that the object is, or that its device was created from; `None` for other instance
    /// objects.
    pub fn physical_device(&self) -> Option<&Self> {
        if self.kind == vk::ObjectType::PHYSICAL_DEVICE { Some(self) } else { self.root().physical_device() }
    }

    /// Returns the listeners for messages about the object.
    pub(crate) fn listeners(&self) -> &Listeners {
        self.instance_root().listeners()
    }

    /// Returns the table for commands with this object as first parameter.
    #[inline]
    pub fn dispatch(&self) -> &DispatchTable {
        // SAFETY: the pointer comes from a reference to a table that lives as long as the object.
        unsafe { &*self.dispatch }
    }

    /// Names the object; `None` takes the name away.
    ///
    /// # Errors
    /// [`OutOfMemory`]; the old name stays.
    pub fn set_name(&self, name: Option<&[u8]>) -> Result<(), OutOfMemory> {
        if name.is_none() && self.details().is_none() {
            return Ok(());
        }
        let mut new = Vec::new_in(Root::memory_of(self.root));
        new.try_extend(name.unwrap_or_default())?;
        let details = self.details_or_new()?;
        let old = core::mem::replace(&mut details.lock(self.root().host()).name, new);
        drop(old);
        Ok(())
    }

    /// Returns the name that the application gave the object; empty if it gave none.
    pub fn name(&self) -> Result<Text, OutOfMemory> {
        let mut copy = Vec::new_in(Process);
        let Some(details) = self.details() else { return Ok(copy) };
        loop {
            let needed = details.lock(self.root().host()).name.len();
            copy.try_reserve(needed).map_err(|_| OutOfMemory)?;
            let details = details.lock(self.root().host());
            if details.name.len() <= copy.capacity() {
                copy.try_extend(&details.name)?;
                return Ok(copy);
            }
        }
    }

    /// Returns the value of a private data slot: 0 if it was not set, or if the slot is of another device.
    pub fn private_data(&self, slot: &Slot) -> u64 {
        if !slot.is_of(self.root.addr()) {
            return 0;
        }
        if slot.is_first() {
            return self.first_value.load(Ordering::Acquire);
        }
        self.details().map_or(0, |details| details.lock(self.root().host()).values.get(slot.index()))
    }

    /// Sets the value of a private data slot. A slot of another device is ignored.
    #[inline]
    pub fn set_private_data(&self, slot: &Slot, value: u64) -> Result<(), OutOfMemory> {
        if !slot.is_of(self.root.addr()) {
            return Ok(());
        }
        if !slot.is_first() {
            return self.set_further_value(slot, value);
        }
        self.first_value.store(value, Ordering::Release);
        Ok(())
    }

    /// Does the same as [`ObjectBase::set_private_data`], for slots of the same device behind its first.
    #[inline(never)]
    fn set_further_value(&self, slot: &Slot, value: u64) -> Result<(), OutOfMemory> {
        let (host, details) = (self.root().host(), self.details_or_new()?);
        if details.lock(host).values.replace(slot.index(), value) {
            return Ok(());
        }
        let mut larger = Values::new(Root::memory_of(self.root));
        loop {
            let needed = {
                let mut details = details.lock(host);
                if details.values.set_within(slot.index(), value, &mut larger) {
                    break;
                }
                details.values.wanted_capacity()
            };
            larger.reserve(needed)?;
        }
        Ok(())
    }

    /// Opens a label for a region. If memory runs out, the label is not shown.
    pub fn begin_label(&self, label: &Label<'_>) {
        if self.push_label(label, false).is_err()
            && let Some(details) = self.details()
        {
            // Without any details this is the outermost region, whose end finds no label.
            details.lock(self.root().host()).labels.forget();
        }
    }

    /// Closes the innermost region label, if one is open.
    pub fn end_label(&self) {
        if let Some(details) = self.details() {
            details.lock(self.root().host()).labels.end();
        }
    }

    /// Inserts a label for a point, which lasts until the next label. If memory runs out, the label is not shown.
    pub fn insert_label(&self, label: &Label<'_>) {
        let _ = self.push_label(label, true);
    }

    /// Closes all labels, for a new recording of a command buffer.
    pub fn clear_labels(&self) {
        let Some(details) = self.details() else { return };
        let empty = Labels::new(Root::memory_of(self.root));
        let old = core::mem::replace(&mut details.lock(self.root().host()).labels, empty);
        drop(old);
    }

    fn push_label(&self, label: &Label<'_>, is_point: bool) -> Result<(), OutOfMemory> {
        let details = self.details_or_new()?;
        let mut larger = Labels::new(Root::memory_of(self.root));
        loop {
            let wanted = {
                let mut details = details.lock(self.root().host());
                if details.labels.push_within(label, is_point, &mut larger) {
                    break;
                }
                details.labels.wanted(label)
            };
            larger.reserve(wanted)?;
        }
        Ok(())
    }

    pub(crate) fn labels(&self) -> Result<Labels<Process>, OutOfMemory> {
        let mut copy = Labels::new(Process);
        let Some(details) = self.details() else { return Ok(copy) };
        loop {
            let copied = details.lock(self.root().host()).labels.copy_within(&mut copy);
            match copied {
                Ok(()) => return Ok(copy),
                Err(needed) => copy.reserve(needed)?,
            }
        }
    }

    /// Returns the size in bytes of the block that begins with the object; 0 for instances and devices.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    #[inline]
    pub(crate) fn set_size(&mut self, size: usize) {
        self.size = size;
    }

    pub(crate) fn address(&self) -> u64 {
        core::ptr::from_ref(self).addr() as u64
    }

    #[inline]
    pub(crate) fn set_visible(&self) {
        debug_assert_eq!(self.loader.load(Ordering::Relaxed), LOADER_MAGIC, "handed out twice");
        self.visible.store(true, Ordering::Relaxed);
    }

    /// Does the same as [`ObjectBase::set_visible`], for objects whose handles are handed out repeatedly.
    #[inline]
    pub(crate) fn set_shared(&self) {
        self.visible.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn root(&self) -> &Root {
        // SAFETY: the parent outlives the object.
        unsafe { self.root.as_ref() }
    }

    #[inline]
    pub(crate) fn root_pointer(&self) -> NonNull<Root> {
        self.root
    }
}

impl Drop for ObjectBase {
    #[inline]
    fn drop(&mut self) {
        self.drop_details();
    }
}

const _: () = assert!(
    core::mem::offset_of!(ObjectBase, dispatch) == TABLE_OFFSET,
    "the trampolines read the second word"
);

/// The name that the application gave the object, or else its type and address: `VkBuffer(0x55d0)`.
impl fmt::Display for ObjectBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().unwrap_or_default();
        if !name.is_empty() {
            return write!(f, "{}", vkload_core::memory::Escaped(&name));
        }
        f.write_str("Vk")?;
        type_words(self.kind, f)?;
        write!(f, "({:#x})", core::ptr::from_ref(self).addr())
    }
}

/// Writes the name of an object type in the spelling of its handle type: `COMMAND_BUFFER` is `CommandBuffer`.
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
