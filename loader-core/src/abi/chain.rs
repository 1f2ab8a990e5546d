//! Walking pNext chains.

use core::ffi::c_void;

use ash::vk;

use crate::memory::{Allocator, OutOfMemory, TryGrow, Vec};
use crate::registry;

/// More structures than a sane chain has. A longer chain is treated as a loop.
const LIMIT: usize = 1024;

/// Pointers to the structures of a pNext chain, one after the other; a loop ends after a bounded number of
/// them.
///
/// # Safety
/// `first` begins a pNext chain that keeps its shape while the iterator is used.
pub unsafe fn pointers<'a>(first: *mut c_void) -> impl Iterator<Item = *mut vk::BaseOutStructure<'a>> {
    let mut next = first.cast::<vk::BaseOutStructure<'a>>();
    core::iter::from_fn(move || {
        let structure = core::ptr::NonNull::new(next)?.as_ptr();
        // SAFETY: by this function's `# Safety` `first` begins a pNext chain, so every structure of it can be
        // read.
        next = unsafe { (*structure).p_next };
        Some(structure)
    })
    .take(LIMIT)
}

/// Returns the structures of a pNext chain that is only read.
///
/// # Safety
/// `first` begins a pNext chain that stays unchanged while the iterator is used.
pub unsafe fn structures<'a>(first: *const c_void) -> impl Iterator<Item = &'a vk::BaseInStructure<'a>> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain that stays unchanged; nothing is
    // written through the pointers.
    unsafe { pointers(first.cast_mut()).map(|structure| &*structure.cast::<vk::BaseInStructure<'a>>()) }
}

/// Returns the first structure in the chain that has the type of `T`.
///
/// # Safety
/// As for [`structures`], and structures of this type match their type.
pub unsafe fn find<'a, T: vk::TaggedStructure + 'a>(first: *const c_void) -> Option<&'a T> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain that stays unchanged, and a
    // structure's type states its layout. Nothing is written.
    unsafe {
        pointers(first.cast_mut())
            .find(|structure| (**structure).s_type == T::STRUCTURE_TYPE)
            .map(|found| &*found.cast::<T>())
    }
}

/// Returns the last structure of unknown size before the structure of type `end`. It makes copying the chain
/// impossible.
///
/// # Safety
/// As for [`pointers`].
pub unsafe fn last_unknown<'a>(
    first: *const c_void,
    end: vk::StructureType,
) -> Option<*mut vk::BaseOutStructure<'a>> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain, so every structure of it can be
    // read.
    unsafe {
        pointers(first.cast_mut())
            .take_while(|structure| (**structure).s_type != end)
            .filter(|structure| size_of_structure((**structure).s_type).is_none())
            .last()
    }
}

/// Copies the chain that begins at `first`, up to the structure of type `last`, into `memory`, and lets
/// `change` change the copy of that one. What follows it is shared with the original.
///
/// Returns the beginning of the copy, or `None` if the size of a structure on the way is not known.
///
/// # Errors
/// [`OutOfMemory`].
///
/// # Safety
/// `first` begins a pNext chain, and `memory` is kept as long as the copy is used.
pub unsafe fn copy_up_to<A: Allocator>(
    first: *const c_void,
    last: vk::StructureType,
    memory: &mut Vec<u64, A>,
    change: impl FnOnce(*mut c_void),
) -> Result<Option<*const c_void>, OutOfMemory> {
    let mut words = 0usize;
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
    for structure in unsafe { structures(first) } {
        let Some(size) = size_of_structure(structure.s_type) else { return Ok(None) };
        words = words.saturating_add(size.div_ceil(size_of::<u64>()));
        if structure.s_type == last {
            break;
        }
    }
    memory.try_fit(words)?;
    let mut target = memory.as_mut_ptr();
    let start: *const c_void = target.cast();
    // SAFETY: the memory is large enough for all structures, each in whole words; their sizes come from the
    // registry. The originals are only read.
    unsafe {
        for structure in pointers(first.cast_mut()) {
            let s_type = (*structure).s_type;
            let Some(size) = size_of_structure(s_type) else { return Ok(None) };
            let copy = target.cast::<vk::BaseOutStructure<'_>>();
            copy.cast::<u8>().copy_from_nonoverlapping(structure.cast::<u8>(), size);
            if s_type == last {
                change(copy.cast());
                break;
            }
            target = target.add(size.div_ceil(size_of::<u64>()));
            (*copy).p_next = target.cast();
        }
    }
    Ok(Some(start))
}

