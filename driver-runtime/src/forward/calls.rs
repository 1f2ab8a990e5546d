//! Calls through the table of an object, and lists for them.

use ash::vk::Handle;
use vkload_core::memory::CopiedCallbacks;

use crate::dispatch::DispatchTable;
use crate::object::ObjectBase;

/// The most elements of a list that are handed over in one call.
pub(super) const CHUNK: usize = 16;

/// Calls a command of an object through the object's table, and returns its result; `None` if the table lacks the
/// command. For use in an unsafe block.
macro_rules! call {
    ($handle:expr, $name:ident($($argument:expr),* $(,)?)) => {
        $crate::calls::$name::new($handle, $($argument.into()),*)
            .make(|command| $crate::forward::calls::table($handle)?.get(command))
    };
}
pub(crate) use call;

/// Returns the table of an object.
///
/// # Safety
/// `handle` is null or a live handle of the runtime's objects, and stays live for `'a`.
pub(crate) unsafe fn table<'a>(handle: impl Handle) -> Option<&'a DispatchTable> {
    // SAFETY: the caller vouches for the handle.
    Some(unsafe { ObjectBase::of(handle.as_raw()) }?.dispatch())
}

/// Returns an allocator with command scope from the object's device.
///
/// # Safety
/// As for [`table`].
pub(super) unsafe fn memory_of(handle: impl Handle) -> CopiedCallbacks {
    // SAFETY: the caller vouches for the handle.
    let base = unsafe { ObjectBase::of(handle.as_raw()) };
    let memory = base.map_or(CopiedCallbacks::process(), |base| *base.root().memory());
    memory.scoped(ash::vk::SystemAllocationScope::COMMAND)
}

/// Returns a counted array; NULL is the empty one.
///
/// # Safety
/// `first` is NULL, or points to this many valid elements that live as long as `'a`.
pub(crate) unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: the caller vouches for the array.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

/// Up to [`CHUNK`] elements in another form, on the stack.
pub(super) struct Chunk<C> {
    elements: [C; CHUNK],
    count: usize,
}

impl<C: Copy + Default> Chunk<C> {
    /// Takes the first elements from a list and converts them.
    pub(super) fn take<P>(list: &mut &[P], convert: impl Fn(&P) -> C) -> Self {
        let (first, rest) = list.split_at_checked(CHUNK).unwrap_or((list, &[]));
        *list = rest;
        let mut chunk = Self { elements: [C::default(); CHUNK], count: first.len() };
        chunk.elements.iter_mut().zip(first).for_each(|(target, element)| *target = convert(element));
        chunk
    }

    pub(super) fn as_slice(&self) -> &[C] {
        self.elements.get(..self.count).unwrap_or_default()
    }
}
