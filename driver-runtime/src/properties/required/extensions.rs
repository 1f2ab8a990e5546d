//! Required limits of extensions that no core version has.

use ash::vk::{SampleCountFlags as Samples, ShaderStageFlags};

use super::build::{Required, Scalar, Value, limit, values};
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

pub(super) const INITIAL: [u64; WORDS] = words(BYTES);

/// Each structure with its required values. Each is a constant of its own, since the compiler limits the steps of one evaluation.
macro_rules! initial {
    ($bytes:expr;) => {
        $bytes
    };
    ($bytes:expr; $structure:ident { $($values:tt)* } $($more:tt)*) => {
        initial!({
            const BYTES: [[u8; 8]; WORDS] = put($bytes, stringify!($structure), &values! { $($values)* });
            BYTES
        }; $($more)*)
    };
}

const BYTES: [[u8; 8]; WORDS] = initial! {
    [[0; 8]; WORDS];
    VkPhysicalDeviceAccelerationStructurePropertiesKHR {
        maxGeometryCount = (1 << 24) - 1, maxInstanceCount = (1 << 24) - 1, maxPrimitiveCount = (1 << 29) - 1,
        maxPerStageDescriptorAccelerationStructures = 16,
        maxPerStageDescriptorUpdateAfterBindAccelerationStructures = 500_000,
        maxDescriptorSetAccelerationStructures = 16,
        maxDescriptorSetUpdateAfterBindAccelerationStructures = 500_000,
        minAccelerationStructureScratchOffsetAlignment = 256
    }
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR {
        shaderGroupHandleSize = 32, maxRayRecursionDepth = 1, maxShaderGroupStride = 4096,
        shaderGroupBaseAlignment = 64, shaderGroupHandleCaptureReplaySize = 64,
        maxRayDispatchInvocationCount = 1 << 30, shaderGroupHandleAlignment = 32, maxRayHitAttributeSize = 32
    }
    VkPhysicalDeviceOpacityMicromapPropertiesEXT {
        maxOpacity2StateSubdivisionLevel = 3, maxOpacity4StateSubdivisionLevel = 3
    }
    VkPhysicalDeviceMeshShaderPropertiesEXT {
        maxTaskWorkGroupTotalCount = 1 << 22, maxTaskWorkGroupCount 0 = 65_535,
        maxTaskWorkGroupCount 1 = 65_535, maxTaskWorkGroupCount 2 = 65_535, maxTaskWorkGroupInvocations = 128,
        maxTaskWorkGroupSize 0 = 128, maxTaskWorkGroupSize 1 = 128, maxTaskWorkGroupSize 2 = 128,
        maxTaskPayloadSize = 16_384, maxTaskSharedMemorySize = 32_768,
        maxTaskPayloadAndSharedMemorySize = 32_768, maxMeshWorkGroupTotalCount = 1 << 22,
        maxMeshWorkGroupCount 0 = 65_535, maxMeshWorkGroupCount 1 = 65_535, maxMeshWorkGroupCount 2 = 65_535,
        maxMeshWorkGroupInvocations = 128, maxMeshWorkGroupSize 0 = 128, maxMeshWorkGroupSize 1 = 128,
        maxMeshWorkGroupSize 2 = 128, maxMeshSharedMemorySize = 28_672,
        maxMeshPayloadAndSharedMemorySize = 28_672, maxMeshOutputMemorySize = 32_768,
        maxMeshPayloadAndOutputMemorySize = 48_128, maxMeshOutputComponents = 128,
        maxMeshOutputVertices = 256, maxMeshOutputPrimitives = 256, maxMeshOutputLayers = 8,
        maxMeshMultiviewViewCount = 1, meshOutputPerVertexGranularity = 32,
        meshOutputPerPrimitiveGranularity = 32
    }
    VkPhysicalDeviceFragmentShadingRatePropertiesKHR {
        maxFragmentSize 0 = 2, maxFragmentSize 1 = 2, maxFragmentSizeAspectRatio = 2,
        maxFragmentShadingRateCoverageSamples = 16,
        maxFragmentShadingRateRasterizationSamples = Samples::TYPE_4.as_raw() as i64
    }
    VkPhysicalDeviceSampleLocationsPropertiesEXT {
        sampleLocationSampleCounts = Samples::TYPE_4.as_raw() as i64, maxSampleLocationGridSize 0 = 1,
        maxSampleLocationGridSize 1 = 1, sampleLocationSubPixelBits = 4;
        sampleLocationCoordinateRange 1 = 0.9375
    }
    VkPhysicalDeviceTransformFeedbackPropertiesEXT {
        maxTransformFeedbackStreams = 1, maxTransformFeedbackBuffers = 1,
        maxTransformFeedbackBufferSize = 1 << 27, maxTransformFeedbackStreamDataSize = 512,
        maxTransformFeedbackBufferDataSize = 512, maxTransformFeedbackBufferDataStride = 512
    }
    VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT { advancedBlendMaxColorAttachments = 1 }
    VkPhysicalDeviceDiscardRectanglePropertiesEXT { maxDiscardRectangles = 4 }
    VkPhysicalDeviceFragmentDensityMap2PropertiesEXT {
        maxSubsampledArrayLayers = 2, maxDescriptorSetSubsampledSamplers = 1
    }
    VkPhysicalDeviceMultiDrawPropertiesEXT { maxMultiDrawCount = 1024 }
    VkPhysicalDeviceNestedCommandBufferPropertiesEXT { maxCommandBufferNestingLevel = 1 }
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT { minImportedHostPointerAlignment = 65_536 }
    VkPhysicalDeviceMapMemoryPlacedPropertiesEXT { minPlacedMemoryMapAlignment = 65_536 }
    VkPhysicalDeviceCustomBorderColorPropertiesEXT { maxCustomBorderColorSamplers = 32 }
    VkPhysicalDeviceRobustness2PropertiesKHR {
        robustStorageBufferAccessSizeAlignment = 4, robustUniformBufferAccessSizeAlignment = 256
    }
    VkPhysicalDeviceMaintenance7PropertiesKHR {
        maxDescriptorSetTotalUniformBuffersDynamic = 8, maxDescriptorSetTotalStorageBuffersDynamic = 4,
        maxDescriptorSetTotalBuffersDynamic = 12,
        maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic = 8,
        maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic = 4,
        maxDescriptorSetUpdateAfterBindTotalBuffersDynamic = 12
    }
    VkPhysicalDeviceDescriptorBufferPropertiesEXT {
        descriptorBufferOffsetAlignment = 256, maxDescriptorBufferBindings = 3,
        maxResourceDescriptorBufferBindings = 1, maxSamplerDescriptorBufferBindings = 1,
        maxEmbeddedImmutableSamplerBindings = 1, maxEmbeddedImmutableSamplers = 2032,
        samplerDescriptorBufferAddressSpaceSize = 1 << 27, resourceDescriptorBufferAddressSpaceSize = 1 << 27,
        descriptorBufferAddressSpaceSize = 1 << 27
    }
    VkPhysicalDevicePortabilitySubsetPropertiesKHR { minVertexInputBindingStrideAlignment = 4 }
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR {
        cooperativeMatrixSupportedStages = ShaderStageFlags::COMPUTE.as_raw() as i64
    }
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT {
        maxIndirectPipelineCount = 1 << 12, maxIndirectShaderObjectCount = 1 << 12,
        maxIndirectSequenceCount = 1 << 20, maxIndirectCommandsTokenCount = 16,
        maxIndirectCommandsTokenOffset = 2047, maxIndirectCommandsIndirectStride = 2048
    }
    VkPhysicalDeviceRayTracingPropertiesNV {
        shaderGroupHandleSize = 16, maxRecursionDepth = 31, maxShaderGroupStride = 4096,
        shaderGroupBaseAlignment = 64, maxGeometryCount = (1 << 24) - 1, maxInstanceCount = (1 << 24) - 1,
        maxTriangleCount = (1 << 29) - 1, maxDescriptorSetAccelerationStructures = 16
    }
    VkPhysicalDeviceMeshShaderPropertiesNV {
        maxDrawMeshTasksCount = (1 << 16) - 1, maxTaskWorkGroupInvocations = 32, maxTaskWorkGroupSize 0 = 32,
        maxTaskWorkGroupSize 1 = 1, maxTaskWorkGroupSize 2 = 1, maxTaskTotalMemorySize = 16_384,
        maxTaskOutputCount = (1 << 16) - 1, maxMeshWorkGroupInvocations = 32, maxMeshWorkGroupSize 0 = 32,
        maxMeshWorkGroupSize 1 = 1, maxMeshWorkGroupSize 2 = 1, maxMeshTotalMemorySize = 16_384,
        maxMeshOutputVertices = 256, maxMeshOutputPrimitives = 256, maxMeshMultiviewViewCount = 1
    }
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV {
        maxGraphicsShaderGroupCount = 1 << 12, maxIndirectSequenceCount = 1 << 20,
        maxIndirectCommandsTokenCount = 16, maxIndirectCommandsStreamCount = 16,
        maxIndirectCommandsTokenOffset = 2047, maxIndirectCommandsStreamStride = 2048,
        minSequencesCountBufferOffsetAlignment = 256, minSequencesIndexBufferOffsetAlignment = 256,
        minIndirectCommandsBufferOffsetAlignment = 256
    }
};