/// Removes the structures of some types from the chain that begins at `first`: everything up to the last of
/// them is copied into `memory`, the rest is shared with the original. A chain without them is its own copy.
///
/// Returns the beginning of the copy, or `None` if the size of a structure on the way is not known.
///
/// # Errors
/// [`OutOfMemory`].
///
/// # Safety
/// As for [`copy_up_to`].
pub unsafe fn copy_without<A: Allocator>(
    first: *const c_void,
    is_left_out: impl Fn(vk::StructureType) -> bool,
    memory: &mut Vec<u64, A>,
) -> Result<Option<*const c_void>, OutOfMemory> {
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
    let chain = || unsafe { pointers(first.cast_mut()) };
    // SAFETY: every structure of a chain can be read.
    let type_of = |structure: *mut vk::BaseOutStructure<'_>| unsafe { (*structure).s_type };
    let Some(last) = chain().enumerate().filter(|(_, it)| is_left_out(type_of(*it))).last() else {
        return Ok(Some(first));
    };
    let copied = || chain().take(last.0).filter(|structure| !is_left_out(type_of(*structure)));
    let mut words = 0usize;
    for structure in copied() {
        let Some(size) = size_of_structure(type_of(structure)) else { return Ok(None) };
        words = words.saturating_add(size.div_ceil(size_of::<u64>()));
    }
    memory.try_fit(words)?;
    let mut target = memory.as_mut_ptr();
    // SAFETY: as above.
    let rest: *const c_void = unsafe { (*last.1).p_next.cast() };
    let start = if words == 0 { rest } else { target.cast_const().cast() };
    let mut before: *mut vk::BaseInStructure<'_> = core::ptr::null_mut();
    for original in copied() {
        let Some(size) = size_of_structure(type_of(original)) else { return Ok(None) };
        // SAFETY: the memory is large enough for all structures, each in whole words; their sizes come from
        // the registry. The originals are only read, through pointers to the whole of each.
        unsafe {
            target.cast::<u8>().copy_from_nonoverlapping(original.cast::<u8>(), size);
            if let Some(before) = before.as_mut() {
                before.p_next = target.cast_const().cast();
            }
            before = target.cast();
            target = target.add(size.div_ceil(size_of::<u64>()));
        }
    }
    // SAFETY: the last copy is in the memory.
    if let Some(before) = unsafe { before.as_mut() } {
        before.p_next = rest.cast();
    }
    Ok(Some(start))
}

/// Bytes of the structure with this type, if the registry knows it in chains of vkCreateDevice.
fn size_of_structure(s_type: vk::StructureType) -> Option<usize> {
    if s_type == vk::StructureType::LOADER_DEVICE_CREATE_INFO {
        // Of vk_layer.h: type, chain, function, and a pointer or a function, each in a word.
        return Some(size_of::<[usize; 4]>());
    }
    registry::structure_size(s_type.as_raw())
}

#[cfg(test)]
mod tests {
    use super::{copy_up_to, copy_without, find, last_unknown, pointers};
    use crate::memory::Vec;
    use ash::vk::{self, TaggedStructure as _};

    type Group = vk::DeviceGroupDeviceCreateInfo<'static>;

