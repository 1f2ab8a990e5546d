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

pub(super) fn set(known: &mut Description) {
    let limits = &mut known.properties.limits;
    sizes(limits);
    descriptors(limits);
    stages(limits);
    drawing(limits);
    alignments(limits);
    versions(known);
    descriptor_buffers(known);
}

/// Every descriptor has the same size. The sizes for replayed addresses stay 0, as their feature is off.
fn descriptor_buffers(known: &mut Description) {
    const SIZE: usize = DESCRIPTOR_SIZE as usize;
    let _known = known.set(&vk::PhysicalDeviceDescriptorBufferPropertiesEXT {
        combined_image_sampler_descriptor_single_array: vk::TRUE,
        bufferless_push_descriptors: vk::TRUE,
        allow_sampler_image_view_post_submit_creation: vk::TRUE,
        descriptor_buffer_offset_alignment: SET_ALIGNMENT,
        max_descriptor_buffer_bindings: 8,
        max_resource_descriptor_buffer_bindings: 8,
        max_sampler_descriptor_buffer_bindings: 8,
        max_embedded_immutable_sampler_bindings: 8,
        max_embedded_immutable_samplers: MANY,
        sampler_descriptor_size: SIZE,
        combined_image_sampler_descriptor_size: SIZE,
        sampled_image_descriptor_size: SIZE,
        storage_image_descriptor_size: SIZE,
        uniform_texel_buffer_descriptor_size: SIZE,
        robust_uniform_texel_buffer_descriptor_size: SIZE,
        storage_texel_buffer_descriptor_size: SIZE,
        robust_storage_texel_buffer_descriptor_size: SIZE,
        uniform_buffer_descriptor_size: SIZE,
        robust_uniform_buffer_descriptor_size: SIZE,
        storage_buffer_descriptor_size: SIZE,
        robust_storage_buffer_descriptor_size: SIZE,
        input_attachment_descriptor_size: SIZE,
        acceleration_structure_descriptor_size: SIZE,
        max_sampler_descriptor_buffer_range: HEAP_SIZE,
        max_resource_descriptor_buffer_range: HEAP_SIZE,
        sampler_descriptor_buffer_address_space_size: HEAP_SIZE,
        resource_descriptor_buffer_address_space_size: HEAP_SIZE,
        descriptor_buffer_address_space_size: HEAP_SIZE,
        ..Default::default()
    });
}

fn sizes(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_image_dimension1_d = IMAGE_EXTENT;
    limits.max_image_dimension2_d = IMAGE_EXTENT;
    limits.max_image_dimension3_d = DEPTH;
    limits.max_image_dimension_cube = IMAGE_EXTENT;
    limits.max_image_array_layers = ARRAY_LAYERS;
    limits.max_texel_buffer_elements = 1 << 27;
    limits.max_uniform_buffer_range = 1 << 16;
    limits.max_storage_buffer_range = 1 << 30;
    limits.max_push_constants_size = 256;
    limits.max_memory_allocation_count = MANY;
    limits.max_sampler_allocation_count = MANY;
    limits.sparse_address_space_size = 0;
    limits.max_bound_descriptor_sets = 8;
    limits.max_viewport_dimensions = [IMAGE_EXTENT; 2];
    limits.max_framebuffer_width = IMAGE_EXTENT;
    limits.max_framebuffer_height = IMAGE_EXTENT;
    limits.max_framebuffer_layers = ARRAY_LAYERS;
}

fn descriptors(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_per_stage_descriptor_samplers = MANY;
    limits.max_per_stage_descriptor_uniform_buffers = MANY;
    limits.max_per_stage_descriptor_storage_buffers = MANY;
    limits.max_per_stage_descriptor_sampled_images = MANY;
    limits.max_per_stage_descriptor_storage_images = MANY;
    limits.max_per_stage_descriptor_input_attachments = MANY;
    limits.max_per_stage_resources = MANY;
    limits.max_descriptor_set_samplers = MANY;
    limits.max_descriptor_set_uniform_buffers = MANY;
    limits.max_descriptor_set_uniform_buffers_dynamic = 16;
    limits.max_descriptor_set_storage_buffers = MANY;
    limits.max_descriptor_set_storage_buffers_dynamic = 16;
    limits.max_descriptor_set_sampled_images = MANY;
    limits.max_descriptor_set_storage_images = MANY;
    limits.max_descriptor_set_input_attachments = MANY;
}

