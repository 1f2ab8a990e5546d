//! The contents of the user's variables, and the directories and files that are searched as a result.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::inquiry::{Incomplete, Inquiry};
use super::plan::{IgnoreReason, Note, Origin};
use super::policy::{Fallback, Policy, Root, Search};
use crate::memory::ascii::trimmed;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, text};
use crate::platform::{Reader, variables};

/// The separator of the elements of a list of paths.
const SEPARATOR: u8 = b':';

/// A variable that is set, and its value.
pub(super) type Setting<'a> = (&'static CStr, &'a [u8]);

/// The variables of a search, if they are set and honoured.
#[derive(Default)]
pub(super) struct Choices<'a> {
    pub(super) replacing: Option<Setting<'a>>,
    pub(super) adding: Option<Setting<'a>>,
    pub(super) select: Option<Setting<'a>>,
    pub(super) disable: Option<Setting<'a>>,
}

/// A file or folder to search.
pub(super) struct Place {
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
    /// Reads the variables of the search.
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

    /// Returns the places to look at, in order, after those in `places`.
    pub(super) fn places(
        &self,
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
        mut places: Vec<Place>,
    ) -> Result<Vec<Place>, Incomplete> {
        let Some((name, value)) = self.replacing else {
            if let Some((name, value)) = self.adding {
                for element in elements(value) {
                    places.try_push(Place::named(element, Origin::Adding(name))?)?;
                }
            }
            add_usual_places(inquiry, policy, search, &mut places)?;
            inquiry.settle()?;
            return Ok(places);
        };
        for element in elements(value) {
            places.try_push(Place::named(element, Origin::Replacing(name))?)?;
        }
        if places.iter().any(Place::is_bare_name) {
            let mut usual = Vec::new();
            add_usual_places(inquiry, policy, search, &mut usual)?;
            for place in places.iter_mut().filter(|place| place.is_bare_name()) {
                find_bare_name(inquiry, place, &usual)?;
            }
        }
        inquiry.settle()?;
        Ok(places)
    }

    /// Ignores the variables, since the settings file lists the devices. Records which are set.
    pub(super) fn ignored(self, notes: &mut Vec<Note>) -> Result<Self, OutOfMemory> {
        for (name, _) in [self.replacing, self.adding, self.select, self.disable].into_iter().flatten() {
            notes.try_push(Note::VariableIgnored { name, because: IgnoreReason::Settings })?;
        }
        Ok(Self::default())
    }

    /// Notes about the variables for users.
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

/// Adds the places to search by default.
pub(super) fn add_usual_places(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    search: &Search,
    places: &mut Vec<Place>,
) -> Result<(), OutOfMemory> {
    if let Some(folder) = search.service {
        places.try_push(Place { path: path(&[folder])?, origin: Origin::Service, is_manifest: false })?;
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
        // The places are useless while some are still unknown.
        if inquiry.settle().is_err() {
            continue;
        }
        for element in elements(list) {
            let path = path(&[element, below, search.suffix])?;
            places.try_push(Place { path, origin, is_manifest: false })?;
        }
    }
    Ok(())
}

/// The variable with the path of the user's home folder.
const HOME: &CStr = variables::HOME.name;

/// Returns the elements of a list of paths, without the blanks around them and without empty ones.
pub(super) fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == SEPARATOR).map(trimmed).filter(|element| !element.is_empty())
}

/// Searches for a manifest that is named without a folder: in the current folder of the process, or else in
/// the first default place that contains it.
fn find_bare_name(inquiry: &mut Inquiry<'_>, named: &mut Place, usual: &[Place]) -> Result<(), OutOfMemory> {
    if inquiry.exists(&named.path)? {
        return Ok(());
    }
    for place in usual {
        let path = path(&[&place.path, b"/", &named.path])?;
        if inquiry.exists(&path)? {
            named.path = path;
            return Ok(());
        }
    }
    Ok(())
}

impl Place {
    /// Returns a file or folder that a variable names.
    pub(super) fn named(element: &[u8], origin: Origin) -> Result<Self, OutOfMemory> {
        let path = path(&[element])?;
        Ok(Self { is_manifest: is_manifest_name(&path), path, origin })
    }

    /// Returns whether it names a manifest without a folder.
    fn is_bare_name(&self) -> bool {
        self.is_manifest && !self.path.contains(&b'/')
    }
}

impl Search {
    /// Returns the variables of this search.
    fn variables(&self) -> impl Iterator<Item = &'static CStr> + use<> {
        self.replacing.iter().copied().chain(self.adding).chain(self.select).chain(self.disable)
    }
}
