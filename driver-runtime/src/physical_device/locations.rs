//! The positions of properties in a description.

use core::ptr::{from_mut, from_ref};

use ash::vk;

use super::Description;
use crate::properties::Location;

/// The size of the header before a structure's members.
pub(crate) const HEADER: usize = size_of::<vk::BaseOutStructure<'_>>();

/// Returns the address of a location. The bytes there belong to members, or to the padding that aligns them.
pub(crate) fn of(known: &Description, location: Location) -> Option<*const u8> {
    let (first, at) = match location {
        Location::Limits(at) => (from_ref(&known.properties.limits).cast::<u8>(), at),
        Location::Version(1, at) => (from_ref(&known.vulkan_1_1).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(2, at) => (from_ref(&known.vulkan_1_2).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(3, at) => (from_ref(&known.vulkan_1_3).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(4, at) => (from_ref(&known.vulkan_1_4).cast(), at),
        Location::Store(at) => (known.extension_properties.begin(), at),
        Location::Version(..) | Location::Nowhere => return None,
    };
    Some(first.wrapping_add(at.into()))
}

pub(crate) fn of_mut(known: &mut Description, location: Location) -> Option<*mut u8> {
    let (first, at) = match location {
        Location::Limits(at) => (from_mut(&mut known.properties.limits).cast::<u8>(), at),
        Location::Version(1, at) => (from_mut(&mut known.vulkan_1_1).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(2, at) => (from_mut(&mut known.vulkan_1_2).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(3, at) => (from_mut(&mut known.vulkan_1_3).cast::<u8>().wrapping_add(HEADER), at),
        Location::Version(4, at) => (from_mut(&mut known.vulkan_1_4).cast(), at),
        Location::Store(at) => (known.extension_properties.begin_mut(), at),
        Location::Version(..) | Location::Nowhere => return None,
    };
    Some(first.wrapping_add(at.into()))
}
