//! The runtime's functions, which the driver's call.

use vkload_driver_runtime::Tables;
use vkload_driver_runtime::dispatch::EntryPoints;

use crate::Null;

pub(crate) static RUNTIME: EntryPoints<Null> = Null::COMMON;

/// A function of the runtime, typed in the same way as by [`typed`].
macro_rules! runtime {
    ($command:ident: $pointer_type:ident) => {
        crate::runtime::typed!(crate::runtime::RUNTIME, $command: $pointer_type)
    };
}
pub(crate) use runtime;

/// Returns a function among entry points, typed; for use in an unsafe block. The types of command and pointer are
/// checked to belong together.
macro_rules! typed {
    ($entry_points:expr, $command:ident: $pointer_type:ident) => {{
        const COMMAND: vkload_driver_runtime::registry::CommandId =
            vkload_driver_runtime::registry::command::$command;
        const _: () =
            assert!(vkload_driver_runtime::dispatch::is_type_of(stringify!($pointer_type), COMMAND));
        let function = $entry_points.get(COMMAND);
        function.map(|function| {
            core::mem::transmute::<
                vkload_driver_runtime::dispatch::Command,
                vkload_driver_runtime::vk::$pointer_type,
            >(function)
        })
    }};
}
pub(crate) use typed;
