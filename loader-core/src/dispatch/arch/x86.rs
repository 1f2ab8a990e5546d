//! 32-bit x86, cdecl, AT&T syntax: all arguments are on the stack; `eax`, `ecx` and `edx` are free.
//! Numbers are left in `ax`, the half of the register that takes the shortest instruction.

use crate::dispatch::blocks::Distances;

pub(in crate::dispatch) const DISTANCES: Distances =
    Distances { instance_trampoline: 34, device_trampoline: 12, terminator: 20, numbered_jump: 9, call: 5 };

#[doc(hidden)]
#[macro_export]
macro_rules! instance_trampoline {
    ($slot:literal, $magic:literal) => {
        concat!(
            "mov 4(%esp), %eax\n test %eax, %eax\n jz 2f\n cmpl $",
            $magic,
            ", 4(%eax)\n jne 2f\n",
            "mov (%eax), %eax\n jmp *4*",
            $slot,
            "(%eax)\n",
            "2: mov $",
            $slot,
            ", %ax\n jmp {bad}\n"
        )
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! device_trampoline {
    ($slot:literal) => {
        concat!("mov 4(%esp), %eax\n mov (%eax), %eax\n jmp *4*", $slot, "(%eax)\n")
    };
}

macro_rules! terminator {
    ($slot:literal) => {
        concat!(
            "mov 4(%esp), %eax\n mov 12(%eax), %ecx\n mov %ecx, 4(%esp)\n",
            "mov 8(%eax), %eax\n jmp *4*",
            $slot,
            "(%eax)\n"
        )
    };
}

macro_rules! numbered_jump {
    ($number:literal) => {
        concat!("mov $", $number, ", %ax\n jmp {target}\n")
    };
}

macro_rules! call {
    () => {
        "call {target}\n"
    };
}

macro_rules! unknown_instance_trampoline {
    () => {
        "movzwl %ax, %eax\n mov 4(%esp), %ecx\n test %ecx, %ecx\n jz 2f\n cmpl ${magic}, 4(%ecx)\n jne 2f\n\
         mov (%ecx), %ecx\n jmp *(%ecx, %eax, 4)\n 2: jmp {bad}\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! report {
    () => {
        "movzwl %ax, %eax\n mov 4(%esp), %ecx\n sub $4, %esp\n push %eax\n push %ecx\n call {report}\n ud2\n"
    };
}

macro_rules! report_caller {
    () => {
        "pop %eax\n mov 4(%esp), %ecx\n sub $4, %esp\n push %eax\n push %ecx\n call {report}\n ud2\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! forward {
    () => {
        "jmp {target}\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! trap {
    () => {
        "ud2\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($text:expr),+ $(; $($operands:tt)+)?) => {
        core::arch::naked_asm!($($text),+ $(, $($operands)+)?, options(att_syntax))
    };
}
