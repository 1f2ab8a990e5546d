//! Descriptor writes, collected on the stack and passed on when the stack buffer is full.

use core::ffi::c_void;

use ash::vk;

use super::Entry;

const WRITES: usize = 16;
/// Words for descriptors that are not behind each other in the application's data. The largest has three.
const WORDS: usize = 96;

/// The structures in the chains of writes: they are alike. Counted are bytes, or descriptors.
#[derive(Clone, Copy)]
#[repr(C)]
struct Chained {
    s_type: vk::StructureType,
    next: *const c_void,
    count: u32,
    list: *const c_void,
}

const _: () = {
    use core::mem::offset_of;
    type Structures = vk::WriteDescriptorSetAccelerationStructureKHR<'static>;
    type Bytes = vk::WriteDescriptorSetInlineUniformBlock<'static>;
    assert!(size_of::<Chained>() == size_of::<Structures>() && size_of::<Chained>() == size_of::<Bytes>());
    assert!(offset_of!(Chained, count) == offset_of!(Structures, acceleration_structure_count));
    assert!(offset_of!(Chained, list) == offset_of!(Structures, p_acceleration_structures));
    assert!(offset_of!(Chained, count) == offset_of!(Bytes, data_size));
    assert!(offset_of!(Chained, list) == offset_of!(Bytes, p_data));
};

/// The field of a write that describes its descriptors.
#[derive(Clone, Copy, PartialEq)]
enum DescriptorSource {
    Images,
    Buffers,
    Views,
    /// In a chained structure of this type: this many bytes.
    Bytes(vk::StructureType),
    /// In a structure of this type in its chain: handles or addresses of 64 bits.
    Chain(vk::StructureType),
}

impl DescriptorSource {
    /// Returns the source for descriptors of a kind; `None` for a kind without writes or an unknown one.
    fn of(kind: i32) -> Option<Self> {
        Some(match vk::DescriptorType::from_raw(kind) {
            vk::DescriptorType::SAMPLER
            | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
            | vk::DescriptorType::SAMPLED_IMAGE
            | vk::DescriptorType::STORAGE_IMAGE
            | vk::DescriptorType::INPUT_ATTACHMENT
            | vk::DescriptorType::SAMPLE_WEIGHT_IMAGE_QCOM
            | vk::DescriptorType::BLOCK_MATCH_IMAGE_QCOM => Self::Images,
            vk::DescriptorType::UNIFORM_BUFFER
            | vk::DescriptorType::STORAGE_BUFFER
            | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
            | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC => Self::Buffers,
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER | vk::DescriptorType::STORAGE_TEXEL_BUFFER => {
                Self::Views
            }
            vk::DescriptorType::INLINE_UNIFORM_BLOCK => {
                Self::Bytes(vk::StructureType::WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK)
            }
            vk::DescriptorType::ACCELERATION_STRUCTURE_KHR => {
                Self::Chain(vk::StructureType::WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR)
            }
            vk::DescriptorType::ACCELERATION_STRUCTURE_NV => {
                Self::Chain(vk::StructureType::WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV)
            }
            TENSOR_ARM => Self::Chain(vk::StructureType::from_raw(1_000_460_003)),
            PARTITIONED_ACCELERATION_STRUCTURE_NV => Self::Chain(vk::StructureType::from_raw(1_000_570_002)),
            _ => return None,
        })
    }

    /// Returns the number of bytes of a descriptor in the data, a multiple of the alignment of `u64`.
    fn size(self) -> usize {
        match self {
            Self::Images => size_of::<vk::DescriptorImageInfo>(),
            Self::Buffers => size_of::<vk::DescriptorBufferInfo>(),
            Self::Views | Self::Bytes(_) | Self::Chain(_) => size_of::<u64>(),
        }
    }
}

const TENSOR_ARM: vk::DescriptorType = vk::DescriptorType::from_raw(1_000_460_000);
const PARTITIONED_ACCELERATION_STRUCTURE_NV: vk::DescriptorType = vk::DescriptorType::from_raw(1_000_570_000);

