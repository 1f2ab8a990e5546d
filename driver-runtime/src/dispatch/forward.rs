//! Commands that call a newer form of themselves.

use vkload_core::registry::CommandId;

use super::{Command, DispatchTable};

/// A command that the runtime has for drivers that write a newer form of it.
#[derive(Clone, Copy)]
pub(crate) struct Forward {
    pub(crate) command: CommandId,
    pub(crate) function: Command,
    /// The commands that the function calls: it is used only in a table that has one of these.
    pub(crate) calls: &'static [CommandId],
    /// Commands that the table must not have before any forwarder: otherwise the function is not used.
    pub(crate) replaces: &'static [CommandId],
}

impl DispatchTable {
    /// Returns the same table with the usable `forwards`: the table lacks the command and has its newer form. Each
    /// addition counts for later entries.
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

/// A list of [`Forward`]s: each command with its function, as [`entry_points!`](crate::entry_points) has them, and the
/// commands that it calls.
macro_rules! forwards {
    ($($name:ident = $function:expr => $($calls:ident)|+ $(, unless $($replaces:ident)|+)?;)*) => {
        &[$($crate::dispatch::Forward {
            command: $crate::calls::$name::ID,
            function: $crate::calls::$name::function($function),
            calls: &[$(vkload_core::registry::command::$calls),+],
            replaces: &[$($(vkload_core::registry::command::$replaces),+)?],
        }),*]
    };
}
pub(crate) use forwards;
