//! The tables, built from the generated files, and the functions that search them.

use core::ffi::CStr;

use super::hash::{PerfectHash, slots_for};
use super::layout::{self, CommandRow, Commands, ExtensionRow, Extensions, Names, Sizes};
use super::source::{Command, Extension};
use super::{
    COMMAND_COUNT, CommandId, EXTENSION_COUNT, ExtensionId, commands_device_1_0_gen,
    commands_device_1_1_to_1_4_gen, commands_device_extensions_1_gen, commands_device_extensions_200_gen,
    commands_device_extensions_400_gen, commands_global_gen, commands_instance_gen,
    commands_physical_device_gen, extensions_1_gen, extensions_200_gen, extensions_400_gen,
};

/// The commands, as the generated files state them. Only for the compiler.
pub(super) const COMMAND_FILES: &[&[Command]] = &[
    commands_global_gen::ROWS,
    commands_instance_gen::ROWS,
    commands_physical_device_gen::ROWS,
    commands_device_1_0_gen::ROWS,
    commands_device_1_1_to_1_4_gen::ROWS,
    commands_device_extensions_1_gen::ROWS,
    commands_device_extensions_200_gen::ROWS,
    commands_device_extensions_400_gen::ROWS,
];

/// The extensions, as the generated files state them. Only for the compiler.
pub(super) const EXTENSION_FILES: &[&[Extension]] = &[
    extensions_1_gen::ROWS,
    extensions_200_gen::ROWS,
    extensions_400_gen::ROWS,
    #[cfg(feature = "every-extension")]
    super::extensions_of_drivers_gen::ROWS,
];

/// Returns a table with the value of each command that has a row. A later row replaces an earlier one.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
pub const fn table_by_command<T: Copy>(rows: &[&[(CommandId, T)]]) -> [Option<T>; COMMAND_COUNT] {
    let mut table = [None; COMMAND_COUNT];
    each!(rows, |part| {
        each!(part, |row| { table[row.0.index()] = Some(row.1) });
    });
    table
}

const COMMAND_SIZES: Sizes = layout::command_sizes(COMMAND_FILES);
const EXTENSION_SIZES: Sizes = layout::extension_sizes(EXTENSION_FILES);

/// All command tables. Each has its own static below, so that unused tables are left out.
const COMMANDS: Commands<COMMAND_COUNT, { COMMAND_SIZES.name_bytes }, { COMMAND_SIZES.providers }> =
    layout::commands(COMMAND_FILES);

/// All tables of extensions, in the same way.
const EXTENSIONS: Extensions<EXTENSION_COUNT, { EXTENSION_SIZES.name_bytes }> =
    layout::extensions(EXTENSION_FILES);

const _: () = assert!(COMMAND_SIZES.rows == COMMAND_COUNT && EXTENSION_SIZES.rows == EXTENSION_COUNT);

pub(super) static COMMANDS_BY_NAME: PerfectHash<
    { slots_for(COMMAND_COUNT) / 2 },
    { slots_for(COMMAND_COUNT) },
> = PerfectHash::new(&COMMAND_NAMES);

pub(super) static EXTENSIONS_BY_NAME: PerfectHash<
    { slots_for(EXTENSION_COUNT) / 2 },
    { slots_for(EXTENSION_COUNT) },
> = PerfectHash::new(&EXTENSION_NAMES);

static COMMAND_NAMES: Names<COMMAND_COUNT, { COMMAND_SIZES.name_bytes }> = COMMANDS.names;
static COMMAND_ROWS: [CommandRow; COMMAND_COUNT] = COMMANDS.rows;
static ALIASES: [u16; COMMAND_COUNT] = COMMANDS.aliases;
static RETURNS_RESULT: [bool; COMMAND_COUNT] = COMMANDS.returns_result;
static PROVIDERS: [u16; COMMAND_SIZES.providers] = COMMANDS.providers;

static EXTENSION_NAMES: Names<EXTENSION_COUNT, { EXTENSION_SIZES.name_bytes }> = EXTENSIONS.names;
static EXTENSION_ROWS: [ExtensionRow; EXTENSION_COUNT] = EXTENSIONS.rows;

/// Returns the name of a command with its NUL; only the NUL for a number without a command.
#[inline]
pub(super) const fn command_name(index: usize) -> &'static [u8] {
    match COMMAND_NAMES.get(index) {
        Some(name) => name,
        None => b"\0",
    }
}

/// Returns whether the command has this name. The NUL at the end of either keeps a prefix from matching.
#[inline]
pub(super) fn is_command_name(index: usize, name: &CStr) -> bool {
    let name = name.to_bytes_with_nul();
    COMMAND_NAMES.beginning(index, name.len()) == Some(name)
}

#[inline]
pub(super) fn command(index: usize) -> Option<&'static CommandRow> {
    COMMAND_ROWS.get(index)
}

/// Returns the number of the command that this one is an alias of, or [`layout::NO_ALIAS`].
#[expect(clippy::indexing_slicing, reason = "the index is compared with the length")]
pub(super) const fn alias(index: usize) -> u16 {
    if index < COMMAND_COUNT { ALIASES[index] } else { layout::NO_ALIAS }
}

pub(super) fn returns_result(index: usize) -> bool {
    RETURNS_RESULT.get(index).is_some_and(|returns_result| *returns_result)
}

pub(super) fn providers(index: usize) -> impl Iterator<Item = u16> {
    let first = |index| command(index).map_or(PROVIDERS.len(), |row| row.providers.into());
    (first(index)..first(index.saturating_add(1))).filter_map(|next| PROVIDERS.get(next).copied())
}

/// Returns the commands of certain extensions, some more than once.
pub(super) fn commands_of(is_one: impl Fn(ExtensionId) -> bool) -> impl Iterator<Item = CommandId> {
    let places = PROVIDERS.iter().zip(0u16..).filter(move |(id, _)| is_one(ExtensionId(**id)));
    // A provider belongs to the last command whose providers do not begin behind it.
    let others = COMMAND_ROWS.get(1..).unwrap_or_default();
    places.map(|(_, place)| CommandId(others.partition_point(|row| row.providers <= place) as u16))
}

/// Returns the name of an extension with its NUL; empty for a number without an extension.
#[inline]
pub(super) fn extension_name(index: usize) -> &'static [u8] {
    EXTENSION_NAMES.get(index).unwrap_or_default()
}

pub(super) fn extension(index: usize) -> Option<&'static ExtensionRow> {
    EXTENSION_ROWS.get(index)
}