/// The parts of the writes. It must not move, as the writes point into it.
struct WriteStorage {
    writes: [vk::WriteDescriptorSet<'static>; WRITES],
    chained: [Chained; WRITES],
    words: [u64; WORDS],
}

/// Writes that have not been handed over.
pub(super) struct Batch<F> {
    storage: *mut WriteStorage,
    writes: usize,
    /// The bytes of [`WriteStorage::words`] that are taken.
    used: usize,
    set: vk::DescriptorSet,
    hand_over: F,
}

impl<F: FnMut(u32, *const vk::WriteDescriptorSet<'_>)> Batch<F> {
    /// Makes the writes of a template, in order, and hands them over in one call or several.
    ///
    /// # Safety
    /// The data has the layout that the entries describe.
    pub(super) unsafe fn write(set: vk::DescriptorSet, entries: &[Entry], data: *const u8, hand_over: F) {
        let nothing = core::ptr::null();
        let chained =
            Chained { s_type: vk::StructureType::default(), next: nothing, count: 0, list: nothing };
        let mut storage = WriteStorage {
            writes: [vk::WriteDescriptorSet::default(); WRITES],
            chained: [chained; WRITES],
            words: [0; WORDS],
        };
        let mut batch = Self { storage: &raw mut storage, writes: 0, used: 0, set, hand_over };
        for entry in entries {
            let Some(source) = DescriptorSource::of(entry.kind) else { continue };
            // SAFETY: the caller vouches for the data; the buffer outlives the batch.
            unsafe { batch.entry(entry, source, data.wrapping_add(entry.offset)) };
        }
        batch.flush();
    }

    /// # Safety
    /// `data` points to the entry's first descriptor.
    unsafe fn entry(&mut self, entry: &Entry, source: DescriptorSource, data: *const u8) {
        let size = source.size();
        let is_array = entry.count <= 1 || entry.stride == size;
        if matches!(source, DescriptorSource::Bytes(_)) || (is_array && data.cast::<u64>().is_aligned()) {
            return self.add(entry, source, entry.first, entry.count, data.cast());
        }
        let mut done = 0u32;
        while done < entry.count {
            if self.writes == WRITES || self.left() < size {
                self.flush();
            }
            let fits = self.left().checked_div(size).unwrap_or_default();
            let left = entry.count.saturating_sub(done);
            let count = u32::try_from(fits).map_or(left, |fits| left.min(fits));
            // SAFETY: this many descriptors fit behind the bytes that are taken, and the caller vouches for the data.
            let first = unsafe { (&raw mut (*self.storage).words).cast::<u8>().add(self.used) };
            for number in 0..count as usize {
                let from = entry.stride.wrapping_mul((done as usize).wrapping_add(number));
                // SAFETY: as above.
                unsafe {
                    let target = first.add(number.wrapping_mul(size));
                    target.copy_from_nonoverlapping(data.wrapping_add(from), size);
                }
            }
            self.used = self.used.saturating_add(size.saturating_mul(count as usize));
            self.add(entry, source, entry.first.wrapping_add(done), count, first.cast());
            done = done.saturating_add(count);
        }
    }

    /// Adds a write of descriptors that are an array.
    fn add(&mut self, entry: &Entry, source: DescriptorSource, first: u32, count: u32, array: *const c_void) {
        if self.writes == WRITES {
            self.flush();
        }
        let mut write = vk::WriteDescriptorSet {
            dst_set: self.set,
            dst_binding: entry.binding,
            dst_array_element: first,
            descriptor_count: count,
            descriptor_type: vk::DescriptorType::from_raw(entry.kind),
            ..Default::default()
        };
        match source {
            DescriptorSource::Images => write.p_image_info = array.cast(),
            DescriptorSource::Buffers => write.p_buffer_info = array.cast(),
            DescriptorSource::Views => write.p_texel_buffer_view = array.cast(),
            DescriptorSource::Bytes(s_type) | DescriptorSource::Chain(s_type) => {
                // SAFETY: the arrays for chained structures are as long as the array of writes, which has a free
                // element.
                unsafe {
                    let chained = (&raw mut (*self.storage).chained).cast::<Chained>().add(self.writes);
                    chained.write(Chained { s_type, next: core::ptr::null(), count, list: array });
                    write.p_next = chained.cast();
                }
            }
        }
        // SAFETY: the array has a free element.
        unsafe {
            (&raw mut (*self.storage).writes).cast::<vk::WriteDescriptorSet>().add(self.writes).write(write)
        };
        self.writes = self.writes.saturating_add(1);
    }

    /// Returns the number of free bytes in [`WriteStorage::words`].
    fn left(&self) -> usize {
        size_of::<[u64; WORDS]>().saturating_sub(self.used)
    }

    fn flush(&mut self) {
        if self.writes != 0 {
            // SAFETY: the buffer lives as long as the batch and contains this number of writes.
            let writes = unsafe { (&raw const (*self.storage).writes).cast() };
            (self.hand_over)(u32::try_from(self.writes).unwrap_or_default(), writes);
        }
        (self.writes, self.used) = (0, 0);
    }
}
