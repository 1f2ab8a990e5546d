//! Query pools. Nothing is drawn, so occlusion and statistics are 0; timestamps are the time of their execution.

use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::NonNull;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::resource::{QueryPoolInfo, QueryRange};
use vkload_driver_runtime::{Device, Object, VkObject, Waiting, entry_points, vk};

use crate::Null;
use crate::device::device;
use crate::host::{Shared, System};
use crate::resource::Buffer;
use crate::scenario;

struct Pool {
    info: QueryPoolInfo,
    /// The first value of each query, the others being 0; `None` while it is not available.
    results: Shared<Vec<Option<u64>>>,
}

// SAFETY: no other type is behind such handles.
unsafe impl VkObject for Pool {
    type Handle = vk::QueryPool;
    type Parent = Device<Null>;
}

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

unsafe extern "system" fn create_query_pool(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the caller passes a live handle and valid pointers.
    unsafe {
        let info = QueryPoolInfo::new(&*info);
        let results = Shared::new(alloc::vec![None; info.count as usize]);
        Object::create_command(device, callbacks, out, Pool { info, results })
    }
}

unsafe extern "system" fn destroy_query_pool(
    _: vk::Device,
    pool: vk::QueryPool,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Pool>::destroy(pool, callbacks) };
}

/// If the flags request it, waits until everything was executed or the device is lost.
unsafe extern "system" fn get_query_pool_results(
    handle: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    out: *mut c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    // SAFETY: the caller passes live handles and this many bytes.
    unsafe {
        let Some(pool) = Object::<Pool>::from_handle(pool) else { return vk::Result::ERROR_DEVICE_LOST };
        let range = QueryRange { first, count, stride, flags };
        for turn in 0.. {
            if device(handle).check_status().is_err() {
                return vk::Result::ERROR_DEVICE_LOST;
            }
            if pool.write(range, out.cast(), size) {
                break;
            }
            if !flags.contains(vk::QueryResultFlags::WAIT) {
                return vk::Result::NOT_READY;
            }
            System.wait(turn);
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn reset_query_pool(_: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
    // SAFETY: the caller passes a live handle.
    unsafe { set(pool, first, count, None) };
}

/// # Safety
/// `pool` is a live handle.
unsafe fn set(pool: vk::QueryPool, first: u32, count: u32, result: Option<u64>) {
    // SAFETY: the caller vouches for the handle.
    if let Some(pool) = unsafe { Object::<Pool>::from_handle(pool) } {
        pool.set(first, count, result);
    }
}

unsafe extern "system" fn cmd_reset_query_pool(
    _: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe { set(pool, first, count, None) };
}

unsafe extern "system" fn cmd_end_query(_: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe { set(pool, query, 1, Some(0)) };
}

unsafe extern "system" fn cmd_write_timestamp_2(
    _: vk::CommandBuffer,
    _: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    query: u32,
) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe { set(pool, query, 1, Some(scenario::get().now())) };
}

unsafe extern "system" fn cmd_copy_query_pool_results(
    _: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) {
    // SAFETY: recorded objects stay live until they are executed.
    unsafe {
        let bytes = Object::<Buffer>::from_handle(buffer).and_then(|buffer| buffer.bytes(offset, u64::MAX));
        if let (Some(pool), Some((start, size))) = (Object::<Pool>::from_handle(pool), bytes) {
            pool.write(QueryRange { first, count, stride, flags }, NonNull::as_ptr(start), size);
        }
    }
}

/// The commands of query pools.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        CREATE_QUERY_POOL: PFN_vkCreateQueryPool = create_query_pool,
        DESTROY_QUERY_POOL: PFN_vkDestroyQueryPool = destroy_query_pool,
        GET_QUERY_POOL_RESULTS: PFN_vkGetQueryPoolResults = get_query_pool_results,
        RESET_QUERY_POOL: PFN_vkResetQueryPool = reset_query_pool,
    }
};

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CMD_RESET_QUERY_POOL: PFN_vkCmdResetQueryPool = cmd_reset_query_pool,
        CMD_END_QUERY: PFN_vkCmdEndQuery = cmd_end_query,
        CMD_WRITE_TIMESTAMP_2: PFN_vkCmdWriteTimestamp2 = cmd_write_timestamp_2,
        CMD_COPY_QUERY_POOL_RESULTS: PFN_vkCmdCopyQueryPoolResults = cmd_copy_query_pool_results,
    }
};
