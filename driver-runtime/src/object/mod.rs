//! The objects behind Vulkan's handles.
//!
//! The runtime owns the memory of every object and puts an [`ObjectBase`] in front of the driver's part, so a driver
//! writes no casts and cannot misplace the base. Only [`Owned::into_handle`] returns handles, and
//! [`Object::from_handle`] converts them back; it compares the type even in release builds.

mod base;
mod exclusive;
mod foreign;
mod labels;
mod members;
mod memory;
mod parent;
mod pieces;
mod private_data;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use ash::vk::{self, Handle};
use vkload_core::memory::{Allocator, CopiedCallbacks, OutOfMemory, Process};

use crate::dispatch::{DispatchTable, Invariant};

pub use base::{LOADER_MAGIC, ObjectBase};
pub use exclusive::{Changeable, Exclusive};
pub use foreign::Foreign;
pub use labels::Label;
pub(crate) use labels::Labels;
pub use members::Members;
pub(crate) use memory::ParentMemory;
pub(crate) use parent::Listeners;
pub use parent::{ParentKind, ParentObject, Root};
pub use pieces::{PIECES, Piece, Pieces, Plain};
pub use private_data::Slot;

/// A driver's part behind one type of handle.
///
/// # Safety
/// Every handle of this type that the driver hands out refers to an object of this type. So a driver has one such
/// type for a handle type, and none for handle types whose objects are the runtime's.
pub unsafe trait VkObject: Send + Sync + Sized + 'static {
    /// The handle; its type is the object's.
    type Handle: Handle + Copy;
    /// The parent of such an object: the runtime's instance or device.
    type Parent: ParentObject;
}

/// An object: the base, and behind it the driver's part.
#[repr(C)]
pub struct Object<T: VkObject> {
    base: ObjectBase,
    of: Invariant<T>,
    driver: T,
}

impl<T: VkObject> Object<T> {
    /// Creates an object of `parent` in memory from `callbacks`, or from its parent's allocator if these are NULL.
    ///
    /// # Errors
    /// [`OutOfMemory`]; `driver` is dropped.
    ///
    /// # Safety
    /// `callbacks` is NULL or a valid pointer to callbacks that obey the specification, and `parent` outlives the
    /// object.
    #[inline]
    pub unsafe fn create(
        parent: &T::Parent,
        callbacks: *const vk::AllocationCallbacks<'_>,
        driver: T,
    ) -> Result<Owned<T>, OutOfMemory> {
        // SAFETY: the caller vouches for the callbacks.
        unsafe { Self::create_sized(parent, callbacks, Self::LAYOUT, driver) }
    }

    /// Creates an object as [`Object::create`] does, and writes its handle. Memory from callbacks has a path of its own.
    ///
    /// # Safety
    /// As for [`Object::create`]; `out` is valid.
    #[inline]
    pub(crate) unsafe fn create_handle(
        parent: &T::Parent,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut T::Handle,
        driver: T,
    ) -> Result<(), OutOfMemory> {
        let root = parent.root();
        if !callbacks.is_null() || !root.is_in_process_memory() {
            // SAFETY: the caller vouches for the pointers.
            return unsafe { Self::create_handle_with_callbacks(parent, callbacks, out, driver) };
        }
        let (memory, table) = (CopiedCallbacks::process(), root.base().dispatch());
        let object = Self::create_block(parent, memory, table, Self::LAYOUT, driver)?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { out.write(object.into_handle()) };
        Ok(())
    }

    /// # Safety
    /// As for [`Object::create_handle`].
    #[cold]
    #[inline(never)]
    unsafe fn create_handle_with_callbacks(
        parent: &T::Parent,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut T::Handle,
        driver: T,
    ) -> Result<(), OutOfMemory> {
        // SAFETY: the caller vouches for the pointers.
        unsafe { out.write(Self::create_sized(parent, callbacks, Self::LAYOUT, driver)?.into_handle()) };
        Ok(())
    }

