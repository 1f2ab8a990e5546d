//! Buffers and their views.

use ash::vk;
use vkload_core::abi::chain;

use crate::format::{self, FormatInfo};

/// The facts of a buffer.
#[derive(Clone, Copy)]
pub struct BufferInfo {
    /// Bytes.
    pub size: u64,
    /// How it is created.
    pub flags: vk::BufferCreateFlags,
    /// Its uses, in 64 bits whichever structure states them.
    pub usage: vk::BufferUsageFlags2KHR,
}

impl BufferInfo {
    /// Returns the facts in a create structure.
    ///
    /// # Safety
    /// `info` begins a valid pNext chain.
    #[must_use]
    pub unsafe fn new(info: &vk::BufferCreateInfo<'_>) -> Self {
        // SAFETY: the caller vouches for the chain.
        let wide = unsafe { chain::find::<vk::BufferUsageFlags2CreateInfoKHR<'_>>(info.p_next) };
        let narrow = || vk::BufferUsageFlags2KHR::from_raw(info.usage.as_raw().into());
        Self { size: info.size, flags: info.flags, usage: wide.map_or_else(narrow, |wide| wide.usage) }
    }

    /// Returns how many of `size` bytes from `offset` on lie in the buffer: `VK_WHOLE_SIZE` selects all. `None` if the
    /// offset lies behind the end.
    pub fn range(&self, offset: u64, size: u64) -> Option<u64> {
        self.size.checked_sub(offset).map(|left| size.min(left))
    }
}

/// The facts of a buffer view.
#[derive(Clone, Copy)]
pub struct BufferViewInfo {
    /// The format of the texels.
    pub format: &'static FormatInfo,
    /// The first byte.
    pub offset: u64,
    /// Bytes.
    pub range: u64,
    /// Whole texels.
    pub texels: u64,
}

impl BufferViewInfo {
    /// Returns the facts of a view of `buffer`, or `None` if the format is unknown or the offset lies behind the end.
    pub fn new(buffer: &BufferInfo, info: &vk::BufferViewCreateInfo<'_>) -> Option<Self> {
        let format = format::info(info.format)?;
        let range = buffer.range(info.offset, info.range)?;
        let texels = range.checked_div(format.block_size.into())?;
        Some(Self { format, offset: info.offset, range, texels })
    }
}
