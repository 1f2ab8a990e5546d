//! The tables, laid out from the generated files, and the look-ups in them.

use core::ffi::CStr;

use super::layout::{self, CommandRow, Commands, ExtensionRow, Extensions, ProviderRow, Sizes, step};
use super::source::{Command, Extension};
use super::{
    COMMAND_COUNT, EXTENSION_COUNT, commands_device_1_0_gen, commands_device_1_1_to_1_4_gen,
    commands_device_extensions_1_gen, commands_device_extensions_200_gen, commands_device_extensions_400_gen,
    commands_global_gen, commands_instance_gen, commands_physical_device_gen, extensions_1_gen,
    extensions_200_gen, extensions_400_gen,
};

/// The commands, as the generated files state them. For the compiler only.
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

/// The extensions, as the generated files state them. For the compiler only.
pub(super) const EXTENSION_FILES: &[&[Extension]] =
    &[extensions_1_gen::ROWS, extensions_200_gen::ROWS, extensions_400_gen::ROWS];

const COMMAND_SIZES: Sizes = layout::command_sizes(COMMAND_FILES);
const EXTENSION_SIZES: Sizes = layout::extension_sizes(EXTENSION_FILES);

static COMMANDS: Commands<
    COMMAND_COUNT,
    { COMMAND_SIZES.name_bytes },
    { COMMAND_SIZES.providers },
    { COMMAND_SIZES.steps },
> = layout::commands(COMMAND_FILES);

static EXTENSIONS: Extensions<EXTENSION_COUNT, { EXTENSION_SIZES.name_bytes }, { EXTENSION_SIZES.steps }> =
    layout::extensions(EXTENSION_FILES);

const _: () = assert!(COMMAND_SIZES.rows == COMMAND_COUNT && EXTENSION_SIZES.rows == EXTENSION_COUNT);

/// The name of a command with its NUL; empty but for the NUL for a number that no command has.
#[inline]
pub(super) fn command_name(index: usize) -> &'static [u8] {
    COMMANDS.name_spans.get(index).map_or(b"\0", |span| span.of(&COMMANDS.names))
}

/// Whether the command has this name. The NUL at the end of either keeps the beginning of one from being the other.
#[inline]
pub(super) fn is_command_name(index: usize, name: &CStr) -> bool {
    let known = COMMANDS.name_spans.get(index).and_then(|span| span.start_of(&COMMANDS.names));
    known.is_some_and(|known| known.starts_with(name.to_bytes_with_nul()))
}

/// As [`command_name`], for constants.
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a failure is an error of the build"
)]
pub(super) const fn const_command_name(index: usize) -> &'static [u8] {
    let (start, len) = COMMANDS.name_spans[index].parts();
    COMMANDS.names.split_at(start).1.split_at(len).0
}

/// The alias in the row of a command, for constants; [`layout::NO_ALIAS`] if there is none.
pub(super) const fn const_alias(index: usize) -> u16 {
    if index < COMMAND_COUNT {
        #[expect(clippy::indexing_slicing, reason = "the index was compared")]
        COMMANDS.rows[index].alias
    } else {
        layout::NO_ALIAS
    }
}

/// The row of a command.
#[inline]
pub(super) fn command(index: usize) -> Option<&'static CommandRow> {
    COMMANDS.rows.get(index)
}

/// The extensions that have a command.
pub(super) fn providers(index: usize) -> &'static [ProviderRow] {
    command(index).map_or(&[], |row| row.providers.of(&COMMANDS.providers))
}

/// The steps of a provider's condition.
pub(super) fn provider_condition(row: &ProviderRow) -> &'static [u16] {
    row.condition.of(&COMMANDS.steps)
}

/// The name of an extension with its NUL; empty for a number that no extension has.
#[inline]
pub(super) fn extension_name(index: usize) -> &'static [u8] {
    EXTENSIONS.name_spans.get(index).map_or(&[], |span| span.of(&EXTENSIONS.names))
}

/// The row of an extension.
pub(super) fn extension(index: usize) -> Option<&'static ExtensionRow> {
    EXTENSIONS.rows.get(index)
}

/// The steps of what an extension needs.
pub(super) fn extension_condition(index: usize) -> &'static [u16] {
    extension(index).map_or(&[], |row| row.condition.of(&EXTENSIONS.steps))
}

/// Whether a condition holds. The results of its steps are the low bits of a word; no condition of the registry has
/// more than a few open at once, and no steps at all hold.
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
