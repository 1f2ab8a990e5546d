//! Code that is stamped out: one small piece for each slot of a table, each at a fixed distance from the one
//! before.
//!
//! A piece is found by arithmetic, so the library needs no table of function addresses that the dynamic
//! linker would have to relocate at start, and no two pieces can be folded into one. No piece knows the
//! parameters of the command that passes through it: registers and stack are left as they were.
//!
//! On 64-bit Arm a piece begins with a landing pad (BTI): system trees compile all of their Rust with them,
//! and processors then refuse to land anywhere else. On x86-64, pieces have none (ENDBR64): released Rust
//! compilers add none either, and a system enforces them only if everything in a process has them.

#[macro_use]
pub(crate) mod arch;

use core::ffi::c_void;

pub(crate) use arch::native::DISTANCES;

use crate::abi::Command;

/// The distance between pieces in bytes on one architecture: the length of the longest piece of the kind.
pub(crate) struct Distances {
    pub(crate) instance_trampoline: usize,
    pub(crate) device_trampoline: usize,
    pub(crate) terminator: usize,
    pub(crate) numbered_jump: usize,
    pub(crate) call: usize,
    pub(crate) device_stub: usize,
}

/// Pieces of machine code, one for each slot.
pub struct Block {
    pub(crate) start: unsafe extern "system" fn(),
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) distance: usize,
}

impl Block {
    /// Returns the piece for `slot`, if it exists. Miri interprets no machine code, so it sees NULL for each
    /// piece.
    pub fn piece(&self, slot: usize) -> Option<Command> {
        let index = slot.checked_sub(self.first).filter(|index| *index < self.count && !cfg!(miri))?;
        let address = (self.start as *const ()).wrapping_byte_add(index.wrapping_mul(self.distance));
        // SAFETY: the address lies in the block, which holds a piece at every multiple of the distance below
        // the count: the assembler puts each piece there, or fails if the one before is too long.
        Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
    }

    /// Returns the addresses of all pieces. Miri interprets no machine code: each is NULL there.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = *mut c_void> {
        let start = if cfg!(miri) { core::ptr::null_mut() } else { self.start as *mut c_void };
        let distance = if cfg!(miri) { 0 } else { self.distance };
        (0..self.count).scan(start, move |next, _| {
            let address = *next;
            *next = address.wrapping_byte_add(distance);
            Some(address)
        })
    }

    /// Returns the slot of the piece that made a call that would return to `address`. The byte before it decides,
    /// since a call at the end of a piece returns to the next one.
    pub(crate) fn caller(&self, address: *const c_void) -> usize {
        let start = self.start as *const () as usize;
        let inside = (address as usize).wrapping_sub(1).wrapping_sub(start);
        inside.checked_div(self.distance).unwrap_or_default().wrapping_add(self.first)
    }

    pub fn holds(&self, address: *const c_void) -> bool {
        if cfg!(miri) {
            return address.is_null();
        }
        let start = self.start as *const () as usize;
        let end = start.wrapping_add(self.count.wrapping_mul(self.distance));
        (start..end).contains(&(address as usize))
    }
}

/// Stamps out a block: `$text` once for each number from `$first` on.
///
/// `.org` moves on to the position of the next piece, and fails if the piece is already longer. It would also
/// fail if the function's beginning were not aligned to its 16 bytes.
macro_rules! stamp_out {
    ($name:ident: $count:expr, from $first:expr, $kind:ident, $($text:expr),+ $(; $($operands:tt)+)?) => {
        #[unsafe(naked)]
        unsafe extern "system" fn $name() {
            assembly!(
                "3: .p2align 4\n .org 3b\n .set vkload_slot, {first}\n .rept {count}\n 3:\n",
                $($text,)+
                ".org 3b + {distance}\n .set vkload_slot, vkload_slot + 1\n .endr\n";
                first = const $first, count = const $count, distance = const $crate::machine::DISTANCES.$kind
                $(, $($operands)+)?
            )
        }
    };
}

/// Aborts the process if no code is left that could report why.
///
/// # Safety
/// Does not return.
#[unsafe(naked)]
pub unsafe extern "C" fn trap() -> ! {
    assembly!(piece!(trap))
}
