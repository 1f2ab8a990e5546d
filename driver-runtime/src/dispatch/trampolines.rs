//! Functions that go through the table of the object that they are called with.
//!
//! The function that `vkGetInstanceProcAddr` returns for a command of physical devices or below must serve all of
//! them, and each may have its own table. A trampoline loads the table from the second word of the object and jumps
//! through a slot; it does not depend on the parameters.

use vkload_core::assembly;
use vkload_core::registry::COMMAND_COUNT;

use super::Command;

/// The offset of the table pointer in an object.
pub(crate) const TABLE_OFFSET: usize = size_of::<usize>();

/// Bytes from one trampoline to the next.
const DISTANCE: usize = if cfg!(target_arch = "riscv64") { 32 } else { 16 };

/// Returns the trampoline through a slot of the table, by the number of its command, which must not be an alias.
#[inline]
pub(crate) fn trampoline(slot: usize) -> Option<Command> {
    if slot >= COMMAND_COUNT {
        return None;
    }
    let address = (trampolines as *const ()).wrapping_byte_add(slot.wrapping_mul(DISTANCE));
    // SAFETY: the block below holds a trampoline for every slot of a table, at this distance from each other.
    Some(unsafe { core::mem::transmute::<*const (), Command>(address) })
}

#[cfg(target_arch = "x86_64")]
macro_rules! text {
    () => {
        "mov 8(%rdi), %rax\n jmp *8*driver_slot(%rax)\n"
    };
}
#[cfg(target_arch = "x86")]
macro_rules! text {
    () => {
        "mov 4(%esp), %eax\n mov 4(%eax), %eax\n jmp *4*driver_slot(%eax)\n"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! text {
    () => {
        concat!(
            vkload_core::piece!(landing_pad),
            "ldr x16, [x0, #8]\n ldr x16, [x16, #(8 * driver_slot)]\n br x16\n"
        )
    };
}
#[cfg(target_arch = "arm")]
macro_rules! text {
    () => {
        "ldr ip, [r0, #4]\n ldr pc, [ip, #(4 * driver_slot)]\n"
    };
}
#[cfg(target_arch = "riscv64")]
macro_rules! text {
    () => {
        "ld t0, 8(a0)\n li t1, 8 * driver_slot\n add t0, t0, t1\n ld t0, 0(t0)\n jr t0\n"
    };
}

#[cfg(target_arch = "loongarch64")]
macro_rules! text {
    () => {
        "ld.d $t0, $a0, 8\n ldptr.d $t0, $t0, 8 * driver_slot\n jr $t0\n"
    };
}

#[unsafe(naked)]
unsafe extern "system" fn trampolines() {
    assembly!(
        ".balign {distance}\n .set driver_slot, 0\n .rept {count}\n",
        text!(),
        ".balign {distance}\n .set driver_slot, driver_slot + 1\n .endr\n";
        count = const COMMAND_COUNT, distance = const DISTANCE
    )
}
