//! The number of bytes of each call. A failed call has none.
//!
//! The generated rows name these functions, with the result and some of the parameters. After a call that obeys the specification, each may
//! read the memory that the parameters point to.

use core::ffi::c_void;

use ash::vk;

type Pointer = *const c_void;

/// The result of a command.
pub(super) trait Outcome {
    fn succeeded(self) -> bool;
}

impl Outcome for () {
    fn succeeded(self) -> bool {
        true
    }
}

impl Outcome for i32 {
    fn succeeded(self) -> bool {
        self >= 0
    }
}

/// A number of bytes in a parameter.
pub(super) trait Size {
    fn bytes(self) -> u64;
}

impl Size for u32 {
    fn bytes(self) -> u64 {
        self.into()
    }
}

impl Size for u64 {
    fn bytes(self) -> u64 {
        self
    }
}

impl Size for usize {
    fn bytes(self) -> u64 {
        self as u64
    }
}

/// Returns a size that is a parameter.
pub(super) unsafe fn given(outcome: impl Outcome, size: impl Size) -> u64 {
    if outcome.succeeded() { size.bytes() } else { 0 }
}

/// Returns the size of mapped memory; none for the rest of an allocation, whose size is not a parameter.
pub(super) unsafe fn mapped(outcome: impl Outcome, size: u64) -> u64 {
    if outcome.succeeded() && size != vk::WHOLE_SIZE { size } else { 0 }
}

/// Does the same for vkMapMemory2.
pub(super) unsafe fn mapped_by(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: the parameter of a call that obeys the specification leads to this structure.
    unsafe { mapped(outcome, (*info.cast::<vk::MemoryMapInfoKHR>()).size) }
}

/// Returns the size of device memory.
pub(super) unsafe fn allocated(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: as in `mapped_by`.
    unsafe { given(outcome, (*info.cast::<vk::MemoryAllocateInfo>()).allocation_size) }
}

/// Constants that are pushed.
pub(super) unsafe fn pushed_by(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: as in `mapped_by`.
    unsafe { given(outcome, (*info.cast::<vk::PushConstantsInfoKHR>()).size) }
}

/// Returns the size of shader code.
pub(super) unsafe fn code(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: as in `mapped_by`.
    unsafe { given(outcome, (*info.cast::<vk::ShaderModuleCreateInfo>()).code_size) }
}

/// Returns the size of a pipeline cache's initial data.
pub(super) unsafe fn initial(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: as in `mapped_by`.
    unsafe { given(outcome, (*info.cast::<vk::PipelineCacheCreateInfo>()).initial_data_size) }
}

/// Returns the size of the data written to `data`; none if only the size was requested.
pub(super) unsafe fn got(outcome: impl Outcome, size: Pointer, data: Pointer) -> u64 {
    if data.is_null() {
        return 0;
    }
    // SAFETY: the parameter of a call that obeys the specification leads to the size that was written.
    unsafe { given(outcome, size.cast::<usize>().read()) }
}

/// Descriptors that the application describes, by the size of their descriptions.
pub(super) unsafe fn written(outcome: impl Outcome, count: u32, writes: Pointer) -> u64 {
    if !outcome.succeeded() || writes.is_null() {
        return 0;
    }
    // SAFETY: by the specification the array has this number of structures.
    let writes =
        unsafe { core::slice::from_raw_parts(writes.cast::<vk::WriteDescriptorSet<'_>>(), count as usize) };
    writes.iter().fold(0, |all, write| {
        all.saturating_add(description(write.descriptor_type).saturating_mul(write.descriptor_count.into()))
    })
}

/// Does the same for vkCmdPushDescriptorSet2.
pub(super) unsafe fn written_by(outcome: impl Outcome, info: Pointer) -> u64 {
    // SAFETY: as in `mapped_by`.
    unsafe {
        let info = &*info.cast::<vk::PushDescriptorSetInfoKHR<'_>>();
        written(outcome, info.descriptor_write_count, info.p_descriptor_writes.cast())
    }
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
        // SAFETY: the array has this number of structures.
        let bytes = unsafe { written((), 4, writes.as_ptr().cast()) };
        assert_eq!(bytes, 2 * 24 + 24 + 3 * 8 + 100);
    }

    #[test]
    fn failures_and_questions_have_no_bytes() {
        let info = vk::MemoryAllocateInfo { allocation_size: 4096, ..Default::default() };
        let (info, size) = ((&raw const info).cast(), 7_usize);
        let size: Pointer = (&raw const size).cast();
        // SAFETY: the pointers have the types that the functions expect.
        unsafe {
            assert_eq!((allocated(0, info), allocated(-1, info)), (4096, 0));
            assert_eq!((got(0, size, core::ptr::null()), got(0, size, size)), (0, 7));
            assert_eq!((mapped(0, 16), mapped(0, vk::WHOLE_SIZE)), (16, 0));
        }
    }
}
