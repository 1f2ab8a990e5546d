//! Checks that every command for which the registry's audit of handles requires a function has one.

use super::{hand_written, handled_gen};
use crate::dispatch;
use crate::objects::{device_terminator, has_upper_end, instance_terminator};
use crate::registry::{Class, CommandId};

/// Returns the commands without the global ones, which are exported by name: if one is gone, compilation
/// fails.
fn of_objects(commands: &'static [CommandId]) -> impl Iterator<Item = CommandId> {
    commands.iter().copied().filter(|command| command.class() != Class::Global)
}

#[test]
fn trampolines() {
    for command in of_objects(handled_gen::TRAMPOLINES) {
        assert!(hand_written(command).is_some(), "{:?}", command.name());
    }
}

#[test]
fn terminators() {
    for command in of_objects(handled_gen::TERMINATORS) {
        let own = device_terminator(command).or_else(|| instance_terminator(command));
        // The stamped-out piece would pass the parameters on as they are.
        let piece = command.instance_slot().and_then(|slot| dispatch::TERMINATORS.piece(slot));
        assert!(
            own.is_some() && own.map(|own| own as usize) != piece.map(|piece| piece as usize),
            "{:?}",
            command.name()
        );
    }
}

#[test]
fn upper_ends() {
    for command in of_objects(handled_gen::ABOVE_LAYERS) {
        assert!(hand_written(command).is_some() || has_upper_end(command), "{:?}", command.name());
    }
}
