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

/// Returns the last structure of unknown size before the structure of type `end`.
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

/// Bytes that are copied of a structure of unknown size: four times the largest one that the registry knows in
/// chains of vkCreateDevice. Less than a page.
const UNKNOWN_SIZE: usize = 1024;

const PAGE: usize = 4096;

/// Copies the chain that begins at `first`, up to the structure of type `last`, into `memory`, and lets
/// `change` change the copy of that one. What follows it is shared with the original.
///
/// Of a structure of unknown size, the bytes that can be read are copied, up to a limit: all bytes of the structure can.
/// Returns the beginning of the copy, or `None` if `can_read` does not know whether such a structure may
/// continue on the next page.
///
/// # Safety
/// `first` begins a pNext chain, and `memory` is kept as long as the copy is used.
/// A word can be read if `can_read` says so of its address.
pub unsafe fn copy_up_to<A: Allocator>(
    first: *const c_void,
    last: vk::StructureType,
    memory: &mut Vec<u64, A>,
    can_read: impl Fn(usize) -> Option<bool>,
    change: impl FnOnce(*mut c_void),
) -> Result<Option<*const c_void>, OutOfMemory> {
    let mut words = 0usize;
    // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
    for structure in unsafe { structures(first) } {
        let size = size_of_structure(structure.s_type).unwrap_or(UNKNOWN_SIZE);
        words = words.saturating_add(size.div_ceil(size_of::<u64>()));
        if structure.s_type == last {
            break;
        }
    }
    memory.try_fit(words)?;
    let mut target = memory.as_mut_ptr();
    let start: *const c_void = target.cast();
    // SAFETY: the memory is large enough for all structures, each in whole words; their sizes come from the
    // registry, or what is copied can be read. The originals are only read.
    unsafe {
        for structure in pointers(first.cast_mut()) {
            let s_type = (*structure).s_type;
            let copy = target.cast::<vk::BaseOutStructure<'_>>();
            let size = match size_of_structure(s_type) {
                Some(size) => {
                    copy.cast::<u8>().copy_from_nonoverlapping(structure.cast::<u8>(), size);
                    size
                }
                None => {
                    let Some(size) = readable(structure.addr(), &can_read) else { return Ok(None) };
                    copy_words(structure.cast(), copy.cast(), size.div_euclid(size_of::<usize>()));
                    size
                }
            };
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

/// Returns the bytes to copy of the structure of unknown size at `address`.
fn readable(address: usize, can_read: impl Fn(usize) -> Option<bool>) -> Option<usize> {
    let on_page = PAGE.wrapping_sub(address & PAGE.wrapping_sub(1));
    if on_page >= UNKNOWN_SIZE || can_read(address.wrapping_add(on_page))? {
        return Some(UNKNOWN_SIZE);
    }
    Some(on_page)
}

/// Copies words that may lie behind the end of an object. The reads are volatile so that they do not become a
/// call of `memcpy`, which aborts a program with AddressSanitizer.
///
/// # Safety
/// The words can be read and written.
unsafe fn copy_words(from: *const usize, to: *mut usize, count: usize) {
    for index in 0..count {
        // SAFETY: by this function's `# Safety` the words can be read and written.
        unsafe { to.add(index).write(from.add(index).read_volatile()) };
    }
}

/// Removes the structures of some types from the chain that begins at `first`: everything up to the last of
/// them is copied into `memory`, the rest is shared with the original. A chain without them is its own copy.
///
/// Returns the beginning of the copy, or `None` if the size of a structure on the way is not known.
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
    use super::{PAGE, copy_up_to, copy_without, find, last_unknown, pointers};
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
            let copied = copy_up_to(first, Group::STRUCTURE_TYPE, &mut memory, |_| None, change);
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

    #[repr(align(4096))]
    struct Pages([u64; 1024]);

    /// Returns the bytes of an unknown structure that are copied if it begins this many bytes before the end of a page.
    fn bytes_copied(before_end: usize, next_page: Option<bool>) -> Option<usize> {
        const FILL: u64 = 0x0101_0101_0101_0101;
        let mut pages = Pages([FILL; 1024]);
        let mut group = Group::default();
        let s_type = vk::StructureType::from_raw(999);
        let mut memory = Vec::new_in(allocator_api2::alloc::Global);
        // SAFETY: the chain is well formed, and lies within the pages. The copy is followed by the group's.
        unsafe {
            let first = pages.0.as_mut_ptr().byte_add(PAGE - before_end).cast::<vk::BaseOutStructure<'_>>();
            (*first).s_type = s_type;
            (*first).p_next = (&raw mut group).cast();
            let found =
                [last_unknown(first.cast(), Group::STRUCTURE_TYPE), last_unknown(first.cast(), s_type)];
            assert_eq!(found, [Some(first), None]);
            let can_read = |_| next_page;
            let copied = copy_up_to(first.cast(), Group::STRUCTURE_TYPE, &mut memory, can_read, |_| ());
            let copy = copied.ok().flatten()?.cast::<vk::BaseOutStructure<'_>>();
            let size = (*copy).p_next.addr() - copy.addr();
            let last = copy.cast::<u64>().byte_add(size - size_of::<u64>());
            assert!(size == 16 || *last == FILL);
            Some(size)
        }
    }

    #[test]
    fn a_structure_of_unknown_size_is_copied_as_far_as_it_can_be_read() {
        for (before_end, next_page, copied) in [
            (4096, None, Some(1024)),
            (1024, None, Some(1024)),
            (1016, None, None),
            (1016, Some(true), Some(1024)),
            (1016, Some(false), Some(1016)),
            (16, Some(false), Some(16)),
        ] {
            assert_eq!(bytes_copied(before_end, next_page), copied, "{before_end} {next_page:?}");
        }
    }
}
