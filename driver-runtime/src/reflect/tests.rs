//! Descriptions by name.

use std::vec::Vec;

use ash::vk;

use super::*;
use crate::features::{Features, name};

fn new(minor: u32) -> Description {
    Description::new(b"gpu", vk::make_api_version(0, 1, minor, 0), vk::PhysicalDeviceType::OTHER)
}

fn set(known: &mut Description, structure: &str, name: &str, value: Value<'_>) -> Result<(), SlotError> {
    member(known, structure, name).unwrap().set(value)
}

#[test]
fn limits_are_set_by_name() {
    let known = &mut new(3);
    let limits = "VkPhysicalDeviceLimits";
    set(known, limits, "maxImageDimension2D", Value::Integer(77)).unwrap();
    set(known, limits, "timestampPeriod", Value::Real(0.5)).unwrap();
    set(known, limits, "timestampComputeAndGraphics", Value::Bool(true)).unwrap();
    set(known, limits, "minMemoryMapAlignment", Value::Integer(4096)).unwrap();
    set(known, limits, "framebufferColorSampleCounts", Value::Text("VK_SAMPLE_COUNT_8_BIT")).unwrap();
    let mut counts = member(known, limits, "framebufferColorSampleCounts").unwrap();
    counts.add_flag("VK_SAMPLE_COUNT_1_BIT").unwrap();
    member(known, limits, "pointSizeRange").unwrap().element(1).unwrap().set(Value::Integer(9)).unwrap();
    let limits = &known.properties.limits;
    assert_eq!((limits.max_image_dimension2_d, limits.timestamp_period), (77, 0.5));
    assert_eq!((limits.timestamp_compute_and_graphics, limits.min_memory_map_alignment), (1, 4096));
    assert_eq!(limits.framebuffer_color_sample_counts.as_raw(), 9);
    assert_eq!(limits.point_size_range, [1.0, 9.0]);
}

#[test]
fn nested_members_texts_and_enumerations_are_set_by_name() {
    let known = &mut new(4);
    set(known, "VkPhysicalDeviceProperties", "deviceName", Value::Text("radeon")).unwrap();
    set(known, "VkPhysicalDeviceProperties", "deviceType", Value::Text("VK_PHYSICAL_DEVICE_TYPE_CPU"))
        .unwrap();
    let mut limits = member(known, "VkPhysicalDeviceProperties", "limits").unwrap();
    limits.member("maxViewports").unwrap().set(Value::Integer(3)).unwrap();
    set(known, "VkPhysicalDeviceDriverPropertiesKHR", "driverID", Value::Text("VK_DRIVER_ID_MESA_RADV"))
        .unwrap();
    let mut version = member(known, "VkPhysicalDeviceVulkan12Properties", "conformanceVersion").unwrap();
    version.member("minor").unwrap().set(Value::Integer(3)).unwrap();
    let mut id = member(known, "VkPhysicalDeviceVulkan14Properties", "optimalTilingLayoutUUID").unwrap();
    id.element(15).unwrap().set(Value::Integer(255)).unwrap();
    assert_eq!(known.properties.device_name_as_c_str().unwrap(), c"radeon");
    assert!(known.properties.device_type == vk::PhysicalDeviceType::CPU);
    assert_eq!(known.properties.limits.max_viewports, 3);
    assert!(known.vulkan_1_2.driver_id == vk::DriverId::MESA_RADV);
    assert_eq!(known.vulkan_1_2.conformance_version.minor, 3);
    assert_eq!(known.vulkan_1_4.optimal_tiling_layout_uuid[15], 255);
    let mut heap = vk::MemoryHeap::default();
    member_of(&mut heap, "flags").unwrap().set(Value::Text("VK_MEMORY_HEAP_DEVICE_LOCAL_BIT")).unwrap();
    assert!(heap.flags == vk::MemoryHeapFlags::DEVICE_LOCAL);
}

#[test]
fn what_does_not_fit_is_refused() {
    let known = &mut new(3);
    let limits = "VkPhysicalDeviceLimits";
    assert_eq!(set(known, limits, "maxViewports", Value::Integer(1 << 32)), Err(SlotError::Range));
    assert_eq!(set(known, limits, "maxViewports", Value::Text("many")), Err(SlotError::Type));
    assert_eq!(set(known, limits, "maxViewports", Value::Real(1.5)), Err(SlotError::Type));
    assert_eq!(set(known, limits, "framebufferColorSampleCounts", Value::Text("VK_X")), Err(SlotError::Name));
    assert_eq!(
        set(known, "VkPhysicalDeviceProperties", "deviceName", Value::Text(&"x".repeat(256))),
        Err(SlotError::Length)
    );
    assert_eq!(member(known, "VkNothing", "x").err(), Some(Unknown::Structure));
    assert_eq!(member(known, limits, "maxFun").err(), Some(Unknown::Member));
    let copies = "VkPhysicalDeviceHostImageCopyPropertiesEXT";
    assert_eq!(member(known, copies, "pCopySrcLayouts").err(), Some(Unknown::Array));
    assert!(member(known, limits, "pointSizeRange").unwrap().element(2).is_none());
}

#[test]
fn features_are_found_by_name() {
    assert_eq!(
        feature("VkPhysicalDeviceVulkan12Features", "timelineSemaphore"),
        Ok(name::TIMELINE_SEMAPHORE)
    );
    assert_eq!(
        feature("VkPhysicalDeviceTimelineSemaphoreFeaturesKHR", "timelineSemaphore"),
        Ok(name::TIMELINE_SEMAPHORE)
    );
    assert_eq!(feature("VkPhysicalDeviceFeatures", "geometryShader"), Ok(name::GEOMETRY_SHADER));
    assert_eq!(feature("VkPhysicalDeviceFeatures", "shaders"), Err(Unknown::Member));
    assert_eq!(feature("VkPhysicalDeviceLimits", "maxViewports"), Err(Unknown::Structure));
}

