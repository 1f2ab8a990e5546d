//! Commands that check the scenario before their own work.
//!
//! A look-up of a command that the scenario names returns the function that [`watched!`] defines for it: it has the
//! command's parameters, checks the scenario, and calls the driver's function.

mod list;

use vkload_driver_runtime::Tables;
use vkload_driver_runtime::dispatch::Command;
use vkload_driver_runtime::registry::CommandId;

use crate::Null;
use crate::outcome::{Outcome, logged, number_of, stops};
use crate::scenario;

pub(crate) use list::function;

/// Functions for commands of each number of parameters.
macro_rules! by_count {
    ($($count:ident($($parameter:ident: $type:ident),*);)*) => {$(
        /// The function that watches the command with number `ID`, of the type of `_like`.
        fn $count<const ID: usize, R: Outcome, $($type),*>(
            _like: unsafe extern "system" fn($($type),*) -> R,
        ) -> Command {
            unsafe extern "system" fn call<const ID: usize, R: Outcome, $($type),*>($($parameter: $type),*) -> R {
                let command = CommandId::new(ID as u16).canonical();
                let parameters = [$(number_of(&$parameter)),*];
                // SAFETY: the parameters come from the call, whose first one is a handle or a pointer.
                let wanted = unsafe { scenario::get().before(command.name(), &parameters) };
                if let Some(wanted) = wanted {
                    // SAFETY: as above.
                    if unsafe { stops(command, parameters[0], wanted) } {
                        return logged(command, R::failed(wanted));
                    }
                }
                // SAFETY: the driver's function of this command has the type that this one was made for; the caller
                // keeps the specification's promises.
                unsafe {
                    let function = Null::TABLE.get(command).expect("a command of the driver");
                    let function = core::mem::transmute_copy::<
                        Command,
                        unsafe extern "system" fn($($type),*) -> R,
                    >(&function);
                    let outcome = function($($parameter),*);
                    logged(command, match wanted {
                        Some(wanted) => outcome.or(wanted),
                        None => outcome,
                    })
                }
            }
            let call: unsafe extern "system" fn($($type),*) -> R = call::<ID, R, $($type),*>;
            // SAFETY: pointers to functions have the same size and meaning whatever their parameters.
            unsafe { core::mem::transmute_copy(&call) }
        }
    )*};
}

by_count! {
    one(a: A);
    two(a: A, b: B);
    three(a: A, b: B, c: C);
    four(a: A, b: B, c: C, d: D);
    five(a: A, b: B, c: C, d: D, e: E);
    six(a: A, b: B, c: C, d: D, e: E, f: F);
    seven(a: A, b: B, c: C, d: D, e: E, f: F, g: G);
    eight(a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H);
}

/// A list of commands with how many parameters each has.
macro_rules! watched {
    (one $id:ident $like:ident) => { watch::one::<$id, _, _>($like) };
    (two $id:ident $like:ident) => { watch::two::<$id, _, _, _>($like) };
    (three $id:ident $like:ident) => { watch::three::<$id, _, _, _, _>($like) };
    (four $id:ident $like:ident) => { watch::four::<$id, _, _, _, _, _>($like) };
    (five $id:ident $like:ident) => { watch::five::<$id, _, _, _, _, _, _>($like) };
    (six $id:ident $like:ident) => { watch::six::<$id, _, _, _, _, _, _, _>($like) };
    (seven $id:ident $like:ident) => { watch::seven::<$id, _, _, _, _, _, _, _, _>($like) };
    (eight $id:ident $like:ident) => { watch::eight::<$id, _, _, _, _, _, _, _, _, _>($like) };
    ($($count:ident $command:ident: $pointer_type:ident;)*) => {
        /// Returns the function that watches a command, if it can be watched. `function` is the driver's.
        pub(crate) fn function(
            command: vkload_driver_runtime::registry::CommandId,
            function: vkload_driver_runtime::dispatch::Command,
        ) -> Option<vkload_driver_runtime::dispatch::Command> {
            use vkload_driver_runtime::registry::command as known;
            use vkload_driver_runtime::{dispatch, types};

            $(
                const _: () = assert!(dispatch::is_type_of(stringify!($pointer_type), known::$command));
                if command.canonical() == known::$command.canonical() {
                    const ID: usize = known::$command.index();
                    // SAFETY: pointers to functions have the same size and meaning whatever their parameters; this one
                    // is not called, only its type counts, which is the command's.
                    let like = unsafe {
                        core::mem::transmute::<dispatch::Command, types::$pointer_type>(function)
                    };
                    return Some(watched!($count ID like));
                }
            )*
            None
        }
    };
}
use watched;

#[cfg(test)]
mod tests {
    use vkload_driver_runtime::registry::command;

    use super::*;
    use crate::defaults;

    unsafe extern "system" fn any() {}

    #[test]
    fn every_core_command_that_is_not_recorded_can_fail_or_wait() {
        for id in CommandId::all().filter(|id| id.core().is_some()) {
            let name = id.name().to_str().unwrap();
            let is_look_up = [command::GET_INSTANCE_PROC_ADDR, command::GET_DEVICE_PROC_ADDR].contains(&id);
            let expected = !name.starts_with("vkCmd") && !is_look_up;
            assert_eq!(function(id, any).is_some(), expected, "{name}");
        }
    }

    #[test]
    fn a_scenario_takes_exactly_the_commands_that_can_fail_or_wait() {
        let checks = |id: CommandId| function(id, any).is_some() || defaults::asks(id);
        let differing = CommandId::all().filter(|id| scenario::can_fail(*id) != checks(*id));
        let names: std::vec::Vec<_> = differing.map(CommandId::name).collect();
        assert_eq!(names, [c""; 0]);
    }
}
