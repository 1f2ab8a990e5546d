//! Required limits of Vulkan 1.1 to 1.4. The extensions that preceded them have the same limits.

use ash::vk::{PipelineRobustnessBufferBehaviorEXT, PipelineRobustnessImageBehaviorEXT};
use ash::vk::{ResolveModeFlags, ShaderStageFlags, SubgroupFeatureFlags};

use super::build::{Limit, Value, is, limit, limits, values};
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
    values! {
        subgroupSize = 1, subgroupSupportedStages = ShaderStageFlags::COMPUTE.as_raw() as i64,
        subgroupSupportedOperations = SubgroupFeatureFlags::BASIC.as_raw() as i64, maxMultiviewViewCount = 6,
        maxMultiviewInstanceIndex = (1 << 27) - 1, maxPerSetDescriptors = 1024, maxMemoryAllocationSize = 1 << 30
    },
);

pub(super) const V12: &[Limit] = &limits(
    OF_1_2.0,
    OF_1_2.1,
    values! {
        supportedDepthResolveModes = ResolveModeFlags::SAMPLE_ZERO.as_raw() as i64,
        supportedStencilResolveModes = ResolveModeFlags::SAMPLE_ZERO.as_raw() as i64,
        maxTimelineSemaphoreValueDifference = (1 << 31) - 1, framebufferIntegerColorSampleCounts = 1
    },
);

pub(super) const V13: &[Limit] = &limits(
    OF_1_3.0,
    OF_1_3.1,
    values! {
        maxInlineUniformBlockSize = 256, maxPerStageDescriptorInlineUniformBlocks = 4,
        maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 4, maxDescriptorSetInlineUniformBlocks = 4,
        maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 4, maxInlineUniformTotalSize = 256,
        storageTexelBufferOffsetAlignmentBytes = 256, uniformTexelBufferOffsetAlignmentBytes = 256,
        maxBufferSize = 1 << 30
    },
);

/// Limits without a value in the table: subgroup sizes that fit the Vulkan 1.1 size.
pub(super) const UNCHECKED_1_3: &[Limit] = &limits(
    OF_1_3.0,
    OF_1_3.1,
    values! {
        minSubgroupSize = 1, maxSubgroupSize = 1, maxComputeWorkgroupSubgroups = 128
    },
);

const UNCHECKED_BUFFERS: i64 = PipelineRobustnessBufferBehaviorEXT::DISABLED.as_raw() as i64;

pub(super) const V14: &[Limit] = &limits(
    OF_1_4.0,
    OF_1_4.1,
    values! {
        lineSubPixelPrecisionBits = 4, maxVertexAttribDivisor = (1 << 16) - 1, maxPushDescriptors = 32,
        maxCombinedImageSamplerDescriptorCount = 1
    },
);

/// Limits without a value in the table: any value other than "the default of the device", which is this one.
pub(super) const UNCHECKED_1_4: &[Limit] = &limits(
    OF_1_4.0,
    OF_1_4.1,
    values! {
        defaultRobustnessStorageBuffers = UNCHECKED_BUFFERS, defaultRobustnessUniformBuffers = UNCHECKED_BUFFERS,
        defaultRobustnessVertexInputs = UNCHECKED_BUFFERS,
        defaultRobustnessImages = PipelineRobustnessImageBehaviorEXT::DISABLED.as_raw() as i64
    },
);

const fn indexed(member: &'static str, value: i64) -> (Feature, Limit, Value) {
    (name::DESCRIPTOR_INDEXING, limit(OF_1_2.0, OF_1_2.1, is(member, 0)), Value::Integer(value))
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
