//! Code that is stamped out: one small piece for each slot of a table, each at a fixed distance from the one before.
//!
//! A piece is found by arithmetic, so the library needs no table of function addresses that the dynamic linker would
//! have to relocate at start, and no two pieces can be folded into one. No piece knows the parameters of the
//! command that passes through it: registers and stack are left as they were.
//!
//! There are no landing pads (ENDBR, BTI) in front of the pieces, since the rest of the library, compiled by
//! stable Rust, has none either and the system would not enforce them.

use core::ffi::c_void;

use super::arch::native::DISTANCES;
use super::keys::look_up;
use super::missing::{
    bad_handle_reported, report_missing_device_command, report_missing_instance_command, unknown_key_reported,
};
use super::table::UNKNOWN_COMMANDS;
use crate::abi::Command;
use crate::objects::handle::{FIRST_PHYSICAL_DEVICE_SLOT, INSTANCE_MAGIC, PHYSICAL_DEVICE_MAGIC};
use crate::registry::{DEVICE_SLOTS, INSTANCE_SLOTS};

/// All slots of an instance table, those for unknown commands last.
const ALL_INSTANCE_SLOTS: usize = INSTANCE_SLOTS + UNKNOWN_COMMANDS;
/// All slots of a device table, those for unknown commands last.
const ALL_DEVICE_SLOTS: usize = DEVICE_SLOTS + UNKNOWN_COMMANDS;

/// Pieces of machine code, one for each slot.
pub struct Block {
    start: unsafe extern "system" fn(),
    first: usize,
    count: usize,
    distance: usize,
}

/// How far apart pieces are in bytes, on one architecture: as long as the longest piece of the kind.
pub(super) struct Distances {
    pub(super) instance_trampoline: usize,
    pub(super) device_trampoline: usize,
    pub(super) terminator: usize,
    pub(super) numbered_jump: usize,
    pub(super) call: usize,
}

/// Checks the handle and goes through a slot of its instance table. For the slots of known commands.
pub static INSTANCE_TRAMPOLINES: Block = Block {
    start: instance_trampolines,
    first: 0,
    count: INSTANCE_SLOTS,
    distance: DISTANCES.instance_trampoline,
};
/// The same for the slots of unknown physical-device commands.
pub static UNKNOWN_INSTANCE_TRAMPOLINES: Block = Block {
    start: unknown_instance_trampolines,
    first: INSTANCE_SLOTS,
    count: UNKNOWN_COMMANDS,
    distance: DISTANCES.numbered_jump,
};
/// Goes through a slot of the device's table.
pub static DEVICE_TRAMPOLINES: Block = Block {
    start: device_trampolines,
    first: 0,
    count: ALL_DEVICE_SLOTS,
    distance: DISTANCES.device_trampoline,
};
/// Looks the device's table up by the word in the handle, and goes through a slot of it.
pub static LOOK_UP_TRAMPOLINES: Block = Block {
    start: look_up_trampolines,
    first: 0,
    count: ALL_DEVICE_SLOTS,
    distance: DISTANCES.numbered_jump,
};
/// Goes through a slot of the table below a physical device, with the handle below.
pub static TERMINATORS: Block =
    Block { start: terminators, first: 0, count: ALL_INSTANCE_SLOTS, distance: DISTANCES.terminator };
/// What a slot of an instance table holds if nothing implements the command.
pub(super) static MISSING_INSTANCE_COMMANDS: Block =
    Block { start: missing_instance_commands, first: 0, count: ALL_INSTANCE_SLOTS, distance: DISTANCES.call };
/// What a slot of a device table holds if nothing implements the command.
pub(super) static MISSING_DEVICE_COMMANDS: Block =
    Block { start: missing_device_commands, first: 0, count: ALL_DEVICE_SLOTS, distance: DISTANCES.call };

// A number is loaded by an instruction that has 16 bits for it.
const _: () = assert!(ALL_INSTANCE_SLOTS <= 0x1_0000 && ALL_DEVICE_SLOTS <= 0x1_0000);

