//! The row format of the generated files, which describe the commands' behaviour.

use vkload_driver_runtime::vk;

/// The name that rows use for the type of a command's result.
pub(super) type Result = vk::Result;
pub(super) type Nothing = ();

/// A pointer to any type, or a dispatchable handle.
pub(super) type Pointer = *mut core::ffi::c_void;

/// `COMMAND (a: Class, b: Class,) Result [what it writes] = what it returns;`
macro_rules! commands {
    ($(
        $command:ident ($($parameter:ident: $class:ident,)*) $result:ident $([$($write:tt)*])* = $value:expr;
    )*) => {
        #[allow(unused_imports, reason = "not every file has rows of every kind")]
        use super::{actions::*, rows::*};

        // SAFETY: each function has the parameters and the result that the registry has for its command.
        pub(super) const COMMANDS: vkload_driver_runtime::dispatch::EntryPoints<crate::Null> = unsafe {
            vkload_driver_runtime::dispatch::EntryPoints::NONE$(.with(vkload_driver_runtime::registry::command::$command, {
                #[allow(unused_variables, clippy::too_many_arguments, reason = "as the registry has the command")]
                unsafe extern "system" fn function($($parameter: $class),*) -> $result {
                    #[allow(unused_unsafe, reason = "what only returns a number is safe")]
                    // SAFETY: the caller's parameters meet the specification's demands on the command.
                    unsafe {
                        $($($write)*;)*
                        $value
                    }
                }
                // Pointers to functions have the same size and meaning whatever their parameters.
                core::mem::transmute::<
                    unsafe extern "system" fn($($class),*) -> $result,
                    vkload_driver_runtime::dispatch::Command,
                >(function)
            }))*
        };
    };
}
pub(super) use commands;
