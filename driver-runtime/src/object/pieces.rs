//! One block of memory for an object and arrays that belong to it.

use core::alloc::Layout;
use core::marker::PhantomData;

use vkload_core::memory::OutOfMemory;

use super::ObjectBase;
use crate::dispatch::Invariant;

/// The most arrays in a block.
pub const PIECES: usize = 16;

/// Numbers for which every bit pattern, including zero, is a value.
///
/// # Safety
/// The type has no padding, no pointers, no destructor, and every pattern of bits is valid.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($number:ty)*) => {$(
        // SAFETY: a number.
        unsafe impl Plain for $number {}
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 f32 u64 i64 f64 usize isize);

// SAFETY: as its elements.
unsafe impl<P: Plain, const N: usize> Plain for [P; N] {}

/// The arrays that an object is to be created with, by [`Object::create_with`](super::Object::create_with). They are zero
/// to begin with.
pub struct Pieces<T> {
    layout: Layout,
    count: usize,
    of: Invariant<T>,
}

/// An array in the block of an object, which [`Object::array`](super::Object::array) finds.
#[derive(Debug)]
pub struct Piece<P> {
    offset: usize,
    length: usize,
    element: Invariant<P>,
}

impl<P> Clone for Piece<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Piece<P> {}

impl<P> Piece<P> {
    /// Returns the number of elements in the array.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl<T> Pieces<T> {
    /// Creates an empty layout after an object of this layout.
    pub(super) const fn behind(object: Layout) -> Self {
        Self { layout: object, count: 0, of: PhantomData }
    }

    /// Adds an array of this many elements, which are aligned to at most 8 bytes: others do not compile.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the block would be larger than memory can be, or if the object already has [`PIECES`]
    /// arrays.
    pub fn add<P: Plain>(&mut self, length: usize) -> Result<Piece<P>, OutOfMemory> {
        const { assert!(align_of::<P>() <= align_of::<ObjectBase>(), "blocks are aligned as their objects are") };
        if self.count == PIECES {
            return Err(OutOfMemory);
        }
        let array = Layout::array::<P>(length).map_err(|_| OutOfMemory)?;
        let (layout, offset) = self.layout.extend(array).map_err(|_| OutOfMemory)?;
        self.layout = layout;
        self.count = self.count.saturating_add(1);
        Ok(Piece { offset, length, element: PhantomData })
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout.pad_to_align()
    }
}

impl<P: Plain> Piece<P> {
    /// Returns the array's offset in the block, if it lies in the last part of a block of `size` bytes that begins
    /// with `taken` bytes of other data. Pieces of other objects may not fit.
    pub(super) fn offset_in(&self, taken: usize, size: usize) -> Option<usize> {
        let end = size_of::<P>().checked_mul(self.length)?.checked_add(self.offset)?;
        (self.offset >= taken && end <= size && self.offset.is_multiple_of(align_of::<P>()))
            .then_some(self.offset)
    }
}
