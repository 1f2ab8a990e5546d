//! 32-bit x86, cdecl, AT&T syntax: all arguments are on the stack; `eax`, `ecx` and `edx` are free.
//! Numbers are left in `ax`, the half of the register that takes the shortest instruction.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 34,
    device_trampoline: 12,
    terminator: 20,
    numbered_jump: 9,
    call: 5,
    device_stub: 5,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    (instance_trampoline $slot:literal, $magic:literal) => {
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
    (device_trampoline $slot:literal) => {
        concat!("mov 4(%esp), %eax\n mov (%eax), %eax\n jmp *4*", $slot, "(%eax)\n")
    };
    (terminator $slot:literal) => {
        concat!(
            "mov 4(%esp), %eax\n mov 12(%eax), %ecx\n mov %ecx, 4(%esp)\n",
            "mov 8(%eax), %eax\n jmp *4*",
            $slot,
            "(%eax)\n"
        )
    };
    (numbered_jump $number:literal) => {
        concat!("mov $", $number, ", %ax\n jmp {target}\n")
    };
    (call) => {
        "call {target}\n"
    };
    (unknown_instance_trampoline) => {
        "movzwl %ax, %eax\n mov 4(%esp), %ecx\n test %ecx, %ecx\n jz 2f\n cmpl ${magic}, 4(%ecx)\n jne 2f\n\
         mov (%ecx), %ecx\n jmp *(%ecx, %eax, 4)\n 2: jmp {bad}\n"
    };
    (look_up) => {
        "movzwl %ax, %eax\n mov 4(%esp), %edx\n test %edx, %edx\n jz 6f\n mov (%edx), %edx\n\
         call 5f\n 5: pop %ecx\n lea {keys} - 5b(%ecx), %ecx\n\
         cmp (%ecx), %edx\n jne 2f\n\
         mov 4(%ecx), %ecx\n jmp *(%ecx, %eax, 4)\n\
         2: test %edx, %edx\n jz 6f\n mov 8(%ecx), %ecx\n test %ecx, %ecx\n jz 6f\n\
         push %eax\n imul ${multiplier}, %edx, %eax\n shr $16, %eax\n and (%ecx), %eax\n\
         mov 4(%ecx), %ecx\n add %eax, %ecx\n\
         3: mov (%ecx), %eax\n cmp %edx, %eax\n je 4f\n add $8, %ecx\n test %eax, %eax\n jnz 3b\n\
         pop %eax\n jmp 6f\n\
         4: pop %eax\n mov 4(%ecx), %ecx\n jmp *(%ecx, %eax, 4)\n\
         6: jmp {bad}\n"
    };
    (report) => {
        "movzwl %ax, %eax\n mov 4(%esp), %ecx\n sub $4, %esp\n push %eax\n push %ecx\n call {report}\n ud2\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(call)
    };
    (stub_slot) => {
        "pop %eax\n call 5f\n 5: pop %ecx\n lea {stubs} - 5b(%ecx), %ecx\n sub %ecx, %eax\n\
         imul $52429, %eax, %eax\n shr $18, %eax\n dec %eax\n"
    };
    (lower_end) => {
        "mov 4(%esp), %edx\n test %edx, %edx\n jz 6f\n mov (%edx), %edx\n test %edx, %edx\n jz 6f\n\
         mov {lower}(%edx), %edx\n test %edx, %edx\n jz 6f\n\
         mov (%edx, %eax, 4), %edx\n test %edx, %edx\n jz 6f\n jmp *%edx\n 6:\n"
    };
    (skip_if_set) => {
        "call 5f\n 5: pop %ecx\n cmpl $0, {flag} - 5b(%ecx)\n jne 9f\n"
    };
    (report_caller) => {
        "pop %eax\n mov 4(%esp), %ecx\n sub $4, %esp\n push %eax\n push %ecx\n call {report}\n ud2\n"
    };
    (forward) => {
        "jmp {target}\n"
    };
    (trap) => {
        "ud2\n"
    };
}