fn stages(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_vertex_input_attributes = 32;
    limits.max_vertex_input_bindings = 32;
    limits.max_vertex_input_attribute_offset = 2047;
    limits.max_vertex_input_binding_stride = 2048;
    limits.max_vertex_output_components = COMPONENTS;
    limits.max_tessellation_generation_level = 64;
    limits.max_tessellation_patch_size = PATCH;
    limits.max_tessellation_control_per_vertex_input_components = COMPONENTS;
    limits.max_tessellation_control_per_vertex_output_components = COMPONENTS;
    limits.max_tessellation_control_per_patch_output_components = 120;
    limits.max_tessellation_control_total_output_components = 4096;
    limits.max_tessellation_evaluation_input_components = COMPONENTS;
    limits.max_tessellation_evaluation_output_components = COMPONENTS;
    limits.max_geometry_shader_invocations = 32;
    limits.max_geometry_input_components = COMPONENTS;
    limits.max_geometry_output_components = COMPONENTS;
    limits.max_geometry_output_vertices = 256;
    limits.max_geometry_total_output_components = 1024;
    limits.max_fragment_input_components = COMPONENTS;
    limits.max_fragment_output_attachments = 8;
    limits.max_fragment_dual_src_attachments = 1;
    limits.max_fragment_combined_output_resources = MANY;
    limits.max_compute_shared_memory_size = 32 << 10;
    limits.max_compute_work_group_count = [65_535; 3];
    limits.max_compute_work_group_invocations = WORK_GROUP;
    limits.max_compute_work_group_size = [WORK_GROUP, WORK_GROUP, 64];
    limits.max_clip_distances = 8;
    limits.max_cull_distances = 8;
    limits.max_combined_clip_and_cull_distances = 8;
}

fn drawing(limits: &mut vk::PhysicalDeviceLimits) {
    limits.sub_pixel_precision_bits = 8;
    limits.sub_texel_precision_bits = 8;
    limits.mipmap_precision_bits = 8;
    limits.max_draw_indexed_index_value = u32::MAX;
    limits.max_draw_indirect_count = u32::MAX;
    limits.max_sampler_lod_bias = 16.0;
    limits.max_sampler_anisotropy = 16.0;
    limits.max_viewports = 16;
    limits.viewport_bounds_range = [-2.0 * IMAGE_EXTENT as f32, 2.0 * IMAGE_EXTENT as f32 - 1.0];
    limits.viewport_sub_pixel_bits = 8;
    limits.min_texel_offset = -8;
    limits.max_texel_offset = 7;
    limits.min_texel_gather_offset = -8;
    limits.max_texel_gather_offset = 7;
    limits.min_interpolation_offset = -0.5;
    limits.max_interpolation_offset = 0.4375;
    limits.sub_pixel_interpolation_offset_bits = 4;
    limits.framebuffer_color_sample_counts = SAMPLES;
    limits.framebuffer_depth_sample_counts = SAMPLES;
    limits.framebuffer_stencil_sample_counts = SAMPLES;
    limits.framebuffer_no_attachments_sample_counts = SAMPLES;
    limits.sampled_image_color_sample_counts = SAMPLES;
    limits.sampled_image_integer_sample_counts = SAMPLES;
    limits.sampled_image_depth_sample_counts = SAMPLES;
    limits.sampled_image_stencil_sample_counts = SAMPLES;
    limits.storage_image_sample_counts = SAMPLES;
    limits.max_color_attachments = 8;
    limits.max_sample_mask_words = 1;
    limits.timestamp_compute_and_graphics = vk::TRUE;
    limits.timestamp_period = 1.0;
    limits.discrete_queue_priorities = 2;
    limits.point_size_range = [1.0, 64.0];
    limits.line_width_range = [1.0, 8.0];
    limits.point_size_granularity = 1.0;
    limits.line_width_granularity = 1.0;
    limits.standard_sample_locations = vk::TRUE;
}

fn alignments(limits: &mut vk::PhysicalDeviceLimits) {
    limits.buffer_image_granularity = 1;
    limits.min_memory_map_alignment = 64;
    limits.min_texel_buffer_offset_alignment = 16;
    limits.min_uniform_buffer_offset_alignment = 16;
    limits.min_storage_buffer_offset_alignment = 16;
    limits.optimal_buffer_copy_offset_alignment = 1;
    limits.optimal_buffer_copy_row_pitch_alignment = 1;
    limits.non_coherent_atom_size = 1;
}

