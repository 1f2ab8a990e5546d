//! The answer to `vkGetPhysicalDeviceProperties2`.
//!
//! A structure that a core version gathered has its members in the order in which the structure that gathered them has them,
//! one after the other, so it is a number of bytes from there.

use ash::vk::{self, TaggedStructure};
use vkload_core::abi::chain;

use super::locations::HEADER;
use super::vulkan_1_4::{Chained, Vulkan14Properties};
use super::{Description, locations};
use crate::properties::row;

/// Writes `VkPhysicalDeviceProperties2` and the structures chained to it. Structures that a description cannot have
/// are passed to `more`.
///
/// # Safety
/// `out` begins a pNext chain of structures that may be written.
pub(crate) unsafe fn write(
    known: &Description,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
    more: impl Fn(&mut Chainable),
) {
    // SAFETY: the caller vouches for the chain.
    unsafe {
        (*out).properties = known.properties;
        for structure in chain::pointers((*out).p_next) {
            if !write_one(known, structure) {
                let next = (*structure).p_next;
                more(&mut *structure.cast());
                (*structure).p_next = next;
            }
        }
    }
}

/// A structure in a chain, of whatever type, to be written.
#[repr(transparent)]
pub struct Chainable(vk::BaseOutStructure<'static>);

impl Chainable {
    /// Returns the type of the structure.
    pub fn structure_type(&self) -> vk::StructureType {
        self.0.s_type
    }

    /// Returns the structure, if it has this type. Its `s_type` and `p_next` must not change.
    pub fn get<T: TaggedStructure>(&mut self) -> Option<&mut T> {
        let matches = self.0.s_type == T::STRUCTURE_TYPE;
        // SAFETY: a structure in a chain has the type that it states, and a `Chainable` is only made of structures
        // that the application passed to be written.
        matches.then(|| unsafe { &mut *core::ptr::from_mut(self).cast::<T>() })
    }
}

/// The members about copies by the host, with layouts in arrays of the caller's.
macro_rules! host_copy {
    ($out:expr, $known:expr) => {{
        $out.copy_src_layout_count =
            layouts($known.copy_src_layouts, $out.copy_src_layout_count, $out.p_copy_src_layouts);
        $out.copy_dst_layout_count =
            layouts($known.copy_dst_layouts, $out.copy_dst_layout_count, $out.p_copy_dst_layouts);
        $out.optimal_tiling_layout_uuid = $known.optimal_tiling_layout_uuid;
        $out.identical_memory_type_requirements = $known.identical_memory_type_requirements;
    }};
}
/// Writes the structure if it is known. Returns whether it is.
///
/// # Safety
/// `structure` is a structure of a pNext chain that may be written.
unsafe fn write_one(known: &Description, structure: *mut vk::BaseOutStructure<'static>) -> bool {
    // SAFETY: the caller vouches for the structure, which has the type that it says.
    unsafe {
        let s_type = (*structure).s_type;
        match s_type {
            Chained::TYPE if known.minor_version() >= 4 => {
                write_vulkan_1_4(&known.vulkan_1_4, structure.cast())
            }
            Chained::TYPE => {}
            vk::PhysicalDeviceHostImageCopyPropertiesEXT::STRUCTURE_TYPE if is_of(known, s_type) => {
                let out = structure.cast::<vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>>();
                host_copy!(*out, known.vulkan_1_4);
            }
            _ => {
                let Some(row) = row(s_type) else { return false };
                let Some(from) = locations::of(known, row.location) else { return !is_of(known, s_type) };
                if is_of(known, s_type) {
                    structure.cast::<u8>().byte_add(HEADER).copy_from(from, row.length.into());
                }
            }
        }
    }
    true
}

/// Returns whether the device has the structure, by its version or an extension. Others are left unchanged.
fn is_of(known: &Description, s_type: vk::StructureType) -> bool {
    row(s_type).is_some_and(|row| row.is_of(known.minor_version(), &known.extensions))
}

/// # Safety
/// `out` may be written, and its arrays have as many elements as it says.
unsafe fn write_vulkan_1_4(known: &Vulkan14Properties, out: *mut Chained) {
    let (at, length) = Chained::PLAIN;
    // SAFETY: the caller vouches for the structure; both have this many bytes of the same members.
    unsafe {
        out.byte_add(at).cast::<u8>().copy_from(core::ptr::from_ref(known).cast::<u8>(), length);
        host_copy!(*out, *known);
    }
}

/// Fills an array up to its length; without one, counts. Returns the number.
///
/// # Safety
/// `out` is NULL or has space for `room` elements.
unsafe fn layouts(known: &[vk::ImageLayout], room: u32, out: *mut vk::ImageLayout) -> u32 {
    let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
    if out.is_null() {
        return count;
    }
    let written = count.min(room);
    // SAFETY: the caller vouches for the array.
    unsafe { out.copy_from(known.as_ptr(), written as usize) };
    written
}
