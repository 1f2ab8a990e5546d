//! From the registry's rows to functions.

/// The functions for these commands, as `ALL`.
macro_rules! watchers {
    ($(
        $id:literal $command:ident $name:ident ($($parameter:ident: $type:ty $([$count:ident])?,)*) -> $result:ty,
        $class:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        #[allow(unused_imports, reason = "not every part needs each")]
        use core::ffi::{c_char, c_int, c_void};

        use vkload_driver_runtime::dispatch::Command;
        #[allow(unused_imports, reason = "not every part needs each")]
        use vkload_driver_runtime::registry::parameter::{Array, In, InOptional, Out};
        use vkload_driver_runtime::registry::{CommandId, command};
        use vkload_driver_runtime::types as vk;

        use crate::outcome::number_of;
        use crate::watch::watched;

        #[allow(
                        clippy::extra_unused_lifetimes,
                        clippy::too_many_arguments,
                        reason = "commands are as they are"
                    )]
        pub(super) const ALL: &[(CommandId, Command)] = &[$((command::$command, {
            unsafe extern "system" fn watcher<'a>($($parameter: $type),*) -> $result {
                let parameters = [$(number_of(&$parameter)),*];
                let mut call = |function: Command| {
                    // SAFETY: the driver's function of this command has these parameters; the caller keeps the
                    // specification's promises.
                    unsafe {
                        core::mem::transmute::<
                            Command,
                            unsafe extern "system" fn($($type),*) -> $result,
                        >(function)($($parameter),*)
                    }
                };
                // SAFETY: the parameters come from the call of this command.
                unsafe { watched(command::$command, &parameters, &mut call) }
            }
            // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
            unsafe {
                core::mem::transmute::<for<'a> unsafe extern "system" fn($($type),*) -> $result, Command>(
                    watcher,
                )
            }
        })),*];
    };
}
pub(super) use watchers;
