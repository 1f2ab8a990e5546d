//! The physical devices: what they say about themselves.

use driver_runtime::features::{Features, name};
use driver_runtime::{Description, vk};

use crate::scenario;

/// The size of the only heap, and so of the largest allocation.
pub(crate) const HEAP_SIZE: u64 = 256 << 20;

/// The largest width and height of an image.
const IMAGE_EXTENT: u32 = 4096;

const FEATURES: Features = Features::NONE
    .with(name::ROBUST_BUFFER_ACCESS)
    .with(name::TIMELINE_SEMAPHORE)
    .with(name::SYNCHRONIZATION_2)
    .with(name::DYNAMIC_RENDERING)
    .with(name::BUFFER_DEVICE_ADDRESS)
    .with(name::HOST_QUERY_RESET)
    .with(name::IMAGELESS_FRAMEBUFFER)
    .with(name::SEPARATE_DEPTH_STENCIL_LAYOUTS)
    .with(name::MAINTENANCE_4)
    .with(name::PRIVATE_DATA);

pub(crate) fn describe(number: u32) -> Description {
    let scenario = scenario::get();
    let title = if number == 0 { scenario.name.clone() } else { format!("{} {}", scenario.name, number + 1) };
    let mut known = Description::new(title.as_bytes(), scenario.api_version, vk::PhysicalDeviceType::OTHER);
    known.set_driver(vk::DriverId::from_raw(0), b"vkload null driver", env!("CARGO_PKG_VERSION").as_bytes());
    known.properties.driver_version = vk::make_api_version(0, 0, 1, 0);
    known.properties.pipeline_cache_uuid = *b"vkload  nulldrv ";
    known.vulkan_1_1.device_uuid = *b"vkload null dev ";
    known.vulkan_1_1.driver_uuid = *b"vkload null drv ";
    if let Some(last) = known.vulkan_1_1.device_uuid.last_mut() {
        *last = number as u8;
    }
    known.vulkan_1_1.subgroup_size = 1;
    known.vulkan_1_1.max_memory_allocation_size = HEAP_SIZE;
    known.vulkan_1_1.max_per_set_descriptors = 1024;
    known.vulkan_1_2.max_timeline_semaphore_value_difference = u64::MAX / 2;
    known.vulkan_1_3.max_buffer_size = HEAP_SIZE;
    set_limits(&mut known.properties.limits);
    known.extensions = scenario.device_extensions;
    known.features = FEATURES;
    known.memory.memory_heap_count = 1;
    known.memory.memory_heaps[0] =
        vk::MemoryHeap { size: HEAP_SIZE, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    known.memory.memory_type_count = 1;
    known.memory.memory_types[0] = vk::MemoryType {
        property_flags: vk::MemoryPropertyFlags::DEVICE_LOCAL
            | vk::MemoryPropertyFlags::HOST_VISIBLE
            | vk::MemoryPropertyFlags::HOST_COHERENT
            | vk::MemoryPropertyFlags::HOST_CACHED,
        heap_index: 0,
    };
    known.queue_family_count = 1;
    known.queue_families[0] = vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        queue_count: 4,
        timestamp_valid_bits: 0,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    };
    known
}

