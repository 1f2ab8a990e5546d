//! Commands that call a newer form of themselves.

use loader_core::registry::CommandId;

use super::{Command, DispatchTable};

/// A command that the runtime has for drivers that write a newer form of it.
#[derive(Clone, Copy)]
pub(crate) struct Forward {
    pub(crate) command: CommandId,
    pub(crate) function: Command,
    /// What the function calls: it is of use only in a table that has one of these.
    pub(crate) calls: &'static [CommandId],
    /// What must be the runtime's, too: the function is of no use in a table that has one of these.
    pub(crate) replaces: &'static [CommandId],
}

impl DispatchTable {
    /// The same table with what `forwards` can do for it: each that the table lacks and whose newer form it has. What one of
    /// them adds counts for those after it.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub(crate) const fn forwarded(mut self, forwards: &[Forward]) -> Self {
        let before = self;
        let mut at = 0;
        while at < forwards.len() {
            let forward = forwards[at];
            if !self.const_has_any(&[forward.command])
                && self.const_has_any(forward.calls)
                && !before.const_has_any(forward.replaces)
            {
                self = self.with(forward.command, forward.function);
            }
            at += 1;
        }
        self
    }

    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    const fn const_has_any(&self, commands: &[CommandId]) -> bool {
        let mut at = 0;
        while at < commands.len() {
            if self.const_get(commands[at]).is_some() {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// A list of [`Forward`]s: each command with the type of its function, the function, and what this calls. Types are checked
/// while compiling.
macro_rules! forwards {
    ($(
        $command:ident: $pointer_type:ident = $function:expr => $($calls:ident)|+ $(, unless $($replaces:ident)|+)?;
    )*) => {
        &[$($crate::dispatch::Forward {
            command: {
                let command = loader_core::registry::command::$command;
                assert!($crate::dispatch::is_type_of(stringify!($pointer_type), command));
                command
            },
            function: {
                let function: $crate::types::$pointer_type = $function;
                // SAFETY: pointers to functions have the same size and meaning whatever their parameters; the function
                // is called with those of its command, which its type was checked for.
                unsafe { core::mem::transmute::<$crate::types::$pointer_type, $crate::dispatch::Command>(function) }
            },
            calls: &[$(loader_core::registry::command::$calls),+],
            replaces: &[$($(loader_core::registry::command::$replaces),+)?],
        }),*]
    };
}
pub(crate) use forwards;
