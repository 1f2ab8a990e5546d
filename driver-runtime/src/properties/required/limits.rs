//! Required limits of Vulkan 1.0.

use ash::vk::SampleCountFlags as Samples;

use super::build::{LIMITS, Limit, Required, Value, is, limit, limits, real, values};
use crate::features::{Feature, name};
use crate::properties::locations::Location;

const ONE_OR_FOUR: i64 = Samples::TYPE_1.as_raw() as i64 | Samples::TYPE_4.as_raw() as i64;

pub(super) const ALWAYS: &[Limit] = &limits(
    LIMITS,
    Location::Limits(0),
    values! {
        maxImageDimension1D = 4096, maxImageDimension2D = 4096, maxImageDimension3D = 256,
        maxImageDimensionCube = 4096, maxImageArrayLayers = 256, maxTexelBufferElements = 65_536,
        maxUniformBufferRange = 16_384, maxStorageBufferRange = 1 << 27, maxPushConstantsSize = 128,
        maxMemoryAllocationCount = 4096, maxSamplerAllocationCount = 4000, bufferImageGranularity = 131_072,
        maxBoundDescriptorSets = 4, maxPerStageDescriptorSamplers = 16, maxPerStageDescriptorUniformBuffers = 12,
        maxPerStageDescriptorStorageBuffers = 4, maxPerStageDescriptorSampledImages = 16,
        maxPerStageDescriptorStorageImages = 4, maxPerStageDescriptorInputAttachments = 4,
        maxPerStageResources = 128, maxDescriptorSetSamplers = 96, maxDescriptorSetUniformBuffers = 72,
        maxDescriptorSetUniformBuffersDynamic = 8, maxDescriptorSetStorageBuffers = 24,
        maxDescriptorSetStorageBuffersDynamic = 4, maxDescriptorSetSampledImages = 96,
        maxDescriptorSetStorageImages = 24, maxDescriptorSetInputAttachments = 4, maxVertexInputAttributes = 16,
        maxVertexInputBindings = 16, maxVertexInputAttributeOffset = 2047, maxVertexInputBindingStride = 2048,
        maxVertexOutputComponents = 64, maxFragmentInputComponents = 64, maxFragmentOutputAttachments = 4,
        maxFragmentCombinedOutputResources = 4, maxComputeSharedMemorySize = 16_384,
        maxComputeWorkGroupCount 0 = 65_535, maxComputeWorkGroupCount 1 = 65_535,
        maxComputeWorkGroupCount 2 = 65_535, maxComputeWorkGroupInvocations = 128,
        maxComputeWorkGroupSize 0 = 128, maxComputeWorkGroupSize 1 = 128, maxComputeWorkGroupSize 2 = 64,
        subPixelPrecisionBits = 4, subTexelPrecisionBits = 4, mipmapPrecisionBits = 4,
        maxDrawIndexedIndexValue = (1 << 24) - 1, maxDrawIndirectCount = 1, maxViewports = 1,
        maxViewportDimensions 0 = 4096, maxViewportDimensions 1 = 4096, minMemoryMapAlignment = 64,
        minTexelBufferOffsetAlignment = 256, minUniformBufferOffsetAlignment = 256,
        minStorageBufferOffsetAlignment = 256, minTexelOffset = -8, maxTexelOffset = 7,
        maxFramebufferWidth = 4096, maxFramebufferHeight = 4096, maxFramebufferLayers = 256,
        framebufferColorSampleCounts = ONE_OR_FOUR, framebufferDepthSampleCounts = ONE_OR_FOUR,
        framebufferStencilSampleCounts = ONE_OR_FOUR, framebufferNoAttachmentsSampleCounts = ONE_OR_FOUR,
        maxColorAttachments = 4, sampledImageColorSampleCounts = ONE_OR_FOUR, sampledImageIntegerSampleCounts = 1,
        sampledImageDepthSampleCounts = ONE_OR_FOUR, sampledImageStencilSampleCounts = ONE_OR_FOUR,
        storageImageSampleCounts = 1, maxSampleMaskWords = 1, discreteQueuePriorities = 2,
        nonCoherentAtomSize = 256; maxSamplerLodBias = 2.0, maxSamplerAnisotropy = 1.0,
        viewportBoundsRange = -8192.0, viewportBoundsRange 1 = 8191.0, pointSizeRange = 1.0,
        pointSizeRange 1 = 1.0, lineWidthRange = 1.0, lineWidthRange 1 = 1.0
    },
);

/// Limits without a value in the table that must not be 0: powers of two, and a clock's period.
pub(super) const UNCHECKED: &[Limit] = &limits(
    LIMITS,
    Location::Limits(0),
    values! {
        optimalBufferCopyOffsetAlignment = 1, optimalBufferCopyRowPitchAlignment = 1; timestampPeriod = 1.0
    },
);

