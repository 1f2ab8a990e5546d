//! Copies of what the parameters of a command point to.

use core::ffi::CStr;

use ash::vk;

use super::rows::{Argument, Count, Lead, Length, Structure, Target};
use super::structures_gen;
use crate::chain::Chain;

/// Copies into a block of memory, or, without one, measures how large it must be. Both go the same way, so that the second
/// time fits into what the first one measured.
pub(super) struct Copier {
    block: *mut u8,
    used: usize,
}

impl Copier {
    /// Measures, from so many bytes on.
    pub(super) fn measuring(used: usize) -> Self {
        Self { block: core::ptr::null_mut(), used }
    }

    /// Copies into `block` behind its first `used` bytes.
    ///
    /// # Safety
    /// The block has room for what was measured for the same parameters, and is aligned to eight bytes.
    pub(super) unsafe fn into(block: *mut u8, used: usize) -> Self {
        Self { block, used }
    }

    /// How many bytes are used; more than memory can have if it would not fit.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Copies what a parameter points to, and returns the copy: NULL for NULL, and while measuring.
    ///
    /// # Safety
    /// The words are parameters of a command that obey the specification, `argument` is one of the command's.
    pub(super) unsafe fn argument(&mut self, argument: &Argument, words: &[u64]) -> *const u8 {
        let word = |place: usize| words.get(place).copied().unwrap_or_default() as usize;
        let count = match argument.length {
            Length::One => 1,
            Length::Fixed(count) => count,
            Length::Counted(place) => word(place),
            Length::Masks(place) => word(place).div_ceil(32),
        };
        let from = core::ptr::with_exposed_provenance::<u8>(word(argument.place));
        // SAFETY: the caller vouches for the parameters.
        unsafe { self.elements(&argument.target, from, count) }
    }

    /// # Safety
    /// `from` is NULL or leads to so many elements.
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
    /// `from` leads to so many bytes.
    unsafe fn bytes(&mut self, from: *const u8, size: usize) -> *mut u8 {
        let start = self.used;
        // A sum that does not fit stays at the largest number, for which there is no memory.
        self.used =
            start.saturating_add(size).checked_next_multiple_of(size_of::<u64>()).unwrap_or(usize::MAX);
        if self.block.is_null() {
            return core::ptr::null_mut();
        }
        // SAFETY: the block has room for what was measured on the same way.
        unsafe {
            let copy = self.block.add(start);
            copy.copy_from_nonoverlapping(from, size);
            copy
        }
    }

    /// # Safety
    /// `from` leads to so many of the structures.
    unsafe fn structures(&mut self, structure: &Structure, from: *const u8, count: usize) -> *const u8 {
        // SAFETY: the caller vouches for the structures; pointers of the copy are replaced in the copy only.
        unsafe {
            let copy = self.bytes(from, structure.size.saturating_mul(count));
            for place in 0..count {
                let offset = place.saturating_mul(structure.size);
                for lead in structure.leads {
                    let led = self.lead(lead, from.add(offset));
                    if !copy.is_null() {
                        copy.add(offset).add(lead.at).cast::<*const u8>().write_unaligned(led);
                    }
                }
            }
            copy
        }
    }

    /// # Safety
    /// `structure` is valid and has this pointer.
    unsafe fn lead(&mut self, lead: &Lead, structure: *const u8) -> *const u8 {
        // SAFETY: the caller vouches for the structure.
        unsafe {
            let from = structure.add(lead.at).cast::<*const u8>().read_unaligned();
            let is_used = |(selector, kinds): &(usize, &[i32])| {
                kinds.contains(&structure.add(*selector).cast::<i32>().read_unaligned())
            };
            if from.is_null() || !lead.when.iter().all(is_used) {
                return core::ptr::null();
            }
            match lead.count {
                Count::Chain => self.chain(from),
                Count::One => self.elements(&lead.target, from, 1),
                Count::Text => self.bytes(from, CStr::from_ptr(from.cast()).to_bytes_with_nul().len()),
                Count::Counted(at, width) => {
                    let at = structure.add(at);
                    let count = match width {
                        8 => at.cast::<u64>().read_unaligned() as usize,
                        _ => at.cast::<u32>().read_unaligned() as usize,
                    };
                    self.elements(&lead.target, from, count)
                }
            }
        }
    }

    /// The structures of a pNext chain that are known; others are left out of the copy.
    ///
    /// # Safety
    /// `first` begins a pNext chain.
    unsafe fn chain(&mut self, first: *const u8) -> *const u8 {
        // SAFETY: the caller vouches for the chain, whose structures have the types that they say.
        unsafe {
            for structure in Chain::new(first.cast()) {
                let Ok(structure) = structure else { break };
                let known =
                    structures_gen::ALL.iter().find(|known| known.s_type == (*structure).s_type.as_raw());
                // The pNext of this structure leads to the copy of what follows: one structure, and from there on.
                if let Some(known) = known {
                    return self.structures(known, structure.cast(), 1);
                }
            }
        }
        core::ptr::null()
    }
}

const _: () = assert!(size_of::<vk::BaseInStructure<'_>>() == size_of::<[usize; 2]>());
