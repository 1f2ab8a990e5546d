//! From the [`source`] of the generated files to tables, while compiling.
//!
//! Every table is an array of small integers; where a row has several of something, it has a [`Span`] of another table.
//! But for [`Span::of`] and [`Span::start_of`] nothing here runs in the loader; a mistake is a build error.
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

/// What a [`CommandRow`] has instead of an alias.
pub(super) const NO_ALIAS: u16 = u16::MAX;

/// A part of another table.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: u16,
    len: u16,
}

impl Span {
    const EMPTY: Self = Self { start: 0, len: 0 };

    /// This part of `table`.
    #[inline]
    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        let start = self.start as usize;
        table.get(start..start + self.len as usize).unwrap_or_default()
    }

    /// `table` from this part on.
    #[inline]
    pub(super) fn start_of<T>(self, table: &[T]) -> Option<&[T]> {
        table.get(self.start as usize..)
    }

    /// Where the part starts and how long it is.
    pub(super) const fn parts(self) -> (usize, usize) {
        (self.start as usize, self.len as usize)
    }

    const fn new(start: usize, end: usize) -> Self {
        Self { start: narrow(start), len: narrow(end - start) }
    }
}

/// A command.
#[derive(Clone, Copy)]
pub(super) struct CommandRow {
    pub(super) class: Class,
    pub(super) core: u8,
    pub(super) alias: u16,
    pub(super) providers: Span,
}

/// An extension that has a command.
#[derive(Clone, Copy)]
pub(super) struct ProviderRow {
    pub(super) extension: u16,
    pub(super) condition: Span,
}

/// An extension.
#[derive(Clone, Copy)]
pub(super) struct ExtensionRow {
    pub(super) spec_version: u32,
    pub(super) kind: ExtensionKind,
    pub(super) platform: Platform,
    pub(super) promoted_to: Promotion,
    pub(super) condition: Span,
}

/// Steps of conditions in postfix order: the number of an extension that must be enabled, or one of the steps below.
pub(super) mod step {
    /// With a minor version in the low byte: that version of Vulkan 1 or a newer one.
    pub(in crate::registry) const CORE: u16 = 0x8000;
    /// The two results before must both hold.
    pub(in crate::registry) const BOTH: u16 = 0xC000;
    /// One of the two results before must hold.
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
    /// All names one after the other, each with its NUL.
    pub(super) names: [u8; BYTES],
    pub(super) name_spans: [Span; ROWS],
    pub(super) rows: [CommandRow; ROWS],
    pub(super) providers: [ProviderRow; PROVIDERS],
    pub(super) steps: [u16; STEPS],
}

/// The tables of extensions.
pub(super) struct Extensions<const ROWS: usize, const BYTES: usize, const STEPS: usize> {
    /// All names one after the other, each with its NUL.
    pub(super) names: [u8; BYTES],
    pub(super) name_spans: [Span; ROWS],
    pub(super) rows: [ExtensionRow; ROWS],
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
    let empty_row = CommandRow { class: Class::Global, core: 0, alias: NO_ALIAS, providers: Span::EMPTY };
    let mut tables = Commands {
        names: [0; BYTES],
        name_spans: [Span::EMPTY; ROWS],
        rows: [empty_row; ROWS],
        providers: [ProviderRow { extension: 0, condition: Span::EMPTY }; PROVIDERS],
        steps: [0; STEPS],
    };
    let (mut id, mut bytes, mut providers, mut steps) = (0, 0, 0, 0);
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let command = &files[file][row];
            assert!(command.id as usize == id, "the numbers of the generated files must follow each other");
            let name_start = bytes;
            bytes = write_name(&mut tables.names, bytes, command.name);
            tables.name_spans[id] = Span::new(name_start, bytes);
            let providers_start = providers;
            let mut of = 0;
            while of < command.providers.len() {
                let Provider { extension, condition } = &command.providers[of];
                let condition_start = steps;
                steps = write_steps(&mut tables.steps, steps, condition);
                tables.providers[providers] = ProviderRow {
                    extension: narrow(extension.index()),
                    condition: Span::new(condition_start, steps),
                };
                providers += 1;
                of += 1;
            }
            tables.rows[id] = CommandRow {
                class: command.class,
                core: command.core,
                alias: alias(command.alias),
                providers: Span::new(providers_start, providers),
            };
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
    let empty_row = ExtensionRow {
        spec_version: 0,
        kind: ExtensionKind::Instance,
        platform: Platform::None,
        promoted_to: Promotion::None,
        condition: Span::EMPTY,
    };
    let mut tables = Extensions {
        names: [0; BYTES],
        name_spans: [Span::EMPTY; ROWS],
        rows: [empty_row; ROWS],
        steps: [0; STEPS],
    };
    let (mut id, mut bytes, mut steps) = (0, 0, 0);
    let mut file = 0;
    while file < files.len() {
        let mut row = 0;
        while row < files[file].len() {
            let extension = &files[file][row];
            assert!(extension.id as usize == id, "the numbers of the generated files must follow each other");
            let (name_start, condition_start) = (bytes, steps);
            bytes = write_name(&mut tables.names, bytes, extension.name);
            tables.name_spans[id] = Span::new(name_start, bytes);
            steps = write_steps(&mut tables.steps, steps, &extension.needs);
            tables.rows[id] = ExtensionRow {
                spec_version: extension.spec_version,
                kind: extension.kind,
                platform: extension.platform,
                promoted_to: extension.promoted_to,
                condition: Span::new(condition_start, steps),
            };
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

/// How many steps the condition takes: one for each leaf, one to join each leaf after the first.
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
