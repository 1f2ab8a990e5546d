//! The bytes between the members of a description's structures, which reach applications with the members.

use core::mem::{offset_of, size_of};

use ash::vk;

use super::Description;

/// Writes zeros to the bytes after each of these members that align the next one.
macro_rules! clear {
    ($structure:expr, $type:ty: $($member:ident: $size:ty),+) => {
        $({
            const END: usize = offset_of!($type, $member) + size_of::<$size>();
            const COUNT: usize = END.next_multiple_of(align_of::<u64>()) - END;
            // SAFETY: `END` and the bytes behind it are within the structure, whose alignment is that of `u64`.
            unsafe { (&raw mut $structure).cast::<u8>().byte_add(END).write_bytes(0, COUNT) };
        })+
    };
}

/// Clears the bytes between members, so that a device has the same answers in every process.
pub(crate) fn clear(known: &mut Description) {
    type Properties = vk::PhysicalDeviceProperties;
    clear!(known.properties, Properties: pipeline_cache_uuid: [u8; vk::UUID_SIZE],
        sparse_properties: vk::PhysicalDeviceSparseProperties);
    clear!(known.properties.limits, vk::PhysicalDeviceLimits: max_sampler_allocation_count: u32,
        viewport_sub_pixel_bits: u32, min_memory_map_alignment: usize, standard_sample_locations: vk::Bool32);
    clear!(known.vulkan_1_1, vk::PhysicalDeviceVulkan11Properties<'_>: max_per_set_descriptors: u32);
    clear!(known.vulkan_1_2, vk::PhysicalDeviceVulkan12Properties<'_>:
        filter_minmax_image_component_mapping: vk::Bool32,
        framebuffer_integer_color_sample_counts: vk::SampleCountFlags);
    clear!(known.vulkan_1_3, vk::PhysicalDeviceVulkan13Properties<'_>:
        integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated: vk::Bool32,
        storage_texel_buffer_offset_single_texel_alignment: vk::Bool32,
        uniform_texel_buffer_offset_single_texel_alignment: vk::Bool32);
    for heap in &mut known.memory.memory_heaps {
        clear!(*heap, vk::MemoryHeap: flags: vk::MemoryHeapFlags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;

    /// Returns the bytes after the header of the properties of Vulkan 1.3 that had `contents` after their last member but one.
    fn bytes(contents: u8) -> Box<[u8]> {
        let mut known = Description::new(b"gpu", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
        let header = size_of::<vk::BaseOutStructure<'_>>();
        let size = size_of::<vk::PhysicalDeviceVulkan13Properties<'_>>() - header;
        let last = offset_of!(
            vk::PhysicalDeviceVulkan13Properties<'_>,
            uniform_texel_buffer_offset_single_texel_alignment
        ) + size_of::<vk::Bool32>();
        let first = (&raw mut known.vulkan_1_3).cast::<u8>();
        // SAFETY: the bytes are in the structure.
        unsafe {
            first.add(last).write_bytes(contents, last.next_multiple_of(align_of::<u64>()) - last);
            clear(&mut known);
            core::slice::from_raw_parts(first.add(header).cast_const(), size).into()
        }
    }

    #[test]
    fn nothing_is_left_between_members() {
        assert_eq!(bytes(0), bytes(0xa5));
    }
}
