//! The blocks through which calls go: trampolines and terminators.

use super::handle::{FIRST_PHYSICAL_DEVICE_SLOT, INSTANCE_MAGIC, PHYSICAL_DEVICE_MAGIC};
use super::keys::look_up;
use super::missing::bad_handle_reported;
use super::{ALL_DEVICE_SLOTS, ALL_INSTANCE_SLOTS};
use crate::loader::UNKNOWN_PHYSICAL_DEVICE_COMMANDS;
use crate::machine::{Block, DISTANCES};
use crate::registry::INSTANCE_SLOTS;

/// Checks the handle and goes through a slot of its instance table. For the slots of known commands.
pub static INSTANCE_TRAMPOLINES: Block = Block {
    start: instance_trampolines,
    first: 0,
    count: INSTANCE_SLOTS,
    distance: DISTANCES.instance_trampoline,
};
/// Does the same for the slots of unknown physical-device commands.
pub static UNKNOWN_INSTANCE_TRAMPOLINES: Block = Block {
    start: unknown_instance_trampolines,
    first: INSTANCE_SLOTS,
    count: UNKNOWN_PHYSICAL_DEVICE_COMMANDS,
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
// A number is loaded by an instruction that has 16 bits for it.
const _: () = assert!(ALL_INSTANCE_SLOTS <= 0x1_0000 && ALL_DEVICE_SLOTS <= 0x1_0000);

stamp_out!(instance_trampolines: INSTANCE_SLOTS, from 0, instance_trampoline,
    ".set vkload_magic, {instance}\n .if vkload_slot >= {devices}\n .set vkload_magic, {device}\n .endif\n",
    piece!(instance_trampoline "vkload_slot", "vkload_magic");
    instance = const INSTANCE_MAGIC, device = const PHYSICAL_DEVICE_MAGIC,
    devices = const FIRST_PHYSICAL_DEVICE_SLOT, bad = sym bad_handle);
stamp_out!(unknown_instance_trampolines: UNKNOWN_PHYSICAL_DEVICE_COMMANDS, from INSTANCE_SLOTS, numbered_jump,
    piece!(numbered_jump "vkload_slot"); target = sym unknown_instance_trampoline);
stamp_out!(device_trampolines: ALL_DEVICE_SLOTS, from 0, device_trampoline, piece!(device_trampoline "vkload_slot"));
stamp_out!(look_up_trampolines: ALL_DEVICE_SLOTS, from 0, numbered_jump,
    piece!(numbered_jump "vkload_slot"); target = sym look_up);
stamp_out!(terminators: ALL_INSTANCE_SLOTS, from 0, terminator, piece!(terminator "vkload_slot"));

#[unsafe(naked)]
unsafe extern "C" fn unknown_instance_trampoline() {
    assembly!(piece!(unknown_instance_trampoline); magic = const PHYSICAL_DEVICE_MAGIC, bad = sym bad_handle)
}

/// The target of trampolines whose handle does not belong to the loader. The slot is in the free register.
///
/// # Safety
/// Reached only by the jumps of trampolines.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn bad_handle() {
    assembly!(piece!(report); report = sym bad_handle_reported)
}
