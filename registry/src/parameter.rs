//! Pointer parameters of commands, by their attributes in the registry. Each type has the layout of the pointer.
//!
//! The types of other parameters are in [`types`](crate::types). A pointer stays raw if the registry gives no type or
//! number of its elements.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

macro_rules! pointer {
    ($(#[$about:meta])* $name:ident, $pointer:ty) => {
        $(#[$about])*
        #[repr(transparent)]
        pub struct $name<'a, T>($pointer, PhantomData<&'a T>);

        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<'_, T> {}

        impl<T> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<T> $name<'_, T> {
            /// Returns the parameter for a pointer.
            ///
            /// # Safety
            /// For `'a`, the pointer is as the specification requires of the parameter.
            #[inline]
            pub unsafe fn new(pointer: $pointer) -> Self {
                Self(pointer, PhantomData)
            }

            /// Returns the pointer.
            #[inline]
            pub fn as_ptr(self) -> $pointer {
                self.0
            }
        }
    };
}

pointer! {
    /// A pointer to one valid value.
    In, *const T
}

pointer! {
    /// A pointer to one valid value, or NULL.
    InOptional, *const T
}

pointer! {
    /// A pointer to valid values, whose number is another parameter; NULL or dangling if it is zero.
    Array, *const T
}

pointer! {
    /// A pointer to memory for one value that the command writes.
    Out, *mut T
}

macro_rules! of_references {
    ($($name:ident: $reference:ty;)*) => {$(
        impl<'a, T> From<$reference> for $name<'a, T> {
            #[inline]
            fn from(value: $reference) -> Self {
                Self(value, PhantomData)
            }
        }
    )*};
}

of_references! {
    In: &'a T;
    InOptional: &'a T;
}

impl<'a, T> From<&'a [T]> for Array<'a, T> {
    #[inline]
    fn from(values: &'a [T]) -> Self {
        Self(values.as_ptr(), PhantomData)
    }
}

impl<T> Array<'_, T> {
    /// NULL.
    pub const NONE: Self = Self(core::ptr::null(), PhantomData);
}

impl<T> InOptional<'_, T> {
    /// NULL.
    pub const NONE: Self = Self(core::ptr::null(), PhantomData);
}

impl<T> Deref for In<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `new` requires a valid pointer.
        unsafe { &*self.0 }
    }
}

impl<'a, T> InOptional<'a, T> {
    /// Returns the value.
    #[inline]
    pub fn get(self) -> Option<&'a T> {
        // SAFETY: `new` requires a valid pointer.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Out<'_, T> {
    /// Writes the value.
    #[inline]
    pub fn write(self, value: T) {
        // SAFETY: `new` requires a valid pointer.
        unsafe { self.0.write(value) };
    }
}

impl<'a, T> Out<'a, T> {
    /// Returns the value, to change members of it.
    ///
    /// # Safety
    /// The application has initialised it, which it does with structures that begin a chain, and this is the only
    /// reference to it.
    #[inline]
    pub unsafe fn as_mut(self) -> &'a mut T {
        // SAFETY: `new` requires a valid pointer, and the caller vouches for its value and use.
        unsafe { &mut *self.0 }
    }
}

impl<'a, T> Array<'a, T> {
    /// Returns the values.
    ///
    /// # Safety
    /// `count` is the parameter with the number of elements.
    #[inline]
    pub unsafe fn slice(self, count: usize) -> &'a [T] {
        if count == 0 || self.0.is_null() {
            return &[];
        }
        // SAFETY: `new` requires a valid pointer, and the caller vouches for the count.
        unsafe { core::slice::from_raw_parts(self.0, count) }
    }
}

/// An array with its type of elements.
pub trait Elements {
    /// The type.
    type Element;
}

impl<T> Elements for Array<'_, T> {
    type Element = T;
}

/// Returns a parameter as a number: a handle's value, the address in a pointer, the bits of a `float`; 0 for types of other sizes.
///
/// # Safety
/// The type has no padding.
#[inline]
pub unsafe fn number_of<T>(parameter: &T) -> u64 {
    let start = core::ptr::from_ref(parameter);
    // SAFETY: the parameter has this many bytes, and the caller vouches for them.
    unsafe {
        match size_of::<T>() {
            8 => start.cast::<u64>().read_unaligned(),
            4 => start.cast::<u32>().read_unaligned().into(),
            _ => 0,
        }
    }
}
