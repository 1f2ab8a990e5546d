//! Commands that look at the scenario before they do what they do.
//!
//! A look-up of a command that the scenario names gives the function that [`watched!`] makes for it: it has the parameters of
//! the command, asks the scenario, and calls the driver's function.

use driver_runtime::dispatch::Command;
use driver_runtime::registry::CommandId;
use driver_runtime::{Tables, vk};

use crate::Null;

/// What commands return, and what they return when they fail.
pub(crate) trait Outcome {
    fn failed(result: vk::Result) -> Self;
}

impl Outcome for vk::Result {
    fn failed(result: vk::Result) -> Self {
        result
    }
}

impl Outcome for () {
    fn failed(_: vk::Result) {}
}

impl Outcome for u32 {
    fn failed(_: vk::Result) -> Self {
        0
    }
}

impl Outcome for u64 {
    fn failed(_: vk::Result) -> Self {
        0
    }
}

/// Functions for commands of each number of parameters.
macro_rules! by_count {
    ($($count:ident($($parameter:ident: $type:ident),*);)*) => {$(
        /// The function that watches the command with number `ID`, of the type of `_like`.
        pub(super) fn $count<const ID: usize, R: Outcome, $($type),*>(
            _like: unsafe extern "system" fn($($type),*) -> R,
        ) -> Command {
            unsafe extern "system" fn call<const ID: usize, R: Outcome, $($type),*>($($parameter: $type),*) -> R {
                let command = CommandId::new(ID as u16).canonical();
                if let Some(failure) = super::get().before(command.name()) {
                    return R::failed(failure);
                }
                // SAFETY: the driver's function of this command has the type that this one was made for; the caller
                // keeps the specification's promises.
                unsafe {
                    let function = Null::TABLE.get(command).expect("a command of the driver");
                    let function = core::mem::transmute_copy::<
                        Command,
                        unsafe extern "system" fn($($type),*) -> R,
                    >(&function);
                    function($($parameter),*)
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
        /// The function that watches a command, if it can be watched. `function` is the driver's.
        pub(super) fn function(
            command: driver_runtime::registry::CommandId,
            function: driver_runtime::dispatch::Command,
        ) -> Option<driver_runtime::dispatch::Command> {
            use driver_runtime::registry::command as known;
            use driver_runtime::{dispatch, vk};

            $(
                const _: () = assert!(dispatch::is_type_of(stringify!($pointer_type), known::$command));
                if command.canonical() == known::$command.canonical() {
                    const ID: usize = known::$command.index();
                    // SAFETY: pointers to functions have the same size and meaning whatever their parameters; this one
                    // is not called, only its type counts, which is the command's.
                    let like = unsafe {
                        core::mem::transmute::<dispatch::Command, vk::$pointer_type>(function)
                    };
                    return Some(watched!($count ID like));
                }
            )*
            None
        }
    };
}
pub(super) use watched;
