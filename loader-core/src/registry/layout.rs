//! From the [`source`] of the generated files to tables, at compile time.
//!
//! Every table is an array of small integers; if a row has several of something, it has a [`Span`]
//! of another table. Only reading from [`Span`]s and [`Names`] runs in the loader; a mistake here
//! is a build error.
//!
//! [`source`]: super::source
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "evaluated by the compiler, which reports a failure as an error; sums of two u16 fit a usize"
)]

use super::source::{Command, Condition, Extension, Provider};
use super::{Class, CommandId, ExtensionKind, Platform, Promotion};

/// The value for a command without an alias.
pub(super) const NO_ALIAS: u16 = u16::MAX;

/// A part of another table.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: u16,
    len: u16,
}

impl Span {
    pub(super) const EMPTY: Self = Self { start: 0, len: 0 };

    /// This part of `table`.
    #[inline]
    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        let start = self.start as usize;
        table.get(start..start + self.len as usize).unwrap_or_default()
    }

    const fn new(start: usize, end: usize) -> Self {
        Self { start: narrow(start), len: narrow(end - start) }
    }
}

/// Names, one after another, each with its NUL.
pub(super) struct Names<const ROWS: usize, const BYTES: usize> {
    starts: [u16; ROWS],
    bytes: [u8; BYTES],
}

impl<const ROWS: usize, const BYTES: usize> Names<ROWS, BYTES> {
    /// A name with its NUL.
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

    /// This many bytes from the beginning of a name, which may end before or after the name does.
    #[inline]
    pub(super) fn beginning(&self, index: usize, length: usize) -> Option<&[u8]> {
        let start = *self.starts.get(index)? as usize;
        self.bytes.get(start..start.wrapping_add(length))
    }
}

/// A command.
#[derive(Clone, Copy)]
pub(super) struct CommandRow {
    pub(super) class: Class,
    pub(super) core: u8,
    /// The index of its first provider; they end where those of the next command begin.
    pub(super) providers: u16,
}

/// An extension.
#[derive(Clone, Copy)]
pub(super) struct ExtensionRow {
    pub(super) spec_version: u16,
    pub(super) kind: ExtensionKind,
    pub(super) platform: Platform,
}

/// Steps of conditions in postfix order: the number of an extension that must be enabled, or one of
/// the steps below.
pub(super) mod step {
    /// With a minor version in the low byte: that version of Vulkan 1 or newer.
    pub(in crate::registry) const CORE: u16 = 0x8000;
    /// The two preceding results must both hold.
    pub(in crate::registry) const BOTH: u16 = 0xC000;
    /// One of the two preceding results must hold.
    pub(in crate::registry) const EITHER: u16 = 0xC001;
    /// Never holds.
    pub(in crate::registry) const NEVER: u16 = 0xC002;
}

/// Numbers and sizes of the tables that the commands need.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) name_bytes: usize,
    pub(super) providers: usize,
    pub(super) steps: usize,
}

/// The tables of commands.
pub(super) struct Commands<const ROWS: usize, const BYTES: usize, const PROVIDERS: usize, const STEPS: usize>
{
    pub(super) names: Names<ROWS, BYTES>,
    pub(super) rows: [CommandRow; ROWS],
    pub(super) aliases: [u16; ROWS],
    /// The extensions that provide each command.
    pub(super) providers: [u16; PROVIDERS],
    /// The conditions under which they do.
    pub(super) conditions: [Span; PROVIDERS],
    pub(super) steps: [u16; STEPS],
}

/// The tables of extensions.
pub(super) struct Extensions<const ROWS: usize, const BYTES: usize, const STEPS: usize> {
    pub(super) names: Names<ROWS, BYTES>,
    pub(super) rows: [ExtensionRow; ROWS],
    pub(super) promotions: [Promotion; ROWS],
    /// The requirements of each extension.
    pub(super) conditions: [Span; ROWS],
    pub(super) steps: [u16; STEPS],
}

pub(super) const fn command_sizes(files: &[&[Command]]) -> Sizes {
    let mut sizes = Sizes { rows: 0, name_bytes: 0, providers: 0, steps: 0 };
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let command = &files[file][row];
            sizes.rows += 1;
            sizes.name_bytes += command.name.len() + 1;
            sizes.providers += command.providers.len();
            let mut provider = 0;
            while provider < command.providers.len() {
                sizes.steps += step_count(&command.providers[provider].condition);
                provider += 1;
            }
            row += 1;
        }
        file += 1;
    }
    sizes
}

