//! Converts the [`source`] of the generated files to tables, at compile time.
//!
//! Every table is an array of small integers. In the loader, only [`Names`] are read: everything else here
//! runs in the compiler, where a mistake is a build error.
//!
//! [`source`]: super::source
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler, which reports a failure as an error; sums of two u16 fit a usize"
)]

use super::source::{Command, Extension};
use super::{Class, CommandId, ExtensionKind, VulkanPlatform};

/// The value for a command without an alias.
pub(super) const NO_ALIAS: u16 = u16::MAX;

pub(super) struct Names<const ROWS: usize, const BYTES: usize> {
    starts: [u16; ROWS],
    bytes: [u8; BYTES],
}

impl<const ROWS: usize, const BYTES: usize> Names<ROWS, BYTES> {
    #[inline]
    pub(super) const fn get(&self, index: usize) -> Option<&[u8]> {
        if index >= ROWS {
            return None;
        }
        let end = if index + 1 < ROWS { self.starts[index + 1] as usize } else { BYTES };
        let Some((names, _)) = self.bytes.split_at_checked(end) else { return None };
        match names.split_at_checked(self.starts[index] as usize) {
            Some((_, name)) => Some(name),
            None => None,
        }
    }

    /// Returns this many bytes from the beginning of a name, which may end before or after the name does.
    #[inline]
    pub(super) fn beginning(&self, index: usize, length: usize) -> Option<&[u8]> {
        let start = *self.starts.get(index)? as usize;
        self.bytes.get(start..start.wrapping_add(length))
    }
}

#[derive(Clone, Copy)]
pub(super) struct CommandRow {
    pub(super) class: Class,
    pub(super) core: u8,
    /// The index of its first provider. Its providers end before the first provider of the next command.
    pub(super) providers: u16,
}

#[derive(Clone, Copy)]
pub(super) struct ExtensionRow {
    pub(super) spec_version: u16,
    pub(super) kind: ExtensionKind,
    pub(super) platform: VulkanPlatform,
}

#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) name_bytes: usize,
    pub(super) providers: usize,
}

pub(super) struct Commands<const ROWS: usize, const BYTES: usize, const PROVIDERS: usize> {
    pub(super) names: Names<ROWS, BYTES>,
    pub(super) rows: [CommandRow; ROWS],
    pub(super) aliases: [u16; ROWS],
    pub(super) returns_result: [bool; ROWS],
    pub(super) providers: [u16; PROVIDERS],
}

pub(super) struct Extensions<const ROWS: usize, const BYTES: usize> {
    pub(super) names: Names<ROWS, BYTES>,
    pub(super) rows: [ExtensionRow; ROWS],
}

pub(super) const fn command_sizes(files: &[&[Command]]) -> Sizes {
    let mut sizes = Sizes { rows: 0, name_bytes: 0, providers: 0 };
    each!(files, |file| {
        each!(file, |command| {
            sizes.rows += 1;
            sizes.name_bytes += command.name.len() + 1;
            sizes.providers += command.providers.len();
        });
    });
    sizes
}

pub(super) const fn extension_sizes(files: &[&[Extension]]) -> Sizes {
    let mut sizes = Sizes { rows: 0, name_bytes: 0, providers: 0 };
    each!(files, |file| {
        each!(file, |extension| {
            sizes.rows += 1;
            sizes.name_bytes += extension.name.len() + 1;
        });
    });
    sizes
}

pub(super) const fn commands<const ROWS: usize, const BYTES: usize, const PROVIDERS: usize>(
    files: &[&[Command]],
) -> Commands<ROWS, BYTES, PROVIDERS> {
    let empty_row = CommandRow { class: Class::Global, core: 0, providers: 0 };
    let mut tables = Commands {
        names: Names { starts: [0; ROWS], bytes: [0; BYTES] },
        rows: [empty_row; ROWS],
        aliases: [NO_ALIAS; ROWS],
        returns_result: [false; ROWS],
        providers: [0; PROVIDERS],
    };
    let (mut id, mut bytes, mut providers) = (0, 0, 0);
    each!(files, |file| {
        each!(file, |command| {
            assert!(command.id as usize == id, "the numbers of the generated files must follow each other");
            tables.returns_result[id] = command.returns_result;
            tables.names.starts[id] = narrow(bytes);
            bytes = write_name(&mut tables.names.bytes, bytes, command.name);
            let providers_start = providers;
            each!(command.providers, |provider| {
                tables.providers[providers] = narrow(provider.index());
                providers += 1;
            });
            tables.rows[id] =
                CommandRow { class: command.class, core: command.core, providers: narrow(providers_start) };
            tables.aliases[id] = alias(command.alias);
            id += 1;
        });
    });
    tables
}

pub(super) const fn extensions<const ROWS: usize, const BYTES: usize>(
    files: &[&[Extension]],
) -> Extensions<ROWS, BYTES> {
    let empty_row =
        ExtensionRow { spec_version: 0, kind: ExtensionKind::Instance, platform: VulkanPlatform::None };
    let mut tables =
        Extensions { names: Names { starts: [0; ROWS], bytes: [0; BYTES] }, rows: [empty_row; ROWS] };
    let (mut id, mut bytes) = (0, 0);
    each!(files, |file| {
        each!(file, |extension| {
            assert!(extension.id as usize == id, "the numbers of the generated files must follow each other");
            tables.names.starts[id] = narrow(bytes);
            bytes = write_name(&mut tables.names.bytes, bytes, extension.name);
            tables.rows[id] = ExtensionRow {
                spec_version: narrow(extension.spec_version as usize),
                kind: extension.kind,
                platform: extension.platform,
            };
            id += 1;
        });
    });
    tables
}

const fn alias(of: &[CommandId]) -> u16 {
    if of.is_empty() { NO_ALIAS } else { narrow(of[0].index()) }
}

const fn write_name(names: &mut [u8], start: usize, name: &str) -> usize {
    let mut at = 0;
    while at < name.len() {
        assert!(name.as_bytes()[at] != 0, "a name is a C string");
        names[start + at] = name.as_bytes()[at];
        at += 1;
    }
    start + at + 1
}

const fn narrow(value: usize) -> u16 {
    assert!(value < 0x8000, "the tables use 15 bits");
    value as u16
}
