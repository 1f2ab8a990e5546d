//! A device without a scenario: the null driver's own identity, memory and queues.

use vkload_driver_runtime::{Description, vk};

/// The size of the only heap, and so of the largest allocation.
pub(crate) const HEAP_SIZE: u64 = 1 << 30;

/// The largest width and height of an image.
pub(crate) const IMAGE_EXTENT: u32 = 8192;

/// The size of whatever has no size of its own, such as an acceleration structure.
pub(crate) const SIZE: u64 = 256;

/// Describes a device of this version with the null driver's identity, memory and queues, without features and with
/// the smallest limits.
pub(crate) fn bare(api_version: u32) -> Description {
    let mut known = Description::new(b"null", api_version, vk::PhysicalDeviceType::OTHER);
    known.set_driver(vk::DriverId::from_raw(0), b"vkload null driver", env!("CARGO_PKG_VERSION").as_bytes());
    known.properties.driver_version = vk::make_api_version(0, 0, 1, 0);
    known.properties.pipeline_cache_uuid = *b"vkload  nulldrv ";
    known.vulkan_1_1.device_uuid = *b"vkload null dev\0";
    known.vulkan_1_1.driver_uuid = *b"vkload null drv ";
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
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    };
    known
}
