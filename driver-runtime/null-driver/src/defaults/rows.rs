//! The row format of the generated files, which describe the commands' behaviour.

use vkload_driver_runtime::registry::CommandId;
use vkload_driver_runtime::vk;

use crate::outcome::{self, Outcome};

/// The name that rows use for the type of a command's result.
pub(super) type Result = vk::Result;
pub(super) type Nothing = ();

/// A pointer to any type, or a dispatchable handle.
pub(super) type Pointer = *mut core::ffi::c_void;

/// Applies the scenario before a command's other work: the call may wait, and may return a result. Returns that
/// result, and whether it is the result of the whole call.
///
/// # Safety
/// The parameters come from a call of the command.
pub(super) unsafe fn wanted_of(command: CommandId, parameters: &[u64]) -> Option<(vk::Result, bool)> {
    // SAFETY: the caller vouches for the parameters; the first one is a handle or a pointer.
    unsafe {
        let wanted = crate::scenario::get().before(command.name(), parameters)?;
        let first = parameters.first().copied().unwrap_or_default();
        Some((wanted, outcome::stops(command, first, wanted)))
    }
}

/// Returns the outcome of a call that was carried out.
pub(super) fn after<R: Outcome>(command: CommandId, outcome: R, wanted: Option<(vk::Result, bool)>) -> R {
    let outcome = match wanted {
        Some((wanted, _)) => outcome.or(wanted),
        None => outcome,
    };
    outcome::logged(command, outcome)
}

pub(super) fn failed<R: Outcome>(command: CommandId, result: vk::Result) -> R {
    outcome::logged(command, R::failed(result))
}

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
                        let command = vkload_driver_runtime::registry::command::$command;
                        let wanted = wanted_of(command, &[$(crate::outcome::number_of(&$parameter)),*]);
                        if let Some((result, true)) = wanted {
                            return failed(command, result);
                        }
                        $($($write)*;)*
                        after(command, $value, wanted)
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
