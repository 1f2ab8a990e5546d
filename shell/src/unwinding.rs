//! Stand-ins for the unwinder.
//!
//! The `alloc` crate that comes with the compiler was built to unwind and refers to the unwinder's
//! entry points, although nothing here ever unwinds. These stand-ins satisfy the linker without
//! libgcc_s. They are hidden, so that no other library binds to them; weak, so that a real unwinder
//! wins in a static link; and they trap.
//!
//! On 32-bit Arm, the tables that describe stack frames name two functions that read them. Whatever
//! walks the stack calls these, debuggers and profilers included. So instead of trapping they
//! return that they cannot go on (`_URC_FAILURE` of the ABI for exception handling).

/// Defines the stand-ins in the crate that uses it.
#[doc(hidden)]
#[macro_export]
macro_rules! stand_in_for_the_unwinder {
    () => {
        $crate::stand_in!("rust_eh_personality", $crate::piece!(trap));
        $crate::stand_in!("_Unwind_Resume", $crate::piece!(trap));
        #[cfg(target_arch = "arm")]
        $crate::stand_in!("__aeabi_unwind_cpp_pr0", "mov r0, #9\n bx lr");
        #[cfg(target_arch = "arm")]
        $crate::stand_in!("__aeabi_unwind_cpp_pr1", "mov r0, #9\n bx lr");
    };
}

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
