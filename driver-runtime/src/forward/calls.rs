//! Calls through the table of an object, and lists for them.

use ash::vk::Handle;
use vkload_core::memory::{CopiedCallbacks, TryGrow, Vec};

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

/// Returns an allocator with command scope from the object's device, or from a physical device's instance.
///
/// # Safety
/// As for [`table`].
pub(crate) unsafe fn memory_of(handle: impl Handle) -> CopiedCallbacks {
    // SAFETY: the caller vouches for the handle.
    let base = unsafe { ObjectBase::of(handle.as_raw()) };
    let memory = base.map_or(CopiedCallbacks::process(), |base| *base.root().memory());
    memory.scoped(ash::vk::SystemAllocationScope::COMMAND)
}

/// Fills an array from one of chained structures. If memory for these runs out, the array stays empty: the commands
/// have no result to report it.
///
/// # Safety
/// `count` and `out` are a counted out-array, and `query` fills such arrays, or is missing.
pub(crate) unsafe fn copy_array<C: Default + Copy, P>(
    count: *mut u32,
    out: *mut P,
    memory: CopiedCallbacks,
    query: impl Fn(*mut u32, *mut C) -> Option<()>,
    plain: impl Fn(&C) -> P,
) {
    // SAFETY: the caller vouches for the array; as many elements are written as the query counts, at most all.
    unsafe {
        if out.is_null() {
            return query(count, core::ptr::null_mut()).unwrap_or_else(|| count.write(0));
        }
        let mut chained = Vec::new_in(memory);
        if chained.try_resize(count.read() as usize, C::default()).is_err() {
            return count.write(0);
        }
        query(count, chained.as_mut_ptr()).unwrap_or_else(|| count.write(0));
        for (index, chained) in chained.iter().take(count.read() as usize).enumerate() {
            out.add(index).write(plain(chained));
        }
    }
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