    /// # Safety
    /// As for [`Object::create`].
    #[inline(never)]
    unsafe fn create_sized(
        parent: &T::Parent,
        callbacks: *const vk::AllocationCallbacks<'_>,
        layout: Layout,
        driver: T,
    ) -> Result<Owned<T>, OutOfMemory> {
        let root = parent.root();
        // SAFETY: the caller vouches for the callbacks.
        let memory = unsafe { root.memory().or(callbacks, vk::SystemAllocationScope::OBJECT) };
        Self::create_block(parent, memory, root.base().dispatch(), layout, driver)
    }

    /// Creates an object with a table of its own in memory of `memory`. `parent` outlives the object, which the runtime
    /// sees to itself.
    pub(crate) fn create_in(
        parent: &T::Parent,
        memory: CopiedCallbacks,
        dispatch: *const DispatchTable,
        driver: T,
    ) -> Result<Owned<T>, OutOfMemory> {
        Self::create_block(parent, memory, dispatch, Self::LAYOUT, driver)
    }

    /// Inlined, so that an object without arrays in the process's memory takes nothing of the rest.
    #[inline(always)]
    fn create_block(
        parent: &T::Parent,
        memory: CopiedCallbacks,
        dispatch: *const DispatchTable,
        layout: Layout,
        driver: T,
    ) -> Result<Owned<T>, OutOfMemory> {
        let is_in_process_memory = memory.as_ptr().is_null();
        let block = if is_in_process_memory { Process.allocate(layout) } else { memory.allocate(layout) };
        let block = block?.cast::<Self>();
        block.as_ptr().expose_provenance();
        let behind = layout.size().saturating_sub(size_of::<Self>());
        // SAFETY: this many bytes of the block come after the object.
        unsafe { block.add(1).cast::<u8>().write_bytes(0, behind) };
        parent.root().child_created();
        let root = NonNull::from(parent).cast::<Root>();
        let mut base = ObjectBase::with_dispatch(T::Handle::TYPE, T::Parent::KIND, root, dispatch);
        base.set_size(layout.size());
        // SAFETY: the block begins with the layout of the object.
        unsafe { block.write(Self { base, of: PhantomData, driver }) };
        Ok(Owned { object: block, memory })
    }

    /// Returns an empty list of arrays for an object of this type.
    pub const fn pieces() -> Pieces<T> {
        Pieces::behind(Self::LAYOUT)
    }

    /// Does the same as [`Object::create`], with arrays in the same block of memory. `pieces` comes from
    /// [`Object::pieces`]; `driver` keeps the results of [`Pieces::add`].
    ///
    /// # Errors
    /// [`OutOfMemory`]; `driver` is dropped.
    ///
    /// # Safety
    /// As for [`Object::create`].
    pub unsafe fn create_with(
        parent: &T::Parent,
        callbacks: *const vk::AllocationCallbacks<'_>,
        pieces: &Pieces<T>,
        driver: T,
    ) -> Result<Owned<T>, OutOfMemory> {
        // SAFETY: the caller vouches for the callbacks.
        unsafe { Self::create_sized(parent, callbacks, pieces.layout(), driver) }
    }

    /// Returns an array that the object was created with. A piece of another object is an error, and may give an
    /// empty array.
    pub fn array<P: Plain>(&self, piece: Piece<P>) -> &[P] {
        let Some(offset) = piece.offset_in(size_of::<Self>(), self.base.size()) else { return &[] };
        // SAFETY: the block is large enough, its address was exposed when it was allocated, and the data after the
        // object is plain numbers that started as zero. While references exist, no code changes them.
        unsafe {
            let start = core::ptr::with_exposed_provenance::<Self>(core::ptr::from_ref(self).addr());
            core::slice::from_raw_parts(start.byte_add(offset).cast(), piece.len())
        }
    }

    /// Returns the object of a handle, or `None` for the null handle and for a handle of another type, which is an
    /// application error.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    #[inline]
    pub unsafe fn from_handle<'a>(handle: T::Handle) -> Option<&'a Self> {
        // SAFETY: the caller vouches for the handle.
        unsafe { Self::pointer(handle).map(|object| object.as_ref()) }
    }

