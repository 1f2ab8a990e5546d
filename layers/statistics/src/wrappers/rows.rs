//! From the registry's rows to functions.

/// The number of bytes of a call, from the result and the parameters: a function in `bytes` for the commands that have any.
macro_rules! counted {
    (ALLOCATE_MEMORY $result:ident $device:ident $info:ident $($other:ident)*) => {
        bytes::allocated($result, $info)
    };
    (MAP_MEMORY $result:ident $device:ident $memory:ident $offset:ident $size:ident $($other:ident)*) => {
        bytes::mapped($result, $size)
    };
    (MAP_MEMORY_2 $result:ident $device:ident $info:ident $data:ident) => { bytes::mapped_by($result, $info) };
    (MAP_MEMORY_2_KHR $($value:ident)*) => { counted!(MAP_MEMORY_2 $($value)*) };
    (CMD_UPDATE_BUFFER $result:ident $commands:ident $buffer:ident $offset:ident $size:ident $data:ident) => {
        bytes::given($result, $size)
    };
    (CMD_PUSH_CONSTANTS $result:ident $commands:ident $layout:ident $stages:ident $offset:ident $size:ident
        $values:ident) => {
        bytes::given($result, $size)
    };
    (CMD_PUSH_CONSTANTS_2 $result:ident $commands:ident $info:ident) => { bytes::pushed_by($result, $info) };
    (CMD_PUSH_CONSTANTS_2_KHR $($value:ident)*) => { counted!(CMD_PUSH_CONSTANTS_2 $($value)*) };
    (UPDATE_DESCRIPTOR_SETS $result:ident $device:ident $count:ident $writes:ident $($other:ident)*) => {
        bytes::written($result, $count, $writes)
    };
    (CMD_PUSH_DESCRIPTOR_SET $result:ident $commands:ident $point:ident $layout:ident $set:ident $count:ident
        $writes:ident) => {
        bytes::written($result, $count, $writes)
    };
    (CMD_PUSH_DESCRIPTOR_SET_KHR $($value:ident)*) => { counted!(CMD_PUSH_DESCRIPTOR_SET $($value)*) };
    (CMD_PUSH_DESCRIPTOR_SET_2 $result:ident $commands:ident $info:ident) => {
        bytes::written_by($result, $info)
    };
    (CMD_PUSH_DESCRIPTOR_SET_2_KHR $($value:ident)*) => { counted!(CMD_PUSH_DESCRIPTOR_SET_2 $($value)*) };
    (CREATE_PIPELINE_CACHE $result:ident $device:ident $info:ident $($other:ident)*) => {
        bytes::initial($result, $info)
    };
    (GET_PIPELINE_CACHE_DATA $result:ident $device:ident $cache:ident $size:ident $data:ident) => {
        bytes::got($result, $size, $data)
    };
    (CREATE_SHADER_MODULE $result:ident $device:ident $info:ident $($other:ident)*) => {
        bytes::code($result, $info)
    };
    (GET_QUERY_POOL_RESULTS $result:ident $device:ident $pool:ident $first:ident $count:ident $size:ident
        $($other:ident)*) => {
        bytes::given($result, $size)
    };
    ($command:ident $($value:ident)*) => {
        0
    };
}
pub(super) use counted;

/// The wrappers, as `ALL`.
macro_rules! wrappers {
    ($(
        $id:literal $command:ident $pointer:ident ($first:ident Pointer, $($name:ident $class:ident,)*) $result:ident
        $kind:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        use core::ffi::c_void;

        use vkload_core::registry::{CommandId, command};

        use $crate::call;
        use $crate::next::Function;
        #[allow(unused_imports, reason = "not every part has commands with bytes")]
        use $crate::wrappers::{bytes, rows::counted};

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
                    call::end(command::$command, start, counted!($command result $first $($name)*));
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
