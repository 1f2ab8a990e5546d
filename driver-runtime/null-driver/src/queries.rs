//! Query pools. Nothing is drawn, so occlusion and statistics are 0; timestamps are the time of their execution.

use core::ptr::NonNull;

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::queries::{self, QueryPool};
use vkload_driver_runtime::resource::QueryRange;
use vkload_driver_runtime::{Object, entry_points, vk};

use crate::Null;
use crate::description::SIZE;
use crate::resource::Buffer;
use crate::scenario;

type Pool = QueryPool<Null>;

/// Makes queries available.
///
/// # Safety
/// `pool` is a live handle.
unsafe fn finish(pool: vk::QueryPool, first: u32, count: u32, value: u64) {
    // SAFETY: the caller vouches for the handle.
    if let Some(pool) = unsafe { Object::<Pool>::from_handle(pool) } {
        pool.finish(first, count, &[value]);
    }
}

pub(crate) const COMMANDS: EntryPoints<Null> = queries::entry_points::<Null>();

/// The functions that run when a command buffer is executed.
// SAFETY: each function implements its command, with the objects of this driver; the calls obey the specification.
pub(crate) const EFFECTS: EntryPoints<Null> = unsafe {
    entry_points! {
        CmdEndQuery = |call| finish(call.query_pool, call.query, 1, 0),
        CmdEndQueryIndexedEXT = |call| finish(call.query_pool, call.query, 1, 0),
        // Whatever is asked of an acceleration structure, the answer is its size.
        CmdWriteAccelerationStructuresPropertiesKHR = |call| {
            finish(call.query_pool, call.first_query, call.acceleration_structure_count, SIZE);
        },
        CmdWriteAccelerationStructuresPropertiesNV = |call| {
            finish(call.query_pool, call.first_query, call.acceleration_structure_count, SIZE);
        },
        CmdWriteMicromapsPropertiesEXT = |call| {
            finish(call.query_pool, call.first_query, call.micromap_count, SIZE);
        },
        CmdCopyQueryPoolResultsToMemoryKHR = |call| {
            let (first, count, flags) = (call.first_query, call.query_count, call.query_result_flags);
            let range = *call.dst_range;
            let pool = Object::<Pool>::from_handle(call.query_pool)?;
            let out = core::ptr::with_exposed_provenance_mut(range.address as usize);
            pool.write(QueryRange { first, count, stride: range.stride, flags }, out, range.size as usize);
            Some(())
        },
        CmdWriteTimestamp2 = |call| finish(call.query_pool, call.query, 1, scenario::get().now()),
        CmdCopyQueryPoolResults = |call| {
            let (first, count, stride, flags) = (call.first_query, call.query_count, call.stride, call.flags);
            let (start, size) =
                Object::<Buffer>::from_handle(call.dst_buffer)?.bytes(call.dst_offset, u64::MAX)?;
            let pool = Object::<Pool>::from_handle(call.query_pool)?;
            pool.write(QueryRange { first, count, stride, flags }, NonNull::as_ptr(start), size);
            Some(())
        },
    }
}
.or(&queries::recorded::<Null>());
