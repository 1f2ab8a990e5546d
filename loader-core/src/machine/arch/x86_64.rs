//! x86-64, System V calling convention, AT&T syntax: the first argument is in `rdi`; `rax` and `r11` are
//! free. Numbers are left in `ax`, the half of the register that takes the shortest instruction.

use crate::machine::Distances;

pub(crate) const DISTANCES: Distances = Distances {
    instance_trampoline: 32,
    device_trampoline: 9,
    terminator: 14,
    numbered_jump: 9,
    call: 5,
    device_stub: 5,
};

#[doc(hidden)]
#[macro_export]
macro_rules! piece {
    (instance_trampoline $slot:literal, $magic:literal) => {
        concat!(
            "test %rdi, %rdi\n jz 2f\n cmpl $",
            $magic,
            ", 8(%rdi)\n jne 2f\n",
            "mov (%rdi), %rax\n jmp *8*",
            $slot,
            "(%rax)\n",
            "2: mov $",
            $slot,
            ", %ax\n jmp {bad}\n"
        )
    };
    (device_trampoline $slot:literal) => {
        concat!("mov (%rdi), %rax\n jmp *8*", $slot, "(%rax)\n")
    };
    (terminator $slot:literal) => {
        concat!("mov 16(%rdi), %rax\n mov 24(%rdi), %rdi\n jmp *8*", $slot, "(%rax)\n")
    };
    (numbered_jump $number:literal) => {
        concat!("mov $", $number, ", %ax\n jmp {target}\n")
    };
    (call) => {
        "call {target}\n"
    };
    (unknown_instance_trampoline) => {
        "movzwl %ax, %eax\n test %rdi, %rdi\n jz 2f\n cmpl ${magic}, 8(%rdi)\n jne 2f\n\
         mov (%rdi), %r11\n jmp *(%r11, %rax, 8)\n 2: jmp {bad}\n"
    };
    (look_up) => {
        "movzwl %ax, %eax\n test %rdi, %rdi\n jz 6f\n mov (%rdi), %r11\n\
         cmp {keys}(%rip), %r11\n jne 2f\n\
         mov {keys} + 8(%rip), %r11\n jmp *(%r11, %rax, 8)\n\
         2: test %r11, %r11\n jz 6f\n mov {keys} + 16(%rip), %r10\n test %r10, %r10\n jz 6f\n\
         push %rax\n imul ${multiplier}, %r11, %rax\n shr $32, %rax\n and (%r10), %rax\n\
         mov 8(%r10), %r10\n add %rax, %r10\n\
         3: mov (%r10), %rax\n cmp %r11, %rax\n je 4f\n add $16, %r10\n test %rax, %rax\n jnz 3b\n\
         pop %rax\n jmp 6f\n\
         4: pop %rax\n mov 8(%r10), %r11\n jmp *(%r11, %rax, 8)\n\
         6: jmp {bad}\n"
    };
    (report) => {
        "movzwl %ax, %esi\n sub $8, %rsp\n call {report}\n ud2\n"
    };
    (device_stub $slot:literal) => {
        $crate::piece!(call)
    };
    (stub_slot) => {
        "pop %rax\n lea {stubs}(%rip), %r11\n sub %r11, %rax\n\
         imul $52429, %eax, %eax\n shr $18, %eax\n dec %eax\n"
    };
    (lower_end) => {
        "test %rdi, %rdi\n jz 6f\n mov (%rdi), %r11\n test %r11, %r11\n jz 6f\n\
         mov {lower}(%r11), %r11\n test %r11, %r11\n jz 6f\n\
         mov (%r11, %rax, 8), %r11\n test %r11, %r11\n jz 6f\n jmp *%r11\n 6:\n"
    };
    (skip_if_set) => {
        "cmpq $0, {flag}(%rip)\n jne 9f\n"
    };
    (report_caller) => {
        "pop %rsi\n sub $8, %rsp\n call {report}\n ud2\n"
    };
    (forward) => {
        "jmp {target}\n"
    };
    (trap) => {
        "ud2\n"
    };
}