impl Block {
    /// The piece for `slot`, if there is one. Miri interprets no machine code: NULL is there for each piece.
    #[must_use]
    pub fn piece(&self, slot: usize) -> Option<Command> {
        let index = slot.checked_sub(self.first).filter(|index| *index < self.count && !cfg!(miri))?;
        let address = (self.start as *const ()).wrapping_byte_add(index.wrapping_mul(self.distance));
        // SAFETY: the address lies in the block, which holds a piece at every multiple of the distance below the
        // count: the assembler puts each piece there, or fails where the one before is too long.
        Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
    }

    /// The slot of the piece that made a call that would return to `address`.
    pub(super) fn caller(&self, address: *const c_void) -> usize {
        let start = self.start as *const () as usize;
        let inside = (address as usize).wrapping_sub(1).wrapping_sub(start);
        inside.checked_div(self.distance).unwrap_or_default().wrapping_add(self.first)
    }

    /// Whether `address` is a piece of this block.
    #[must_use]
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
/// `.org` moves on to the place of the next piece, and fails if the piece is already longer; also if the function's
/// beginning were not aligned to its 16 bytes.
macro_rules! block {
    ($name:ident: $count:expr, from $first:expr, $kind:ident, $($text:expr),+ $(; $($operands:tt)+)?) => {
        #[unsafe(naked)]
        unsafe extern "system" fn $name() {
            assembly!(
                "3: .p2align 4\n .org 3b\n .set vkload_slot, {first}\n .rept {count}\n 3:\n",
                $($text,)+
                ".org 3b + {distance}\n .set vkload_slot, vkload_slot + 1\n .endr\n";
                first = const $first, count = const $count, distance = const DISTANCES.$kind
                $(, $($operands)+)?
            )
        }
    };
}

block!(instance_trampolines: INSTANCE_SLOTS, from 0, instance_trampoline,
    ".set vkload_magic, {instance}\n .if vkload_slot >= {devices}\n .set vkload_magic, {device}\n .endif\n",
    instance_trampoline!("vkload_slot", "vkload_magic");
    instance = const INSTANCE_MAGIC, device = const PHYSICAL_DEVICE_MAGIC,
    devices = const FIRST_PHYSICAL_DEVICE_SLOT, bad = sym bad_handle);
block!(unknown_instance_trampolines: UNKNOWN_COMMANDS, from INSTANCE_SLOTS, numbered_jump,
    numbered_jump!("vkload_slot"); target = sym unknown_instance_trampoline);
block!(device_trampolines: ALL_DEVICE_SLOTS, from 0, device_trampoline, device_trampoline!("vkload_slot"));
block!(look_up_trampolines: ALL_DEVICE_SLOTS, from 0, numbered_jump,
    numbered_jump!("vkload_slot"); target = sym look_up);
block!(terminators: ALL_INSTANCE_SLOTS, from 0, terminator, terminator!("vkload_slot"));
block!(missing_instance_commands: ALL_INSTANCE_SLOTS, from 0, call, call!(); target = sym missing_instance_command);
block!(missing_device_commands: ALL_DEVICE_SLOTS, from 0, call, call!(); target = sym missing_device_command);

#[unsafe(naked)]
unsafe extern "C" fn unknown_instance_trampoline() {
    assembly!(unknown_instance_trampoline!(); magic = const PHYSICAL_DEVICE_MAGIC, bad = sym bad_handle)
}

/// Where trampolines go whose handle is not one of the loader's. The slot is in the free register.
///
/// # Safety
/// Reached only by the jumps of trampolines.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn bad_handle() {
    assembly!(report!(); report = sym bad_handle_reported)
}

/// Where look-ups go that find nothing. The slot is in the free register.
///
/// # Safety
/// Reached only by the jump of [`look_up`].
#[unsafe(naked)]
pub(super) unsafe extern "C" fn unknown_key() {
    assembly!(report!(); report = sym unknown_key_reported)
}

#[unsafe(naked)]
unsafe extern "C" fn missing_instance_command() {
    assembly!(report_caller!(); report = sym report_missing_instance_command)
}

#[unsafe(naked)]
unsafe extern "C" fn missing_device_command() {
    assembly!(report_caller!(); report = sym report_missing_device_command)
}

/// Ends the process where nothing is left that could say why.
///
/// # Safety
/// Does not return.
#[unsafe(naked)]
pub unsafe extern "C" fn trap() -> ! {
    assembly!(trap!())
}