    /// Returns the address of a handle's object.
    ///
    /// # Safety
    /// As for [`Object::from_handle`].
    #[inline]
    unsafe fn pointer(handle: T::Handle) -> Option<NonNull<Self>> {
        // SAFETY: the caller vouches for the handle.
        unsafe { ObjectBase::pointer(handle) }
    }

    /// Returns the object of a handle as [`Object::from_handle`] does, for exclusive access: a parameter that the
    /// specification lists under "Host Synchronization" of the command may be changed without a lock.
    ///
    /// The type says that its objects are changed so: [`Changeable`]. For a command buffer of the runtime, use
    /// [`ExclusiveCommandBuffer::from_handle`](crate::command_buffer::ExclusiveCommandBuffer::from_handle).
    ///
    /// # Safety
    /// As for [`Object::from_handle`], and nothing else uses the driver's part of the object for `'a`: the specification has the
    /// application synchronise the parameter (`externsync` in the registry), and the driver has handed it to no other thread.
    #[inline]
    pub unsafe fn exclusive_from_handle<'a>(handle: T::Handle) -> Option<Exclusive<'a, T>>
    where
        T: Changeable,
    {
        // SAFETY: the caller vouches for handle and use.
        unsafe { Self::exclusive(handle) }
    }

    /// Does the same as [`Object::exclusive_from_handle`], for objects of the runtime.
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub(crate) unsafe fn exclusive<'a>(handle: T::Handle) -> Option<Exclusive<'a, T>> {
        // SAFETY: the caller vouches for handle and use.
        unsafe { Self::pointer(handle).map(|object| Exclusive::new(object)) }
    }

    /// Destroys the object of `handle`; a null handle is ignored.
    ///
    /// # Safety
    /// As for [`Object::from_handle`]; nothing uses the object any more, and `callbacks` are compatible with those that
    /// it was created with.
    #[inline]
    pub unsafe fn destroy(handle: T::Handle, callbacks: *const vk::AllocationCallbacks<'_>) {
        // SAFETY: the caller vouches for the handle and the callbacks.
        unsafe {
            let Some(object) = Self::pointer(handle) else { return };
            if !callbacks.is_null() || !object.as_ref().base.root().is_in_process_memory() {
                return Self::destroy_with_callbacks(object, callbacks);
            }
            drop(Owned { object, memory: CopiedCallbacks::process() });
        }
    }

    /// # Safety
    /// The object lives and is not used any more; for the callbacks as for [`Object::destroy`].
    #[cold]
    #[inline(never)]
    unsafe fn destroy_with_callbacks(object: NonNull<Self>, callbacks: *const vk::AllocationCallbacks<'_>) {
        // SAFETY: the caller vouches for object and callbacks.
        unsafe {
            let memory = object.as_ref().base.root().memory();
            drop(Owned { object, memory: memory.or(callbacks, vk::SystemAllocationScope::OBJECT) });
        }
    }

    /// Implements a command that creates one object: creates it as [`Object::create`] does, writes its handle to
    /// `out`, and returns the command's result. `parent` is the instance or device from the command's parameters.
    ///
    /// Returns `SUCCESS`, or `ERROR_OUT_OF_HOST_MEMORY`, even if `parent` is neither, which is an application error.
    /// On failure `driver` is dropped, and nothing is written.
    ///
    /// # Safety
    /// As specified for the command: `parent` is a live handle, `callbacks` are NULL or valid, and `out` is valid.
    #[inline]
    pub unsafe fn create_command(
        parent: <T::Parent as ParentObject>::Handle,
        callbacks: *const vk::AllocationCallbacks<'_>,
        out: *mut T::Handle,
        driver: T,
    ) -> vk::Result {
        // SAFETY: the caller vouches for handle and pointers.
        unsafe {
            let Some(parent) = T::Parent::of_handle(parent) else {
                return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
            };
            Self::create_handle(parent, callbacks, out, driver)
                .map_or_else(Into::into, |()| vk::Result::SUCCESS)
        }
    }

    /// Returns the base.
    pub fn base(&self) -> &ObjectBase {
        &self.base
    }

