//! Every command has a type.

use std::vec::Vec;

use loader_core::registry::{COMMAND_COUNT, CommandId};

use super::{all_1_gen, all_2_gen};

/// A list of commands with their types: that these belong together is checked while compiling.
macro_rules! typed {
    ($($command:ident: $pointer_type:ident,)*) => {
        pub(super) const ALL: &[loader_core::registry::CommandId] = &[$({
            let command = loader_core::registry::command::$command;
            assert!($crate::dispatch::is_type_of(stringify!($pointer_type), command));
            assert!(size_of::<$crate::types::$pointer_type>() == size_of::<$crate::dispatch::Command>());
            command
        }),*];
    };
}
pub(super) use typed;

#[test]
fn every_command_of_the_registry_has_a_type() {
    let all: Vec<CommandId> = all_1_gen::ALL.iter().chain(all_2_gen::ALL).copied().collect();
    assert_eq!(all.len(), COMMAND_COUNT);
    assert!(all.into_iter().eq(CommandId::all()));
}
