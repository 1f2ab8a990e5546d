//! Required limits of Vulkan 1.1 to 1.4. The extensions that preceded them have the same limits.

use ash::vk::{PipelineRobustnessBufferBehaviorEXT, PipelineRobustnessImageBehaviorEXT};
use ash::vk::{ResolveModeFlags, ShaderStageFlags, SubgroupFeatureFlags};

use super::build::{Limit, Required, Value, is, limit, limits};
use crate::features::{Feature, name};
use crate::properties::locations::{self, Location};
use crate::properties::rows::Structure;

const fn version(structure: &'static str, number: u8) -> (&'static Structure, Location) {
    (locations::find(structure).0, Location::Version(number, 0))
}

const OF_1_1: (&Structure, Location) = version("VkPhysicalDeviceVulkan11Properties", 1);
const OF_1_2: (&Structure, Location) = version("VkPhysicalDeviceVulkan12Properties", 2);
const OF_1_3: (&Structure, Location) = version("VkPhysicalDeviceVulkan13Properties", 3);
const OF_1_4: (&Structure, Location) = version("VkPhysicalDeviceVulkan14Properties", 4);

pub(super) const V11: &[Limit] = &limits(
    OF_1_1.0,
    OF_1_1.1,
    [
        is("subgroupSize", 1),
        is("subgroupSupportedStages", ShaderStageFlags::COMPUTE.as_raw() as i64),
        is("subgroupSupportedOperations", SubgroupFeatureFlags::BASIC.as_raw() as i64),
        is("maxMultiviewViewCount", 6),
        is("maxMultiviewInstanceIndex", (1 << 27) - 1),
        is("maxPerSetDescriptors", 1024),
        is("maxMemoryAllocationSize", 1 << 30),
    ],
);

pub(super) const V12: &[Limit] = &limits(
    OF_1_2.0,
    OF_1_2.1,
    [
        is("supportedDepthResolveModes", ResolveModeFlags::SAMPLE_ZERO.as_raw() as i64),
        is("supportedStencilResolveModes", ResolveModeFlags::SAMPLE_ZERO.as_raw() as i64),
        is("maxTimelineSemaphoreValueDifference", (1 << 31) - 1),
        is("framebufferIntegerColorSampleCounts", 1),
    ],
);

pub(super) const V13: &[Limit] = &limits(
    OF_1_3.0,
    OF_1_3.1,
    [
        is("maxInlineUniformBlockSize", 256),
        is("maxPerStageDescriptorInlineUniformBlocks", 4),
        is("maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks", 4),
        is("maxDescriptorSetInlineUniformBlocks", 4),
        is("maxDescriptorSetUpdateAfterBindInlineUniformBlocks", 4),
        is("maxInlineUniformTotalSize", 256),
        is("storageTexelBufferOffsetAlignmentBytes", 256),
        is("uniformTexelBufferOffsetAlignmentBytes", 256),
        is("maxBufferSize", 1 << 30),
    ],
);

/// Limits without a value in the table: subgroup sizes that fit the Vulkan 1.1 size.
pub(super) const UNCHECKED_1_3: &[Limit] = &limits(
    OF_1_3.0,
    OF_1_3.1,
    [is("minSubgroupSize", 1), is("maxSubgroupSize", 1), is("maxComputeWorkgroupSubgroups", 128)],
);

const UNCHECKED_BUFFERS: i64 = PipelineRobustnessBufferBehaviorEXT::DISABLED.as_raw() as i64;

pub(super) const V14: &[Limit] = &limits(
    OF_1_4.0,
    OF_1_4.1,
    [
        is("lineSubPixelPrecisionBits", 4),
        is("maxVertexAttribDivisor", (1 << 16) - 1),
        is("maxPushDescriptors", 32),
        is("maxCombinedImageSamplerDescriptorCount", 1),
    ],
);

/// Limits without a value in the table: any value other than "the default of the device", which is this one.
pub(super) const UNCHECKED_1_4: &[Limit] = &limits(
    OF_1_4.0,
    OF_1_4.1,
    [
        is("defaultRobustnessStorageBuffers", UNCHECKED_BUFFERS),
        is("defaultRobustnessUniformBuffers", UNCHECKED_BUFFERS),
        is("defaultRobustnessVertexInputs", UNCHECKED_BUFFERS),
        is("defaultRobustnessImages", PipelineRobustnessImageBehaviorEXT::DISABLED.as_raw() as i64),
    ],
);

const fn indexed(member: &'static str, value: i64) -> (Feature, Limit, Value) {
    let none = Required { member, element: 0, value: Value::Integer(0) };
    (name::DESCRIPTOR_INDEXING, limit(OF_1_2.0, OF_1_2.1, none), Value::Integer(value))
}

/// Limits for updates after binding, equal to the limits for other descriptors.
pub(super) const WITH: &[(Feature, Limit, Value)] = &[
    indexed("maxUpdateAfterBindDescriptorsInAllPools", 500_000),
    indexed("maxPerStageDescriptorUpdateAfterBindSamplers", 500_000),
    indexed("maxPerStageDescriptorUpdateAfterBindUniformBuffers", 15),
    indexed("maxPerStageDescriptorUpdateAfterBindStorageBuffers", 500_000),
    indexed("maxPerStageDescriptorUpdateAfterBindSampledImages", 500_000),
    indexed("maxPerStageDescriptorUpdateAfterBindStorageImages", 500_000),
    indexed("maxPerStageDescriptorUpdateAfterBindInputAttachments", 4),
    indexed("maxPerStageUpdateAfterBindResources", 500_000),
    indexed("maxDescriptorSetUpdateAfterBindSamplers", 500_000),
    indexed("maxDescriptorSetUpdateAfterBindUniformBuffers", 90),
    indexed("maxDescriptorSetUpdateAfterBindUniformBuffersDynamic", 8),
    indexed("maxDescriptorSetUpdateAfterBindStorageBuffers", 500_000),
    indexed("maxDescriptorSetUpdateAfterBindStorageBuffersDynamic", 4),
    indexed("maxDescriptorSetUpdateAfterBindSampledImages", 500_000),
    indexed("maxDescriptorSetUpdateAfterBindStorageImages", 500_000),
    indexed("maxDescriptorSetUpdateAfterBindInputAttachments", 4),
];
