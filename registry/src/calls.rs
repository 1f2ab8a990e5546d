//! A structure with the parameters of each command's calls, named like the command without `vk`: [`CreateFence`].

use ash::vk;

type AnyFunction = unsafe extern "system" fn();

/// What functions for commands with the result `R` may return: the result itself; instead of a `VkResult` a `Result`, whose
/// `Ok` is empty for `VK_SUCCESS`; instead of nothing an `Option`, so that the function can return early.
pub trait Outcome<R> {
    /// Returns the command's result.
    fn outcome(self) -> R;
}

impl<R> Outcome<R> for R {
    #[inline]
    fn outcome(self) -> R {
        self
    }
}

impl<E: Into<vk::Result>> Outcome<vk::Result> for Result<(), E> {
    #[inline]
    fn outcome(self) -> vk::Result {
        self.map_or_else(Into::into, |()| vk::Result::SUCCESS)
    }
}

impl<E: Into<vk::Result>> Outcome<vk::Result> for Result<vk::Result, E> {
    #[inline]
    fn outcome(self) -> vk::Result {
        self.unwrap_or_else(Into::into)
    }
}

impl Outcome<()> for Option<()> {
    #[inline]
    fn outcome(self) {}
}

macro_rules! parts {
    ($($part:ident)*) => {$(
        mod $part {
            crate::$part!(crate::calls::rows);
        }
        pub use $part::*;
    )*};
}

macro_rules! rows {
    ($(
        $id:literal $constant:ident $name:ident ($($parameter:ident: $type:ty $([$count:ident])?,)*) -> $result:ty,
        $class:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        #[allow(unused_imports, reason = "not every part needs each")]
        use core::ffi::{c_char, c_int, c_void};
        use core::marker::PhantomData;
        use core::mem::transmute;
        use core::ptr::NonNull;

        use $crate::calls::{AnyFunction, Outcome};
        #[allow(unused_imports, reason = "not every part needs each")]
        use $crate::parameter::{Array, Elements, In, InOptional, Out};
        use $crate::{CommandId, command, types as vk};

        $(
            #[doc = concat!("The parameters of a call of `vk", stringify!($name), "` that obeys the specification.")]
            #[allow(missing_docs, reason = "named as in the specification, which explains them")]
            pub struct $name<'a> {
                $(pub $parameter: $type,)*
                lifetime: PhantomData<&'a ()>,
            }

            #[allow(clippy::too_many_arguments, reason = "commands are as they are")]
            impl<'a> $name<'a> {
                /// The command.
                pub const ID: CommandId = command::$constant;

                /// Returns the parameters of a call.
                ///
                /// # Safety
                /// The specification allows the call, and the parameters stay valid for `'a`. Later changes of the
                /// structure keep this up.
                #[inline]
                pub unsafe fn new($($parameter: $type),*) -> Self {
                    Self { $($parameter,)* lifetime: PhantomData }
                }

                /// Makes the call with the function that `find` has for the command; `None` if it has none.
                ///
                /// # Safety
                /// The function is one for the command, and the specification still allows the call.
                #[inline]
                pub unsafe fn make(
                    &self,
                    find: impl FnOnce(CommandId) -> Option<AnyFunction>,
                ) -> Option<$result> {
                    // SAFETY: the caller vouches for the function.
                    find(Self::ID).map(|function| unsafe {
                        transmute::<AnyFunction, unsafe extern "system" fn($($type),*) -> $result>(function)(
                            $(self.$parameter),*
                        )
                    })
                }

                $($(
                    #[doc = concat!("Returns the elements of `", stringify!($parameter), "`.")]
                    #[inline]
                    pub fn $parameter(&self) -> &'a [<$type as Elements>::Element] {
                        // SAFETY: the registry says which parameter is the count.
                        unsafe { self.$parameter.slice(self.$count as usize) }
                    }
                )?)*
            }

            impl $name<'_> {
                /// Returns the function for the command that calls `function`, which has no captured variables.
                pub const fn function<F, R>(function: F) -> AnyFunction
                where
                    F: Fn(&$name<'_>) -> R + Copy,
                    R: Outcome<$result>,
                {
                    #[allow(
                        clippy::extra_unused_lifetimes,
                        clippy::too_many_arguments,
                        reason = "commands are as they are"
                    )]
                    unsafe extern "system" fn edge<'a, F, R>($($parameter: $type),*) -> $result
                    where
                        F: Fn(&$name<'_>) -> R,
                        R: Outcome<$result>,
                    {
                        // SAFETY: a value of the type exists, and has no bytes.
                        let function = unsafe { NonNull::<F>::dangling().read() };
                        // SAFETY: the caller obeys the specification.
                        function(&unsafe { $name::new($($parameter),*) }).outcome()
                    }
                    const { assert!(size_of::<F>() == 0, "the function has captured variables") };
                    let _ = function;
                    // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
                    unsafe {
                        transmute::<for<'a> unsafe extern "system" fn($($type),*) -> $result, AnyFunction>(
                            edge::<F, R>,
                        )
                    }
                }
            }
        )*
    };
}
pub(crate) use rows;

parts! {
    commands_global commands_instance commands_physical_device commands_device_1_0 commands_device_1_1_to_1_4
    commands_device_extensions_1 commands_device_extensions_200 commands_device_extensions_400
}
