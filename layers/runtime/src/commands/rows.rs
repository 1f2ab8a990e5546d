//! From the registry's rows to types and functions.

/// What calls the next layer: the runtime's own function for some commands, and otherwise the next layer's.
macro_rules! forward {
    (CREATE_INSTANCE $layer:ident $call:ident $info:ident $allocator:ident $out:ident) => {
        calls::Outcome::outcome(creation::create_instance::<$layer>(
            $call.parameters.$info,
            $call.parameters.$allocator,
            $call.parameters.$out,
        ))
    };
    (DESTROY_INSTANCE $layer:ident $call:ident $instance:ident $allocator:ident) => {
        creation::destroy_instance::<$layer>(
            $call.parameters.$instance,
            $call.parameters.$allocator,
            $call.function,
        )
    };
    (CREATE_DEVICE $layer:ident $call:ident $of:ident $info:ident $allocator:ident $out:ident) => {
        calls::Outcome::outcome(creation::create_device::<$layer>(
            $call.dispatch,
            $call.parameters.$of,
            $call.parameters.$info,
            $call.parameters.$allocator,
            $call.parameters.$out,
        ))
    };
    (DESTROY_DEVICE $layer:ident $call:ident $device:ident $allocator:ident) => {
        creation::destroy_device::<$layer>(
            $call.parameters.$device,
            $call.parameters.$allocator,
            $call.function,
        )
    };
    (ENUMERATE_DEVICE_EXTENSION_PROPERTIES $layer:ident $call:ident $of:ident $name:ident $count:ident $out:ident) => {{
        let (name, count, out) = ($call.parameters.$name, $call.parameters.$count, $call.parameters.$out);
        match queries::device_extensions::<$layer>(name, count.as_ptr(), out) {
            Some(result) => result,
            None => forward!(- $layer $call $of $name $count $out),
        }
    }};
    (GET_PHYSICAL_DEVICE_TOOL_PROPERTIES $layer:ident $call:ident $of:ident $count:ident $out:ident) => {
        queries::tools::<$layer>(
            $call.function,
            $call.parameters.$of,
            $call.parameters.$count.as_ptr(),
            $call.parameters.$out,
        )
    };
    (GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT $($rest:ident)*) => {
        forward!(GET_PHYSICAL_DEVICE_TOOL_PROPERTIES $($rest)*)
    };
    ($command:tt $layer:ident $call:ident $($parameter:ident)*) => {
        match $call.function {
            Some(function) => Self::typed(function)($($call.parameters.$parameter),*),
            None => nowhere_to_go::<$layer>(Self::ID),
        }
    };
}
pub(super) use forward;

/// Whether a command belongs to an instance or to a device.
macro_rules! level {
    (Global) => {
        NoLevel
    };
    (Instance) => {
        InstanceLevel
    };
    (PhysicalDevice) => {
        InstanceLevel
    };
    ($other:ident) => {
        DeviceLevel
    };
}
pub(super) use level;

