//! Stand-ins for the unwinder.
//!
//! The `alloc` crate that comes with the compiler was built to unwind and refers to the unwinder's entry points,
//! although nothing here ever unwinds. These stand-ins satisfy the linker without libgcc_s; they are hidden, so that no
//! other library can bind to them, weak, so that a real one wins in a static link, and trap.
//!
//! On 32-bit Arm, the tables that describe the frames name two functions that read them. Whoever walks the stack calls
//! these, debuggers and profilers too, so that they say that they cannot go on instead (`_URC_FAILURE` of the ABI for
//! exception handling).

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
macro_rules! trap {
    () => {
        "ud2"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! trap {
    () => {
        "brk #1"
    };
}
#[cfg(target_arch = "arm")]
macro_rules! trap {
    () => {
        "udf #0"
    };
}
#[cfg(target_arch = "riscv64")]
macro_rules! trap {
    () => {
        "ebreak"
    };
}

macro_rules! stand_in {
    ($name:literal, $text:expr) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ",\"ax\",%progbits"),
            concat!(".weak ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            $text,
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
        );
    };
}

stand_in!("rust_eh_personality", trap!());
stand_in!("_Unwind_Resume", trap!());
#[cfg(target_arch = "arm")]
stand_in!("__aeabi_unwind_cpp_pr0", "mov r0, #9\n bx lr");
#[cfg(target_arch = "arm")]
stand_in!("__aeabi_unwind_cpp_pr1", "mov r0, #9\n bx lr");
