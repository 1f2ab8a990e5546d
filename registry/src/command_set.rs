//! Sets of commands.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler, or below a length that is compared"
)]

use super::tables::{self, COMMAND_FILES};
use super::{
    COMMAND_COUNT, CommandId, ExtensionId, ExtensionSet, FIRST_INSTANCE, command, extension, source,
};

const WORDS: usize = COMMAND_COUNT.div_ceil(64);

/// A set of commands of the registry: a query takes a few instructions, a
/// query of the tables as many for each extension of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSet([u64; WORDS]);

impl CommandSet {
    /// Returns the core commands, and the commands of the device extensions among `extensions` that instances
    /// without extensions know.
    pub const fn core_and_device_extensions(extensions: &ExtensionSet) -> Self {
        let extensions = extensions.without(&ExtensionSet::OF_INSTANCES);
        let mut words = [0; WORDS];
        each!(COMMAND_FILES, |file| {
            each!(file, |command| {
                if command.core != source::NOT_CORE || has_any(&extensions, command.providers) {
                    words[command.id as usize >> 6] |= 1 << (command.id & 63);
                }
            });
        });
        Self(words).without(&WITH_SURFACES)
    }

    /// Returns the commands of those enabled instance extensions that are in `known`.
    pub fn of_instance_extensions(enabled: &ExtensionSet, known: &ExtensionSet) -> Self {
        let surfaces = enabled.contains(extension::KHR_SURFACE);
        let mut set = if surfaces { WITH_SURFACES } else { Self([0; WORDS]) };
        for (command, extension) in OF_INSTANCE_EXTENSIONS {
            if enabled.contains(extension) && known.contains(extension) {
                set.insert(command);
            }
        }
        set
    }

    /// Returns the commands of these extensions.
    pub fn of_extensions(extensions: &ExtensionSet) -> Self {
        let mut set = Self([0; WORDS]);
        tables::commands_of(|id| extensions.contains(id)).for_each(|command| set.insert(command));
        set
    }

    /// Returns the set of these commands.
    pub const fn listed(commands: &[CommandId]) -> Self {
        let mut words = [0; WORDS];
        each!(commands, |command| { words[command.index() >> 6] |= 1 << (command.index() & 63) });
        Self(words)
    }

    /// Returns the commands of this set that are not in `others`.
    #[must_use]
    pub const fn without(mut self, others: &Self) -> Self {
        let mut word = 0;
        while word < WORDS {
            self.0[word] &= !others.0[word];
            word += 1;
        }
        self
    }

    /// Returns the commands of this set that take an object.
    #[must_use]
    pub const fn of_objects(mut self) -> Self {
        const { assert!(FIRST_INSTANCE < 64) }
        self.0[0] &= u64::MAX << FIRST_INSTANCE;
        self
    }

    /// Adds the commands of `others`.
    #[must_use]
    pub const fn with(mut self, others: &Self) -> Self {
        let mut word = 0;
        while word < WORDS {
            self.0[word] |= others.0[word];
            word += 1;
        }
        self
    }

    fn insert(&mut self, command: CommandId) {
        if let Some(word) = self.0.get_mut(command.index() >> 6) {
            *word |= 1 << (command.index() & 63);
        }
    }

    /// Returns whether the command with this number is in the set, for constants.
    const fn has(&self, command: u16) -> bool {
        self.0[command as usize >> 6] & (1 << (command & 63)) != 0
    }

    /// Returns whether the command is in the set.
    #[inline]
    pub fn contains(&self, command: CommandId) -> bool {
        self.0.get(command.index() >> 6).is_some_and(|word| word & (1 << (command.index() & 63)) != 0)
    }
}

const fn has_any(extensions: &ExtensionSet, providers: &[ExtensionId]) -> bool {
    each!(providers, |provider| {
        if extensions.contains(*provider) {
            return true;
        }
    });
    false
}

/// Commands that come with VK_KHR_surface and with nothing else, whichever extension the registry
/// assigns them to: shipped loaders do the same.
const WITH_SURFACES: CommandSet = CommandSet::listed(&[
    command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR,
    command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR,
    command::GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR,
    command::GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR,
    command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR,
]);

/// The other non-core commands of instance extensions, each with an extension that has it.
static OF_INSTANCE_EXTENSIONS: [(CommandId, ExtensionId); instance_extension_rows(&mut [])] = {
    let mut rows = [(command::CREATE_INSTANCE, extension::KHR_SURFACE); instance_extension_rows(&mut [])];
    instance_extension_rows(&mut rows);
    rows
};

/// Writes the rows of [`OF_INSTANCE_EXTENSIONS`] into `rows` while they fit. Returns their number.
const fn instance_extension_rows(rows: &mut [(CommandId, ExtensionId)]) -> usize {
    let mut count = 0;
    each!(COMMAND_FILES, |file| {
        each!(file, |command| {
            let mut provider = 0;
            while command.core == source::NOT_CORE && provider < command.providers.len() {
                let extension = command.providers[provider];
                if ExtensionSet::OF_INSTANCES.contains(extension) && !WITH_SURFACES.has(command.id) {
                    if count < rows.len() {
                        rows[count] = (CommandId::new(command.id), extension);
                    }
                    count += 1;
                }
                provider += 1;
            }
        });
    });
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_core_commands_and_those_of_device_extensions() {
        let extensions =
            ExtensionSet::new(&[extension::KHR_WAYLAND_SURFACE, extension::EXT_EXTENDED_DYNAMIC_STATE]);
        let set = CommandSet::core_and_device_extensions(&extensions);
        assert!(set.contains(command::CREATE_INSTANCE) && set.contains(command::CMD_SET_CULL_MODE));
        assert!(set.contains(command::CMD_SET_CULL_MODE_EXT));
        assert!(!set.contains(command::CREATE_WAYLAND_SURFACE_KHR), "of an instance extension");
        assert!(!set.contains(command::CMD_DRAW_MESH_TASKS_EXT), "of an extension that is not in the set");
    }

    #[test]
    fn a_set_holds_the_commands_of_extensions() {
        for extension in ExtensionId::all() {
            let set = CommandSet::of_extensions(&ExtensionSet::new(&[extension]));
            let is_its = |command: &CommandId| command.providers().any(|provider| provider == extension);
            assert!(CommandId::all().all(|command| set.contains(command) == is_its(&command)));
        }
    }

    #[test]
    fn a_set_holds_the_commands_of_instance_extensions_that_are_known() {
        let enabled = ExtensionSet::new(&[extension::KHR_SURFACE, extension::KHR_WIN32_SURFACE]);
        let known = ExtensionSet::new(&[extension::KHR_SURFACE, extension::KHR_DISPLAY]);
        let set = CommandSet::of_instance_extensions(&enabled, &known);
        let held: std::vec::Vec<_> = CommandId::all().filter(|command| set.contains(*command)).collect();
        let expected = [
            command::DESTROY_SURFACE_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR,
            command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR,
            command::GET_PHYSICAL_DEVICE_PRESENT_RECTANGLES_KHR,
            command::GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR,
            command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR,
        ];
        assert_eq!(held.len(), expected.len());
        assert!(expected.iter().all(|command| held.contains(command)));
    }

    #[test]
    fn every_command_is_always_there_or_with_an_instance_extension() {
        let all = ExtensionId::all().fold(ExtensionSet::default(), |mut set, id| {
            set.insert(id);
            set
        });
        let set = CommandSet::core_and_device_extensions(&all);
        let set = set.with(&CommandSet::of_instance_extensions(&all, &all));
        assert!(CommandId::all().all(|command| set.contains(command)));
    }
}
