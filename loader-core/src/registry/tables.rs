//! The tables, built from the generated files, and the look-ups in them.

use core::ffi::CStr;

use super::layout::{self, CommandRow, Commands, ExtensionRow, Extensions, Names, Sizes, Span, step};
use super::source::{Command, Extension};
use super::{
    COMMAND_COUNT, EXTENSION_COUNT, Promotion, commands_device_1_0_gen, commands_device_1_1_to_1_4_gen,
    commands_device_extensions_1_gen, commands_device_extensions_200_gen, commands_device_extensions_400_gen,
    commands_global_gen, commands_instance_gen, commands_physical_device_gen, extensions_1_gen,
    extensions_200_gen, extensions_400_gen,
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
pub(super) const EXTENSION_FILES: &[&[Extension]] =
    &[extensions_1_gen::ROWS, extensions_200_gen::ROWS, extensions_400_gen::ROWS];

const COMMAND_SIZES: Sizes = layout::command_sizes(COMMAND_FILES);
const EXTENSION_SIZES: Sizes = layout::extension_sizes(EXTENSION_FILES);

/// All tables of commands. Each is a static of its own below, so that unused ones are left out.
const COMMANDS: Commands<
    COMMAND_COUNT,
    { COMMAND_SIZES.name_bytes },
    { COMMAND_SIZES.providers },
    { COMMAND_SIZES.steps },
> = layout::commands(COMMAND_FILES);

/// All tables of extensions, likewise.
const EXTENSIONS: Extensions<EXTENSION_COUNT, { EXTENSION_SIZES.name_bytes }, { EXTENSION_SIZES.steps }> =
    layout::extensions(EXTENSION_FILES);

const _: () = assert!(COMMAND_SIZES.rows == COMMAND_COUNT && EXTENSION_SIZES.rows == EXTENSION_COUNT);

static COMMAND_NAMES: Names<COMMAND_COUNT, { COMMAND_SIZES.name_bytes }> = COMMANDS.names;
static COMMAND_ROWS: [CommandRow; COMMAND_COUNT] = COMMANDS.rows;
static ALIASES: [u16; COMMAND_COUNT] = COMMANDS.aliases;
static PROVIDERS: [u16; COMMAND_SIZES.providers] = COMMANDS.providers;
static PROVIDER_CONDITIONS: [Span; COMMAND_SIZES.providers] = COMMANDS.conditions;
static PROVIDER_STEPS: [u16; COMMAND_SIZES.steps] = COMMANDS.steps;

static EXTENSION_NAMES: Names<EXTENSION_COUNT, { EXTENSION_SIZES.name_bytes }> = EXTENSIONS.names;
static EXTENSION_ROWS: [ExtensionRow; EXTENSION_COUNT] = EXTENSIONS.rows;
static PROMOTIONS: [Promotion; EXTENSION_COUNT] = EXTENSIONS.promotions;
static EXTENSION_CONDITIONS: [Span; EXTENSION_COUNT] = EXTENSIONS.conditions;
static EXTENSION_STEPS: [u16; EXTENSION_SIZES.steps] = EXTENSIONS.steps;

/// The name of a command with its NUL; only the NUL for a number without a command.
#[inline]
pub(super) const fn command_name(index: usize) -> &'static [u8] {
    match COMMAND_NAMES.get(index) {
        Some(name) => name,
        None => b"\0",
    }
}

/// Whether the command has this name. The NUL at the end of either keeps a prefix from matching.
#[inline]
pub(super) fn is_command_name(index: usize, name: &CStr) -> bool {
    let name = name.to_bytes_with_nul();
    COMMAND_NAMES.beginning(index, name.len()) == Some(name)
}

/// The row of a command.
#[inline]
pub(super) fn command(index: usize) -> Option<&'static CommandRow> {
    COMMAND_ROWS.get(index)
}

/// The number of the command that this one is an alias of, or [`layout::NO_ALIAS`].
#[expect(clippy::indexing_slicing, reason = "the index is compared with the length")]
pub(super) const fn alias(index: usize) -> u16 {
    if index < COMMAND_COUNT { ALIASES[index] } else { layout::NO_ALIAS }
}

/// The numbers of the extensions that provide a command, each with the steps of its condition.
pub(super) fn providers(index: usize) -> impl Iterator<Item = (u16, &'static [u16])> {
    let first = |index| command(index).map_or(PROVIDERS.len(), |row| row.providers.into());
    let part = first(index)..first(index.saturating_add(1));
    // A caller that needs no conditions does not pull in that table.
    let condition =
        |place: usize| PROVIDER_CONDITIONS.get(place).map_or(&[][..], |it| it.of(&PROVIDER_STEPS));
    part.filter_map(move |place| Some((*PROVIDERS.get(place)?, condition(place))))
}

/// The name of an extension with its NUL; empty for a number without an extension.
#[inline]
pub(super) fn extension_name(index: usize) -> &'static [u8] {
    EXTENSION_NAMES.get(index).unwrap_or_default()
}

/// The row of an extension.
pub(super) fn extension(index: usize) -> Option<&'static ExtensionRow> {
    EXTENSION_ROWS.get(index)
}

/// What became of an extension.
pub(super) fn promotion(index: usize) -> Promotion {
    PROMOTIONS.get(index).copied().unwrap_or(Promotion::None)
}

/// The steps of the condition that an extension requires.
pub(super) fn extension_condition(index: usize) -> &'static [u16] {
    EXTENSION_CONDITIONS.get(index).map_or(&[], |condition| condition.of(&EXTENSION_STEPS))
}

/// Whether a condition holds. The results of its steps are the low bits of a word; no condition of
/// the registry has more than a few open at once, and a condition without steps holds.
pub(super) fn holds(steps: &[u16], core_minor: u8, mut enabled: impl FnMut(u16) -> bool) -> bool {
    let mut results: u32 = 1;
    for current in steps {
        let result = match *current {
            step::BOTH | step::EITHER => {
                let (last, before) = (results & 1, (results >> 1) & 1);
                results >>= 2;
                if *current == step::BOTH { last & before } else { last | before }
            }
            step::NEVER => 0,
            version if version & step::CORE != 0 => u32::from(u16::from(core_minor) >= version & 0xFF),
            extension => u32::from(enabled(extension)),
        };
        results = (results << 1) | result;
    }
    results & 1 != 0
}