/// The headers in use were generated from the same registry: whatever they have must have the same layout.
#[test]
fn structures_have_the_layout_of_the_headers() {
    macro_rules! same {
        ($($of:ident $(. $member:ident $name:literal)?;)*) => {$({
            let structure = structure_of::<vk::$of<'_>>().unwrap();
            let name = std::format!("Vk{}", stringify!($of));
            assert_eq!(crate::properties::canonical(&name), structure.name);
            let (size, align) = crate::properties::layout(structure.members);
            let whole = (HEADER + size).next_multiple_of(align.max(align_of::<*const u8>()));
            assert_eq!(whole, size_of::<vk::$of<'_>>(), "{name}");
            $(
                let number = structure.members.iter().position(|it| it.name == $name).unwrap();
                assert_eq!(HEADER + structure.offset(number), core::mem::offset_of!(vk::$of<'_>, $member));
            )?
        })*};
    }
    same! {
        PhysicalDeviceVulkan11Properties.max_memory_allocation_size "maxMemoryAllocationSize";
        PhysicalDeviceVulkan12Properties.max_timeline_semaphore_value_difference "maxTimelineSemaphoreValueDifference";
        PhysicalDeviceVulkan13Properties.max_buffer_size "maxBufferSize";
        PhysicalDeviceMeshShaderPropertiesEXT.prefers_compact_primitive_output "prefersCompactPrimitiveOutput";
        PhysicalDeviceDescriptorBufferPropertiesEXT.descriptor_buffer_address_space_size "descriptorBufferAddressSpaceSize";
        PhysicalDeviceHostImageCopyPropertiesEXT.identical_memory_type_requirements "identicalMemoryTypeRequirements";
        PhysicalDeviceSampleLocationsPropertiesEXT.variable_sample_locations "variableSampleLocations";
        PhysicalDeviceTransformFeedbackPropertiesEXT.max_transform_feedback_stream_data_size "maxTransformFeedbackStreamDataSize";
        PhysicalDeviceAccelerationStructurePropertiesKHR.max_primitive_count "maxPrimitiveCount";
        PhysicalDeviceExternalMemoryHostPropertiesEXT;
        PhysicalDeviceRayTracingPropertiesNV;
        PhysicalDeviceFragmentShadingRatePropertiesKHR;
        PhysicalDevicePCIBusInfoPropertiesEXT;
        PhysicalDeviceDrmPropertiesEXT.render_minor "renderMinor";
        PhysicalDeviceShaderCoreBuiltinsPropertiesARM.shader_warps_per_core "shaderWarpsPerCore";
        PhysicalDeviceImageProcessingPropertiesQCOM;
        PhysicalDeviceOpticalFlowPropertiesNV;
    }
}

/// Of provisional extensions the headers may have another version.
#[test]
fn a_structure_of_another_size_is_not_taken() {
    let known = &mut new(3);
    assert!(!known.set(&vk::PhysicalDeviceShaderEnqueuePropertiesAMDX::default()));
    assert!(known.get::<vk::PhysicalDeviceShaderEnqueuePropertiesAMDX<'_>>().is_none());
    assert!(!known.set(&vk::PhysicalDeviceHostImageCopyPropertiesEXT::default()));
    let known = known.get::<vk::PhysicalDeviceMeshShaderPropertiesEXT<'_>>().unwrap();
    assert_eq!(known.max_mesh_output_vertices, 256);
}

fn shortfalls(known: &Description) -> Vec<&'static str> {
    let mut found = Vec::new();
    below_required(known, |shortfall| found.push(shortfall.member));
    found
}

#[test]
fn a_new_description_has_the_limits_that_its_version_requires() {
    for minor in 0..=4 {
        assert_eq!(shortfalls(&new(minor)), [""; 0], "1.{minor}");
    }
    assert_eq!(new(3).properties.limits.max_image_dimension2_d, 4096);
    assert_eq!(new(4).properties.limits.max_image_dimension2_d, 8192);
    assert_eq!(new(0).properties.limits.max_geometry_output_vertices, 0);
    let known = &mut new(3);
    known.properties.limits.max_image_dimension2_d = 4095;
    known.properties.limits.non_coherent_atom_size = 512;
    known.properties.limits.viewport_bounds_range = [-1.0, 8191.0];
    known.vulkan_1_1.max_per_set_descriptors = 1000;
    known.properties.limits.framebuffer_color_sample_counts = vk::SampleCountFlags::TYPE_1;
    let mut found = shortfalls(known);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "framebufferColorSampleCounts",
            "maxImageDimension2D",
            "maxPerSetDescriptors",
            "nonCoherentAtomSize",
            "viewportBoundsRange"
        ]
    );
}

#[test]
fn features_raise_the_limits_that_depend_on_them() {
    let known = &mut new(3);
    known.features = Features::core(3);
    assert!(shortfalls(known).contains(&"maxGeometryOutputVertices"));
    known.properties.limits.max_viewports = 5;
    crate::physical_device::raise(known);
    assert_eq!(shortfalls(known), ["maxViewports"], "what the driver has set is left alone");
    assert_eq!(known.properties.limits.max_geometry_output_vertices, 256);
    assert_eq!(known.properties.limits.min_texel_gather_offset, -8);
    assert_eq!(known.vulkan_1_2.max_descriptor_set_update_after_bind_samplers, 500_000);
}
