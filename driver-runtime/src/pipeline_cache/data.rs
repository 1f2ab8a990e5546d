//! The data of a pipeline cache: the header of the specification, then for each entry its kind, the lengths of key and bytes
//! (32 bits each, as the processor stores them), the key, the bytes.

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, Text, TryGrow, Vec};

use super::{Cache, CacheEntry, PipelineCaches};
use crate::device::Device;

/// The bytes of `VkPipelineCacheHeaderVersionOne`.
pub(super) const HEADER: usize = 32;

/// Returns the header of data for this device: data of another device, or of another version of its driver, has
/// another one.
pub(super) fn header(properties: &vk::PhysicalDeviceProperties) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let words = [
        HEADER as u32,
        vk::PipelineCacheHeaderVersion::ONE.as_raw().cast_unsigned(),
        properties.vendor_id,
        properties.device_id,
    ];
    let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).chain(properties.pipeline_cache_uuid);
    header.iter_mut().zip(bytes).for_each(|(target, byte)| *target = byte);
    header
}

impl<D: PipelineCaches> Cache<D> {
    /// Adds the complete entries in `data`; none if the data belongs to another device or driver version.
    pub(super) fn import(&self, device: &Device<D>, data: &[u8]) -> Result<(), OutOfMemory> {
        let Some((first, mut rest)) = data.split_first_chunk::<HEADER>() else { return Ok(()) };
        if *first != header(&device.physical().description().properties) {
            return Ok(());
        }
        while let Some((kind, [key, bytes, after])) = entry(rest) {
            rest = after;
            let object = if D::IMPORTED.contains(&kind) { D::read(device, kind, bytes) } else { None };
            let bytes = if object.is_some() { &[] } else { bytes };
            self.insert_kept(key, kind, bytes, object)?;
        }
        Ok(())
    }

    pub(super) fn merge(&self, other: &Self) -> Result<(), OutOfMemory> {
        other
            .iter()
            .try_for_each(|kept| self.insert_kept(&kept.key, kept.kind, &kept.bytes, kept.made()).map(|_| ()))
    }

    /// Returns the data of the cache, each entry a part of its own.
    pub(super) fn for_each_part(
        &self,
        device: &Device<D>,
        memory: CopiedCallbacks,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), OutOfMemory> {
        if !take(&header(&device.physical().description().properties)) {
            return Ok(());
        }
        let mut part: Text<CopiedCallbacks> = Vec::new_in(memory);
        for kept in self.iter() {
            kept.write(&mut part)?;
            if !take(&part) {
                break;
            }
        }
        Ok(())
    }
}

impl<D: PipelineCaches> CacheEntry<D> {
    /// Makes `part` the data of this entry.
    fn write(&self, part: &mut Text<CopiedCallbacks>) -> Result<(), OutOfMemory> {
        part.clear();
        let key = u32::try_from(self.key.len()).unwrap_or(u32::MAX);
        for word in [self.kind, key, 0] {
            part.try_extend(&word.to_ne_bytes())?;
        }
        part.try_extend(&self.key)?;
        let before = part.len();
        self.append_bytes(part)?;
        let length = u32::try_from(part.len().saturating_sub(before)).unwrap_or(u32::MAX);
        let target =
            part.get_mut(2usize.saturating_mul(size_of::<u32>())..).and_then(<[u8]>::first_chunk_mut);
        if let Some(target) = target {
            *target = length.to_ne_bytes();
        }
        Ok(())
    }
}

/// Splits an entry off: its kind, and its key, its bytes, and the remaining data.
fn entry(data: &[u8]) -> Option<(u32, [&[u8]; 3])> {
    let (kind, data) = data.split_first_chunk()?;
    let (key, data) = data.split_first_chunk()?;
    let (length, data) = data.split_first_chunk()?;
    let (key, data) = data.split_at_checked(u32::from_ne_bytes(*key) as usize)?;
    let (bytes, rest) = data.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
    Some((u32::from_ne_bytes(*kind), [key, bytes, rest]))
}
