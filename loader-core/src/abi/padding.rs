//! The bytes between the members of structures. Drivers leave anything there, such as a part of an address.
#![forbid(unsafe_code)]

use core::mem::{offset_of, size_of};
use core::ops::Range;

use ash::vk;

/// Returns the bytes between a member of this type and the next one.
macro_rules! between {
    ($structure:ty, $member:ident: $type:ty, $next:ident) => {
        offset_of!($structure, $member).saturating_add(size_of::<$type>())..offset_of!($structure, $next)
    };
}

/// Returns whether the byte at `position` of a `VkPhysicalDeviceProperties` is between members.
#[must_use]
pub fn is_padding_of_properties(position: usize) -> bool {
    type Properties = vk::PhysicalDeviceProperties;
    type Limits = vk::PhysicalDeviceLimits;
    let limits = offset_of!(Properties, limits);
    let of_limits: [Range<usize>; 5] = [
        between!(Limits, max_sampler_allocation_count: u32, buffer_image_granularity),
        between!(Limits, viewport_sub_pixel_bits: u32, min_memory_map_alignment),
        between!(Limits, min_memory_map_alignment: usize, min_texel_buffer_offset_alignment),
        between!(Limits, standard_sample_locations: vk::Bool32, optimal_buffer_copy_offset_alignment),
        offset_of!(Limits, non_coherent_atom_size).saturating_add(size_of::<u64>())..size_of::<Limits>(),
    ];
    let sparse = offset_of!(Properties, sparse_properties);
    between!(Properties, pipeline_cache_uuid: [u8; vk::UUID_SIZE], limits).contains(&position)
        || (sparse.saturating_add(size_of::<vk::PhysicalDeviceSparseProperties>())..size_of::<Properties>())
            .contains(&position)
        || of_limits.iter().any(|range| range.contains(&position.wrapping_sub(limits)))
}

/// Returns whether the byte at `position` of a `VkPhysicalDeviceMemoryProperties` is between members.
#[must_use]
pub fn is_padding_of_memory(position: usize) -> bool {
    type Memory = vk::PhysicalDeviceMemoryProperties;
    let Some(in_heaps) = position.checked_sub(offset_of!(Memory, memory_heaps)) else { return false };
    let flags = offset_of!(vk::MemoryHeap, flags).saturating_add(size_of::<vk::MemoryHeapFlags>());
    in_heaps.checked_rem(size_of::<vk::MemoryHeap>()).is_some_and(|position| position >= flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_bytes_between_members_are_those_of_the_layout() {
        let of_properties: std::vec::Vec<usize> = (0..size_of::<vk::PhysicalDeviceProperties>())
            .filter(|at| is_padding_of_properties(*at))
            .collect();
        let words: std::vec::Vec<usize> = of_properties.iter().step_by(4).copied().collect();
        assert_eq!(words, [292, 340, 596, 772, 820]);
        let of_memory =
            (0..size_of::<vk::PhysicalDeviceMemoryProperties>()).filter(|at| is_padding_of_memory(*at));
        assert_eq!(of_memory.count(), 4 * vk::MAX_MEMORY_HEAPS);
    }
}
