//! Exclusive access to an object from one thread: the specification's external synchronisation.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::base::ObjectBase;
use super::{Object, VkObject};

/// An object whose driver's part one thread may change as a whole: [`Object::exclusive_from_handle`].
///
/// A driver implements this for its own types. The runtime's objects point to each other, so a driver may change only
/// its part of them.
pub trait Changeable: VkObject {}

/// An object that only this thread uses for `'a`, so that its driver's part can be changed without a lock.
///
/// The base stays shared: names and private data may be read from any thread at any time.
pub struct Exclusive<'a, T: VkObject> {
    object: NonNull<Object<T>>,
    lent: PhantomData<&'a mut T>,
}

impl<T: VkObject> Exclusive<'_, T> {
    /// # Safety
    /// The pointer points to a live object whose driver's part no other code uses for the lifetime.
    pub(crate) unsafe fn new(object: NonNull<Object<T>>) -> Self {
        Self { object, lent: PhantomData }
    }

    /// Returns the base.
    pub fn base(&self) -> &ObjectBase {
        // SAFETY: the object is live; no mutable reference to a base exists.
        unsafe { &(*self.object.as_ptr()).base }
    }

    /// Returns the object's parent.
    pub fn parent(&self) -> &T::Parent {
        // SAFETY: as for `Object::parent`.
        unsafe { self.base().root_pointer().cast::<T::Parent>().as_ref() }
    }

    #[inline]
    pub(crate) fn part_mut(&mut self) -> &mut T {
        // SAFETY: the object is live, and only this value gives access to the driver's part.
        unsafe { &mut (*self.object.as_ptr()).driver }
    }

    /// Returns the object for shared access.
    pub fn object(&self) -> &Object<T> {
        // SAFETY: the object is live, and the driver's part does not change while this is borrowed.
        unsafe { self.object.as_ref() }
    }
}

impl<T: VkObject> Deref for Exclusive<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is live, and only this value gives access to the driver's part.
        unsafe { &(*self.object.as_ptr()).driver }
    }
}

impl<T: Changeable> DerefMut for Exclusive<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.part_mut()
    }
}
