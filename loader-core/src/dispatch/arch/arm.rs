//! 32-bit Arm: the first argument is in `r0`; `ip` is free. The magic is the exclusive or of two numbers that fit
//! into an instruction, so that it can be compared with one register.

use crate::dispatch::blocks::Distances;

pub(in crate::dispatch) const DISTANCES: Distances =
    Distances { instance_trampoline: 40, device_trampoline: 8, terminator: 12, numbered_jump: 8, call: 4 };

#[doc(hidden)]
#[macro_export]
macro_rules! instance_trampoline {
    ($slot:literal, $magic:literal) => {
        concat!(
            "cmp r0, #0\n beq 2f\n ldr ip, [r0, #4]\n",
            "eor ip, ip, #(",
            $magic,
            " & 0xff000000)\n cmp ip, #(",
            $magic,
            " & 0x0000ffff)\n bne 2f\n",
            "ldr ip, [r0]\n ldr pc, [ip, #(4 * ",
            $slot,
            ")]\n",
            "2: movw ip, #(",
            $slot,
            ")\n b {bad}\n"
        )
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! device_trampoline {
    ($slot:literal) => {
        concat!("ldr ip, [r0]\n ldr pc, [ip, #(4 * ", $slot, ")]\n")
    };
}

macro_rules! terminator {
    ($slot:literal) => {
        concat!("ldr ip, [r0, #8]\n ldr r0, [r0, #12]\n ldr pc, [ip, #(4 * ", $slot, ")]\n")
    };
}

macro_rules! numbered_jump {
    ($number:literal) => {
        concat!("movw ip, #(", $number, ")\n b {target}\n")
    };
}

macro_rules! call {
    () => {
        "bl {target}\n"
    };
}

macro_rules! unknown_instance_trampoline {
    () => {
        "cmp r0, #0\n beq 3f\n push {{r4, lr}}\n ldr r4, [r0, #4]\n\
         eor r4, r4, #({magic} & 0xff000000)\n cmp r4, #({magic} & 0x0000ffff)\n bne 2f\n\
         ldr r4, [r0]\n ldr ip, [r4, ip, lsl #2]\n pop {{r4, lr}}\n bx ip\n\
         2: pop {{r4, lr}}\n 3: b {bad}\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! report {
    () => {
        "mov r1, ip\n bl {report}\n udf #0\n"
    };
}

macro_rules! report_caller {
    () => {
        "mov r1, lr\n bl {report}\n udf #0\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! forward {
    () => {
        "b {target}\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! trap {
    () => {
        "udf #0\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($text:expr),+ $(; $($operands:tt)+)?) => {
        core::arch::naked_asm!($($text),+ $(, $($operands)+)?)
    };
}