pub(super) const fn extension_sizes(files: &[&[Extension]]) -> Sizes {
    let mut sizes = Sizes { rows: 0, name_bytes: 0, providers: 0, steps: 0 };
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let extension = &files[file][row];
            sizes.rows += 1;
            sizes.name_bytes += extension.name.len() + 1;
            sizes.steps += step_count(&extension.needs);
            row += 1;
        }
        file += 1;
    }
    sizes
}

pub(super) const fn commands<
    const ROWS: usize,
    const BYTES: usize,
    const PROVIDERS: usize,
    const STEPS: usize,
>(
    files: &[&[Command]],
) -> Commands<ROWS, BYTES, PROVIDERS, STEPS> {
    let empty_row = CommandRow { class: Class::Global, core: 0, providers: 0 };
    let mut tables = Commands {
        names: Names { starts: [0; ROWS], bytes: [0; BYTES] },
        rows: [empty_row; ROWS],
        aliases: [NO_ALIAS; ROWS],
        providers: [0; PROVIDERS],
        conditions: [Span::EMPTY; PROVIDERS],
        steps: [0; STEPS],
    };
    let (mut id, mut bytes, mut providers, mut steps) = (0, 0, 0, 0);
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let command = &files[file][row];
            assert!(command.id as usize == id, "the numbers of the generated files must follow each other");
            tables.names.starts[id] = narrow(bytes);
            bytes = write_name(&mut tables.names.bytes, bytes, command.name);
            let providers_start = providers;
            let mut of = 0;
            while of < command.providers.len() {
                let Provider { extension, condition } = &command.providers[of];
                let condition_start = steps;
                steps = write_steps(&mut tables.steps, steps, condition);
                tables.providers[providers] = narrow(extension.index());
                tables.conditions[providers] = Span::new(condition_start, steps);
                providers += 1;
                of += 1;
            }
            tables.rows[id] =
                CommandRow { class: command.class, core: command.core, providers: narrow(providers_start) };
            tables.aliases[id] = alias(command.alias);
            id += 1;
            row += 1;
        }
        file += 1;
    }
    tables
}

pub(super) const fn extensions<const ROWS: usize, const BYTES: usize, const STEPS: usize>(
    files: &[&[Extension]],
) -> Extensions<ROWS, BYTES, STEPS> {
    let empty_row = ExtensionRow { spec_version: 0, kind: ExtensionKind::Instance, platform: Platform::None };
    let mut tables = Extensions {
        names: Names { starts: [0; ROWS], bytes: [0; BYTES] },
        rows: [empty_row; ROWS],
        promotions: [Promotion::None; ROWS],
        conditions: [Span::EMPTY; ROWS],
        steps: [0; STEPS],
    };
    let (mut id, mut bytes, mut steps) = (0, 0, 0);
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let extension = &files[file][row];
            assert!(extension.id as usize == id, "the numbers of the generated files must follow each other");
            let condition_start = steps;
            tables.names.starts[id] = narrow(bytes);
            bytes = write_name(&mut tables.names.bytes, bytes, extension.name);
            steps = write_steps(&mut tables.steps, steps, &extension.needs);
            tables.rows[id] = ExtensionRow {
                spec_version: narrow(extension.spec_version as usize),
                kind: extension.kind,
                platform: extension.platform,
            };
            tables.promotions[id] = extension.promoted_to;
            tables.conditions[id] = Span::new(condition_start, steps);
            id += 1;
            row += 1;
        }
        file += 1;
    }
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

/// The number of steps of a condition: one for each leaf, and one to join each after the first.
const fn step_count(condition: &Condition) -> usize {
    match condition {
        Condition::Core(_) | Condition::Has(_) => 1,
        Condition::All([]) => 0,
        Condition::Any([]) => 1,
        Condition::All(parts) | Condition::Any(parts) => {
            let mut count = parts.len() - 1;
            let mut part = 0;
            while part < parts.len() {
                count += step_count(&parts[part]);
                part += 1;
            }
            count
        }
    }
}

const fn write_steps(steps: &mut [u16], mut at: usize, condition: &Condition) -> usize {
    let (parts, join) = match condition {
        Condition::Core(minor) => {
            steps[at] = step::CORE | *minor as u16;
            return at + 1;
        }
        Condition::Has(extension) => {
            steps[at] = narrow(extension.index());
            return at + 1;
        }
        Condition::Any([]) => {
            steps[at] = step::NEVER;
            return at + 1;
        }
        Condition::All(parts) => (*parts, step::BOTH),
        Condition::Any(parts) => (*parts, step::EITHER),
    };
    let mut part = 0;
    while part < parts.len() {
        at = write_steps(steps, at, &parts[part]);
        if part > 0 {
            steps[at] = join;
            at += 1;
        }
        part += 1;
    }
    at
}

const fn narrow(value: usize) -> u16 {
    assert!(value < 0x8000, "the tables use 15 bits");
    value as u16
}
