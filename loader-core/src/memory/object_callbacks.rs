//! The allocation callbacks of an object whose creating and destroying calls may pass different ones: the
//! rule is decision 0009 (`docs/decisions.md`).

use core::ptr::NonNull;

use ash::vk;

use super::{Application, Box, OutOfMemory};

type Callbacks = vk::AllocationCallbacks<'static>;

/// A copy of the callbacks that an object was created with, or during the destroying call of the callbacks
/// passed to that call. `None` for an object without callbacks.
///
/// `pUserData` may differ in every call (`VkAllocationCallbacks`), and each block of the object has an
/// allocator that refers to this copy.
///
/// Frees its own block when it is dropped, so it must outlive everything in the object's memory.
#[derive(Debug)]
pub struct ObjectCallbacks(Option<NonNull<Callbacks>>);

// SAFETY: the copy changes only in a call that destroys the object, which nothing else uses then, and the callbacks may be called
// from any thread that calls Vulkan commands on the object (see `Application`).
unsafe impl Send for ObjectCallbacks {}
// SAFETY: as for `Send`.
unsafe impl Sync for ObjectCallbacks {}

impl ObjectCallbacks {
    /// Copies the callbacks of an object that is created with `callbacks`. Also returns the allocator for its
    /// blocks; without callbacks, they come from `parent`.
    ///
    /// # Safety
    /// `callbacks` is NULL or a valid pointer to callbacks that obey the specification until the object is
    /// destroyed, or until other callbacks are [set](Self::set). The allocator is not used after the first value is dropped.
    #[inline(never)] // several callers
    pub unsafe fn new(
        callbacks: *const vk::AllocationCallbacks<'_>,
        parent: Application,
        scope: vk::SystemAllocationScope,
    ) -> Result<(Self, Application), OutOfMemory> {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer.
        let given = unsafe { Application::new(callbacks, scope) };
        let Some(created_with) = given.callbacks() else {
            return Ok((Self(None), parent.scoped(scope)));
        };
        let copy = Box::into_non_null(Box::try_new_in(*created_with, given).map_err(OutOfMemory::from)?);
        // SAFETY: the copy stays at its address until `drop`, after which by this function's `# Safety` the
        // allocator is not used.
        let memory = unsafe { Application::new(copy.as_ptr(), scope) };
        Ok((Self(Some(copy)), memory))
    }

    pub const fn none() -> Self {
        Self(None)
    }

    /// Takes the callbacks of an object that is about to be freed, which uses `callbacks` from now on ([`Self::set`]).
    ///
    /// # Safety
    /// As for [`Self::set`].
    #[must_use]
    #[inline(never)] // several callers
    pub unsafe fn take(&mut self, callbacks: *const Callbacks) -> Self {
        // SAFETY: by this function's `# Safety`.
        unsafe { self.set(callbacks) };
        Self(self.0.take())
    }

    /// Replaces the callbacks by those passed to a destroying call. Ignores NULL, and all callbacks if the
    /// object was created without any: they do not know its blocks.
    ///
    /// # Safety
    /// `callbacks` is NULL or points to valid callbacks that are compatible with the callbacks of the
    /// creating call and obey the specification while the object's memory is used. No other thread uses that
    /// memory.
    pub unsafe fn set(&self, callbacks: *const Callbacks) {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer.
        let given = unsafe { Application::new(callbacks, vk::SystemAllocationScope::OBJECT) };
        if let (Some(copy), Some(given)) = (self.0, given.callbacks()) {
            // SAFETY: the copy lives as long as `self`, and no other thread reads it.
            unsafe { copy.write(*given) };
        }
    }
}

impl Drop for ObjectCallbacks {
    fn drop(&mut self) {
        let Some(copy) = self.0 else { return };
        // SAFETY: `new` leaked the box; only `drop` takes it back. It is freed by the callbacks that it holds, from a copy.
        unsafe {
            let callbacks = *copy.as_ptr();
            let memory = Application::new(&callbacks, vk::SystemAllocationScope::OBJECT);
            drop(Box::from_non_null_in(copy, memory));
        }
    }
}
