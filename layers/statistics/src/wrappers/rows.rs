//! The form in which the generated files state commands.

/// The number of bytes of a row: none, or the result of a function in `bytes`.
macro_rules! counted {
    ($result:ident) => {
        0
    };
    ($result:ident $function:ident ($($given:ident),*)) => {
        $crate::wrappers::bytes::$function($result, $($given),*)
    };
}
pub(super) use counted;

/// The wrappers, as `ALL`.
macro_rules! wrappers {
    ($(
        $command:ident ($first:ident Pointer, $($name:ident $class:ident,)*) $result:ident
        $(bytes $function:ident ($($given:ident,)*))?;
    )*) => {
        use core::ffi::c_void;

        use loader_core::registry::{CommandId, command};

        use $crate::call;
        use $crate::next::Function;
        use $crate::wrappers::rows::counted;

        type Pointer = *const c_void;
        type Nothing = ();

        #[allow(clippy::let_unit_value, clippy::too_many_arguments, reason = "commands are as they are")]
        pub(super) const ALL: &[(CommandId, Function)] = &[$((command::$command, {
            unsafe extern "system" fn wrapper($first: Pointer, $($name: $class),*) -> $result {
                // SAFETY: a call of this command comes from the chain, so the first parameter is a handle, and the next layer's
                // function has the same parameters, which it is given unchanged.
                unsafe {
                    let (next, start) = call::begin($first, command::$command);
                    let next = core::mem::transmute::<
                        Function,
                        unsafe extern "system" fn(Pointer, $($class),*) -> $result,
                    >(next);
                    let result = next($first, $($name),*);
                    call::end(command::$command, start, counted!(result $($function ($($given),*))?));
                    result
                }
            }
            // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
            unsafe {
                core::mem::transmute::<
                    unsafe extern "system" fn(Pointer, $($class),*) -> $result,
                    Function,
                >(wrapper)
            }
        })),*];
    };
}
pub(super) use wrappers;
