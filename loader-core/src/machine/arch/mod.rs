//! The few instructions that differ between processors, as text for the assembler.
//!
//! Every architecture file defines the macro `piece`, with a rule for each of the following, and the lengths
//! of the code that they generate. In their text `{bad}`, `{target}`, `{report}`, `{magic}`, `{keys}`, `{flag}`, `{multiplier}`, `{stubs}` and `{lower}` are operands
//! of the surrounding assembly; a slot, a number, and the magic passed to a trampoline are the texts of
//! assembler expressions.
//!
//! | piece | does |
//! |---|---|
//! | `instance_trampoline` | checks the handle, then jumps through a slot of the table in its first word |
//! | `device_trampoline` | jumps through a slot of the table in the first word of the handle |
//! | `terminator` | replaces the handle by the one below it and jumps through a slot of the table below |
//! | `numbered_jump` | leaves a number in a free register and jumps |
//! | `call` | calls, with a return address that identifies the calling piece |
//! | `unknown_instance_trampoline` | as `instance_trampoline`, with the slot in the free register |
//! | `look_up` | jumps through the slot in the free register of the table that the handle's first word identifies ([`crate::dispatch::Keys`]) |
//! | `report` | calls a function that does not return with the handle and the number |
//! | `device_stub` | a stub for a device command that nothing implements |
//! | `stub_slot` | leaves the slot of the stub that led here in the free register; names `{stubs}` in a comment if the stub has left it there, since the compiler accepts no unused operand |
//! | `lower_end` | jumps through the slot in the free register of the device's lower ends, whose address is at `{lower}` in the table in the handle's first word; continues after itself if any of these is NULL |
//! | `skip_if_set` | jumps to the label 9 if the word `{flag}` is not 0 |
//! | `report_caller` | calls a function that does not return with the handle and the address to which `call` would return |
//! | `forward` | jumps |
//! | `trap` | aborts the process |
//!
//! `assembly` is the body of a naked function. On x86 it is in AT&T syntax, since the compiler would take it for Intel's.

#[cfg(not(any(target_arch = "riscv64", target_arch = "x86", target_arch = "x86_64")))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($text:expr),+ $(; $($operands:tt)+)?) => {
        core::arch::naked_asm!($($text),+ $(, $($operands)+)?)
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($text:expr),+ $(; $($operands:tt)+)?) => {
        core::arch::naked_asm!($($text),+ $(, $($operands)+)?, options(att_syntax))
    };
}

#[cfg(target_arch = "aarch64")]
#[macro_use]
pub(crate) mod aarch64;
#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64 as native;
#[cfg(target_arch = "arm")]
#[macro_use]
pub(crate) mod arm;
#[cfg(target_arch = "arm")]
pub(crate) use arm as native;
#[cfg(target_arch = "loongarch64")]
#[macro_use]
pub(crate) mod loongarch64;
#[cfg(target_arch = "loongarch64")]
pub(crate) use loongarch64 as native;
#[cfg(target_arch = "riscv64")]
#[macro_use]
pub(crate) mod riscv64;
#[cfg(target_arch = "riscv64")]
pub(crate) use riscv64 as native;
#[cfg(target_arch = "x86")]
#[macro_use]
pub(crate) mod x86;
#[cfg(target_arch = "x86")]
pub(crate) use x86 as native;
#[cfg(target_arch = "x86_64")]
#[macro_use]
pub(crate) mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64 as native;

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "x86",
    target_arch = "riscv64",
    target_arch = "loongarch64"
)))]
compile_error!(
    "no trampolines for this architecture yet: add a file to machine/arch that defines the macro above"
);
