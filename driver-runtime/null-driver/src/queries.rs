//! Query pools. Nothing is drawn, so occlusion and statistics are 0; timestamps are the time of their execution.

use alloc::vec::Vec;
use core::ptr::NonNull;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::resource::{QueryPoolInfo, QueryRange};
use vkload_driver_runtime::{Object, Waiting, calls, entry_points, vk};

use crate::Null;
use crate::device::{device, device_objects};
use crate::host::{Shared, System};
use crate::resource::Buffer;
use crate::scenario;

struct Pool {
    info: QueryPoolInfo,
    /// The first value of each query, the others being 0; `None` while it is not available.
    results: Shared<Vec<Option<u64>>>,
}

device_objects! { Pool = QueryPool }

impl Pool {
    fn set(&self, first: u32, count: u32, result: Option<u64>) {
        let mut results = self.results.lock();
        for index in first..first.saturating_add(count) {
            if let Some(query) = results.get_mut(index as usize) {
                *query = result;
            }
        }
    }

    /// Writes results. Returns whether all are available.
    ///
    /// # Safety
    /// `out` points to `size` bytes.
    unsafe fn write(&self, range: QueryRange, out: *mut u8, size: usize) -> bool {
        let results = self.results.lock();
        let result = |query: u32, values: &mut [u64]| {
            let result = results.get(query as usize).copied().flatten();
            if let (Some(first), Some(result)) = (values.first_mut(), result) {
                *first = result;
            }
            result.is_some()
        };
        // SAFETY: the caller vouches for the memory.
        unsafe { self.info.write_results(range, out, size, result) }
    }
}

fn create_query_pool(call: &calls::CreateQueryPool<'_>) -> vk::Result {
    let info = QueryPoolInfo::new(&call.create_info);
    let pool = Pool { results: Shared::new(alloc::vec![None; info.count as usize]), info };
    // SAFETY: the call obeys the specification.
    unsafe { Object::create_command(call.device, call.allocator.as_ptr(), call.query_pool.as_ptr(), pool) }
}

/// If the flags request it, waits until everything was executed or the device is lost.
fn get_query_pool_results(call: &calls::GetQueryPoolResults<'_>) -> Result<(), vk::Result> {
    let (first, count, stride, flags) = (call.first_query, call.query_count, call.stride, call.flags);
    // SAFETY: the call obeys the specification.
    unsafe {
        let pool = Object::<Pool>::from_handle(call.query_pool).ok_or(vk::Result::ERROR_DEVICE_LOST)?;
        for turn in 0.. {
            device(call.device).check_status()?;
            if pool.write(QueryRange { first, count, stride, flags }, call.data.cast(), call.data_size) {
                break;
            }
            if !flags.contains(vk::QueryResultFlags::WAIT) {
                return Err(vk::Result::NOT_READY);
            }
            System.wait(turn);
        }
    }
    Ok(())
}

/// # Safety
/// `pool` is a live handle.
unsafe fn set(pool: vk::QueryPool, first: u32, count: u32, result: Option<u64>) {
    // SAFETY: the caller vouches for the handle.
    if let Some(pool) = unsafe { Object::<Pool>::from_handle(pool) } {
        pool.set(first, count, result);
    }
}

fn cmd_copy_query_pool_results(call: &calls::CmdCopyQueryPoolResults<'_>) -> Option<()> {
    let (first, count, stride, flags) = (call.first_query, call.query_count, call.stride, call.flags);
    // SAFETY: the call obeys the specification: recorded objects stay live until they are executed.
    unsafe {
        let (start, size) =
            Object::<Buffer>::from_handle(call.dst_buffer)?.bytes(call.dst_offset, u64::MAX)?;
        let pool = Object::<Pool>::from_handle(call.query_pool)?;
        pool.write(QueryRange { first, count, stride, flags }, NonNull::as_ptr(start), size);
    }
    Some(())
}

/// The commands of query pools.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CreateQueryPool = create_query_pool,
        DestroyQueryPool = |call| Object::<Pool>::destroy(call.query_pool, call.allocator.as_ptr()),
        GetQueryPoolResults = get_query_pool_results,
        ResetQueryPool = |call| set(call.query_pool, call.first_query, call.query_count, None),
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CmdResetQueryPool = |call| set(call.query_pool, call.first_query, call.query_count, None),
        CmdEndQuery = |call| set(call.query_pool, call.query, 1, Some(0)),
        CmdWriteTimestamp2 = |call| set(call.query_pool, call.query, 1, Some(scenario::get().now())),
        CmdCopyQueryPoolResults = cmd_copy_query_pool_results,
    }
};
