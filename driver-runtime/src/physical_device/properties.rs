//! Properties: the structures of the core versions, and those that they were gathered from.

use ash::vk;

use super::Description;
use crate::chain::Chain;

/// Writes `VkPhysicalDeviceProperties2` and the structures chained to it. Structures that are not listed here are left as
/// they are: a driver that has their extensions writes them in its own `vkGetPhysicalDeviceProperties2`, after calling
/// the runtime's.
///
/// # Safety
/// `out` begins a pNext chain of structures that may be written.
pub(super) unsafe fn write(known: &Description, out: *mut vk::PhysicalDeviceProperties2<'_>) {
    // SAFETY: the caller vouches for the chain.
    unsafe {
        (*out).properties = known.properties;
        for structure in Chain::new((*out).p_next.cast_const()) {
            // A chain that bites its tail is filled up to there: the command has no result to say so.
            let Ok(structure) = structure else { return };
            write_one(known, structure.cast_mut().cast());
        }
    }
}

/// A structure that is made of members of another one.
macro_rules! gathered {
    ($structure:expr, $type:ty, $from:expr, $($member:ident),+) => {{
        let out = $structure.cast::<$type>();
        $((*out).$member = $from.$member;)+
    }};
}

/// A structure that is all of another one but for the header.
macro_rules! whole {
    ($structure:expr, $type:ty, $from:expr) => {{
        let out = $structure.cast::<$type>();
        let p_next = (*out).p_next;
        out.write(core::ptr::from_ref(&$from).cast::<$type>().read());
        (*out).p_next = p_next;
    }};
}

/// # Safety
/// `structure` is a structure of a pNext chain that may be written.
unsafe fn write_one(known: &Description, structure: *mut vk::BaseOutStructure<'_>) {
    use vk::StructureType as Type;
    let (v11, v12, v13) = (&known.vulkan_1_1, &known.vulkan_1_2, &known.vulkan_1_3);
    let minor = known.minor_version();
    // SAFETY: a structure has the type that it says; its pNext stays.
    unsafe {
        match (*structure).s_type {
            Type::PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES if minor >= 2 => {
                whole!(structure, vk::PhysicalDeviceVulkan11Properties<'_>, *v11);
            }
            Type::PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES if minor >= 2 => {
                whole!(structure, vk::PhysicalDeviceVulkan12Properties<'_>, *v12);
            }
            Type::PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES if minor >= 3 => {
                whole!(structure, vk::PhysicalDeviceVulkan13Properties<'_>, *v13);
            }
            Type::PHYSICAL_DEVICE_ID_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceIDProperties<'_>,
                v11,
                device_uuid,
                driver_uuid,
                device_luid,
                device_node_mask,
                device_luid_valid
            ),
            Type::PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceMultiviewProperties<'_>,
                v11,
                max_multiview_view_count,
                max_multiview_instance_index
            ),
            Type::PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDevicePointClippingProperties<'_>,
                v11,
                point_clipping_behavior
            ),
            Type::PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES => {
                gathered!(structure, vk::PhysicalDeviceProtectedMemoryProperties<'_>, v11, protected_no_fault)
            }
            Type::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceMaintenance3Properties<'_>,
                v11,
                max_per_set_descriptors,
                max_memory_allocation_size
            ),
            Type::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES => {
                let out = structure.cast::<vk::PhysicalDeviceSubgroupProperties<'_>>();
                (*out).subgroup_size = v11.subgroup_size;
                (*out).supported_stages = v11.subgroup_supported_stages;
                (*out).supported_operations = v11.subgroup_supported_operations;
                (*out).quad_operations_in_all_stages = v11.subgroup_quad_operations_in_all_stages;
            }
            Type::PHYSICAL_DEVICE_DRIVER_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceDriverProperties<'_>,
                v12,
                driver_id,
                driver_name,
                driver_info,
                conformance_version
            ),
            Type::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceTimelineSemaphoreProperties<'_>,
                v12,
                max_timeline_semaphore_value_difference
            ),
            Type::PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES => {
                gathered!(structure, vk::PhysicalDeviceMaintenance4Properties<'_>, v13, max_buffer_size)
            }
            Type::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES => gathered!(
                structure,
                vk::PhysicalDeviceSubgroupSizeControlProperties<'_>,
                v13,
                min_subgroup_size,
                max_subgroup_size,
                max_compute_workgroup_subgroups,
                required_subgroup_size_stages
            ),
            _ => {}
        }
    }
}
