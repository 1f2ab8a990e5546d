//! The core's memory shared between threads, compiled with loom's words and cells.

#[path = "../../../loader-core/src/memory/arc.rs"]
mod arc;
#[path = "../../../loader-core/src/memory/cached.rs"]
mod cached;
#[path = "../../../loader-core/src/memory/shared_list.rs"]
mod shared_list;

pub(crate) use allocator_api2::alloc::{AllocError, Allocator, Global as Process};
pub(crate) use allocator_api2::boxed::Box;
pub(crate) use allocator_api2::vec::Vec;
pub(crate) use arc::Arc;
pub(crate) use cached::Cached;
pub(crate) use shared_list::SharedList;

/// As the core has it.
#[derive(Debug)]
pub(crate) struct OutOfMemory;

impl From<AllocError> for OutOfMemory {
    fn from(_: AllocError) -> Self {
        Self
    }
}

/// The part of the core's trait of this name that the lists need.
pub(crate) trait TryGrow<T> {
    fn try_extend(&mut self, values: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy;
    fn try_fit(&mut self, more: usize) -> Result<(), OutOfMemory>;
}

impl<T, A: Allocator> TryGrow<T> for Vec<T, A> {
    fn try_extend(&mut self, values: &[T]) -> Result<(), OutOfMemory>
    where
        T: Copy,
    {
        self.try_fit(values.len())?;
        values.iter().for_each(|value| self.push(*value));
        Ok(())
    }

    fn try_fit(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.try_reserve_exact(more).map_err(|_| OutOfMemory)
    }
}