/// The types of the commands in `types`, and of their parameters in `parameters`.
macro_rules! rows {
    ($(
        $id:literal $constant:ident $name:ident ($($parameter:ident: $type:ty $([$count:ident])?,)*) -> $result:ty,
        $class:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        use core::ffi::c_void;
        #[allow(unused_imports, reason = "not every part needs each")]
        use core::ffi::{c_char, c_int};
        use core::marker::PhantomData;
        use core::mem::transmute;

        #[allow(unused_imports, reason = "not every part needs each")]
        use vkload_registry::parameter::{Array, In, InOptional, Out};
        use vkload_registry::parameter::number_of;
        use vkload_registry::{CommandId, calls, command, types as vk};

        use $crate::call::{All, Call, Command, Handler, InterceptAll, PassOn, enter};
        #[allow(unused_imports, reason = "not every part needs each")]
        use $crate::commands::rows::{forward, level};
        use $crate::commands::{Wrapper, Wrapping};
        #[allow(unused_imports, reason = "not every part needs each")]
        use $crate::dispatch::{DeviceLevel, Function, InstanceLevel, NoLevel};
        use $crate::runtime::{ExportedLayer, nowhere_to_go};
        #[allow(unused_imports, reason = "not every part needs each")]
        use $crate::{creation, queries};

        #[allow(unreachable_pub, reason = "not the commands without an object")]
        pub mod types {
            $(
                #[doc = concat!("`vk", stringify!($name), "`, whose parameters are [`parameters::", stringify!($name), "`].")]
                ///
                #[doc = concat!("[`parameters::", stringify!($name), "`]: crate::commands::parameters::", stringify!($name))]
                pub enum $name {}
            )*
        }

        $(
            // SAFETY: the rows are the registry's.
            unsafe impl Command for types::$name {
                const ID: CommandId = command::$constant;
                type Parameters<'a> = calls::$name<'a>;
                type Numbers = [u64; [$(stringify!($parameter)),*].len()];
                type Return = $result;
                type Level = level!($class);
                type Function = for<'a> unsafe extern "system" fn($($type),*) -> $result;

                #[inline]
                fn handle(parameters: &Self::Parameters<'_>) -> *const c_void {
                    let numbers = Self::numbers(parameters);
                    core::ptr::with_exposed_provenance(numbers.first().copied().unwrap_or(0) as usize)
                }

                #[inline]
                fn numbers(parameters: &Self::Parameters<'_>) -> Self::Numbers {
                    // SAFETY: parameters are numbers, handles and pointers.
                    unsafe { [$(number_of(&parameters.$parameter)),*] }
                }

                #[inline]
                unsafe fn forward<L: ExportedLayer>(call: &Call<'_, L, Self>) -> $result {
                    // SAFETY: the chain made the call, so the parameters are as the specification requires, and the next layer's function,
                    // which has the same ones, is given them unchanged.
                    unsafe { forward!($constant L call $($parameter)*) }
                }

                #[inline]
                unsafe fn typed(function: Function) -> Self::Function {
                    // SAFETY: pointers to functions have the same size; the caller vouches for the parameters.
                    unsafe { transmute::<Function, Self::Function>(function) }
                }
            }

            impl<L: ExportedLayer, H: Handler<L, types::$name>> Wrapping for Wrapper<L, H, types::$name> {
                const FUNCTION: Function = {
                    #[allow(
                        clippy::extra_unused_lifetimes,
                        clippy::too_many_arguments,
                        reason = "commands are as they are"
                    )]
                    unsafe extern "system" fn wrapper<'a, L: ExportedLayer, H: Handler<L, types::$name>>(
                        $($parameter: $type),*
                    ) -> $result {
                        // SAFETY: the chain calls this, as the specification allows.
                        unsafe { enter::<L, types::$name, H>(calls::$name::new($($parameter),*)) }
                    }
                    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
                    unsafe {
                        transmute::<for<'a> unsafe extern "system" fn($($type),*) -> $result, Function>(
                            wrapper::<L, H>,
                        )
                    }
                };
            }
        )*

        pub(super) const NAMES: &[(CommandId, &[&str])] =
            &[$((command::$constant, &[$(stringify!($parameter)),*])),*];

        pub(super) struct Rows<L>(PhantomData<L>);

        impl<L: InterceptAll> Rows<L> {
            pub(super) const ALL: &'static [(CommandId, Function)] =
                &[$((command::$constant, <Wrapper<L, All, types::$name> as Wrapping>::FUNCTION)),*];
        }

        impl<L: ExportedLayer> Rows<L> {
            pub(super) const PASS_ON: &'static [(CommandId, Function)] =
                &[$((command::$constant, <Wrapper<L, PassOn, types::$name> as Wrapping>::FUNCTION)),*];
        }
    };
}
pub(super) use rows;
