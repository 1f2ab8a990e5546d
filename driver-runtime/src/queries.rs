//! Query pools, for drivers that know the results on the host.

use core::sync::atomic::Ordering;

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, TryGrow, Vec};

use crate::atomic::AtomicU64;
use crate::calls;
use crate::device::{Device, device_object};
use crate::dispatch::{EntryPoints, Invariant};
use crate::driver::Driver;
use crate::driver_types::DriverTypes;
use crate::entry_points;
use crate::object::{Object, ParentObject};
use crate::resource::{QueryPoolInfo, QueryRange};

/// A query pool.
pub struct QueryPool<D: DriverTypes> {
    info: QueryPoolInfo,
    /// For each query its values, and 1 while it is available.
    words: Vec<AtomicU64, CopiedCallbacks>,
    of: Invariant<D>,
}

device_object! { <D: DriverTypes> QueryPool<D> = QueryPool }

impl<D: DriverTypes> QueryPool<D> {
    /// Returns the facts in the create structure.
    pub fn info(&self) -> &QueryPoolInfo {
        &self.info
    }

    fn query(&self, number: u32) -> Option<(&[AtomicU64], &AtomicU64)> {
        let length = self.info.values().saturating_add(1);
        let query = self.words.get((number as usize).saturating_mul(length)..)?.get(..length)?;
        query.split_last().map(|(available, values)| (values, available))
    }

    /// Makes queries unavailable.
    pub fn reset(&self, first: u32, count: u32) {
        let queries = (first..first.saturating_add(count)).filter_map(|number| self.query(number));
        queries.for_each(|(_, available)| _ = available.swap(0, Ordering::AcqRel));
    }

    /// Makes queries available, each with these values; further ones are 0.
    pub fn finish(&self, first: u32, count: u32, values: &[u64]) {
        for (words, available) in (first..first.saturating_add(count)).filter_map(|number| self.query(number))
        {
            let values = values.iter().copied().chain(core::iter::repeat(0));
            words.iter().zip(values).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
            available.swap(1, Ordering::AcqRel);
        }
    }

    /// Writes results as [`QueryPoolInfo::write_results`] does.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn write(&self, range: QueryRange, out: *mut u8, size: usize) -> bool {
        let result = |number: u32, values: &mut [u64]| {
            let Some((words, available)) = self.query(number) else { return false };
            let is_available = available.load(Ordering::Acquire) != 0;
            if is_available {
                values.iter_mut().zip(words).for_each(|(value, word)| *value = word.load(Ordering::Relaxed));
            }
            is_available
        };
        // SAFETY: the caller vouches for the memory.
        unsafe { self.info.write_results(range, out, size, result) }
    }
}

fn create<D: Driver>(call: &calls::CreateQueryPool<'_>) -> Result<(), OutOfMemory> {
    let info = QueryPoolInfo::new(&call.create_info);
    // SAFETY: the call obeys the specification; the pool is freed with compatible callbacks.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        let memory = device.root().memory_or(call.allocator.as_ptr(), vk::SystemAllocationScope::OBJECT);
        let mut words = Vec::new_in(memory);
        let length = info.values().saturating_add(1).saturating_mul(info.count as usize);
        words.try_reserve_exact(length).map_err(|_| OutOfMemory)?;
        for _ in 0..length {
            words.try_push(AtomicU64::new(0))?;
        }
        let pool = QueryPool::<D> { info, words, of: core::marker::PhantomData };
        call.query_pool.write(Object::create(device, call.allocator.as_ptr(), pool)?.into_handle());
    }
    Ok(())
}

/// If the flags request it, waits until the queries are available or the device is lost.
fn get_results<D: Driver>(call: &calls::GetQueryPoolResults<'_>) -> Result<(), vk::Result> {
    let (first, count, stride, flags) = (call.first_query, call.query_count, call.stride, call.flags);
    // SAFETY: the call obeys the specification.
    unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        let pool =
            Object::<QueryPool<D>>::from_handle(call.query_pool).ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        let mut turn = 0u32;
        loop {
            device.check_status()?;
            if pool.write(QueryRange { first, count, stride, flags }, call.data.cast(), call.data_size) {
                return Ok(());
            }
            if !flags.contains(vk::QueryResultFlags::WAIT) {
                return Err(vk::Result::NOT_READY);
            }
            D::host().wait(turn);
            turn = turn.saturating_add(1);
        }
    }
}

/// # Safety
/// The handle is live.
unsafe fn reset<D: DriverTypes>(pool: vk::QueryPool, first: u32, count: u32) -> Option<()> {
    // SAFETY: the caller vouches for the handle.
    unsafe { Object::<QueryPool<D>>::from_handle(pool) }.map(|pool| pool.reset(first, count))
}

/// Returns the commands of query pools, for [`Driver::COMMANDS`].
#[must_use]
pub const fn entry_points<D: Driver>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CreateQueryPool = create::<D>,
            DestroyQueryPool = |call| Object::<QueryPool<D>>::destroy(call.query_pool, call.allocator.as_ptr()),
            GetQueryPoolResults = get_results::<D>,
            ResetQueryPool = |call| reset::<D>(call.query_pool, call.first_query, call.query_count),
        }
    }
}

/// Returns the recorded command that resets queries, for drivers with [recorded](crate::command_buffer::Recording) command
/// buffers. The driver's own commands [finish](QueryPool::finish) them and [write](QueryPool::write) results.
#[must_use]
pub const fn recorded<D: Driver>() -> EntryPoints<D> {
    // SAFETY: as above.
    unsafe {
        entry_points! {
            CmdResetQueryPool = |call| reset::<D>(call.query_pool, call.first_query, call.query_count),
        }
    }
}
