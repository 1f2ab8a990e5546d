//! The application's allocation callbacks as an allocator.

use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{NonNull, from_ref, null};

use ash::vk;

use super::{AllocError, Allocator, Process};

type Callbacks = vk::AllocationCallbacks<'static>;

/// Memory of an instance or a device: from the application's `VkAllocationCallbacks` if it passed any, else
/// from the process.
///
/// Points to the callbacks: to the structure passed with a call, for memory that does not outlive the call,
/// or to an object's copy ([`ObjectCallbacks`](super::ObjectCallbacks)). So the allocator in each block takes
/// two words.
#[derive(Clone, Copy)]
pub struct Application {
    /// NULL if memory comes from the process.
    callbacks: *const Callbacks,
    scope: vk::SystemAllocationScope,
}

impl core::fmt::Debug for Application {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Application").finish_non_exhaustive()
    }
}

// SAFETY: the specification requires that the callbacks may be called from any thread that calls Vulkan
// commands on the object ("Host Memory": they are externally synchronised no more than the commands
// themselves).
unsafe impl Send for Application {}
// SAFETY: the specification lets the callbacks be called from any such thread, as the comment on `Send` says.
unsafe impl Sync for Application {}

impl Application {
    /// Creates the allocator for objects that a command creates with `callbacks`, in the given scope.
    ///
    /// # Safety
    /// `callbacks` is NULL or points to callbacks that obey the specification and stay at that address for as
    /// long as objects allocated here live.
    pub unsafe fn new(
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> Self {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer; the lifetime only
        // concerns a marker.
        let given = unsafe { callbacks.cast::<Callbacks>().as_ref() };
        let usable = given.filter(|given| given.pfn_allocation.is_some() && given.pfn_free.is_some());
        Self { callbacks: usable.map_or(null(), from_ref), scope }
    }

    /// Creates an allocator that uses the memory of the process, for an instance that does not exist yet.
    pub const fn process() -> Self {
        Self { callbacks: null(), scope: vk::SystemAllocationScope::INSTANCE }
    }

    #[must_use]
    pub fn scoped(self, scope: vk::SystemAllocationScope) -> Self {
        Self { scope, ..self }
    }

    /// Returns the allocator for a child object: its own callbacks if the application passed some, else its
    /// parent's.
    ///
    /// # Safety
    /// As for [`Application::new`].
    #[must_use]
    pub unsafe fn or(
        self,
        callbacks: *const vk::AllocationCallbacks<'_>,
        scope: vk::SystemAllocationScope,
    ) -> Self {
        // SAFETY: by this function's `# Safety` `callbacks` is NULL or a valid pointer to callbacks that
        // outlive the allocations made with them.
        let own = unsafe { Self::new(callbacks, scope) };
        if own.callbacks.is_null() { self.scoped(scope) } else { own }
    }

    pub(super) fn callbacks(&self) -> Option<&Callbacks> {
        // SAFETY: by the `# Safety` of `new` they stay at this address while memory allocated here lives, and
        // an allocator is not used for longer.
        unsafe { self.callbacks.as_ref() }
    }
}

// SAFETY: blocks come from the application's callbacks, which by the specification return suitably aligned
// blocks of the size asked for that stay valid until they are freed through the same callbacks, or from the
// process's allocator; copies of this value lead to the same callbacks and so can free each other's blocks.
unsafe impl Allocator for Application {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(&Callbacks { p_user_data, pfn_allocation: Some(allocate), .. }) = self.callbacks() else {
            return Process.allocate(layout);
        };
        if layout.size() == 0 {
            let dangling =
                NonNull::new(core::ptr::without_provenance_mut(layout.align())).ok_or(AllocError)?;
            return Ok(NonNull::slice_from_raw_parts(dangling, 0));
        }
        // SAFETY: an allocation callback may be called with any size and a power of two as alignment.
        let block = unsafe { allocate(p_user_data, layout.size(), layout.align(), self.scope) };
        let block = NonNull::new(block.cast::<u8>()).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        let Some(&Callbacks { p_user_data, pfn_free: Some(free), .. }) = self.callbacks() else {
            // SAFETY: without callbacks the block came from the process's allocator with this layout.
            return unsafe { Process.deallocate(block, layout) };
        };
        if layout.size() != 0 {
            // SAFETY: the block came from the allocation callback of the same structure.
            unsafe { free(p_user_data, block.as_ptr().cast::<c_void>()) };
        }
    }

    unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.callbacks() {
            Some(&Callbacks { p_user_data, pfn_reallocation: Some(reallocate), .. })
                if old.size() != 0 && old.align() == new.align() =>
            {
                // SAFETY: the block came from the same callbacks with the same alignment.
                let grown = unsafe {
                    reallocate(p_user_data, block.as_ptr().cast(), new.size(), new.align(), self.scope)
                };
                let grown = NonNull::new(grown.cast::<u8>()).ok_or(AllocError)?;
                Ok(NonNull::slice_from_raw_parts(grown, new.size()))
            }
            _ => {
                let grown = self.allocate(new)?;
                // SAFETY: both blocks are at least old.size() bytes long and distinct; the old one is not
                // used again.
                unsafe {
                    grown.cast::<u8>().copy_from_nonoverlapping(block, old.size());
                    self.deallocate(block, old);
                }
                Ok(grown)
            }
        }
    }
}
