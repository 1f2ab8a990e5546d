//! Copies of the data behind a command's parameters.

use core::ffi::CStr;

use ash::vk;
use vkload_core::abi::chain;

use super::rows::{Argument, Count, Length, PointerField, Structure, Target};
use super::structures_gen;

/// Copies into a block of memory, or, without one, measures the required size. Both take the same path, so the copy
/// fits into the measured size.
pub(super) struct Copier {
    block: *mut u8,
    used: usize,
}

impl Copier {
    /// Measures, from this many bytes on.
    pub(super) fn measuring(used: usize) -> Self {
        Self { block: core::ptr::null_mut(), used }
    }

    /// Copies into `block` behind its first `used` bytes.
    ///
    /// # Safety
    /// The block is as large as measured for the same parameters, and is aligned to eight bytes.
    pub(super) unsafe fn into(block: *mut u8, used: usize) -> Self {
        Self { block, used }
    }

    /// Returns the number of bytes used; if they would not fit, it is more than memory can hold.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Copies the data behind a parameter, and returns the copy: NULL for NULL, and while measuring.
    ///
    /// # Safety
    /// The words are parameters of a command that obey the specification, `argument` is one of the command's.
    pub(super) unsafe fn argument(&mut self, argument: &Argument, words: &[u64]) -> *const u8 {
        let word = |index: usize| words.get(index).copied().unwrap_or_default() as usize;
        let count = match argument.length {
            Length::One => 1,
            Length::Fixed(count) => count,
            Length::Counted(index) => word(index),
            Length::Masks(index) => word(index).div_ceil(32),
        };
        let from = core::ptr::with_exposed_provenance::<u8>(word(argument.index));
        // SAFETY: the caller vouches for the parameters.
        unsafe { self.elements(&argument.target, from, count) }
    }

    /// # Safety
    /// `from` is NULL or points to this many elements.
    unsafe fn elements(&mut self, target: &Target, from: *const u8, count: usize) -> *const u8 {
        if from.is_null() || count == 0 {
            return core::ptr::null();
        }
        // SAFETY: the caller vouches for the elements.
        unsafe {
            match target {
                Target::Plain(size) => self.bytes(from, size.saturating_mul(count)),
                Target::Structure(structure) => self.structures(structure, from, count),
            }
        }
    }

    /// # Safety
    /// `from` points to this many bytes.
    unsafe fn bytes(&mut self, from: *const u8, size: usize) -> *mut u8 {
        let start = self.used;
        // A sum that overflows saturates, and an allocation of that size fails.
        self.used =
            start.saturating_add(size).checked_next_multiple_of(size_of::<u64>()).unwrap_or(usize::MAX);
        if self.block.is_null() {
            return core::ptr::null_mut();
        }
        // SAFETY: the block is as large as the same path measured.
        unsafe {
            let copy = self.block.add(start);
            copy.copy_from_nonoverlapping(from, size);
            copy
        }
    }

    /// # Safety
    /// `from` points to this many of the structures.
    unsafe fn structures(&mut self, structure: &Structure, from: *const u8, count: usize) -> *const u8 {
        // SAFETY: the caller vouches for the structures; pointers of the copy are replaced in the copy only.
        unsafe {
            let copy = self.bytes(from, structure.size.saturating_mul(count));
            for index in 0..count {
                let offset = index.saturating_mul(structure.size);
                for field in structure.fields {
                    let copied = self.field(field, from.add(offset));
                    if !copy.is_null() {
                        copy.add(offset).add(field.at).cast::<*const u8>().write_unaligned(copied);
                    }
                }
            }
            copy
        }
    }

    /// # Safety
    /// `structure` is valid and has this pointer.
    unsafe fn field(&mut self, field: &PointerField, structure: *const u8) -> *const u8 {
        // SAFETY: the caller vouches for the structure.
        unsafe {
            let from = structure.add(field.at).cast::<*const u8>().read_unaligned();
            let is_used = |(selector, kinds): &(usize, &[i32])| {
                kinds.contains(&structure.add(*selector).cast::<i32>().read_unaligned())
            };
            if from.is_null() || !field.when.iter().all(is_used) {
                return core::ptr::null();
            }
            match field.count {
                Count::Chain => self.chain(from),
                Count::One => self.elements(&field.target, from, 1),
                Count::Text => self.bytes(from, CStr::from_ptr(from.cast()).to_bytes_with_nul().len()),
                Count::Counted(at, width) => {
                    let at = structure.add(at);
                    let count = match width {
                        8 => at.cast::<u64>().read_unaligned() as usize,
                        _ => at.cast::<u32>().read_unaligned() as usize,
                    };
                    self.elements(&field.target, from, count)
                }
            }
        }
    }

    /// Copies the known structures of a pNext chain; the copy omits others.
    ///
    /// # Safety
    /// `first` begins a pNext chain.
    unsafe fn chain(&mut self, first: *const u8) -> *const u8 {
        // SAFETY: the caller vouches for the chain, whose structures have the types that they say.
        unsafe {
            for structure in chain::structures(first.cast()) {
                let known =
                    structures_gen::ALL.iter().find(|known| known.s_type == structure.s_type.as_raw());
                // This structure's pNext points to the copy of the next structure, and so on.
                if let Some(known) = known {
                    return self.structures(known, core::ptr::from_ref(structure).cast(), 1);
                }
            }
        }
        core::ptr::null()
    }
}

const _: () = assert!(size_of::<vk::BaseInStructure<'_>>() == size_of::<[usize; 2]>());
