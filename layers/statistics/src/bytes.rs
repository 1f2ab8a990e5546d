//! The commands whose calls carry bytes, and how many. A failed call has none.

use ash::vk;
use vkload_layer_runtime::commands::*;
use vkload_layer_runtime::{Call, Intercept, Returned};

use crate::{Statistics, counted};

/// Rows with a command and the bytes of a call that has succeeded, from its parameters.
macro_rules! rows {
    ($($command:ident: $bytes:expr;)*) => {
        $(impl Intercept<$command> for Statistics {
            fn intercept<'c>(call: Call<'c, Self, $command>) -> Returned<'c, $command> {
                let bytes: fn(&Returned<'_, $command>) -> u64 = $bytes;
                counted(call, bytes)
            }
        })*

        vkload_layer_runtime::export!(Statistics: .., $($command),*);
    };
}
rows! {
    AllocateMemory: |call| call.parameters().allocate_info.allocation_size;
    MapMemory: |call| mapped(call.parameters().size);
    MapMemory2: |call| mapped(call.parameters().memory_map_info.size);
    MapMemory2KHR: |call| mapped(call.parameters().memory_map_info.size);
    CmdUpdateBuffer: |call| call.parameters().data_size;
    CmdPushConstants: |call| call.parameters().size.into();
    CmdPushConstants2: |call| call.parameters().push_constants_info.size.into();
    CmdPushConstants2KHR: |call| call.parameters().push_constants_info.size.into();
    UpdateDescriptorSets: |call| written(call.parameters().descriptor_writes());
    CmdPushDescriptorSet: |call| written(call.parameters().descriptor_writes());
    CmdPushDescriptorSetKHR: |call| written(call.parameters().descriptor_writes());
    CmdPushDescriptorSet2: |call| written_by(&call.parameters().push_descriptor_set_info);
    CmdPushDescriptorSet2KHR: |call| written_by(&call.parameters().push_descriptor_set_info);
    CreatePipelineCache: |call| call.parameters().create_info.initial_data_size as u64;
    GetPipelineCacheData: |call| {
        let is_query = call.parameters().data.is_null();
        call.output(|parameters| parameters.data_size).filter(|_| !is_query).unwrap_or(0) as u64
    };
    CreateShaderModule: |call| call.parameters().create_info.code_size as u64;
    GetQueryPoolResults: |call| call.parameters().data_size as u64;
}

/// Returns the size of mapped memory; none for the rest of an allocation, whose size is not a parameter.
fn mapped(size: vk::DeviceSize) -> u64 {
    if size == vk::WHOLE_SIZE { 0 } else { size }
}

/// Returns the bytes of the application's descriptions of descriptors.
fn written(writes: &[vk::WriteDescriptorSet<'_>]) -> u64 {
    writes.iter().fold(0, |all, write| {
        all.saturating_add(description(write.descriptor_type).saturating_mul(write.descriptor_count.into()))
    })
}

/// Does the same for vkCmdPushDescriptorSet2.
fn written_by(info: &vk::PushDescriptorSetInfoKHR<'_>) -> u64 {
    if info.p_descriptor_writes.is_null() || info.descriptor_write_count == 0 {
        return 0;
    }
    // SAFETY: by the specification the array has this number of structures.
    written(unsafe {
        core::slice::from_raw_parts(info.p_descriptor_writes, info.descriptor_write_count as usize)
    })
}

/// Returns the size of the structure for a descriptor of this kind. An inline uniform block counts its bytes as descriptors.
fn description(kind: vk::DescriptorType) -> u64 {
    use vk::DescriptorType as Kind;
    let size = match kind {
        Kind::UNIFORM_BUFFER
        | Kind::STORAGE_BUFFER
        | Kind::UNIFORM_BUFFER_DYNAMIC
        | Kind::STORAGE_BUFFER_DYNAMIC => size_of::<vk::DescriptorBufferInfo>(),
        Kind::INLINE_UNIFORM_BLOCK => 1,
        Kind::UNIFORM_TEXEL_BUFFER
        | Kind::STORAGE_TEXEL_BUFFER
        | Kind::ACCELERATION_STRUCTURE_KHR
        | Kind::ACCELERATION_STRUCTURE_NV => size_of::<u64>(),
        Kind::SAMPLER
        | Kind::COMBINED_IMAGE_SAMPLER
        | Kind::SAMPLED_IMAGE
        | Kind::STORAGE_IMAGE
        | Kind::INPUT_ATTACHMENT
        | Kind::SAMPLE_WEIGHT_IMAGE_QCOM
        | Kind::BLOCK_MATCH_IMAGE_QCOM => size_of::<vk::DescriptorImageInfo>(),
        _ => 0,
    };
    size as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_count_by_what_describes_them() {
        let write = |kind, count| vk::WriteDescriptorSet {
            descriptor_type: kind,
            descriptor_count: count,
            ..Default::default()
        };
        let writes = [
            write(vk::DescriptorType::UNIFORM_BUFFER, 2),
            write(vk::DescriptorType::SAMPLER, 1),
            write(vk::DescriptorType::STORAGE_TEXEL_BUFFER, 3),
            write(vk::DescriptorType::INLINE_UNIFORM_BLOCK, 100),
        ];
        assert_eq!(written(&writes), 2 * 24 + 24 + 3 * 8 + 100);
        assert_eq!((mapped(16), mapped(vk::WHOLE_SIZE)), (16, 0));
    }
}
