//! Stand-ins for the unwinder.
//!
//! The `alloc` crate that comes with the compiler was built to unwind and refers to the unwinder's entry points,
//! although nothing here ever unwinds. These stand-ins satisfy the linker without libgcc_s; they are hidden, so that no
//! other library can bind to them, weak, so that a real one wins in a static link, and trap.
//!
//! On 32-bit Arm, the tables that describe the frames name two functions that read them. Whoever walks the stack calls
//! these, debuggers and profilers too, so that they say that they cannot go on instead (`_URC_FAILURE` of the ABI for
//! exception handling).

/// Defines the stand-ins in the crate where it is used.
#[doc(hidden)]
#[macro_export]
macro_rules! stand_in_for_the_unwinder {
    () => {
        $crate::stand_in!("rust_eh_personality", $crate::trap!());
        $crate::stand_in!("_Unwind_Resume", $crate::trap!());
        #[cfg(target_arch = "arm")]
        $crate::stand_in!("__aeabi_unwind_cpp_pr0", "mov r0, #9\n bx lr");
        #[cfg(target_arch = "arm")]
        $crate::stand_in!("__aeabi_unwind_cpp_pr1", "mov r0, #9\n bx lr");
    };
}

/// Defines one of them.
#[doc(hidden)]
#[macro_export]
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
