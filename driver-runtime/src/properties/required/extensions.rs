//! Required limits of extensions that no core version has.

use ash::vk::{SampleCountFlags as Samples, ShaderStageFlags};

use super::build::{Required, Scalar, Value, at, is, limit, real};
use crate::properties::locations::{self, Location, WORDS};

/// Writes a structure's required values to its location.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler"
)]
const fn put(mut bytes: [[u8; 8]; WORDS], name: &str, required: &[Required]) -> [[u8; 8]; WORDS] {
    let (structure, location) = locations::find(name);
    let mut number = 0;
    while number < required.len() {
        let limit = limit(structure, location, required[number]);
        let Location::Store(begin) = limit.location else { panic!("the structure is of a core version") };
        let (low, high) = match limit.value {
            Value::Integer(value) => (value.to_ne_bytes(), 8),
            Value::Real(value) => ((value.to_bits() as u64).to_ne_bytes(), 4),
        };
        let size = match limit.scalar {
            Scalar::Bits8 => 1,
            Scalar::Bits32 | Scalar::Signed32 | Scalar::Real => 4,
            Scalar::Bits64 => high,
            Scalar::Size => size_of::<usize>(),
        };
        // The low bytes come last on big-endian machines.
        let first = if cfg!(target_endian = "big") { 8 - size } else { 0 };
        let mut byte = 0;
        while byte < size {
            let to = begin as usize + byte;
            bytes[to >> 3][to & 7] = low[first + byte];
            byte += 1;
        }
        number += 1;
    }
    bytes
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn words(bytes: [[u8; 8]; WORDS]) -> [u64; WORDS] {
    let (mut words, mut number) = ([0; WORDS], 0);
    while number < WORDS {
        words[number] = u64::from_ne_bytes(bytes[number]);
        number += 1;
    }
    words
}

pub(super) const INITIAL: [u64; WORDS] = words(NVIDIA);

const BLANK: [[u8; 8]; WORDS] = [[0; 8]; WORDS];

const RAYS: [[u8; 8]; WORDS] = {
    let all = put(
        BLANK,
        "VkPhysicalDeviceAccelerationStructurePropertiesKHR",
        &[
            is("maxGeometryCount", (1 << 24) - 1),
            is("maxInstanceCount", (1 << 24) - 1),
            is("maxPrimitiveCount", (1 << 29) - 1),
            is("maxPerStageDescriptorAccelerationStructures", 16),
            is("maxPerStageDescriptorUpdateAfterBindAccelerationStructures", 500_000),
            is("maxDescriptorSetAccelerationStructures", 16),
            is("maxDescriptorSetUpdateAfterBindAccelerationStructures", 500_000),
            is("minAccelerationStructureScratchOffsetAlignment", 256),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceRayTracingPipelinePropertiesKHR",
        &[
            is("shaderGroupHandleSize", 32),
            is("maxRayRecursionDepth", 1),
            is("maxShaderGroupStride", 4096),
            is("shaderGroupBaseAlignment", 64),
            is("shaderGroupHandleCaptureReplaySize", 64),
            is("maxRayDispatchInvocationCount", 1 << 30),
            is("shaderGroupHandleAlignment", 32),
            is("maxRayHitAttributeSize", 32),
        ],
    );
    put(
        all,
        "VkPhysicalDeviceOpacityMicromapPropertiesEXT",
        &[is("maxOpacity2StateSubdivisionLevel", 3), is("maxOpacity4StateSubdivisionLevel", 3)],
    )
};

const MESHES: [[u8; 8]; WORDS] = put(
    RAYS,
    "VkPhysicalDeviceMeshShaderPropertiesEXT",
    &[
        is("maxTaskWorkGroupTotalCount", 1 << 22),
        at("maxTaskWorkGroupCount", 0, 65_535),
        at("maxTaskWorkGroupCount", 1, 65_535),
        at("maxTaskWorkGroupCount", 2, 65_535),
        is("maxTaskWorkGroupInvocations", 128),
        at("maxTaskWorkGroupSize", 0, 128),
        at("maxTaskWorkGroupSize", 1, 128),
        at("maxTaskWorkGroupSize", 2, 128),
        is("maxTaskPayloadSize", 16_384),
        is("maxTaskSharedMemorySize", 32_768),
        is("maxTaskPayloadAndSharedMemorySize", 32_768),
        is("maxMeshWorkGroupTotalCount", 1 << 22),
        at("maxMeshWorkGroupCount", 0, 65_535),
        at("maxMeshWorkGroupCount", 1, 65_535),
        at("maxMeshWorkGroupCount", 2, 65_535),
        is("maxMeshWorkGroupInvocations", 128),
        at("maxMeshWorkGroupSize", 0, 128),
        at("maxMeshWorkGroupSize", 1, 128),
        at("maxMeshWorkGroupSize", 2, 128),
        is("maxMeshSharedMemorySize", 28_672),
        is("maxMeshPayloadAndSharedMemorySize", 28_672),
        is("maxMeshOutputMemorySize", 32_768),
        is("maxMeshPayloadAndOutputMemorySize", 48_128),
        is("maxMeshOutputComponents", 128),
        is("maxMeshOutputVertices", 256),
        is("maxMeshOutputPrimitives", 256),
        is("maxMeshOutputLayers", 8),
        is("maxMeshMultiviewViewCount", 1),
        is("meshOutputPerVertexGranularity", 32),
        is("meshOutputPerPrimitiveGranularity", 32),
    ],
);

const RASTER: [[u8; 8]; WORDS] = {
    let all = put(
        MESHES,
        "VkPhysicalDeviceFragmentShadingRatePropertiesKHR",
        &[
            at("maxFragmentSize", 0, 2),
            at("maxFragmentSize", 1, 2),
            is("maxFragmentSizeAspectRatio", 2),
            is("maxFragmentShadingRateCoverageSamples", 16),
            is("maxFragmentShadingRateRasterizationSamples", Samples::TYPE_4.as_raw() as i64),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceSampleLocationsPropertiesEXT",
        &[
            is("sampleLocationSampleCounts", Samples::TYPE_4.as_raw() as i64),
            at("maxSampleLocationGridSize", 0, 1),
            at("maxSampleLocationGridSize", 1, 1),
            real("sampleLocationCoordinateRange", 1, 0.9375),
            is("sampleLocationSubPixelBits", 4),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceTransformFeedbackPropertiesEXT",
        &[
            is("maxTransformFeedbackStreams", 1),
            is("maxTransformFeedbackBuffers", 1),
            is("maxTransformFeedbackBufferSize", 1 << 27),
            is("maxTransformFeedbackStreamDataSize", 512),
            is("maxTransformFeedbackBufferDataSize", 512),
            is("maxTransformFeedbackBufferDataStride", 512),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT",
        &[is("advancedBlendMaxColorAttachments", 1)],
    );
    let all = put(all, "VkPhysicalDeviceDiscardRectanglePropertiesEXT", &[is("maxDiscardRectangles", 4)]);
    let all = put(
        all,
        "VkPhysicalDeviceFragmentDensityMap2PropertiesEXT",
        &[is("maxSubsampledArrayLayers", 2), is("maxDescriptorSetSubsampledSamplers", 1)],
    );
    let all = put(all, "VkPhysicalDeviceMultiDrawPropertiesEXT", &[is("maxMultiDrawCount", 1024)]);
    put(all, "VkPhysicalDeviceNestedCommandBufferPropertiesEXT", &[is("maxCommandBufferNestingLevel", 1)])
};

const MEMORY: [[u8; 8]; WORDS] = {
    let all = put(
        RASTER,
        "VkPhysicalDeviceExternalMemoryHostPropertiesEXT",
        &[is("minImportedHostPointerAlignment", 65_536)],
    );
    let all = put(
        all,
        "VkPhysicalDeviceMapMemoryPlacedPropertiesEXT",
        &[is("minPlacedMemoryMapAlignment", 65_536)],
    );
    let all =
        put(all, "VkPhysicalDeviceCustomBorderColorPropertiesEXT", &[is("maxCustomBorderColorSamplers", 32)]);
    let all = put(
        all,
        "VkPhysicalDeviceRobustness2PropertiesKHR",
        &[is("robustStorageBufferAccessSizeAlignment", 4), is("robustUniformBufferAccessSizeAlignment", 256)],
    );
    let all = put(
        all,
        "VkPhysicalDeviceMaintenance7PropertiesKHR",
        &[
            is("maxDescriptorSetTotalUniformBuffersDynamic", 8),
            is("maxDescriptorSetTotalStorageBuffersDynamic", 4),
            is("maxDescriptorSetTotalBuffersDynamic", 12),
            is("maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic", 8),
            is("maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic", 4),
            is("maxDescriptorSetUpdateAfterBindTotalBuffersDynamic", 12),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceDescriptorBufferPropertiesEXT",
        &[
            is("descriptorBufferOffsetAlignment", 256),
            is("maxDescriptorBufferBindings", 3),
            is("maxResourceDescriptorBufferBindings", 1),
            is("maxSamplerDescriptorBufferBindings", 1),
            is("maxEmbeddedImmutableSamplerBindings", 1),
            is("maxEmbeddedImmutableSamplers", 2032),
            is("samplerDescriptorBufferAddressSpaceSize", 1 << 27),
            is("resourceDescriptorBufferAddressSpaceSize", 1 << 27),
            is("descriptorBufferAddressSpaceSize", 1 << 27),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDevicePortabilitySubsetPropertiesKHR",
        &[is("minVertexInputBindingStrideAlignment", 4)],
    );
    put(
        all,
        "VkPhysicalDeviceCooperativeMatrixPropertiesKHR",
        &[is("cooperativeMatrixSupportedStages", ShaderStageFlags::COMPUTE.as_raw() as i64)],
    )
};

const GENERATED: [[u8; 8]; WORDS] = put(
    MEMORY,
    "VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT",
    &[
        is("maxIndirectPipelineCount", 1 << 12),
        is("maxIndirectShaderObjectCount", 1 << 12),
        is("maxIndirectSequenceCount", 1 << 20),
        is("maxIndirectCommandsTokenCount", 16),
        is("maxIndirectCommandsTokenOffset", 2047),
        is("maxIndirectCommandsIndirectStride", 2048),
    ],
);

const NVIDIA: [[u8; 8]; WORDS] = {
    let all = put(
        GENERATED,
        "VkPhysicalDeviceRayTracingPropertiesNV",
        &[
            is("shaderGroupHandleSize", 16),
            is("maxRecursionDepth", 31),
            is("maxShaderGroupStride", 4096),
            is("shaderGroupBaseAlignment", 64),
            is("maxGeometryCount", (1 << 24) - 1),
            is("maxInstanceCount", (1 << 24) - 1),
            is("maxTriangleCount", (1 << 29) - 1),
            is("maxDescriptorSetAccelerationStructures", 16),
        ],
    );
    let all = put(
        all,
        "VkPhysicalDeviceMeshShaderPropertiesNV",
        &[
            is("maxDrawMeshTasksCount", (1 << 16) - 1),
            is("maxTaskWorkGroupInvocations", 32),
            at("maxTaskWorkGroupSize", 0, 32),
            at("maxTaskWorkGroupSize", 1, 1),
            at("maxTaskWorkGroupSize", 2, 1),
            is("maxTaskTotalMemorySize", 16_384),
            is("maxTaskOutputCount", (1 << 16) - 1),
            is("maxMeshWorkGroupInvocations", 32),
            at("maxMeshWorkGroupSize", 0, 32),
            at("maxMeshWorkGroupSize", 1, 1),
            at("maxMeshWorkGroupSize", 2, 1),
            is("maxMeshTotalMemorySize", 16_384),
            is("maxMeshOutputVertices", 256),
            is("maxMeshOutputPrimitives", 256),
            is("maxMeshMultiviewViewCount", 1),
        ],
    );
    put(
        all,
        "VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV",
        &[
            is("maxGraphicsShaderGroupCount", 1 << 12),
            is("maxIndirectSequenceCount", 1 << 20),
            is("maxIndirectCommandsTokenCount", 16),
            is("maxIndirectCommandsStreamCount", 16),
            is("maxIndirectCommandsTokenOffset", 2047),
            is("maxIndirectCommandsStreamStride", 2048),
            is("minSequencesCountBufferOffsetAlignment", 256),
            is("minSequencesIndexBufferOffsetAlignment", 256),
            is("minIndirectCommandsBufferOffsetAlignment", 256),
        ],
    )
};
