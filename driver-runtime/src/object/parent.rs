//! The parents of objects.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use ash::vk::{self, Handle};
use vkload_core::memory::CopiedCallbacks;

use super::base::ObjectBase;
use super::foreign::Foreign;
use super::memory::ParentMemory;
use super::private_data::Slot;
use crate::host::Host;

/// The listeners of an instance: the callbacks of its creation are copied, so that messages can be sent until its end.
pub(crate) type Listeners = vkload_core::logger::Listeners<CopiedCallbacks>;

/// Whether something was created from an instance or from a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentKind {
    /// From an instance: physical devices, surfaces, messengers; the instance itself.
    Instance,
    /// From a device: everything else; the device itself.
    Device,
}

/// Instances and devices of the runtime, which other objects are created from.
///
/// # Safety
/// The type begins with its [`Root`], and the objects behind its handles are of this type; only this crate can promise that, so only
/// it implements the trait.
pub unsafe trait ParentObject: Sync + 'static {
    /// Its handle.
    type Handle: Handle + Copy;
    /// Which of the two.
    const KIND: ParentKind;
    /// Returns the root.
    fn root(&self) -> &Root;

    /// Returns the instance or device of a handle, or `None` for NULL and for a handle of another type.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    #[inline]
    unsafe fn of_handle<'a>(handle: Self::Handle) -> Option<&'a Self>
    where
        Self: Sized,
    {
        // SAFETY: the caller vouches for the handle; the trait says that the object is one of these.
        unsafe { ObjectBase::pointer::<_, Self>(handle).map(|object| object.as_ref()) }
    }
}

/// The common part of instances and devices: their own base, and the data that their children need.
#[repr(C)]
pub struct Root {
    base: ObjectBase,
    memory: CopiedCallbacks,
    /// Whether the memory comes from the process allocator, as it nearly always does.
    is_in_process_memory: bool,
    host: &'static dyn Host,
    last_slot: AtomicU32,
    /// How many objects were created from this one and not destroyed.
    children: AtomicU32,
    foreign: Foreign,
    /// For a device, the physical device that it was made of, which outlives it.
    physical_device: Option<NonNull<ObjectBase>>,
    /// For an instance, the listeners to messages.
    listeners: Listeners,
}

// SAFETY: the pointer points to an object that outlives the device and may be shared.
unsafe impl Send for Root {}
// SAFETY: as above.
unsafe impl Sync for Root {}

impl Root {
    /// Creates the root of an instance, with `listeners` for its messages.
    pub(crate) fn of_instance(
        base: ObjectBase,
        memory: CopiedCallbacks,
        host: &'static dyn Host,
        listeners: Listeners,
    ) -> Self {
        let foreign = Foreign::new(base.root_pointer());
        Self {
            base,
            is_in_process_memory: memory.as_ptr().is_null(),
            memory,
            host,
            last_slot: AtomicU32::new(0),
            children: AtomicU32::new(0),
            foreign,
            physical_device: None,
            listeners,
        }
    }

    /// Returns the root of a device of `physical_device`, which outlives it.
    pub(crate) fn of_device(
        base: ObjectBase,
        memory: CopiedCallbacks,
        host: &'static dyn Host,
        physical_device: &ObjectBase,
    ) -> Self {
        let listeners = Listeners::new(memory, host);
        let physical_device = Some(NonNull::from(physical_device));
        Self { physical_device, ..Self::of_instance(base, memory, host, listeners) }
    }

    /// Returns the physical device that the device was created from; `None` for an instance.
    pub(crate) fn physical_device(&self) -> Option<&ObjectBase> {
        // SAFETY: the physical device outlives the device.
        self.physical_device.map(|base| unsafe { base.as_ref() })
    }

    pub(crate) fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// Frees the memory that this gives access to, before the instance or device is dropped.
    ///
    /// # Safety
    /// No other code uses the instance or device, or anything that it gave access to.
    pub(crate) unsafe fn release(&self) {
        self.base.recycle();
        // SAFETY: by this function's `# Safety` nothing uses the bases.
        unsafe { self.foreign.clear() };
    }

    #[inline]
    pub(crate) fn child_created(&self) {
        self.children.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn child_destroyed(&self) {
        self.children.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns the number of objects created from this one and not destroyed.
    pub(crate) fn children(&self) -> u32 {
        self.children.load(Ordering::Relaxed)
    }

    /// Returns the instance or device as an object.
    pub fn base(&self) -> &ObjectBase {
        &self.base
    }

    /// Returns the allocator of the instance or device, which its children fall back on.
    pub(crate) fn memory(&self) -> &CopiedCallbacks {
        &self.memory
    }

    /// Returns the allocator for objects that a command creates with `callbacks`, which may be NULL: the callbacks'
    /// allocator, or the instance's or device's.
    ///
    /// # Safety
    /// `callbacks` is NULL or a valid pointer to callbacks that obey the specification. All memory allocated with
    /// them, or with copies of the value, is freed before the application may take them back: before its object, and
    /// the instance or device, are destroyed.
    pub unsafe fn memory_or(
        &self,
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> CopiedCallbacks {
        // SAFETY: the caller vouches for the callbacks.
        unsafe { self.memory.or(callbacks, scope) }
    }

    /// Returns whether the application gave no callbacks for the memory.
    #[inline]
    pub(crate) fn is_in_process_memory(&self) -> bool {
        self.is_in_process_memory
    }

    /// Returns the same allocator by reference, for the runtime's own data about the children.
    pub(crate) fn shared_memory(&self) -> ParentMemory {
        Self::memory_of(NonNull::from(self))
    }

    /// Does the same as [`Root::shared_memory`], for a root that need not be complete before something is allocated.
    pub(super) fn memory_of(root: NonNull<Self>) -> ParentMemory {
        // SAFETY: the field lies inside the root.
        let memory = unsafe { root.byte_add(core::mem::offset_of!(Self, memory)).cast() };
        ParentMemory::new(memory)
    }

    /// Returns the system below.
    pub fn host(&self) -> &'static dyn Host {
        self.host
    }

    /// Names and private data of objects that the driver did not create.
    pub fn foreign(&self) -> &Foreign {
        &self.foreign
    }

    /// Returns the slot with which the runtime marks objects of an instance, whose own slots applications cannot have.
    pub(crate) fn first_slot(&self) -> Slot {
        Slot::new(NonNull::from(self).addr(), 1)
    }

    /// Returns a private data slot that was never given out before.
    pub fn new_slot(&self) -> Slot {
        let index = self.last_slot.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        Slot::new(NonNull::from(self).addr(), index)
    }
}
