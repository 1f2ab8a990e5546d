//! Properties: the structures of the core versions, and those that they were gathered from.
//!
//! Each of the latter has its members in the order in which the structure that gathered them has them, one after the
//! other, so it is a number of bytes from there.

use core::mem::offset_of;

use ash::vk::{self, TaggedStructure};

use super::Description;
use super::vulkan_1_4::{Chained, Vulkan14Properties};
use crate::chain::Chain;

/// Writes `VkPhysicalDeviceProperties2` and the structures chained to it. Those that are not known here are given to
/// `more`.
///
/// # Safety
/// `out` begins a pNext chain of structures that may be written.
pub(crate) unsafe fn write(
    known: &Description,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
    more: impl Fn(&mut Chainable),
) {
    // SAFETY: the caller vouches for the chain.
    unsafe {
        (*out).properties = known.properties;
        for structure in Chain::new((*out).p_next.cast_const()) {
            // A chain that bites its tail is filled up to there: the command has no result to say so.
            let Ok(structure) = structure else { return };
            let structure = structure.cast_mut().cast::<vk::BaseOutStructure<'static>>();
            if !write_one(known, structure) {
                let next = (*structure).p_next;
                more(&mut *structure.cast());
                (*structure).p_next = next;
            }
        }
    }
}

/// A structure in a chain, of whatever type, to be written.
#[repr(transparent)]
pub struct Chainable(vk::BaseOutStructure<'static>);

impl Chainable {
    /// The type of the structure.
    #[must_use]
    pub fn structure_type(&self) -> vk::StructureType {
        self.0.s_type
    }

    /// The structure, if it is of this type. Its `s_type` and `p_next` stay what they are.
    pub fn get<T: TaggedStructure>(&mut self) -> Option<&mut T> {
        let matches = self.0.s_type == T::STRUCTURE_TYPE;
        // SAFETY: a structure in a chain has the type that it states, and a `Chainable` is only made of structures
        // that the application passed to be written.
        matches.then(|| unsafe { &mut *core::ptr::from_mut(self).cast::<T>() })
    }
}

/// The members about copies by the host, with layouts in arrays of the caller's.
macro_rules! host_copy {
    ($out:expr, $known:expr) => {{
        $out.copy_src_layout_count =
            layouts($known.copy_src_layouts, $out.copy_src_layout_count, $out.p_copy_src_layouts);
        $out.copy_dst_layout_count =
            layouts($known.copy_dst_layouts, $out.copy_dst_layout_count, $out.p_copy_dst_layouts);
        $out.optimal_tiling_layout_uuid = $known.optimal_tiling_layout_uuid;
        $out.identical_memory_type_requirements = $known.identical_memory_type_requirements;
    }};
}
/// Writes the structure if it is known. Returns whether it is.
///
/// # Safety
/// `structure` is a structure of a pNext chain that may be written.
unsafe fn write_one(known: &Description, structure: *mut vk::BaseOutStructure<'static>) -> bool {
    // SAFETY: the caller vouches for the structure, which has the type that it says.
    unsafe {
        let s_type = (*structure).s_type;
        match s_type {
            Chained::TYPE if known.minor_version() >= 4 => {
                write_vulkan_1_4(&known.vulkan_1_4, structure.cast())
            }
            vk::PhysicalDeviceHostImageCopyPropertiesEXT::STRUCTURE_TYPE => {
                let out = structure.cast::<vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>>();
                host_copy!(*out, known.vulkan_1_4);
            }
            _ => {
                let Some(part) = PARTS.iter().find(|part| part.s_type == s_type) else { return false };
                if known.minor_version() >= part.since {
                    let from = (part.source)(known).wrapping_byte_add(part.at);
                    structure.cast::<u8>().byte_add(HEADER).copy_from(from, part.length);
                }
            }
        }
    }
    true
}

/// # Safety
/// `out` may be written, and its arrays have as many elements as it says.
unsafe fn write_vulkan_1_4(known: &Vulkan14Properties, out: *mut Chained) {
    let (at, length) = Chained::PLAIN;
    // SAFETY: the caller vouches for the structure; both have so many bytes of the same members.
    unsafe {
        out.byte_add(at).cast::<u8>().copy_from(core::ptr::from_ref(known).cast::<u8>(), length);
        host_copy!(*out, *known);
    }
}

/// Fills an array as far as it goes; without one, counts. Returns the number.
///
/// # Safety
/// `out` is NULL or has room for `room` elements.
unsafe fn layouts(known: &[vk::ImageLayout], room: u32, out: *mut vk::ImageLayout) -> u32 {
    let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
    if out.is_null() {
        return count;
    }
    let written = count.min(room);
    // SAFETY: the caller vouches for the array.
    unsafe { out.copy_from(known.as_ptr(), written as usize) };
    written
}

/// What stands before the members of a structure.
const HEADER: usize = size_of::<vk::BaseOutStructure<'_>>();

/// A structure that is bytes of another one.
struct Part {
    s_type: vk::StructureType,
    /// The minor version of Vulkan 1 that a device must have.
    since: u32,
    source: fn(&Description) -> *const u8,
    at: usize,
    length: usize,
}

macro_rules! parts {
    ($($source:ident: $gathered:ty { $($part:ident since $since:literal from $first:ident;)* })*) => {
        &[$($({
            const PART: Part = Part {
                s_type: <vk::$part<'static> as TaggedStructure>::STRUCTURE_TYPE,
                since: $since,
                source: |known| core::ptr::from_ref(&known.$source).cast(),
                at: offset_of!($gathered, $first),
                length: size_of::<vk::$part<'static>>() - HEADER,
            };
            // Padding at the end of the smaller structure may reach behind the larger one.
            const END: usize = PART.at + PART.length;
            assert!(END <= size_of::<$gathered>(), "the part is not in the structure");
            PART
        },)*)*]
    };
}

#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const PARTS: &[Part] = parts! {
    vulkan_1_1: vk::PhysicalDeviceVulkan11Properties<'static> {
        PhysicalDeviceVulkan11Properties since 2 from device_uuid;
        PhysicalDeviceIDProperties since 0 from device_uuid;
        PhysicalDeviceSubgroupProperties since 0 from subgroup_size;
        PhysicalDevicePointClippingProperties since 0 from point_clipping_behavior;
        PhysicalDeviceMultiviewProperties since 0 from max_multiview_view_count;
        PhysicalDeviceProtectedMemoryProperties since 0 from protected_no_fault;
        PhysicalDeviceMaintenance3Properties since 0 from max_per_set_descriptors;
    }
    vulkan_1_2: vk::PhysicalDeviceVulkan12Properties<'static> {
        PhysicalDeviceVulkan12Properties since 2 from driver_id;
        PhysicalDeviceDriverProperties since 0 from driver_id;
        PhysicalDeviceFloatControlsProperties since 0 from denorm_behavior_independence;
        PhysicalDeviceDescriptorIndexingProperties since 0 from max_update_after_bind_descriptors_in_all_pools;
        PhysicalDeviceDepthStencilResolveProperties since 0 from supported_depth_resolve_modes;
        PhysicalDeviceSamplerFilterMinmaxProperties since 0 from filter_minmax_single_component_formats;
        PhysicalDeviceTimelineSemaphoreProperties since 0 from max_timeline_semaphore_value_difference;
    }
    vulkan_1_3: vk::PhysicalDeviceVulkan13Properties<'static> {
        PhysicalDeviceVulkan13Properties since 3 from min_subgroup_size;
        PhysicalDeviceSubgroupSizeControlProperties since 0 from min_subgroup_size;
        PhysicalDeviceInlineUniformBlockProperties since 0 from max_inline_uniform_block_size;
        PhysicalDeviceShaderIntegerDotProductProperties since 0
            from integer_dot_product8_bit_unsigned_accelerated;
        PhysicalDeviceTexelBufferAlignmentProperties since 0
            from storage_texel_buffer_offset_alignment_bytes;
        PhysicalDeviceMaintenance4Properties since 0 from max_buffer_size;
    }
    vulkan_1_4: Vulkan14Properties {
        PhysicalDeviceLineRasterizationPropertiesKHR since 0 from line_sub_pixel_precision_bits;
        PhysicalDeviceVertexAttributeDivisorPropertiesEXT since 0 from max_vertex_attrib_divisor;
        PhysicalDeviceVertexAttributeDivisorPropertiesKHR since 0 from max_vertex_attrib_divisor;
        PhysicalDevicePushDescriptorPropertiesKHR since 0 from max_push_descriptors;
        PhysicalDeviceMaintenance5PropertiesKHR since 0
            from early_fragment_multisample_coverage_after_sample_counting;
        PhysicalDeviceMaintenance6PropertiesKHR since 0 from block_texel_view_compatible_multiple_layers;
        PhysicalDevicePipelineRobustnessPropertiesEXT since 0 from default_robustness_storage_buffers;
    }
};