    /// Returns the object's parent.
    pub fn parent(&self) -> &T::Parent {
        // SAFETY: `create` took the root from a parent of this type, whose first field it is, and which outlives this.
        unsafe { self.base.root_pointer().cast::<T::Parent>().as_ref() }
    }

    /// Returns the handle, for messages and comparisons; it does not make the object visible.
    pub fn raw(&self) -> u64 {
        core::ptr::from_ref(self).addr() as u64
    }

    /// Returns the handle of an object that a pool hands out again. Its address was exposed when it was created.
    fn reshared_handle(&self) -> T::Handle {
        self.base.set_shared();
        T::Handle::from_raw(self.raw())
    }

    const LAYOUT: Layout = Layout::new::<Self>();
    const _ALIGNED_FOR_ALL_PIECES: () = assert!(align_of::<Self>() >= align_of::<u64>());
    const _BASE_COMES_FIRST: () = assert!(core::mem::offset_of!(Self, base) == 0);
}

impl<T: VkObject> Deref for Object<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.driver
    }
}

/// An object that the application has not received yet. Dropping it destroys it.
pub struct Owned<T: VkObject> {
    object: NonNull<Object<T>>,
    memory: CopiedCallbacks,
}

impl<T: VkObject> Owned<T> {
    /// Hands the object out: from here on it is visible to the application, which destroys it.
    #[inline]
    pub fn into_handle(self) -> T::Handle {
        self.base.set_visible();
        let address = self.object.as_ptr().expose_provenance();
        core::mem::forget(self);
        T::Handle::from_raw(address as u64)
    }

    /// Returns the handle of an object that stays owned: the runtime hands it out and destroys it itself.
    pub(crate) fn shared_handle(&self) -> T::Handle {
        self.base.set_shared();
        T::Handle::from_raw(self.object.as_ptr().expose_provenance() as u64)
    }

    /// Returns the object, which [`Owned::adopt`] takes back.
    fn leak(self) -> NonNull<Object<T>> {
        let object = self.object;
        core::mem::forget(self);
        object
    }

    /// # Safety
    /// The object has no other owner and came from `memory`, in a block of the size that its base has.
    unsafe fn adopt(object: NonNull<Object<T>>, memory: CopiedCallbacks) -> Self {
        Self { object, memory }
    }

    /// Returns the same as [`Object::array`], mutably, while no other code has the object.
    pub fn array_mut<P: Plain>(&mut self, piece: Piece<P>) -> &mut [P] {
        let Some(offset) = piece.offset_in(size_of::<Object<T>>(), self.base.size()) else { return &mut [] };
        // SAFETY: as for `array`, and the object is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.object.as_ptr().byte_add(offset).cast(), piece.len()) }
    }

    /// Returns the driver's part mutably, while no other code has the object.
    pub fn driver_mut(&mut self) -> &mut T {
        // SAFETY: the object is owned and no reference to it is handed out for longer than self is borrowed.
        unsafe { &mut (*self.object.as_ptr()).driver }
    }
}

// SAFETY: the value owns the object, whose driver's part may be sent and shared, as the base may.
unsafe impl<T: VkObject> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: VkObject> Sync for Owned<T> {}

impl<T: VkObject> Deref for Owned<T> {
    type Target = Object<T>;
    fn deref(&self) -> &Object<T> {
        // SAFETY: the block holds an object until this value is dropped.
        unsafe { self.object.as_ref() }
    }
}

impl<T: VkObject> Drop for Owned<T> {
    #[inline]
    fn drop(&mut self) {
        self.base.root().child_destroyed();
        // SAFETY: the object is owned, and its block came from this allocator with a layout of this size, in which the object
        // has space; all have the alignment of the object.
        unsafe {
            core::hint::assert_unchecked(self.base.size() != 0);
            let layout = Layout::from_size_align_unchecked(self.base.size(), Object::<T>::LAYOUT.align());
            self.object.drop_in_place();
            if self.memory.as_ptr().is_null() {
                Process.deallocate(self.object.cast(), layout);
            } else {
                self.memory.deallocate(self.object.cast(), layout);
            }
        }
    }
}