fn versions(known: &mut Description) {
    let v11 = &mut known.vulkan_1_1;
    v11.subgroup_size = 4;
    v11.subgroup_supported_stages = vk::ShaderStageFlags::ALL;
    v11.subgroup_supported_operations = vk::SubgroupFeatureFlags::BASIC
        | vk::SubgroupFeatureFlags::VOTE
        | vk::SubgroupFeatureFlags::ARITHMETIC
        | vk::SubgroupFeatureFlags::BALLOT
        | vk::SubgroupFeatureFlags::SHUFFLE
        | vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE
        | vk::SubgroupFeatureFlags::QUAD;
    v11.subgroup_quad_operations_in_all_stages = vk::TRUE;
    v11.point_clipping_behavior = vk::PointClippingBehavior::ALL_CLIP_PLANES;
    v11.max_multiview_view_count = 6;
    v11.max_multiview_instance_index = (1 << 27) - 1;
    v11.max_per_set_descriptors = MANY;
    v11.max_memory_allocation_size = HEAP_SIZE;
    let v12 = &mut known.vulkan_1_2;
    v12.max_update_after_bind_descriptors_in_all_pools = u32::MAX;
    v12.max_per_stage_descriptor_update_after_bind_samplers = MANY;
    v12.max_per_stage_descriptor_update_after_bind_uniform_buffers = MANY;
    v12.max_per_stage_descriptor_update_after_bind_storage_buffers = MANY;
    v12.max_per_stage_descriptor_update_after_bind_sampled_images = MANY;
    v12.max_per_stage_descriptor_update_after_bind_storage_images = MANY;
    v12.max_per_stage_descriptor_update_after_bind_input_attachments = MANY;
    v12.max_per_stage_update_after_bind_resources = MANY;
    v12.max_descriptor_set_update_after_bind_samplers = MANY;
    v12.max_descriptor_set_update_after_bind_uniform_buffers = MANY;
    v12.max_descriptor_set_update_after_bind_uniform_buffers_dynamic = 16;
    v12.max_descriptor_set_update_after_bind_storage_buffers = MANY;
    v12.max_descriptor_set_update_after_bind_storage_buffers_dynamic = 16;
    v12.max_descriptor_set_update_after_bind_sampled_images = MANY;
    v12.max_descriptor_set_update_after_bind_storage_images = MANY;
    v12.max_descriptor_set_update_after_bind_input_attachments = MANY;
    v12.supported_depth_resolve_modes = vk::ResolveModeFlags::SAMPLE_ZERO;
    v12.supported_stencil_resolve_modes = vk::ResolveModeFlags::SAMPLE_ZERO;
    v12.filter_minmax_single_component_formats = vk::TRUE;
    v12.filter_minmax_image_component_mapping = vk::TRUE;
    v12.max_timeline_semaphore_value_difference = u64::MAX / 2;
    v12.framebuffer_integer_color_sample_counts = SAMPLES;
    let v13 = &mut known.vulkan_1_3;
    v13.min_subgroup_size = 4;
    v13.max_subgroup_size = 4;
    v13.max_compute_workgroup_subgroups = WORK_GROUP / 4;
    v13.required_subgroup_size_stages = vk::ShaderStageFlags::ALL;
    v13.max_inline_uniform_block_size = 256;
    v13.max_per_stage_descriptor_inline_uniform_blocks = 16;
    v13.max_per_stage_descriptor_update_after_bind_inline_uniform_blocks = 16;
    v13.max_descriptor_set_inline_uniform_blocks = 16;
    v13.max_descriptor_set_update_after_bind_inline_uniform_blocks = 16;
    v13.max_inline_uniform_total_size = 1 << 16;
    v13.storage_texel_buffer_offset_alignment_bytes = 16;
    v13.storage_texel_buffer_offset_single_texel_alignment = vk::TRUE;
    v13.uniform_texel_buffer_offset_alignment_bytes = 16;
    v13.uniform_texel_buffer_offset_single_texel_alignment = vk::TRUE;
    v13.max_buffer_size = HEAP_SIZE;
    version_1_4(known);
}

/// Layouts that the host can copy from and to: all have the same layout in memory.
const LAYOUTS: &[vk::ImageLayout] = &[
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
];

fn version_1_4(known: &mut Description) {
    let v14 = &mut known.vulkan_1_4;
    v14.line_sub_pixel_precision_bits = 4;
    v14.max_vertex_attrib_divisor = u32::MAX;
    v14.supports_non_zero_first_instance = vk::TRUE;
    v14.max_push_descriptors = 32;
    v14.dynamic_rendering_local_read_depth_stencil_attachments = vk::TRUE;
    v14.dynamic_rendering_local_read_multisampled_attachments = vk::TRUE;
    v14.early_fragment_multisample_coverage_after_sample_counting = vk::TRUE;
    v14.early_fragment_sample_mask_test_before_sample_counting = vk::TRUE;
    v14.depth_stencil_swizzle_one_support = vk::TRUE;
    v14.polygon_mode_point_size = vk::TRUE;
    v14.block_texel_view_compatible_multiple_layers = vk::TRUE;
    v14.max_combined_image_sampler_descriptor_count = 3;
    v14.fragment_shading_rate_clamp_combiner_inputs = vk::TRUE;
    let buffers = vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS_2;
    v14.default_robustness_storage_buffers = buffers;
    v14.default_robustness_uniform_buffers = buffers;
    v14.default_robustness_vertex_inputs = buffers;
    v14.default_robustness_images = vk::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2;
    v14.copy_src_layouts = LAYOUTS;
    v14.copy_dst_layouts = LAYOUTS;
    v14.optimal_tiling_layout_uuid = known.properties.pipeline_cache_uuid;
    v14.identical_memory_type_requirements = vk::TRUE;
}
