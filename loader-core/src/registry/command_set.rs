//! Sets of commands.
#![forbid(unsafe_code)]

use super::tables::COMMAND_FILES;
use super::{COMMAND_COUNT, CommandId, ExtensionSet, FIRST_INSTANCE, source};

const WORDS: usize = COMMAND_COUNT.div_ceil(64);

/// A set of commands of the registry, made while compiling: to ask it takes a few instructions, to ask the tables takes
/// as many for each extension of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSet([u64; WORDS]);

impl CommandSet {
    /// The commands of `extensions` that are not core.
    #[must_use]
    pub const fn of(extensions: &ExtensionSet) -> Self {
        Self::select(extensions, false)
    }

    /// The core commands, and those of `extensions`.
    #[must_use]
    pub const fn core_and(extensions: &ExtensionSet) -> Self {
        Self::select(extensions, true)
    }

    /// These commands.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const fn listed(commands: &[CommandId]) -> Self {
        let mut words = [0; WORDS];
        let mut index = 0;
        while index < commands.len() {
            words[commands[index].index() >> 6] |= 1 << (commands[index].index() & 63);
            index += 1;
        }
        Self(words)
    }

    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    const fn select(extensions: &ExtensionSet, core: bool) -> Self {
        let mut words = [0; WORDS];
        let mut file = 0;
        while file < COMMAND_FILES.len() {
            let mut row = 0;
            while row < COMMAND_FILES[file].len() {
                let command = &COMMAND_FILES[file][row];
                let is_core = command.core != source::NOT_CORE;
                if (is_core && core) || (!is_core && has_any(extensions, command.providers)) {
                    words[command.id as usize >> 6] |= 1 << (command.id & 63);
                }
                row += 1;
            }
            file += 1;
        }
        Self(words)
    }

    /// The commands of this set that are not in `others`.
    #[must_use]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
    pub const fn without(mut self, others: &Self) -> Self {
        let mut word = 0;
        while word < WORDS {
            self.0[word] &= !others.0[word];
            word += 1;
        }
        self
    }

    /// The commands of this set that are given an object.
    #[must_use]
    pub const fn of_objects(mut self) -> Self {
        const { assert!(FIRST_INSTANCE < 64) }
        self.0[0] &= u64::MAX << FIRST_INSTANCE;
        self
    }

    /// Whether the command is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, command: CommandId) -> bool {
        self.0.get(command.index() >> 6).is_some_and(|word| word & (1 << (command.index() & 63)) != 0)
    }
}

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn has_any(extensions: &ExtensionSet, providers: &[source::Provider]) -> bool {
    let mut provider = 0;
    while provider < providers.len() {
        if extensions.contains(providers[provider].extension) {
            return true;
        }
        provider += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{command, extension};

    #[test]
    fn a_set_holds_the_commands_of_its_extensions_and_core_ones_if_asked() {
        let wayland =
            ExtensionSet::new(&[extension::KHR_WAYLAND_SURFACE, extension::EXT_EXTENDED_DYNAMIC_STATE]);
        let (of, core_and) = (CommandSet::of(&wayland), CommandSet::core_and(&wayland));
        for set in [&of, &core_and] {
            assert!(set.contains(command::CREATE_WAYLAND_SURFACE_KHR));
            assert!(set.contains(command::CMD_SET_CULL_MODE_EXT));
            assert!(!set.contains(command::CREATE_XCB_SURFACE_KHR));
        }
        assert!(core_and.contains(command::CMD_SET_CULL_MODE) && !of.contains(command::CMD_SET_CULL_MODE));
        assert!(core_and.contains(command::CREATE_INSTANCE) && !of.contains(command::CREATE_INSTANCE));
    }
}