pub(super) const SINCE_1_4: &[Limit] = &limits(
    LIMITS,
    Location::Limits(0),
    values! {
        maxImageDimension1D = 8192, maxImageDimension2D = 8192, maxImageDimension3D = 512,
        maxImageDimensionCube = 8192, maxImageArrayLayers = 2048, maxUniformBufferRange = 65_536,
        maxPushConstantsSize = 256, bufferImageGranularity = 4096, maxBoundDescriptorSets = 7,
        maxPerStageDescriptorSamplers = 64, maxPerStageDescriptorUniformBuffers = 15,
        maxPerStageDescriptorStorageBuffers = 30, maxPerStageDescriptorSampledImages = 200,
        maxPerStageDescriptorStorageImages = 16, maxPerStageResources = 200, maxDescriptorSetSamplers = 576,
        maxDescriptorSetUniformBuffers = 90, maxDescriptorSetStorageBuffers = 96,
        maxDescriptorSetSampledImages = 1800, maxDescriptorSetStorageImages = 144,
        maxFragmentOutputAttachments = 8, maxFragmentCombinedOutputResources = 16,
        maxComputeWorkGroupInvocations = 256, maxComputeWorkGroupSize 0 = 256, maxComputeWorkGroupSize 1 = 256,
        subPixelPrecisionBits = 8, maxViewportDimensions 0 = 7680, maxViewportDimensions 1 = 7680,
        maxFramebufferWidth = 7680, maxFramebufferHeight = 7680, maxColorAttachments = 8,
        timestampComputeAndGraphics = 1, standardSampleLocations = 1; maxSamplerLodBias = 14.0,
        viewportBoundsRange = -15_360.0, viewportBoundsRange 1 = 15_359.0
    },
);

const fn with(feature: Feature, without: Required, with: i64) -> (Feature, Limit, Value) {
    (feature, limit(LIMITS, Location::Limits(0), without), Value::Integer(with))
}

const fn with_real(feature: Feature, without: Required, with: f32) -> (Feature, Limit, Value) {
    (feature, limit(LIMITS, Location::Limits(0), without), Value::Real(with))
}

/// Limits that depend on features. For a half-open range in the table, the value is the nearest that any
/// precision allows.
pub(super) const WITH: &[(Feature, Limit, Value)] = &[
    with(name::SPARSE_BINDING, is("sparseAddressSpaceSize", 0), 1 << 31),
    with(name::TESSELLATION_SHADER, is("maxTessellationGenerationLevel", 0), 64),
    with(name::TESSELLATION_SHADER, is("maxTessellationPatchSize", 0), 32),
    with(name::TESSELLATION_SHADER, is("maxTessellationControlPerVertexInputComponents", 0), 64),
    with(name::TESSELLATION_SHADER, is("maxTessellationControlPerVertexOutputComponents", 0), 64),
    with(name::TESSELLATION_SHADER, is("maxTessellationControlPerPatchOutputComponents", 0), 120),
    with(name::TESSELLATION_SHADER, is("maxTessellationControlTotalOutputComponents", 0), 2048),
    with(name::TESSELLATION_SHADER, is("maxTessellationEvaluationInputComponents", 0), 64),
    with(name::TESSELLATION_SHADER, is("maxTessellationEvaluationOutputComponents", 0), 64),
    with(name::GEOMETRY_SHADER, is("maxGeometryShaderInvocations", 0), 32),
    with(name::GEOMETRY_SHADER, is("maxGeometryInputComponents", 0), 64),
    with(name::GEOMETRY_SHADER, is("maxGeometryOutputComponents", 0), 64),
    with(name::GEOMETRY_SHADER, is("maxGeometryOutputVertices", 0), 256),
    with(name::GEOMETRY_SHADER, is("maxGeometryTotalOutputComponents", 0), 1024),
    with(name::DUAL_SRC_BLEND, is("maxFragmentDualSrcAttachments", 0), 1),
    with(name::FULL_DRAW_INDEX_UINT_32, is("maxDrawIndexedIndexValue", (1 << 24) - 1), (1 << 32) - 1),
    with(name::MULTI_DRAW_INDIRECT, is("maxDrawIndirectCount", 1), (1 << 16) - 1),
    with_real(name::SAMPLER_ANISOTROPY, real("maxSamplerAnisotropy", 0, 1.0), 16.0),
    with(name::MULTI_VIEWPORT, is("maxViewports", 1), 16),
    with(name::SHADER_IMAGE_GATHER_EXTENDED, is("minTexelGatherOffset", 0), -8),
    with(name::SHADER_IMAGE_GATHER_EXTENDED, is("maxTexelGatherOffset", 0), 7),
    with_real(name::SAMPLE_RATE_SHADING, real("minInterpolationOffset", 0, 0.0), -0.5),
    // 0.5 less the smallest step of 4 bits.
    with_real(name::SAMPLE_RATE_SHADING, real("maxInterpolationOffset", 0, 0.0), 0.4375),
    with(name::SAMPLE_RATE_SHADING, is("subPixelInterpolationOffsetBits", 0), 4),
    with(name::SHADER_STORAGE_IMAGE_MULTISAMPLE, is("storageImageSampleCounts", 1), ONE_OR_FOUR),
    with(name::SHADER_CLIP_DISTANCE, is("maxClipDistances", 0), 8),
    with(name::SHADER_CULL_DISTANCE, is("maxCullDistances", 0), 8),
    with(name::SHADER_CLIP_DISTANCE, is("maxCombinedClipAndCullDistances", 0), 8),
    with(name::SHADER_CULL_DISTANCE, is("maxCombinedClipAndCullDistances", 0), 8),
    // 64 and 8 less a granularity of 1, which every device may have.
    with_real(name::LARGE_POINTS, real("pointSizeRange", 1, 1.0), 63.0),
    with_real(name::LARGE_POINTS, real("pointSizeGranularity", 0, 0.0), 1.0),
    with_real(name::WIDE_LINES, real("lineWidthRange", 1, 1.0), 7.0),
    with_real(name::WIDE_LINES, real("lineWidthGranularity", 0, 0.0), 1.0),
];