/// The limits that every implementation must have, where a program might look at them.
fn set_limits(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_image_dimension1_d = IMAGE_EXTENT;
    limits.max_image_dimension2_d = IMAGE_EXTENT;
    limits.max_image_dimension3_d = 256;
    limits.max_image_dimension_cube = IMAGE_EXTENT;
    limits.max_image_array_layers = 256;
    limits.max_texel_buffer_elements = 65_536;
    limits.max_uniform_buffer_range = 16_384;
    limits.max_storage_buffer_range = 1 << 27;
    limits.max_push_constants_size = 256;
    limits.max_memory_allocation_count = 4096;
    limits.max_sampler_allocation_count = 4000;
    limits.buffer_image_granularity = 1;
    limits.max_bound_descriptor_sets = 4;
    limits.max_per_stage_resources = 128;
    limits.max_vertex_input_attributes = 16;
    limits.max_vertex_input_bindings = 16;
    limits.max_color_attachments = 4;
    limits.max_compute_work_group_count = [65_535; 3];
    limits.max_compute_work_group_invocations = 128;
    limits.max_compute_work_group_size = [128, 128, 64];
    limits.max_viewports = 1;
    limits.max_viewport_dimensions = [IMAGE_EXTENT; 2];
    limits.viewport_bounds_range = [-8192.0, 8191.0];
    limits.min_memory_map_alignment = 64;
    limits.min_texel_buffer_offset_alignment = 64;
    limits.min_uniform_buffer_offset_alignment = 64;
    limits.min_storage_buffer_offset_alignment = 64;
    limits.max_framebuffer_width = IMAGE_EXTENT;
    limits.max_framebuffer_height = IMAGE_EXTENT;
    limits.max_framebuffer_layers = 256;
    limits.framebuffer_color_sample_counts = vk::SampleCountFlags::TYPE_1;
    limits.sampled_image_color_sample_counts = vk::SampleCountFlags::TYPE_1;
    limits.optimal_buffer_copy_offset_alignment = 1;
    limits.optimal_buffer_copy_row_pitch_alignment = 1;
    limits.non_coherent_atom_size = 64;
}

/// Every format can be copied, and the usual one be rendered to.
pub(crate) unsafe extern "system" fn get_format_properties(
    _: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut vk::FormatProperties2<'_>,
) {
    let mut features = vk::FormatFeatureFlags::empty();
    if format != vk::Format::UNDEFINED {
        features |= vk::FormatFeatureFlags::TRANSFER_SRC | vk::FormatFeatureFlags::TRANSFER_DST;
    }
    if format == vk::Format::R8G8B8A8_UNORM {
        features |= vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::COLOR_ATTACHMENT;
    }
    // SAFETY: the caller passes a valid pointer.
    unsafe {
        (*out).format_properties = vk::FormatProperties {
            linear_tiling_features: features,
            optimal_tiling_features: features,
            buffer_features: vk::FormatFeatureFlags::empty(),
        };
    }
}

pub(crate) unsafe extern "system" fn get_image_format_properties(
    _: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    // SAFETY: the caller passes valid pointers.
    unsafe {
        if (*info).format == vk::Format::UNDEFINED {
            return vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
        }
        let flat = (*info).ty != vk::ImageType::TYPE_3D;
        let height = if (*info).ty == vk::ImageType::TYPE_1D { 1 } else { IMAGE_EXTENT };
        (*out).image_format_properties = vk::ImageFormatProperties {
            max_extent: vk::Extent3D { width: IMAGE_EXTENT, height, depth: if flat { 1 } else { 256 } },
            max_mip_levels: 13,
            max_array_layers: if flat { 256 } else { 1 },
            sample_counts: vk::SampleCountFlags::TYPE_1,
            max_resource_size: HEAP_SIZE,
        };
    }
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn get_sparse_image_format_properties(
    _: vk::PhysicalDevice,
    _: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
    count: *mut u32,
    _: *mut vk::SparseImageFormatProperties2<'_>,
) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { count.write(0) };
}

/// Nothing is shared with other processes or interfaces.
macro_rules! nothing_external {
    ($($name:ident($info:ty, $out:ty) $member:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(_: vk::PhysicalDevice, _: *const $info, out: *mut $out) {
            // SAFETY: the caller passes a valid pointer.
            unsafe { (*out).$member = Default::default() };
        }
    )*};
}

nothing_external! {
    get_external_buffer_properties(vk::PhysicalDeviceExternalBufferInfo<'_>, vk::ExternalBufferProperties<'_>)
        external_memory_properties;
    get_external_fence_properties(vk::PhysicalDeviceExternalFenceInfo<'_>, vk::ExternalFenceProperties<'_>)
        external_fence_features;
    get_external_semaphore_properties(
        vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        vk::ExternalSemaphoreProperties<'_>
    ) external_semaphore_features;
}
