//! From the registry's rows to functions.

/// The functions for these commands, as `ALL`.
macro_rules! watchers {
    ($(
        $id:literal $command:ident $pointer:ident ($first:ident Pointer, $($name:ident $class:ident,)*) $result:ident
        $kind:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        use core::ffi::c_void;

        use vkload_driver_runtime::dispatch::Command;
        use vkload_driver_runtime::registry::{CommandId, command};

        use crate::outcome::number_of;
        use crate::watch::watched;

        type Pointer = *const c_void;
        #[allow(dead_code, reason = "each global command returns something")]
        type Nothing = ();

        #[allow(clippy::too_many_arguments, reason = "commands are as they are")]
        pub(super) const ALL: &[(CommandId, Command)] = &[$((command::$command, {
            unsafe extern "system" fn watcher($first: Pointer, $($name: $class),*) -> $result {
                let parameters = [number_of(&$first), $(number_of(&$name)),*];
                let mut call = |function: Command| {
                    // SAFETY: the driver's function of this command has these parameters; the caller keeps the
                    // specification's promises.
                    unsafe {
                        core::mem::transmute::<
                            Command,
                            unsafe extern "system" fn(Pointer, $($class),*) -> $result,
                        >(function)($first, $($name),*)
                    }
                };
                // SAFETY: the parameters come from the call of this command.
                unsafe { watched(command::$command, &parameters, &mut call) }
            }
            // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
            unsafe {
                core::mem::transmute::<unsafe extern "system" fn(Pointer, $($class),*) -> $result, Command>(
                    watcher,
                )
            }
        })),*];
    };
}
pub(super) use watchers;
