//! What the user's variables say, and which files and folders are therefore looked at.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::inquiry::{Inquiry, Stop};
use super::plan::{Ignored, Note, Origin};
use super::policy::{Fallback, Policy, Root, Search};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec};
use crate::platform::Reader;

/// What separates the elements of a list of paths.
const SEPARATOR: u8 = b':';

/// A variable that is set, and its value.
pub(super) type Setting<'a> = (&'static CStr, &'a [u8]);

/// The variables of a search that are set and honoured.
pub(super) struct Choices<'a> {
    replacing: Option<Setting<'a>>,
    adding: Option<Setting<'a>>,
    pub(super) select: Option<Setting<'a>>,
    pub(super) disable: Option<Setting<'a>>,
}

/// A file or folder to look at.
pub(super) struct Place {
    pub(super) path: Text,
    pub(super) origin: Origin,
    /// Whether it is named as a manifest; otherwise it is a folder of manifests.
    pub(super) is_manifest: bool,
}

/// Whether `name` has the ending that a manifest must have (LDP_DRIVER_4).
pub(super) fn is_manifest_name(name: &[u8]) -> bool {
    name.ends_with(b".json")
}

/// Joins `parts` into a path without doubled slashes and without one at the end.
pub(super) fn path(parts: &[&[u8]]) -> Result<Text, OutOfMemory> {
    let mut path = Text::new();
    path.try_reserve_exact(parts.iter().map(|part| part.len()).sum()).map_err(|_| OutOfMemory)?;
    for byte in parts.iter().copied().flatten() {
        if *byte != b'/' || path.last() != Some(&b'/') {
            path.try_push(*byte)?;
        }
    }
    if path.len() > 1 && path.last() == Some(&b'/') {
        path.truncate(path.len().saturating_sub(1));
    }
    Ok(path)
}

impl<'a> Choices<'a> {
    /// Reads every variable of the search and of the places.
    pub(super) fn read(
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
        notes: &mut Vec<Note>,
    ) -> Result<Self, Stop> {
        for name in search.variables().chain(policy.roots.iter().flat_map(Root::variables)) {
            inquiry.variable(name, policy.reader)?;
        }
        let elevated = inquiry.elevated()?;
        inquiry.settle()?;
        if elevated && policy.reader == Reader::Secure {
            note_withheld(inquiry, search, notes)?;
        }
        let mut set = |name: &'static CStr| -> Result<Option<Setting<'a>>, OutOfMemory> {
            Ok(inquiry.variable(name, policy.reader)?.map(|value| (name, value)))
        };
        let mut replacing = None;
        for name in search.replacing {
            replacing = note_replaced(set(name)?, replacing, notes)?.or(replacing);
        }
        let adding = search.adding.map(&mut set).transpose()?.flatten();
        Ok(Self {
            adding: note_replaced(adding, replacing, notes)?,
            select: search.select.map(&mut set).transpose()?.flatten(),
            disable: search.disable.map(&mut set).transpose()?.flatten(),
            replacing,
        })
    }

    /// The places to look at, in order.
    pub(super) fn places(
        &self,
        inquiry: &mut Inquiry<'a>,
        policy: &Policy,
        search: &Search,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<Place>, Stop> {
        let usual = usual_places(inquiry, policy, search)?;
        let mut places = Vec::new();
        let Some((name, value)) = self.replacing else {
            if let Some((name, value)) = self.adding {
                for element in elements(value) {
                    places.try_push(Place::named(element, Origin::Adding(name))?)?;
                }
            }
            places.try_reserve(usual.len()).map_err(|_| OutOfMemory)?;
            for place in usual {
                places.try_push(place)?;
            }
            return Ok(places);
        };
        for element in elements(value) {
            places.try_push(find_bare_name(
                inquiry,
                Place::named(element, Origin::Replacing(name))?,
                &usual,
            )?)?;
        }
        inquiry.settle()?;
        if places.is_empty() {
            notes.try_push(Note::ReplacedByNothing { name })?;
        }
        Ok(places)
    }
}

/// Notes which variables are set but withheld from an elevated process.
fn note_withheld(inquiry: &mut Inquiry<'_>, search: &Search, notes: &mut Vec<Note>) -> Result<(), Stop> {
    for name in search.variables() {
        let honoured = inquiry.variable(name, Reader::Secure)?.is_some();
        if !honoured && inquiry.variable(name, Reader::Plain)?.is_some() {
            notes.try_push(Note::VariableIgnored { name, because: Ignored::Elevated })?;
        }
    }
    inquiry.settle()
}

/// `setting`, unless one that is set already takes its place, which is noted.
fn note_replaced<'a>(
    setting: Option<Setting<'a>>,
    by: Option<Setting<'a>>,
    notes: &mut Vec<Note>,
) -> Result<Option<Setting<'a>>, OutOfMemory> {
    if let (Some((name, _)), Some((by, _))) = (setting, by) {
        notes.try_push(Note::VariableIgnored { name, because: Ignored::ReplacedBy(by) })?;
        return Ok(None);
    }
    Ok(setting)
}

/// The folders that are searched when no variable says otherwise.
fn usual_places(
    inquiry: &mut Inquiry<'_>,
    policy: &Policy,
    search: &Search,
) -> Result<Vec<Place>, OutOfMemory> {
    let mut places = Vec::new();
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
        for element in elements(list) {
            let path = path(&[element, below, search.suffix])?;
            places.try_push(Place { path, origin, is_manifest: false })?;
        }
    }
    Ok(places)
}

/// The variable that names the user's own folder.
const HOME: &CStr = c"HOME";

/// The elements of a list of paths: blanks around them and empty ones do not count.
fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == SEPARATOR).map(<[u8]>::trim_ascii).filter(|element| !element.is_empty())
}

/// Where a manifest that is named without any folder is: in the folder of the process, or else in the first usual
/// place that has it.
fn find_bare_name(inquiry: &mut Inquiry<'_>, named: Place, usual: &[Place]) -> Result<Place, OutOfMemory> {
    if !named.is_manifest || named.path.contains(&b'/') || inquiry.exists(&named.path)? {
        return Ok(named);
    }
    for place in usual {
        let path = path(&[&place.path, b"/", &named.path])?;
        if inquiry.exists(&path)? {
            return Ok(Place { path, ..named });
        }
    }
    Ok(named)
}

impl Place {
    /// A file or folder that a variable names.
    fn named(element: &[u8], origin: Origin) -> Result<Self, OutOfMemory> {
        let path = path(&[element])?;
        Ok(Self { is_manifest: is_manifest_name(&path), path, origin })
    }
}

impl Search {
    /// The variables of this search.
    fn variables(&self) -> impl Iterator<Item = &'static CStr> + use<> {
        self.replacing.iter().copied().chain(self.adding).chain(self.select).chain(self.disable)
    }
}

impl Root {
    /// The variables on which this place depends.
    fn variables(&self) -> impl Iterator<Item = &'static CStr> + use<> {
        let (own, home) = match self {
            Self::BuiltIn { .. } => (None, None),
            Self::Variable { name, fallback: Fallback::InHome(_) } => (Some(*name), Some(HOME)),
            Self::Variable { name, .. } => (Some(*name), None),
        };
        own.into_iter().chain(home)
    }
}
