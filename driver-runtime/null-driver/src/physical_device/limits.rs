//! The specification's requirements for every device of Vulkan 1.4 (chapter "Limits"), and for one with these
//! features.

use vkload_driver_runtime::{Description, vk};

use crate::description::{HEAP_SIZE, IMAGE_EXTENT};
use crate::descriptors::{DESCRIPTOR_SIZE, SET_ALIGNMENT};
use crate::image::{ARRAY_LAYERS, DEPTH, SAMPLES};

/// The limit for everything that costs nothing.
const MANY: u32 = 1 << 20;

/// The largest group of invocations of a compute shader.
const WORK_GROUP: u32 = 1024;

/// Vertices of a patch, components of its interfaces.
const PATCH: u32 = 32;
const COMPONENTS: u32 = 128;

/// Layouts that the host can copy from and to: all have the same layout in memory.
const LAYOUTS: &[vk::ImageLayout] = &[
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
];

/// Sets members of a structure, each value in as many as follow it.
macro_rules! set {
    ($structure:expr => $($value:expr => $($member:ident)*;)*) => {
        $($($structure.$member = $value;)*)*
    };
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn set(known: &mut Description) {
    set! { known.properties.limits =>
        IMAGE_EXTENT => max_image_dimension1_d max_image_dimension2_d max_image_dimension_cube max_framebuffer_width
            max_framebuffer_height;
        DEPTH => max_image_dimension3_d;
        ARRAY_LAYERS => max_image_array_layers max_framebuffer_layers;
        1 << 27 => max_texel_buffer_elements;
        1 << 16 => max_uniform_buffer_range;
        1 << 30 => max_storage_buffer_range;
        256 => max_push_constants_size max_geometry_output_vertices;
        MANY => max_memory_allocation_count max_sampler_allocation_count max_per_stage_descriptor_samplers
            max_per_stage_descriptor_uniform_buffers max_per_stage_descriptor_storage_buffers
            max_per_stage_descriptor_sampled_images max_per_stage_descriptor_storage_images
            max_per_stage_descriptor_input_attachments max_per_stage_resources max_descriptor_set_samplers
            max_descriptor_set_uniform_buffers max_descriptor_set_storage_buffers max_descriptor_set_sampled_images
            max_descriptor_set_storage_images max_descriptor_set_input_attachments
            max_fragment_combined_output_resources;
        0 => sparse_address_space_size;
        8 => max_bound_descriptor_sets max_fragment_output_attachments max_clip_distances max_cull_distances
            max_combined_clip_and_cull_distances sub_pixel_precision_bits sub_texel_precision_bits
            mipmap_precision_bits viewport_sub_pixel_bits max_color_attachments;
        [IMAGE_EXTENT; 2] => max_viewport_dimensions;
        16 => max_descriptor_set_uniform_buffers_dynamic max_descriptor_set_storage_buffers_dynamic max_viewports
            min_texel_buffer_offset_alignment min_uniform_buffer_offset_alignment min_storage_buffer_offset_alignment;
        32 => max_vertex_input_attributes max_vertex_input_bindings max_geometry_shader_invocations;
        2047 => max_vertex_input_attribute_offset;
        2048 => max_vertex_input_binding_stride;
        COMPONENTS => max_vertex_output_components max_tessellation_control_per_vertex_input_components
            max_tessellation_control_per_vertex_output_components max_tessellation_evaluation_input_components
            max_tessellation_evaluation_output_components max_geometry_input_components max_geometry_output_components
            max_fragment_input_components;
        64 => max_tessellation_generation_level min_memory_map_alignment;
        PATCH => max_tessellation_patch_size;
        120 => max_tessellation_control_per_patch_output_components;
        4096 => max_tessellation_control_total_output_components;
        1024 => max_geometry_total_output_components;
        1 => max_fragment_dual_src_attachments max_sample_mask_words buffer_image_granularity
            optimal_buffer_copy_offset_alignment optimal_buffer_copy_row_pitch_alignment non_coherent_atom_size;
        32 << 10 => max_compute_shared_memory_size;
        [65_535; 3] => max_compute_work_group_count;
        WORK_GROUP => max_compute_work_group_invocations;
        [WORK_GROUP, WORK_GROUP, 64] => max_compute_work_group_size;
        u32::MAX => max_draw_indexed_index_value max_draw_indirect_count;
        16.0 => max_sampler_lod_bias max_sampler_anisotropy;
        [-2.0 * IMAGE_EXTENT as f32, 2.0 * IMAGE_EXTENT as f32 - 1.0] => viewport_bounds_range;
        -8 => min_texel_offset min_texel_gather_offset;
        7 => max_texel_offset max_texel_gather_offset;
        -0.5 => min_interpolation_offset;
        0.4375 => max_interpolation_offset;
        4 => sub_pixel_interpolation_offset_bits;
        SAMPLES => framebuffer_color_sample_counts framebuffer_depth_sample_counts framebuffer_stencil_sample_counts
            framebuffer_no_attachments_sample_counts sampled_image_color_sample_counts
            sampled_image_integer_sample_counts sampled_image_depth_sample_counts sampled_image_stencil_sample_counts
            storage_image_sample_counts;
        vk::TRUE => timestamp_compute_and_graphics standard_sample_locations;
        1.0 => timestamp_period point_size_granularity line_width_granularity;
        2 => discrete_queue_priorities;
        [1.0, 64.0] => point_size_range;
        [1.0, 8.0] => line_width_range;
    }
    set! { known.vulkan_1_1 =>
        4 => subgroup_size;
        vk::ShaderStageFlags::ALL => subgroup_supported_stages;
        vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::VOTE | vk::SubgroupFeatureFlags::ARITHMETIC |
            vk::SubgroupFeatureFlags::BALLOT | vk::SubgroupFeatureFlags::SHUFFLE |
            vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE | vk::SubgroupFeatureFlags::QUAD =>
            subgroup_supported_operations;
        vk::TRUE => subgroup_quad_operations_in_all_stages;
        vk::PointClippingBehavior::ALL_CLIP_PLANES => point_clipping_behavior;
        6 => max_multiview_view_count;
        (1 << 27) - 1 => max_multiview_instance_index;
        MANY => max_per_set_descriptors;
        HEAP_SIZE => max_memory_allocation_size;
    }
    set! { known.vulkan_1_2 =>
        u32::MAX => max_update_after_bind_descriptors_in_all_pools;
        MANY => max_per_stage_descriptor_update_after_bind_samplers
            max_per_stage_descriptor_update_after_bind_uniform_buffers
            max_per_stage_descriptor_update_after_bind_storage_buffers
            max_per_stage_descriptor_update_after_bind_sampled_images
            max_per_stage_descriptor_update_after_bind_storage_images
            max_per_stage_descriptor_update_after_bind_input_attachments max_per_stage_update_after_bind_resources
            max_descriptor_set_update_after_bind_samplers max_descriptor_set_update_after_bind_uniform_buffers
            max_descriptor_set_update_after_bind_storage_buffers max_descriptor_set_update_after_bind_sampled_images
            max_descriptor_set_update_after_bind_storage_images
            max_descriptor_set_update_after_bind_input_attachments;
        16 => max_descriptor_set_update_after_bind_uniform_buffers_dynamic
            max_descriptor_set_update_after_bind_storage_buffers_dynamic;
        vk::ResolveModeFlags::SAMPLE_ZERO => supported_depth_resolve_modes supported_stencil_resolve_modes;
        vk::TRUE => filter_minmax_single_component_formats filter_minmax_image_component_mapping;
        u64::MAX / 2 => max_timeline_semaphore_value_difference;
        SAMPLES => framebuffer_integer_color_sample_counts;
    }
    set! { known.vulkan_1_3 =>
        4 => min_subgroup_size max_subgroup_size;
        WORK_GROUP / 4 => max_compute_workgroup_subgroups;
        vk::ShaderStageFlags::ALL => required_subgroup_size_stages;
        256 => max_inline_uniform_block_size;
        16 => max_per_stage_descriptor_inline_uniform_blocks
            max_per_stage_descriptor_update_after_bind_inline_uniform_blocks max_descriptor_set_inline_uniform_blocks
            max_descriptor_set_update_after_bind_inline_uniform_blocks storage_texel_buffer_offset_alignment_bytes
            uniform_texel_buffer_offset_alignment_bytes;
        1 << 16 => max_inline_uniform_total_size;
        vk::TRUE => storage_texel_buffer_offset_single_texel_alignment
            uniform_texel_buffer_offset_single_texel_alignment;
        HEAP_SIZE => max_buffer_size;
    }
    set! { known.vulkan_1_4 =>
        4 => line_sub_pixel_precision_bits;
        u32::MAX => max_vertex_attrib_divisor;
        vk::TRUE => supports_non_zero_first_instance dynamic_rendering_local_read_depth_stencil_attachments
            dynamic_rendering_local_read_multisampled_attachments
            early_fragment_multisample_coverage_after_sample_counting
            early_fragment_sample_mask_test_before_sample_counting depth_stencil_swizzle_one_support
            polygon_mode_point_size block_texel_view_compatible_multiple_layers
            fragment_shading_rate_clamp_combiner_inputs identical_memory_type_requirements;
        32 => max_push_descriptors;
        3 => max_combined_image_sampler_descriptor_count;
        vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS_2 => default_robustness_storage_buffers
            default_robustness_uniform_buffers default_robustness_vertex_inputs;
        vk::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2 => default_robustness_images;
        LAYOUTS => copy_src_layouts copy_dst_layouts;
        known.properties.pipeline_cache_uuid => optimal_tiling_layout_uuid;
    }
    descriptor_buffers(known);
}

/// Every descriptor has the same size. The sizes for replayed addresses stay 0, as their feature is off.
fn descriptor_buffers(known: &mut Description) {
    const SIZE: usize = DESCRIPTOR_SIZE as usize;
    let mut buffers = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
    set! { buffers =>
        vk::TRUE => combined_image_sampler_descriptor_single_array bufferless_push_descriptors
            allow_sampler_image_view_post_submit_creation;
        SET_ALIGNMENT => descriptor_buffer_offset_alignment;
        8 => max_descriptor_buffer_bindings max_resource_descriptor_buffer_bindings
            max_sampler_descriptor_buffer_bindings max_embedded_immutable_sampler_bindings;
        MANY => max_embedded_immutable_samplers;
        SIZE => sampler_descriptor_size combined_image_sampler_descriptor_size sampled_image_descriptor_size
            storage_image_descriptor_size uniform_texel_buffer_descriptor_size
            robust_uniform_texel_buffer_descriptor_size storage_texel_buffer_descriptor_size
            robust_storage_texel_buffer_descriptor_size uniform_buffer_descriptor_size
            robust_uniform_buffer_descriptor_size storage_buffer_descriptor_size robust_storage_buffer_descriptor_size
            input_attachment_descriptor_size acceleration_structure_descriptor_size;
        HEAP_SIZE => max_sampler_descriptor_buffer_range max_resource_descriptor_buffer_range
            sampler_descriptor_buffer_address_space_size resource_descriptor_buffer_address_space_size
            descriptor_buffer_address_space_size;
    }
    let _known = known.set(&buffers);
}
