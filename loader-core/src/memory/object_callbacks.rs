//! The allocation callbacks of an object whose creating and destroying calls may differ in them: the rule is
//! `docs/decisions/0009-whose-memory-it-is.md`.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;

use super::{Application, Box, OutOfMemory};

type Callbacks = vk::AllocationCallbacks<'static>;

/// The callbacks that an object was created with, and during the call that destroys it those of that call.
///
/// `pUserData` may differ in every call (`VkAllocationCallbacks`), and each block of the object keeps a copy of
/// its allocator. So the copies lead here: their `pUserData` is the address of this object's `Current`.
///
/// Frees its own block when it is dropped, so it must outlive everything in the object's memory.
pub struct ObjectCallbacks(Option<NonNull<Current>>);

/// The callbacks to use now.
struct Current {
    callbacks: AtomicPtr<Callbacks>,
    /// Those of the creating call, since the structure that it passed need not live longer than the call.
    created_with: Callbacks,
}

// SAFETY: `Current` is shared by atomics alone once it is made, and the callbacks may be called from any thread that
// calls Vulkan commands on the object (see `Application`).
unsafe impl Send for ObjectCallbacks {}
// SAFETY: as for `Send`.
unsafe impl Sync for ObjectCallbacks {}

impl ObjectCallbacks {
    /// The callbacks of an object that is created with `callbacks`, and the allocator for its blocks; without any, they
    /// come from `parent`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    ///
    /// # Safety
    /// `callbacks` is NULL or a valid pointer to callbacks that obey the specification until the object is
    /// destroyed, or until other callbacks are [set](Self::set).
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
        let current = Current { callbacks: AtomicPtr::new(null_mut()), created_with };
        let current = Box::into_non_null(Box::try_new_in(current, given).map_err(OutOfMemory::from)?);
        // SAFETY: the box was leaked just above. The callbacks call the functions that `Current` leads to, which by this
        // function's `# Safety` obey the specification.
        let memory = unsafe {
            let own = &raw const (*current.as_ptr()).created_with;
            current.as_ref().callbacks.store(own.cast_mut(), Ordering::Relaxed);
            let leading = Callbacks {
                p_user_data: current.as_ptr().cast(),
                pfn_allocation: Some(allocate),
                pfn_reallocation: created_with.pfn_reallocation.map(|_| reallocate as _),
                pfn_free: Some(free),
                ..Default::default()
            };
            Application::new(&leading, scope)
        };
        Ok((Self(Some(current)), memory))
    }

    /// None yet.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Takes the callbacks of an object that is about to be freed, which uses `callbacks` from now on ([`Self::set`]).
    ///
    /// # Safety
    /// As for [`Self::set`].
    #[must_use]
    pub unsafe fn take(&mut self, callbacks: *const Callbacks) -> Self {
        // SAFETY: by this function's `# Safety`.
        unsafe { self.set(callbacks) };
        Self(self.0.take())
    }

    /// Uses `callbacks`, which a call that destroys the object was given, from now on. Ignores NULL, and all callbacks if the
    /// object was created without any: they do not know its blocks.
    ///
    /// # Safety
    /// `callbacks` is NULL or points to valid callbacks that are compatible with those of the creating call, and stays valid
    /// while the object's memory is used.
    pub unsafe fn set(&self, callbacks: *const Callbacks) {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer.
        let usable =
            unsafe { Application::new(callbacks, vk::SystemAllocationScope::OBJECT) }.callbacks().is_some();
        if let Some(current) = self.0.filter(|_| usable) {
            // SAFETY: the block lives as long as `self`.
            unsafe { current.as_ref() }.callbacks.store(callbacks.cast_mut(), Ordering::Release);
        }
    }
}

impl Drop for ObjectCallbacks {
    fn drop(&mut self) {
        let Some(current) = self.0 else { return };
        // SAFETY: `new` leaked the box, whose block came from the functions that the current ones are compatible with; only
        // `drop` takes it back. `set`'s caller keeps the current callbacks valid.
        unsafe {
            let now = Application::new(callbacks_now(current.as_ptr()), vk::SystemAllocationScope::OBJECT);
            drop(Box::from_non_null_in(current, now));
        }
    }
}

/// The callbacks to use now.
///
/// # Safety
/// `current` is alive.
unsafe fn callbacks_now<'a>(current: *const Current) -> &'a Callbacks {
    // SAFETY: by this function's `# Safety` `current` is alive. The pointer leads to its own copy, or to callbacks that the
    // caller of `set` keeps valid.
    unsafe { &*(*current).callbacks.load(Ordering::Acquire) }
}

/// `pfnAllocation` of the callbacks to use now.
unsafe extern "system" fn allocate(
    current: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: only `Application`s of a live `ObjectCallbacks` lead here, with its `Current`.
    unsafe {
        let now = callbacks_now(current.cast());
        now.pfn_allocation.map_or(null_mut(), |allocate| allocate(now.p_user_data, size, align, scope))
    }
}

/// `pfnReallocation` of the callbacks to use now.
unsafe extern "system" fn reallocate(
    current: *mut c_void,
    block: *mut c_void,
    size: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: as for `allocate`; the block came from compatible callbacks.
    unsafe {
        let now = callbacks_now(current.cast());
        now.pfn_reallocation
            .map_or(null_mut(), |reallocate| reallocate(now.p_user_data, block, size, align, scope))
    }
}

/// `pfnFree` of the callbacks to use now.
unsafe extern "system" fn free(current: *mut c_void, block: *mut c_void) {
    // SAFETY: as for `allocate`; the block came from compatible callbacks.
    unsafe {
        let now = callbacks_now(current.cast());
        if let Some(free) = now.pfn_free {
            free(now.p_user_data, block);
        }
    }
}
