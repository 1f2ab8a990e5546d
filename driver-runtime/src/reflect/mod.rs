//! A [`Description`] by the names of the specification: `VkPhysicalDeviceLimits`, `maxImageDimension2D`.
//!
//! For code that reads names from a file, and for tests. A driver that does not call these functions does not contain
//! their tables.
//!
//! ```
//! use vkload_driver_runtime::reflect::{self, Value};
//! use vkload_driver_runtime::{Description, vk};
//!
//! let mut known = Description::new(b"gpu", vk::API_VERSION_1_3, vk::PhysicalDeviceType::OTHER);
//! reflect::member(&mut known, "VkPhysicalDeviceLimits", "maxImageDimension2D").unwrap().set(Value::Integer(16384)).unwrap();
//! assert_eq!(known.properties.limits.max_image_dimension2_d, 16384);
//! ```

mod required;
mod slot;
#[cfg(test)]
mod tests;

use core::ptr::from_mut;

use ash::vk::{self, TaggedStructure};

use crate::features::{self, Feature};
use crate::physical_device::{Description, HEADER, location_mut};
pub use crate::properties::{
    Bound, Kind, Member, Names, Plain, Structure, format_names, image_layout_names, structure, structures,
    value,
};
use crate::properties::{Location, canonical, row};
pub use required::{Shortfall, below_required};
pub use slot::{Slot, SlotError, Value};

/// The reason why the member cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No structure of properties has this name.
    Structure,
    /// The structure has no such member.
    Member,
    /// An array that the caller of a command brings, or a number of its elements: a description has the layouts in
    /// [`Description::vulkan_1_4`], and no others.
    Array,
}

/// Returns a member of a structure of properties, limits or memory of a physical device. For features, see
/// [`feature`].
pub fn member<'a>(known: &'a mut Description, structure: &str, member: &str) -> Result<Slot<'a>, Unknown> {
    let structure = self::structure(structure).ok_or(Unknown::Structure)?;
    let number = structure.members.iter().position(|it| it.name == member).ok_or(Unknown::Member)?;
    let row = structure.members.get(number).ok_or(Unknown::Member)?;
    let at = if let Some(at) = behind_arrays(known, structure, row)? {
        at
    } else {
        first(known, structure).ok_or(Unknown::Structure)?.wrapping_add(structure.offset(number))
    };
    // SAFETY: the borrowed description has a member of this type at the address.
    Ok(unsafe { Slot::new(at, row.kind, row.length) })
}

/// Returns a feature: a member of `VkPhysicalDeviceFeatures` or of a structure chained to it.
pub fn feature(structure: &str, member: &str) -> Result<Feature, Unknown> {
    let structure = canonical(structure);
    if !features::is_structure(structure) {
        return Err(Unknown::Structure);
    }
    features::find(structure, member).ok_or(Unknown::Member)
}

/// Returns the address of a structure's first member.
fn first(known: &mut Description, structure: &Structure) -> Option<*mut u8> {
    Some(match structure.name {
        "VkPhysicalDeviceProperties" => from_mut(&mut known.properties).cast(),
        "VkPhysicalDeviceLimits" => from_mut(&mut known.properties.limits).cast(),
        "VkPhysicalDeviceSparseProperties" => from_mut(&mut known.properties.sparse_properties).cast(),
        "VkPhysicalDeviceMemoryProperties" => from_mut(&mut known.memory).cast(),
        "VkPhysicalDeviceVulkan14Properties" => location_mut(known, Location::Version(4, 0))?,
        _ => {
            let row = row(vk::StructureType::from_raw(structure.structure_type()?))?;
            location_mut(known, row.location)?
        }
    })
}

/// Returns the address of a member that follows an array, in structures with arrays.
fn behind_arrays(
    known: &mut Description,
    structure: &Structure,
    member: &Member,
) -> Result<Option<*mut u8>, Unknown> {
    if member.kind == Kind::Array || member.name.ends_with("LayoutCount") {
        return Err(Unknown::Array);
    }
    let of_1_4 = &mut known.vulkan_1_4;
    Ok(match (structure.name, member.name) {
        ("VkPhysicalDeviceVulkan14Properties" | "VkPhysicalDeviceHostImageCopyProperties", name) => {
            match name {
                "optimalTilingLayoutUUID" => Some(from_mut(&mut of_1_4.optimal_tiling_layout_uuid).cast()),
                "identicalMemoryTypeRequirements" => {
                    Some(from_mut(&mut of_1_4.identical_memory_type_requirements).cast())
                }
                _ => None,
            }
        }
        ("VkPhysicalDeviceGpaPropertiesAMD" | "VkPhysicalDeviceLayeredApiPropertiesListKHR", _) => {
            return Err(Unknown::Array);
        }
        _ => None,
    })
}

/// A structure that is not itself a device property.
///
/// # Safety
/// The registry's structure of this name has the layout of the type; behind its header, if it has one.
pub unsafe trait Named {
    /// Its name.
    const NAME: &'static str;
    /// Bytes before its members.
    const HEADER: usize;
}

macro_rules! named {
    ($($name:literal $of:ty;)*) => {$(
        // SAFETY: the name is the type's, and it has no header.
        unsafe impl Named for $of {
            const NAME: &'static str = $name;
            const HEADER: usize = 0;
        }
    )*};
}

named! {
    "VkQueueFamilyProperties" vk::QueueFamilyProperties;
    "VkFormatProperties" vk::FormatProperties;
    "VkMemoryHeap" vk::MemoryHeap;
    "VkMemoryType" vk::MemoryType;
}

macro_rules! chained {
    ($($name:literal $of:ident;)*) => {$(
        // SAFETY: the name is the type's, and it has the header of structures in chains.
        unsafe impl Named for vk::$of<'_> {
            const NAME: &'static str = $name;
            const HEADER: usize = HEADER;
        }
    )*};
}

chained! {
    "VkFormatProperties3" FormatProperties3;
    "VkPhysicalDeviceDriverProperties" PhysicalDeviceDriverProperties;
}

/// Returns a member of one of these structures.
pub fn member_of<'a, T: Named>(value: &'a mut T, member: &str) -> Option<Slot<'a>> {
    let structure = structure(T::NAME)?;
    let number = structure.members.iter().position(|it| it.name == member)?;
    let row = structure.members.get(number)?;
    let first = from_mut(value).cast::<u8>().wrapping_add(T::HEADER);
    // SAFETY: the trait vouches for the layout, and the value is borrowed.
    Some(unsafe { Slot::new(first.wrapping_add(structure.offset(number)), row.kind, row.length) })
}

/// Returns the type of a structure in a chain, by its Rust type: the counterpart of [`structure`], which takes a
/// name.
pub fn structure_of<T: TaggedStructure>() -> Option<&'static Structure> {
    structures().find(|structure| structure.structure_type() == Some(T::STRUCTURE_TYPE.as_raw()))
}
