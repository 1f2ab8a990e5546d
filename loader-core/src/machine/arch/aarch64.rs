//! 64-bit Arm: the first argument is in `x0`; `x16`, `x17` and `x9` are free.
//!
//! Code that an indirect branch can reach begins with a landing pad. All of it is called by `blr`, or jumped
//! to through `x16` or `x17`, which the pad for calls admits. Code that only direct branches reach has none.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 48,
    device_trampoline: 16,
    terminator: 20,
    numbered_jump: 12,
    call: 8,
    device_stub: 12,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    // `bti c` by its number: processors and assemblers without landing pads know it as a hint that does nothing.
    (landing_pad) => {
        "hint #34\n"
    };
    (instance_trampoline $slot:literal, $magic:literal) => {
        concat!(
            $crate::piece!(landing_pad),
            "cbz x0, 2f\n ldr w16, [x0, #8]\n",
            "movz w17, #(",
            $magic,
            " & 0xffff)\n movk w17, #((",
            $magic,
            " >> 16) & 0xffff), lsl #16\n",
            "cmp w16, w17\n b.ne 2f\n",
            "ldr x16, [x0]\n ldr x16, [x16, #(8 * ",
            $slot,
            ")]\n br x16\n",
            "2: mov w16, #(",
            $slot,
            ")\n b {bad}\n"
        )
    };
    (device_trampoline $slot:literal) => {
        concat!($crate::piece!(landing_pad), "ldr x16, [x0]\n ldr x16, [x16, #(8 * ", $slot, ")]\n br x16\n")
    };
    (terminator $slot:literal) => {
        concat!(
            $crate::piece!(landing_pad),
            "ldr x16, [x0, #16]\n ldr x0, [x0, #24]\n ldr x16, [x16, #(8 * ",
            $slot,
            ")]\n br x16\n"
        )
    };
    (numbered_jump $number:literal) => {
        concat!($crate::piece!(landing_pad), "mov w16, #(", $number, ")\n b {target}\n")
    };
    (call) => {
        concat!($crate::piece!(landing_pad), "bl {target}\n")
    };
    (unknown_instance_trampoline) => {
        "cbz x0, 2f\n ldr w17, [x0, #8]\n movz w9, #({magic} & 0xffff)\n\
         movk w9, #(({magic} >> 16) & 0xffff), lsl #16\n cmp w17, w9\n b.ne 2f\n\
         ldr x17, [x0]\n ldr x17, [x17, w16, uxtw #3]\n br x17\n 2: b {bad}\n"
    };
    (look_up) => {
        "cbz x0, 6f\n ldr x17, [x0]\n adrp x9, {keys}\n add x9, x9, :lo12:{keys}\n\
         ldr x10, [x9]\n cmp x10, x17\n b.ne 2f\n ldr x17, [x9, #8]\n\
         4: ldr x17, [x17, w16, uxtw #3]\n br x17\n\
         2: cbz x17, 6f\n ldr x9, [x9, #16]\n cbz x9, 6f\n\
         movz x10, #({multiplier} & 0xffff)\n movk x10, #({multiplier} >> 16), lsl #16\n\
         mul x10, x17, x10\n ldp x11, x9, [x9]\n and x10, x11, x10, lsr #32\n add x9, x9, x10\n\
         3: ldr x10, [x9]\n cmp x10, x17\n b.eq 5f\n add x9, x9, #16\n cbnz x10, 3b\n\
         6: b {bad}\n\
         5: ldr x17, [x9, #8]\n b 4b\n"
    };
    (report) => {
        "mov w1, w16\n bl {report}\n brk #1\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(numbered_jump $slot)
    };
    (stub_slot) => {
        "/* {stubs} */\n"
    };
    (lower_end) => {
        "cbz x0, 6f\n ldr x17, [x0]\n cbz x17, 6f\n ldr x17, [x17, #{lower}]\n cbz x17, 6f\n\
         ldr x17, [x17, w16, uxtw #3]\n cbz x17, 6f\n br x17\n 6:\n"
    };
    (skip_if_set) => {
        "adrp x17, {flag}\n ldr x17, [x17, :lo12:{flag}]\n cbnz x17, 9f\n"
    };
    (report_caller) => {
        "mov x1, x30\n bl {report}\n brk #1\n"
    };
    (forward) => {
        concat!($crate::piece!(landing_pad), "b {target}\n")
    };
    (trap) => {
        "brk #1\n"
    };
}
