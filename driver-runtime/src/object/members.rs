//! The objects of a pool: allocated and freed one by one, kept for the next allocation, and gone with the pool.

use core::cell::Cell;
use core::ptr::NonNull;

use vkload_core::memory::{CopiedCallbacks, OutOfMemory};

use super::{Object, Owned, ParentObject, VkObject};

type Link<T> = Option<NonNull<Object<Linked<T>>>>;

/// A member: the driver's part, as in any object of its type, then its links to other members.
#[repr(C)]
struct Linked<T: VkObject> {
    driver: T,
    previous: Cell<Link<T>>,
    next: Cell<Link<T>>,
}

// SAFETY: only `Members` reads and writes the links, and every access to `Members` is exclusive.
unsafe impl<T: VkObject> Send for Linked<T> {}
// SAFETY: as above.
unsafe impl<T: VkObject> Sync for Linked<T> {}

// SAFETY: such an object begins with a whole `Object<T>`, which its handles refer to.
unsafe impl<T: VkObject> VkObject for Linked<T> {
    type Handle = T::Handle;
    type Parent = T::Parent;
}

impl<T: VkObject> Linked<T> {
    const _BEGINS_AS_WITHOUT_LINKS: () = assert!(
        core::mem::offset_of!(Object<Self>, driver) == core::mem::offset_of!(Object<T>, driver)
            && core::mem::offset_of!(Self, driver) == 0
    );
}

/// The objects of a pool, used and freed ones. Adding, freeing and reusing one need no search, no lock and no memory:
/// a pool is externally synchronised.
pub struct Members<T: VkObject> {
    used: Link<T>,
    freed: Link<T>,
    memory: CopiedCallbacks,
}

// SAFETY: the pointers point to objects that are owned, and may be sent.
unsafe impl<T: VkObject> Send for Members<T> {}
// SAFETY: shared references only read the lists, which change through exclusive ones.
unsafe impl<T: VkObject> Sync for Members<T> {}

impl<T: VkObject> Members<T> {
    /// Creates an empty set. The objects come from `memory`.
    #[must_use]
    pub const fn new(memory: CopiedCallbacks) -> Self {
        Self { used: None, freed: None, memory }
    }

    /// Creates an object of `parent` and returns its handle.
    ///
    /// # Errors
    /// [`OutOfMemory`]; `driver` is dropped.
    ///
    /// # Safety
    /// `parent` outlives these.
    pub unsafe fn create(&mut self, parent: &T::Parent, driver: T) -> Result<T::Handle, OutOfMemory> {
        const { Linked::<T>::_BEGINS_AS_WITHOUT_LINKS };
        let linked = Linked { driver, previous: Cell::new(None), next: Cell::new(None) };
        let object = Object::create_in(parent, self.memory, parent.root().base().dispatch(), linked)?;
        let handle = object.shared_handle();
        let pointer = object.leak();
        // SAFETY: the object is live, and now it is owned here. As an `Object<T>`, it has no arrays.
        unsafe {
            (*pointer.as_ptr()).base.set_size(size_of::<Object<T>>());
            push(&mut self.used, pointer);
        }
        Ok(handle)
    }

    /// Resets a freed object and returns its handle, or `None` if no freed object is left.
    pub fn reuse(&mut self) -> Option<T::Handle> {
        let pointer = self.freed?;
        // SAFETY: the lists contain only live objects.
        unsafe {
            remove(&mut self.freed, pointer);
            push(&mut self.used, pointer);
            Some(pointer.as_ref().reshared_handle())
        }
    }

    /// Keeps an object for the next allocation; its name, private data and labels go, the driver's part stays as it is. A null
    /// handle is ignored.
    ///
    /// # Safety
    /// The handle is null or belongs to a used member that is no longer in use.
    pub unsafe fn free(&mut self, handle: T::Handle) {
        // SAFETY: the caller vouches for the handle.
        unsafe {
            if let Some(pointer) = Object::<T>::pointer(handle) {
                self.keep(pointer.cast());
            }
        }
    }

    /// Keeps all objects for the next allocations, as [`Members::free`] does.
    ///
    /// # Safety
    /// The objects are no longer in use.
    pub unsafe fn free_all(&mut self) {
        while let Some(pointer) = self.used {
            // SAFETY: the list contains only live objects, and the caller vouches for the use.
            unsafe { self.keep(pointer) };
        }
    }

    /// # Safety
    /// The object is a used one of these.
    unsafe fn keep(&mut self, pointer: NonNull<Object<Linked<T>>>) {
        // SAFETY: the caller vouches for the object.
        unsafe {
            pointer.as_ref().base().recycle();
            remove(&mut self.used, pointer);
            push(&mut self.freed, pointer);
        }
    }

    /// Destroys the objects that were freed.
    pub fn trim(&mut self) {
        let memory = self.memory;
        drop_all(&mut self.freed, memory);
    }

    /// Returns the objects in use, the latest first.
    pub(crate) fn used(&self) -> impl Iterator<Item = NonNull<Object<T>>> + use<T> {
        let mut next = self.used;
        core::iter::from_fn(move || {
            let pointer = next?;
            // SAFETY: the list contains only live objects; the caller keeps them alive.
            next = unsafe { pointer.as_ref() }.next.get();
            Some(pointer.cast())
        })
    }
}

impl<T: VkObject> Drop for Members<T> {
    fn drop(&mut self) {
        let memory = self.memory;
        drop_all(&mut self.used, memory);
        drop_all(&mut self.freed, memory);
    }
}

fn drop_all<T: VkObject>(first: &mut Link<T>, memory: CopiedCallbacks) {
    while let Some(pointer) = *first {
        // SAFETY: the list's objects are live, owned by the list, and came from this memory.
        unsafe {
            *first = pointer.as_ref().next.get();
            (*pointer.as_ptr()).base.set_size(size_of::<Object<Linked<T>>>());
            drop(Owned::adopt(pointer, memory));
        }
    }
}

/// # Safety
/// The objects are live, and the new one is in no list.
unsafe fn push<T: VkObject>(first: &mut Link<T>, pointer: NonNull<Object<Linked<T>>>) {
    // SAFETY: the caller vouches for the objects.
    unsafe {
        let links = pointer.as_ref();
        links.previous.set(None);
        links.next.set(*first);
        if let Some(second) = *first {
            second.as_ref().previous.set(Some(pointer));
        }
    }
    *first = Some(pointer);
}

/// # Safety
/// The objects are live, and the list has this one.
unsafe fn remove<T: VkObject>(first: &mut Link<T>, pointer: NonNull<Object<Linked<T>>>) {
    // SAFETY: the caller vouches for the objects.
    unsafe {
        let links = pointer.as_ref();
        let (previous, next) = (links.previous.get(), links.next.get());
        if let Some(next) = next {
            next.as_ref().previous.set(previous);
        }
        match previous {
            Some(previous) => previous.as_ref().next.set(next),
            None => *first = next,
        }
    }
}
