//! The contents of the user's variables, and the directories and files that are searched as a result.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::inquiry::{Incomplete, Inquiry};
use super::plan::{IgnoreReason, Note, Origin};
use super::policy::{Fallback, Policy, Root, Search};
use crate::memory::ascii::trimmed;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use crate::platform::{Reader, variables};

const SEPARATOR: u8 = b':';

pub(super) type Setting<'a> = (&'static CStr, &'a [u8]);

/// The variables of a search, if they are set and honoured.
#[derive(Default)]
pub(super) struct Choices<'a> {
    pub(super) replacing: Option<Setting<'a>>,
    pub(super) adding: Option<Setting<'a>>,
    pub(super) select: Option<Setting<'a>>,
    pub(super) disable: Option<Setting<'a>>,
}

pub(super) struct SearchPath {
    pub(super) path: Text,
    pub(super) origin: Origin,
    /// Whether it is named as a manifest; if not, it is a folder of manifests.
    pub(super) is_manifest: bool,
}

/// Returns whether `name` has the extension that a manifest must have (LDP_DRIVER_4).
pub(super) fn is_manifest_name(name: &[u8]) -> bool {
    name.ends_with(b".json")
}

/// Joins `parts` into a path without doubled or trailing slashes.
pub(super) fn path(parts: &[&[u8]]) -> Result<Text, OutOfMemory> {
    let mut path = text(parts)?;
    if path.windows(2).any(|pair| matches!(pair, b"//")) {
        path.dedup_by(|later, earlier| *later == b'/' && *earlier == b'/');
    }
    if path.len() > 1 && path.last() == Some(&b'/') {
        path.truncate(path.len().saturating_sub(1));
    }
    Ok(path)
}

impl<'a> Choices<'a> {
    pub(super) fn read(
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
    ) -> Result<Self, OutOfMemory> {
        let mut setting = |name: Option<&'static CStr>| -> Result<Option<Setting<'a>>, OutOfMemory> {
            let Some(name) = name else { return Ok(None) };
            Ok(inquiry.variable(name, policy.reader)?.map(|value| (name, value)))
        };
        let mut replacing = None;
        for name in search.replacing {
            replacing = replacing.or(setting(Some(name))?);
        }
        Ok(Self {
            replacing,
            adding: setting(search.adding)?,
            select: setting(search.select)?,
            disable: setting(search.disable)?,
        })
    }

    /// Returns the search paths, in order, after those in `search_paths`.
    pub(super) fn search_paths(
        &self,
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
        mut search_paths: Vec<SearchPath>,
    ) -> Result<Vec<SearchPath>, Incomplete> {
        let Some((name, value)) = self.replacing else {
            if let Some((name, value)) = self.adding {
                for element in elements(value) {
                    search_paths.try_push(SearchPath::named(element, Origin::Adding(name))?)?;
                }
            }
            add_default_paths(inquiry, policy, search, &mut search_paths)?;
            inquiry.settle()?;
            return Ok(search_paths);
        };
        for element in elements(value) {
            search_paths.try_push(SearchPath::named(element, Origin::Replacing(name))?)?;
        }
        if search_paths.iter().any(SearchPath::is_bare_name) {
            let mut usual = Vec::new();
            add_default_paths(inquiry, policy, search, &mut usual)?;
            for entry in search_paths.iter_mut().filter(|entry| entry.is_bare_name()) {
                find_bare_name(inquiry, entry, &usual)?;
            }
        }
        inquiry.settle()?;
        Ok(search_paths)
    }

    /// Ignores the variables, since the settings file lists the devices. Records which are set.
    pub(super) fn ignored(self, notes: &mut Vec<Note>) -> Result<Self, OutOfMemory> {
        for (name, _) in [self.replacing, self.adding, self.select, self.disable].into_iter().flatten() {
            notes.try_push(Note::VariableIgnored { name, because: IgnoreReason::Settings })?;
        }
        Ok(Self::default())
    }

