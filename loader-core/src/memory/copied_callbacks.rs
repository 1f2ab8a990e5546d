//! Allocation callbacks that outlive the call that passed them.

use core::alloc::Layout;
use core::ptr::NonNull;

use ash::vk;

use super::{AllocError, Allocator, Application};

/// Like [`Application`], but with a copy of the callbacks: for memory that is used after the call that passed
/// them, whose structure need not outlive the call. It takes several words: the loader's own objects use
/// [`ObjectCallbacks`](super::ObjectCallbacks).
#[derive(Clone, Copy)]
pub struct CopiedCallbacks {
    callbacks: Option<vk::AllocationCallbacks<'static>>,
    scope: vk::SystemAllocationScope,
}

impl core::fmt::Debug for CopiedCallbacks {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CopiedCallbacks").finish_non_exhaustive()
    }
}

// SAFETY: the specification requires that the callbacks may be called from any thread that calls Vulkan
// commands on the object ("Host Memory": they are externally synchronised no more than the commands
// themselves).
unsafe impl Send for CopiedCallbacks {}
// SAFETY: the specification lets the callbacks be called from any such thread, as the comment on `Send` says.
unsafe impl Sync for CopiedCallbacks {}

impl CopiedCallbacks {
    /// Creates the allocator for objects that a command creates with `callbacks`, in the given scope.
    ///
    /// # Safety
    /// `callbacks` is NULL or a valid pointer to callbacks that obey the specification for as long as objects
    /// allocated here live.
    pub unsafe fn new(
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> Self {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer.
        let usable = unsafe { Application::new(callbacks, scope) };
        Self { callbacks: usable.callbacks().copied(), scope }
    }

    /// Creates an allocator that uses the memory of the process, for an instance that does not exist yet.
    pub const fn process() -> Self {
        Self { callbacks: None, scope: vk::SystemAllocationScope::INSTANCE }
    }

    #[must_use]
    pub fn scoped(self, scope: vk::SystemAllocationScope) -> Self {
        Self { scope, ..self }
    }

    /// Returns the allocator for a child object: its own callbacks if the application passed some, else its
    /// parent's.
    ///
    /// # Safety
    /// As for [`CopiedCallbacks::new`].
    #[must_use]
    pub unsafe fn or(
        self,
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> Self {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer to callbacks that
        // outlive the allocations made with them.
        let own = unsafe { Self::new(callbacks, scope) };
        if own.callbacks.is_some() { own } else { self.scoped(scope) }
    }

    /// Returns the callbacks in the form that drivers accept, valid until this value moves: NULL if the
    /// application passed no callbacks.
    pub fn as_ptr(&self) -> *const vk::AllocationCallbacks<'static> {
        self.callbacks.as_ref().map_or(core::ptr::null(), core::ptr::from_ref)
    }

    /// Returns the allocator that uses this copy.
    fn here(&self) -> Application {
        // SAFETY: `new`'s caller promised that the callbacks obey the specification. The result is used up while `self` is
        // borrowed.
        unsafe { Application::new(self.as_ptr(), self.scope) }
    }
}

// SAFETY: copies of this value hold the same callbacks and so can free each other's blocks; for the rest see `Application`.
unsafe impl Allocator for CopiedCallbacks {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.here().allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: as demanded of the caller.
        unsafe { self.here().deallocate(block, layout) };
    }

    unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: as demanded of the caller.
        unsafe { self.here().grow(block, old, new) }
    }
}
