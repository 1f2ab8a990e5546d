//! 64-bit RISC-V: the first argument is in `a0`; `t0` to `t2` are free. Linker relaxation is off: a shortened
//! call would move the pieces that follow.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 48,
    device_trampoline: 20,
    terminator: 20,
    numbered_jump: 12,
    call: 8,
    device_stub: 12,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    (instance_trampoline $slot:literal, $magic:literal) => {
        concat!(
            "beqz a0, 2f\n lwu t0, 8(a0)\n li t1, ",
            $magic,
            "\n bne t0, t1, 2f\n",
            "ld t0, 0(a0)\n li t1, 8 * ",
            $slot,
            "\n add t0, t0, t1\n ld t0, 0(t0)\n jr t0\n",
            "2: li t0, ",
            $slot,
            "\n tail {bad}\n"
        )
    };
    (device_trampoline $slot:literal) => {
        concat!("ld t0, 0(a0)\n li t1, 8 * ", $slot, "\n add t0, t0, t1\n ld t0, 0(t0)\n jr t0\n")
    };
    (terminator $slot:literal) => {
        concat!(
            "ld t0, 16(a0)\n ld a0, 24(a0)\n li t1, 8 * ",
            $slot,
            "\n add t0, t0, t1\n",
            "ld t0, 0(t0)\n jr t0\n"
        )
    };
    (numbered_jump $number:literal) => {
        concat!("li t0, ", $number, "\n tail {target}\n")
    };
    (call) => {
        "call {target}\n"
    };
    (unknown_instance_trampoline) => {
        "beqz a0, 2f\n lwu t1, 8(a0)\n li t2, {magic}\n bne t1, t2, 2f\n\
         ld t1, 0(a0)\n slli t2, t0, 3\n add t1, t1, t2\n ld t1, 0(t1)\n jr t1\n 2: tail {bad}\n"
    };
    (look_up) => {
        "beqz a0, 6f\n ld t1, 0(a0)\n lla t2, {keys}\n\
         ld t3, 0(t2)\n bne t3, t1, 2f\n ld t1, 8(t2)\n\
         4: slli t0, t0, 3\n add t1, t1, t0\n ld t1, 0(t1)\n jr t1\n\
         2: beqz t1, 6f\n ld t2, 16(t2)\n beqz t2, 6f\n\
         li t3, {multiplier}\n .option push\n .option arch, +m\n mul t3, t1, t3\n .option pop\n srli t3, t3, 32\n ld t4, 0(t2)\n and t3, t3, t4\n\
         ld t2, 8(t2)\n add t2, t2, t3\n\
         3: ld t3, 0(t2)\n beq t3, t1, 5f\n addi t2, t2, 16\n bnez t3, 3b\n\
         6: tail {bad}\n\
         5: ld t1, 8(t2)\n j 4b\n"
    };
    (report) => {
        "mv a1, t0\n call {report}\n ebreak\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(numbered_jump $slot)
    };
    (stub_slot) => {
        "/* {stubs} */\n"
    };
    (lower_end) => {
        "beqz a0, 6f\n ld t1, 0(a0)\n beqz t1, 6f\n li t2, {lower}\n add t1, t1, t2\n ld t1, 0(t1)\n beqz t1, 6f\n\
         slli t2, t0, 3\n add t1, t1, t2\n ld t1, 0(t1)\n beqz t1, 6f\n jr t1\n 6:\n"
    };
    (skip_if_set) => {
        "lla t1, {flag}\n ld t1, 0(t1)\n bnez t1, 9f\n"
    };
    (report_caller) => {
        "mv a1, ra\n call {report}\n ebreak\n"
    };
    (forward) => {
        "tail {target}\n"
    };
    (trap) => {
        "ebreak\n"
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assembly {
    ($($text:expr),+ $(; $($operands:tt)+)?) => {
        core::arch::naked_asm!(".option push\n .option norelax\n", $($text),+, ".option pop\n" $(, $($operands)+)?)
    };
}
