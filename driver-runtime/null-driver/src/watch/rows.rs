//! From the registry's rows to functions.

/// The functions for these commands, as `ALL`.
macro_rules! watchers {
    ($(
        $id:literal $command:ident $name:ident ($($parameter:ident: $type:ty $([$count:ident])?,)*) -> $result:ty,
        $class:ident $(core $core:literal)? $(alias $alias:ident)? $(by $extension:ident)*;
    )*) => {
        use vkload_driver_runtime::calls;
        use vkload_driver_runtime::dispatch::Command;
        use vkload_driver_runtime::registry::CommandId;

        use crate::outcome::number_of;
        use crate::watch::watched;

        pub(super) const ALL: &[(CommandId, Command)] = &[$((calls::$name::ID, {
            calls::$name::function(|call| {
                let parameters = [$(number_of(&call.$parameter)),*];
                // SAFETY: the parameters come from the call of this command, which obeys the specification.
                unsafe { watched(calls::$name::ID, &parameters, &mut |find| call.make(find)) }
            })
        })),*];
    };
}
pub(super) use watchers;