    pub(super) fn notes(
        &self,
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
    ) -> Result<Vec<Note>, OutOfMemory> {
        let mut notes = Vec::new();
        note_elevated(inquiry, policy, search.variables(), &mut notes)?;
        let Some((replacing, value)) = self.replacing else { return Ok(notes) };
        let others = search.replacing.iter().copied().skip_while(|name| *name != replacing).skip(1);
        for name in others.chain(search.adding) {
            if inquiry.variable(name, policy.reader)?.is_some() {
                notes
                    .try_push(Note::VariableIgnored { name, because: IgnoreReason::ReplacedBy(replacing) })?;
            }
        }
        if elements(value).next().is_none() {
            notes.try_push(Note::ReplacedByNothing { name: replacing, noun: search.noun })?;
        }
        Ok(notes)
    }
}

/// Notes which of `variables` are set but ignored because the process is elevated.
pub(super) fn note_elevated(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    variables: impl Iterator<Item = &'static CStr>,
    notes: &mut Vec<Note>,
) -> Result<(), OutOfMemory> {
    if policy.reader != Reader::Secure || !inquiry.elevated()? {
        return Ok(());
    }
    for name in variables {
        if inquiry.variable(name, Reader::Plain)?.is_some() {
            notes.try_push(Note::VariableIgnored { name, because: IgnoreReason::Elevated })?;
        }
    }
    Ok(())
}

pub(super) fn add_default_paths(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    search: &Search,
    search_paths: &mut Vec<SearchPath>,
) -> Result<(), OutOfMemory> {
    if let Some(folder) = search.service {
        search_paths.try_push(SearchPath {
            path: path(&[folder])?,
            origin: Origin::Service,
            is_manifest: false,
        })?;
        if inquiry.listing(folder)?.is_ok() {
            return Ok(());
        }
    }
    for root in policy.roots {
        let (origin, list, below) = match root {
            Root::BuiltIn { name, path } => (Origin::BuiltIn(name), *path, &b""[..]),
            Root::Variable { name, fallback } => {
                match inquiry.variable(name, policy.reader)?.filter(|value| !value.is_empty()) {
                    Some(value) => (Origin::Variable(name), value, &b""[..]),
                    None => match fallback {
                        Fallback::Nothing => continue,
                        Fallback::Folders(list) => (Origin::Fallback(name), *list, &b""[..]),
                        Fallback::InHome(below) => {
                            let home = inquiry.variable(HOME, policy.reader)?.unwrap_or_default();
                            (Origin::Fallback(name), home, *below)
                        }
                    },
                }
            }
        };
        // The paths are useless while some are still unknown.
        if inquiry.settle().is_err() {
            continue;
        }
        for element in elements(list) {
            let path = path(&[element, below, search.suffix])?;
            search_paths.try_push(SearchPath { path, origin, is_manifest: false })?;
        }
    }
    Ok(())
}

const HOME: &CStr = variables::HOME.name;

/// Returns the elements of a list of paths, without the blanks around them and without empty ones.
pub(super) fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == SEPARATOR).map(trimmed).filter(|element| !element.is_empty())
}

/// Searches for a manifest that is named without a folder: in the current folder of the process, or else in
/// the first default search path that contains it.
fn find_bare_name(
    inquiry: &mut Inquiry<'_>,
    named: &mut SearchPath,
    usual: &[SearchPath],
) -> Result<(), OutOfMemory> {
    if inquiry.exists(&named.path)? {
        return Ok(());
    }
    for entry in usual {
        let path = path(&[&entry.path, b"/", &named.path])?;
        if inquiry.exists(&path)? {
            named.path = path;
            return Ok(());
        }
    }
    Ok(())
}

impl SearchPath {
    pub(super) fn named(element: &[u8], origin: Origin) -> Result<Self, OutOfMemory> {
        let path = path(&[element])?;
        Ok(Self { is_manifest: is_manifest_name(&path), path, origin })
    }

    fn is_bare_name(&self) -> bool {
        self.is_manifest && !self.path.contains(&b'/')
    }
}

impl Search {
    fn variables(&self) -> impl Iterator<Item = &'static CStr> + use<> {
        self.replacing.iter().copied().chain(self.adding).chain(self.select).chain(self.disable)
    }
}
