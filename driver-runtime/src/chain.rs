//! Walking pNext chains that may bite their tail.

use core::ffi::c_void;
use core::marker::PhantomData;

use ash::vk;

/// More structures than a sane chain has; a longer one is taken to be a loop.
const LIMIT: usize = 4096;

/// A pNext chain that leads back into itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CyclicChain;

/// The structures of a pNext chain, and [`CyclicChain`] instead of going on for ever.
pub struct Chain<'a> {
    next: *const vk::BaseInStructure<'a>,
    left: usize,
    chain: PhantomData<&'a ()>,
}

impl Chain<'_> {
    /// Iterates over the structures from `first` on; NULL is the empty chain.
    ///
    /// # Safety
    /// `first` is NULL or begins a pNext chain, which may loop and which keeps its shape while the iterator is used.
    #[must_use]
    pub unsafe fn new(first: *const c_void) -> Self {
        Self { next: first.cast(), left: LIMIT, chain: PhantomData }
    }
}

impl<'a> Iterator for Chain<'a> {
    type Item = Result<*const vk::BaseInStructure<'a>, CyclicChain>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next.is_null() {
            return None;
        }
        let Some(left) = self.left.checked_sub(1) else {
            self.next = core::ptr::null();
            return Some(Err(CyclicChain));
        };
        self.left = left;
        let current = self.next;
        // SAFETY: by the `# Safety` of `new`, the pointer points to a structure in a pNext chain.
        self.next = unsafe { (*current).p_next };
        Some(Ok(current))
    }
}
