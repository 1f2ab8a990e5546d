//! Query pools, and the form in which their results are written.

use ash::vk;

/// The most values of a query: one for each bit of `VkQueryPipelineStatisticFlags`.
const VALUES: usize = 32;

/// The facts of a query pool.
#[derive(Clone, Copy)]
pub struct QueryPoolInfo {
    /// The type of its queries.
    pub kind: vk::QueryType,
    /// Queries.
    pub count: u32,
    /// Which statistics a query has, if it counts these.
    pub statistics: vk::QueryPipelineStatisticFlags,
}

/// Which queries are read, and the form of their results.
#[derive(Clone, Copy)]
pub struct QueryRange {
    /// The first query.
    pub first: u32,
    /// Queries.
    pub count: u32,
    /// Bytes from one query's result to the next one's.
    pub stride: u64,
    /// The form.
    pub flags: vk::QueryResultFlags,
}

impl QueryPoolInfo {
    /// Returns the facts in a create structure.
    #[must_use]
    pub fn new(info: &vk::QueryPoolCreateInfo<'_>) -> Self {
        let counts_statistics = info.query_type == vk::QueryType::PIPELINE_STATISTICS;
        let statistics = if counts_statistics { info.pipeline_statistics } else { Default::default() };
        Self { kind: info.query_type, count: info.query_count, statistics }
    }

    /// Returns the values of a query, without its availability.
    pub fn values(&self) -> usize {
        match self.kind {
            vk::QueryType::PIPELINE_STATISTICS => self.statistics.as_raw().count_ones() as usize,
            // Primitives written, and primitives needed.
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => 2,
            _ => 1,
        }
    }

    /// Writes the results of queries in the form that the flags request, for `vkGetQueryPoolResults` and
    /// `vkCmdCopyQueryPoolResults`. `result` writes the values of a query, which are 0 before, and returns whether they
    /// are available. Bytes behind `size` are not written. Returns whether all queries are available.
    ///
    /// # Safety
    /// `out` points to `size` bytes that may be written.
    pub unsafe fn write_results(
        &self,
        range: QueryRange,
        out: *mut u8,
        size: usize,
        mut result: impl FnMut(u32, &mut [u64]) -> bool,
    ) -> bool {
        let width = if range.flags.contains(vk::QueryResultFlags::TYPE_64) { 8 } else { 4 };
        let mut all = true;
        for number in 0..range.count {
            let mut values = [0; VALUES];
            let Some(values) = values.get_mut(..self.values()) else { return false };
            let is_available = result(range.first.saturating_add(number), values);
            all &= is_available;
            let start = u64::from(number).saturating_mul(range.stride);
            let offset = |value: usize| (start as usize).saturating_add(value.saturating_mul(width));
            let is_written = is_available || range.flags.contains(vk::QueryResultFlags::PARTIAL);
            for (number, value) in values.iter().enumerate().filter(|_| is_written) {
                // SAFETY: the caller vouches for the memory.
                unsafe { write(out, size, offset(number), *value, width) };
            }
            if range.flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY) {
                // SAFETY: as above.
                unsafe { write(out, size, offset(values.len()), is_available.into(), width) };
            }
        }
        all
    }
}

/// Writes a value of 4 or 8 bytes, if it fits.
///
/// # Safety
/// `out` points to `size` bytes that may be written.
unsafe fn write(out: *mut u8, size: usize, offset: usize, value: u64, width: usize) {
    if offset.saturating_add(width) > size {
        return;
    }
    // SAFETY: the bytes lie in the memory that the caller vouches for.
    unsafe {
        match width {
            8 => out.add(offset).cast::<u64>().write_unaligned(value),
            _ => out.add(offset).cast::<u32>().write_unaligned(value as u32),
        }
    }
}
