//! 32-bit Arm: the first argument is in `r0`; `ip` is free. The magic is the exclusive or of two numbers that
//! fit into an instruction, so that it can be compared with one register.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 40,
    device_trampoline: 8,
    terminator: 12,
    numbered_jump: 8,
    call: 4,
    device_stub: 8,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    (instance_trampoline $slot:literal, $magic:literal) => {
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
    (device_trampoline $slot:literal) => {
        concat!("ldr ip, [r0]\n ldr pc, [ip, #(4 * ", $slot, ")]\n")
    };
    (terminator $slot:literal) => {
        concat!("ldr ip, [r0, #8]\n ldr r0, [r0, #12]\n ldr pc, [ip, #(4 * ", $slot, ")]\n")
    };
    (numbered_jump $number:literal) => {
        concat!("movw ip, #(", $number, ")\n b {target}\n")
    };
    (call) => {
        "bl {target}\n"
    };
    (unknown_instance_trampoline) => {
        "cmp r0, #0\n beq 3f\n push {{r4, lr}}\n ldr r4, [r0, #4]\n\
         eor r4, r4, #({magic} & 0xff000000)\n cmp r4, #({magic} & 0x0000ffff)\n bne 2f\n\
         ldr r4, [r0]\n ldr ip, [r4, ip, lsl #2]\n pop {{r4, lr}}\n bx ip\n\
         2: pop {{r4, lr}}\n 3: b {bad}\n"
    };
    (look_up) => {
        "cmp r0, #0\n beq 8f\n push {{r4, r5, r6, lr}}\n ldr r4, [r0]\n\
         adr r5, 9f\n ldr r6, [r5]\n add r5, r5, r6\n\
         ldr r6, [r5]\n cmp r6, r4\n bne 2f\n ldr r4, [r5, #4]\n\
         4: ldr ip, [r4, ip, lsl #2]\n pop {{r4, r5, r6, lr}}\n bx ip\n\
         2: cmp r4, #0\n beq 7f\n ldr r5, [r5, #8]\n cmp r5, #0\n beq 7f\n\
         movw r6, #({multiplier} & 0xffff)\n movt r6, #({multiplier} >> 16)\n mul r6, r4, r6\n\
         ldr lr, [r5]\n and r6, lr, r6, lsr #16\n ldr r5, [r5, #4]\n add r5, r5, r6\n\
         3: ldr r6, [r5]\n cmp r6, r4\n beq 5f\n add r5, r5, #8\n cmp r6, #0\n bne 3b\n\
         7: pop {{r4, r5, r6, lr}}\n\
         8: b {bad}\n\
         5: ldr r4, [r5, #4]\n b 4b\n\
         .p2align 2\n 9: .long {keys} - .\n"
    };
    (report) => {
        "mov r1, ip\n bl {report}\n udf #0\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(numbered_jump $slot)
    };
    (stub_slot) => {
        "/* {stubs} */\n"
    };
    (lower_end) => {
        "cmp r0, #0\n beq 3f\n push {{r4, lr}}\n ldr r4, [r0]\n cmp r4, #0\n beq 2f\n\
         ldr r4, [r4, #{lower}]\n cmp r4, #0\n beq 2f\n\
         ldr r4, [r4, ip, lsl #2]\n cmp r4, #0\n beq 2f\n mov ip, r4\n pop {{r4, lr}}\n bx ip\n\
         2: pop {{r4, lr}}\n 3:\n"
    };
    (skip_if_set) => {
        "push {{r4, r5}}\n adr r4, 7f\n ldr r5, [r4]\n add r4, r4, r5\n ldr r4, [r4]\n\
         cmp r4, #0\n pop {{r4, r5}}\n bne 9f\n b 8f\n .p2align 2\n 7: .long {flag} - .\n 8:\n"
    };
    (report_caller) => {
        "mov r1, lr\n bl {report}\n udf #0\n"
    };
    (forward) => {
        "b {target}\n"
    };
    (trap) => {
        "udf #0\n"
    };
}
