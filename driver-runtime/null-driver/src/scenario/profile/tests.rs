//! Profile files as people have them.

use std::format;
use std::string::{String, ToString};

use vkload_driver_runtime::features::name;
use vkload_driver_runtime::registry::extension;
use vkload_driver_runtime::vk;

use super::{Profile, parse_version, read, split};

/// Two profiles of which one needs the other, as Khronos' schema has them.
const PROFILES: &str = r#"{
    "$schema": "https://schema.khronos.org/vulkan/profiles-0.8.2-216.json#",
    "capabilities": {
        "baseline": {
            "extensions": {"VK_KHR_swapchain": 70, "VK_KHR_surface": 1},
            "features": {
                "VkPhysicalDeviceFeatures": {"geometryShader": true, "samplerAnisotropy": true},
                "VkPhysicalDeviceVulkan12Features": {"descriptorIndexing": true}
            },
            "properties": {
                "VkPhysicalDeviceProperties": {"limits": {"maxImageDimension2D": 16384, "timestampPeriod": 0.5}},
                "VkPhysicalDeviceVulkan11Properties": {"subgroupSupportedStages":
                    ["VK_SHADER_STAGE_COMPUTE_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"]}
            }
        },
        "images": {
            "formats": {"VK_FORMAT_R8_UNORM": {"VkFormatProperties": {
                "optimalTilingFeatures": ["VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT"]}}}
        },
        "other": {"features": {"VkPhysicalDeviceFeatures": {"shaderInt64": true}}},
        "queues": {
            "queueFamiliesProperties": [
                {"VkQueueFamilyProperties": {"queueCount": 16, "queueFlags": ["VK_QUEUE_GRAPHICS_BIT"],
                    "minImageTransferGranularity": {"width": 1, "height": 2, "depth": 4}}},
                {"VkQueueFamilyProperties": {"queueCount": 2, "queueFlags": ["VK_QUEUE_TRANSFER_BIT"]}}
            ]
        }
    },
    "profiles": {
        "VP_TEST_small": {"version": 1, "api-version": "1.1.142", "label": "l", "capabilities": ["baseline"]},
        "VP_TEST_large": {"version": 1, "api-version": "1.3.204", "label": "l", "profiles": ["VP_TEST_small"],
            "capabilities": [["images", "other"], "queues"]}
    }
}"#;

fn profile(text: &str, name: Option<&str>) -> Profile {
    let profile = read(text.as_bytes(), name).unwrap();
    assert_eq!(profile.warnings, [""; 0]);
    profile
}

fn wrong(text: &str, name: Option<&str>) -> String {
    read(text.as_bytes(), name).err().unwrap_or_default()
}

#[test]
fn a_profile_is_found_by_name_with_its_requirements() {
    let large = profile(PROFILES, Some("VP_TEST_large"));
    let known = &large.device;
    assert_eq!(known.properties.api_version, vk::make_api_version(0, 1, 3, 204));
    assert!(
        large.extensions.contains(extension::KHR_SWAPCHAIN)
            && large.extensions.contains(extension::KHR_SURFACE)
    );
    assert!(
        known.features.contains(name::GEOMETRY_SHADER) && known.features.contains(name::DESCRIPTOR_INDEXING)
    );
    assert!(!known.features.contains(name::SHADER_INT_64), "the second alternative");
    let limits = &known.properties.limits;
    assert_eq!((limits.max_image_dimension2_d, limits.timestamp_period), (16384, 0.5));
    assert_eq!(limits.max_image_dimension1_d, 4096, "what the specification requires");
    let stages = vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT;
    assert!(known.vulkan_1_1.subgroup_supported_stages == stages);
    let red = large.formats.as_ref().unwrap().get(vk::Format::R8_UNORM).unwrap();
    assert!(red.optimal == vk::FormatFeatureFlags2::SAMPLED_IMAGE && red.linear.is_empty());
    let other = large.format(vk::Format::R8G8B8A8_UNORM).unwrap();
    assert!(other.optimal.contains(vk::FormatFeatureFlags2::COLOR_ATTACHMENT), "required of every device");
    assert!(large.format(vk::Format::BC7_UNORM_BLOCK).unwrap().optimal.is_empty());
    assert_eq!(known.queue_family_count, 2);
    let first = &known.queue_families[0];
    assert_eq!((first.queue_count, first.min_image_transfer_granularity.depth), (16, 4));
    assert!(known.queue_families[1].queue_flags == vk::QueueFlags::TRANSFER);

    let small = profile(PROFILES, Some("VP_TEST_small"));
    assert!(small.formats.is_none() && small.device.queue_family_count == 1);
}

