//! The properties of Vulkan 1.4, which the headers in use do not have yet.

use core::ffi::c_void;

use ash::vk;

/// The members of `VkPhysicalDeviceVulkan14Properties`, with the same meaning.
#[repr(C)]
#[derive(Clone, Copy, Default)]
#[expect(missing_docs, reason = "the members are those of the specification")]
pub struct Vulkan14Properties {
    pub line_sub_pixel_precision_bits: u32,
    pub max_vertex_attrib_divisor: u32,
    pub supports_non_zero_first_instance: vk::Bool32,
    pub max_push_descriptors: u32,
    pub dynamic_rendering_local_read_depth_stencil_attachments: vk::Bool32,
    pub dynamic_rendering_local_read_multisampled_attachments: vk::Bool32,
    pub early_fragment_multisample_coverage_after_sample_counting: vk::Bool32,
    pub early_fragment_sample_mask_test_before_sample_counting: vk::Bool32,
    pub depth_stencil_swizzle_one_support: vk::Bool32,
    pub polygon_mode_point_size: vk::Bool32,
    pub non_strict_single_pixel_wide_lines_use_parallelogram: vk::Bool32,
    pub non_strict_wide_lines_use_parallelogram: vk::Bool32,
    pub block_texel_view_compatible_multiple_layers: vk::Bool32,
    pub max_combined_image_sampler_descriptor_count: u32,
    pub fragment_shading_rate_clamp_combiner_inputs: vk::Bool32,
    pub default_robustness_storage_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_uniform_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_vertex_inputs: vk::PipelineRobustnessBufferBehaviorEXT,
    pub default_robustness_images: vk::PipelineRobustnessImageBehaviorEXT,
    /// The layouts that the host can copy from.
    pub copy_src_layouts: &'static [vk::ImageLayout],
    /// The layouts that the host can copy to.
    pub copy_dst_layouts: &'static [vk::ImageLayout],
    pub optimal_tiling_layout_uuid: [u8; vk::UUID_SIZE],
    pub identical_memory_type_requirements: vk::Bool32,
}

/// The number of words before the layouts.
const PLAIN: usize = 19;

/// `VkPhysicalDeviceVulkan14Properties` in a chain.
#[repr(C)]
pub(super) struct Chained {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    plain: [u32; PLAIN],
    pub(super) copy_src_layout_count: u32,
    pub(super) p_copy_src_layouts: *mut vk::ImageLayout,
    pub(super) copy_dst_layout_count: u32,
    pub(super) p_copy_dst_layouts: *mut vk::ImageLayout,
    pub(super) optimal_tiling_layout_uuid: [u8; vk::UUID_SIZE],
    pub(super) identical_memory_type_requirements: vk::Bool32,
}

impl Chained {
    pub(super) const TYPE: vk::StructureType = vk::StructureType::from_raw(56);
    /// The offset and size in bytes of the plain members.
    pub(super) const PLAIN: (usize, usize) = (core::mem::offset_of!(Self, plain), size_of::<[u32; PLAIN]>());
}

// The plain members are the same words in both: 19 of four bytes.
const _: () =
    assert!(core::mem::offset_of!(Vulkan14Properties, default_robustness_images) == 72 && PLAIN == 19);
const _: () = assert!(size_of::<Chained>() == if size_of::<usize>() == 8 { 144 } else { 120 });
