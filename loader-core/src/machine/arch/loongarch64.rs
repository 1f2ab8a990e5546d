//! 64-bit LoongArch: the first argument is in `$a0`; `$t0` to `$t8` are free. `lu12i.w` takes a signed number of 20 bits,
//! and `ori` an unsigned one of 12, which the number of a command fits in.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 40,
    device_trampoline: 12,
    terminator: 16,
    numbered_jump: 8,
    call: 4,
    device_stub: 8,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    (instance_trampoline $slot:literal, $magic:literal) => {
        concat!(
            "beqz $a0, 2f\n ld.w $t0, $a0, 8\n lu12i.w $t1, ((((",
            $magic,
            ") >> 12) & 0xfffff) ^ 0x80000) - 0x80000\n ori $t1, $t1, (",
            $magic,
            ") & 4095\n",
            "bne $t0, $t1, 2f\n ld.d $t0, $a0, 0\n ldptr.d $t0, $t0, 8 * ",
            $slot,
            "\n jr $t0\n",
            "2: ori $t0, $zero, ",
            $slot,
            "\n b {bad}\n"
        )
    };
    (device_trampoline $slot:literal) => {
        concat!("ld.d $t0, $a0, 0\n ldptr.d $t0, $t0, 8 * ", $slot, "\n jr $t0\n")
    };
    (terminator $slot:literal) => {
        concat!("ld.d $t0, $a0, 16\n ld.d $a0, $a0, 24\n ldptr.d $t0, $t0, 8 * ", $slot, "\n jr $t0\n")
    };
    (numbered_jump $number:literal) => {
        concat!("ori $t0, $zero, ", $number, "\n b {target}\n")
    };
    (call) => {
        "bl {target}\n"
    };
    (unknown_instance_trampoline) => {
        "beqz $a0, 2f\n ld.w $t1, $a0, 8\n li.w $t2, {magic}\n bne $t1, $t2, 2f\n\
         ld.d $t1, $a0, 0\n slli.d $t2, $t0, 3\n ldx.d $t1, $t1, $t2\n jr $t1\n 2: b {bad}\n"
    };
    (look_up) => {
        "beqz $a0, 6f\n ld.d $t1, $a0, 0\n la.local $t2, {keys}\n\
         ld.d $t3, $t2, 0\n bne $t3, $t1, 2f\n ld.d $t1, $t2, 8\n\
         4: slli.d $t0, $t0, 3\n ldx.d $t1, $t1, $t0\n jr $t1\n\
         2: beqz $t1, 6f\n ld.d $t2, $t2, 16\n beqz $t2, 6f\n\
         li.d $t3, {multiplier}\n mul.d $t3, $t1, $t3\n srli.d $t3, $t3, 32\n ld.d $t4, $t2, 0\n and $t3, $t3, $t4\n\
         ld.d $t2, $t2, 8\n add.d $t2, $t2, $t3\n\
         3: ld.d $t3, $t2, 0\n beq $t3, $t1, 5f\n addi.d $t2, $t2, 16\n bnez $t3, 3b\n\
         6: b {bad}\n\
         5: ld.d $t1, $t2, 8\n b 4b\n"
    };
    (report) => {
        "move $a1, $t0\n bl {report}\n break 0\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(numbered_jump $slot)
    };
    (stub_slot) => {
        "/* {stubs} */\n"
    };
    (lower_end) => {
        "beqz $a0, 6f\n ld.d $t1, $a0, 0\n beqz $t1, 6f\n li.d $t2, {lower}\n ldx.d $t1, $t1, $t2\n beqz $t1, 6f\n\
         slli.d $t2, $t0, 3\n ldx.d $t1, $t1, $t2\n beqz $t1, 6f\n jr $t1\n 6:\n"
    };
    (skip_if_set) => {
        "la.local $t1, {flag}\n ld.d $t1, $t1, 0\n bnez $t1, 9f\n"
    };
    (report_caller) => {
        "move $a1, $ra\n bl {report}\n break 0\n"
    };
    (forward) => {
        "b {target}\n"
    };
    (trap) => {
        "break 0\n"
    };
}