/// Returns a tool's output for a device.
fn of_device(parts: &str) -> String {
    format!(
        "{{\n\"capabilities\": {{\"device\": {{\n{parts}\n}}}},\n\
         \"profiles\": {{\"VP_VULKANINFO\": {{\"api-version\": \"1.3.1\", \"capabilities\": [\"device\"]}}}}}}"
    )
}

#[test]
fn a_tools_description_of_a_device_needs_no_name() {
    let text = of_device(
        r#""properties": {"VkPhysicalDeviceProperties": {"apiVersion": 4206822, "deviceID": 9, "vendorID": 4318,
            "deviceName": "GPU (R)", "deviceType": "VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU",
            "pipelineCacheUUID": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
            "sparseProperties": {"residencyAlignedMipSize": true}},
        "VkPhysicalDeviceVulkan12Properties": {"driverID": "VK_DRIVER_ID_NVIDIA_PROPRIETARY",
            "conformanceVersion": {"major": 1, "minor": 3, "subminor": 1, "patch": 2},
            "maxTimelineSemaphoreValueDifference": 18446744073709551615},
        "VkPhysicalDeviceVulkan14Properties": {"copySrcLayoutCount": 1, "pCopySrcLayouts": ["VK_IMAGE_LAYOUT_GENERAL"]},
        "VkPhysicalDeviceMeshShaderPropertiesEXT": {"maxTaskWorkGroupCount": [1, 2, 3]},
        "VkPhysicalDeviceMemoryProperties": {
            "memoryHeaps": [{"size": 85899345920, "flags": ["VK_MEMORY_HEAP_DEVICE_LOCAL_BIT"]}, {"size": 7}],
            "memoryTypes": [{"heapIndex": 1, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT"]}]}}"#,
    );
    let known = profile(&text, None).device;
    let properties = &known.properties;
    assert_eq!((properties.vendor_id, properties.device_id), (4318, 9));
    assert_eq!(properties.device_name_as_c_str().unwrap(), c"GPU (R)");
    assert!(properties.device_type == vk::PhysicalDeviceType::DISCRETE_GPU);
    assert_eq!(
        (properties.pipeline_cache_uuid[15], properties.sparse_properties.residency_aligned_mip_size),
        (16, 1)
    );
    assert!(known.vulkan_1_2.driver_id == vk::DriverId::NVIDIA_PROPRIETARY);
    assert_eq!(known.vulkan_1_2.conformance_version.patch, 2);
    assert_eq!(known.vulkan_1_2.max_timeline_semaphore_value_difference, u64::MAX);
    assert!(known.vulkan_1_4.copy_src_layouts == [vk::ImageLayout::GENERAL]);
    let mesh = known.get::<vk::PhysicalDeviceMeshShaderPropertiesEXT<'_>>().unwrap();
    assert_eq!(mesh.max_task_work_group_count, [1, 2, 3]);
    assert_eq!((known.memory.memory_heap_count, known.memory.memory_type_count), (2, 1));
    assert_eq!((known.memory.memory_heaps[0].size, known.memory.memory_types[0].heap_index), (80 << 30, 1));
}

#[test]
fn unknown_members_are_named_with_their_position() {
    let text = of_device(
        r#""extensions": {"VK_XYZ_new": 1},
"features": {"VkPhysicalDeviceFeatures": {"flying": true}, "VkPhysicalDeviceNewFeatures": {"a": true, "b": true}},
"properties": {"VkPhysicalDeviceLimits": {"maxFun": 1, "framebufferColorSampleCounts": ["VK_SAMPLE_COUNT_3_BIT"]},
"VkPhysicalDeviceNewProperties": {"a": 1}},
"formats": {"VK_FORMAT_NEW": {}}, "colours": {}"#,
    );
    let warnings = read(text.as_bytes(), None).unwrap().warnings;
    let expected = [
        "line 3: /capabilities/device/extensions/VK_XYZ_new: no such extension",
        "line 4: /capabilities/device/features/VkPhysicalDeviceFeatures/flying: no such feature",
        "line 4: /capabilities/device/features/VkPhysicalDeviceNewFeatures: no such structure of features",
        "line 5: /capabilities/device/properties/VkPhysicalDeviceLimits/maxFun: no such member",
        "VkPhysicalDeviceLimits/framebufferColorSampleCounts/VK_SAMPLE_COUNT_3_BIT: no such flag",
        "line 6: /capabilities/device/properties/VkPhysicalDeviceNewProperties: no such structure of properties",
        "line 7: /capabilities/device/formats/VK_FORMAT_NEW: no such format",
        "line 7: /capabilities/device/colours: no such part of a capability",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.contains(expected), "{warning}\nis not\n{expected}");
    }
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let of_limits =
        |text: &str| of_device(&format!("\"properties\": {{\"VkPhysicalDeviceLimits\": {{{text}}}}}"));
    let rows = [
        ("{".to_string(), "line 1, column 2: the file ends in the middle of a value: this is not JSON"),
        ("{}".to_string(), "no object /capabilities; a profile file of Khronos' schema is wanted"),
        (
            of_limits(r#""maxViewports": "many""#),
            "line 3: /capabilities/device/properties/VkPhysicalDeviceLimits/maxViewports: a whole number is wanted",
        ),
        (
            of_limits(r#""maxViewports": 4294967296"#),
            "maxViewports: the number is out of the range of its type",
        ),
        (of_limits(r#""strictLines": 2"#), "strictLines: true or false is wanted"),
        (of_limits(r#""pointSizeRange": 1"#), "pointSizeRange: a list of up to 2 is wanted"),
        (of_limits(r#""pointSizeRange": [1, 2, 3]"#), "pointSizeRange/2: the list has room for 2 only"),
        (of_limits(r#""timestampPeriod": true"#), "timestampPeriod: a number is wanted"),
        (
            of_device(r#""features": {"VkPhysicalDeviceFeatures": {"geometryShader": "yes"}}"#),
            "geometryShader: true or false is wanted",
        ),
        (
            of_device(r#""queueFamiliesProperties": [{}]"#),
            "queueFamiliesProperties/0: an object VkQueueFamilyProperties is wanted",
        ),
        (
            of_device(r#""formats": {"VK_FORMAT_R8_UNORM": {"VkFormatProperties": {"bufferFeatures": 3}}}"#),
            "bufferFeatures: a list of the names of features is wanted",
        ),
        (of_device("").replace("1.3.1", "new"), "line 5: /profiles/VP_VULKANINFO/api-version: a version as"),
        (
            of_device("").replace("[\"device\"]", "[\"devize\"]"),
            "line 5: /capabilities has no devize; it has device",
        ),
    ];
    for (text, expected) in rows {
        let shown = wrong(&text, None);
        assert!(shown.contains(expected), "{shown}\nis not\n{expected}");
    }
    let shown = wrong(PROFILES, None);
    assert!(
        shown.contains("/profiles has VP_TEST_small, VP_TEST_large; say which is meant: profile=PATH:NAME"),
        "{shown}"
    );
    let shown = wrong(PROFILES, Some("VP_TEST_huge"));
    assert!(shown.contains("/profiles has no VP_TEST_huge; it has VP_TEST_small, VP_TEST_large"), "{shown}");
    let looped = PROFILES.replace("\"capabilities\": [\"baseline\"]", "\"profiles\": [\"VP_TEST_large\"]");
    assert!(wrong(&looped, Some("VP_TEST_large")).contains("needs itself"));
}

#[test]
fn names_follow_the_last_colon() {
    assert_eq!(split("/a/b.json:VP_X"), ("/a/b.json".to_string(), Some("VP_X".to_string())));
    assert_eq!(split("/a:b/c.json"), ("/a:b/c.json".to_string(), None));
    assert_eq!(split("c.json"), ("c.json".to_string(), None));
    assert_eq!(parse_version("1.3.204"), Some(vk::make_api_version(0, 1, 3, 204)));
    assert_eq!(parse_version("one"), None);
}

/// Some writers put numbers into quotes, or write the numbers of values instead of their names; and some names are older.
#[test]
fn numbers_in_quotes_numbers_for_names_and_older_names_are_understood() {
    let limits = r#""VkPhysicalDeviceLimits": {"maxViewports": "32", "maxImageDimension2D": "0x4000", "timestampPeriod": "0.5",
        "maxColorAttachments": null}"#;
    let stages = r#""VkPhysicalDeviceVulkan11Properties": {"subgroupSupportedStages":
        ["VK_SHADER_STAGE_MESH_BIT_NV", 32], "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV"]}"#;
    let layouts = r#""VkPhysicalDeviceHostImageCopyPropertiesEXT": {"pCopyDstLayouts": [1, "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR"]}"#;
    let text = of_device(&format!("\"properties\": {{{limits}, {stages}, {layouts}}}"));
    let known = profile(&text, None).device;
    let limits = &known.properties.limits;
    assert_eq!(
        (limits.max_viewports, limits.max_image_dimension2_d, limits.timestamp_period),
        (32, 16384, 0.5)
    );
    let stages = vk::ShaderStageFlags::MESH_EXT | vk::ShaderStageFlags::COMPUTE;
    assert!(known.vulkan_1_1.subgroup_supported_stages == stages);
    assert!(known.vulkan_1_1.subgroup_supported_operations == vk::SubgroupFeatureFlags::PARTITIONED_NV);
    let layouts = [vk::ImageLayout::GENERAL, vk::ImageLayout::PRESENT_SRC_KHR];
    assert!(known.vulkan_1_4.copy_dst_layouts == layouts);
}