    #[test]
    fn a_chain_is_copied_up_to_a_structure() {
        let mut last = vk::PhysicalDeviceMemoryPriorityFeaturesEXT::default();
        let mut group = Group { physical_device_count: 1, ..Group::default() };
        group.p_next = (&raw mut last).cast();
        let mut features = vk::PhysicalDeviceFeatures2::default();
        features.features.inherited_queries = vk::TRUE;
        features.p_next = (&raw mut group).cast();
        let first: *const core::ffi::c_void = (&raw const features).cast();
        let mut memory = Vec::new_in(allocator_api2::alloc::Global);
        // SAFETY: the chain is well formed, and the structures match their types.
        unsafe {
            let change = |copy: *mut core::ffi::c_void| (*copy.cast::<Group>()).physical_device_count = 2;
            let copied = copy_up_to(first, Group::STRUCTURE_TYPE, &mut memory, change);
            let copied = copied.ok().flatten().unwrap();
            let addresses = [copied, first].map(|first| pointers(first.cast_mut()));
            let [copy, given] = addresses.map(Iterator::collect::<std::vec::Vec<_>>);
            let shared: std::vec::Vec<bool> =
                copy.iter().zip(&given).map(|(one, other)| one == other).collect();
            assert_eq!((shared, given.len()), (std::vec![false, false, true], 3));
            let group_of = |first| find::<Group>(first).unwrap().physical_device_count;
            assert_eq!((group_of(copied), group_of(first)), (2, 1));
            let features = find::<vk::PhysicalDeviceFeatures2<'_>>(copied).unwrap();
            assert_eq!(features.features.inherited_queries, vk::TRUE);
        }
    }

    /// Returns the types in the chain without `left_out`, and which of its structures are the original's.
    fn without(
        first: &vk::PhysicalDeviceFeatures2<'_>,
        left_out: &[i32],
    ) -> Option<std::vec::Vec<(i32, bool)>> {
        let is_left_out = |s_type: vk::StructureType| left_out.contains(&s_type.as_raw());
        let mut memory = Vec::new_in(allocator_api2::alloc::Global);
        let first = core::ptr::from_ref(first).cast::<core::ffi::c_void>();
        // SAFETY: the chain is well formed, and the structures match their types.
        unsafe {
            let copy = copy_without(first, is_left_out, &mut memory).unwrap()?;
            let originals: std::vec::Vec<_> = pointers(first.cast_mut()).collect();
            let copies = pointers(copy.cast_mut());
            Some(copies.map(|one| ((*one).s_type.as_raw(), originals.contains(&one))).collect())
        }
    }

    #[test]
    fn structures_are_left_out_and_what_follows_them_is_shared() {
        let mut last = Group::default();
        let mut priority = vk::PhysicalDeviceMemoryPriorityFeaturesEXT {
            p_next: (&raw mut last).cast(),
            ..Default::default()
        };
        let features =
            vk::PhysicalDeviceFeatures2 { p_next: (&raw mut priority).cast(), ..Default::default() };
        let first = &features;
        let [f, p, g] = [first.s_type, priority.s_type, last.s_type].map(vk::StructureType::as_raw);
        assert_eq!(without(first, &[]).unwrap(), [(f, true), (p, true), (g, true)]);
        assert_eq!(without(first, &[f]).unwrap(), [(p, true), (g, true)]);
        assert_eq!(without(first, &[p]).unwrap(), [(f, false), (g, true)]);
        assert_eq!(without(first, &[f, g]).unwrap(), [(p, false)]);
        assert_eq!(without(first, &[f, p, g]).unwrap(), []);
    }

    #[test]
    fn a_structure_of_unknown_size_is_not_copied() {
        let mut group = Group::default();
        let mut unknown = vk::BaseOutStructure {
            s_type: vk::StructureType::from_raw(999),
            p_next: (&raw mut group).cast(),
            ..Default::default()
        };
        let mut memory = Vec::new_in(allocator_api2::alloc::Global);
        let first = (&raw mut unknown).cast_const().cast();
        // SAFETY: the chain is well formed.
        let copied = unsafe { copy_up_to(first, Group::STRUCTURE_TYPE, &mut memory, |_| ()) };
        assert!(matches!(copied, Ok(None)));
        // SAFETY: the chain is well formed.
        let found =
            unsafe { [last_unknown(first, Group::STRUCTURE_TYPE), last_unknown(first, unknown.s_type)] };
        assert_eq!(found, [Some(&raw mut unknown), None]);
    }
}
