//! Which layers are wanted in an instance, and who wants them.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use loader_core::memory::{OutOfMemory, Text, TryGrow, Vec, format_into, sort_by, text};

use crate::system::{PROPERTY_VALUE_MAX, PropertyValue};

/// The layers that a property enables, separated by colons.
const LIST: &CStr = c"debug.vulkan.layers";

/// Properties with a number behind them that enable a layer each.
const NUMBERED: &str = "debug.vulkan.layer.";

/// How many of them are asked for, whether or not those before are set.
const ALWAYS_ASKED: u32 = 10;

/// How many of them there can be: so that the search ends on any system.
const MOST: u32 = 1000;

/// A layer that somebody wants.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Its name.
    pub name: Text,
    /// Who wants it.
    pub by: By,
}

/// Who wants a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The settings: `gpu_debug_layers`.
    Settings,
    /// The property `debug.vulkan.layers`.
    List,
    /// The property `debug.vulkan.layer.` with this number.
    Numbered(u32),
    /// The application, in its create info.
    Application,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings => f.write_str("the setting gpu_debug_layers"),
            Self::List => f.write_str("the property debug.vulkan.layers"),
            Self::Numbered(number) => write!(f, "the property {NUMBERED}{number}"),
            Self::Application => f.write_str("the application"),
        }
    }
}

/// The layers that are wanted without the application, the one nearest to it first: those of the settings, or if there
/// are none those of the properties.
///
/// In the settings' list empty names count, in the property's they only take up a place.
///
/// # Errors
/// [`OutOfMemory`].
pub(super) fn implicit(
    settings: &[u8],
    property: &dyn Fn(&CStr) -> PropertyValue,
) -> Result<Vec<Wanted>, OutOfMemory> {
    if settings.is_empty() {
        return by_properties(property);
    }
    let mut wanted = Vec::new();
    for name in settings.split(|byte| *byte == b':') {
        wanted.try_push(Wanted { name: text(&[name])?, by: By::Settings })?;
    }
    Ok(wanted)
}

/// Those of the properties by rising priority: that of a numbered property is its number, those of the list begin where all
/// of its names are below 0.
fn by_properties(property: &dyn Fn(&CStr) -> PropertyValue) -> Result<Vec<Wanted>, OutOfMemory> {
    let first = i64::try_from(PROPERTY_VALUE_MAX).unwrap_or_default().saturating_neg();
    let mut found: Vec<(i64, Wanted)> = Vec::new();
    let list = property(LIST);
    for (priority, name) in (first..).zip(list.as_bytes().split(|byte| *byte == b':')) {
        if !name.is_empty() {
            found.try_push((priority, Wanted { name: text(&[name])?, by: By::List }))?;
        }
    }
    for number in 0..MOST {
        let mut name = Text::new();
        format_into(&mut name, format_args!("{NUMBERED}{number}\0"));
        let value = property(CStr::from_bytes_until_nul(&name).map_err(|_| OutOfMemory)?);
        if !value.is_empty() {
            let wanted = Wanted { name: text(&[value.as_bytes()])?, by: By::Numbered(number) };
            found.try_push((i64::from(number), wanted))?;
        } else if number >= ALWAYS_ASKED {
            break;
        }
    }
    sort_by(&mut found, |(one, _), (other, _)| one.cmp(other));
    let mut wanted = Vec::new();
    for (_, layer) in found {
        wanted.try_push(layer)?;
    }
    Ok(wanted)
}

/// Adds the application's layers behind those that are active without it. A name that is there already is left out: twice
/// in one chain a layer would call itself without end.
///
/// # Errors
/// [`OutOfMemory`].
pub(super) fn with_application<'a>(
    implicit: Vec<Wanted>,
    names: impl Iterator<Item = &'a CStr>,
) -> Result<Vec<Wanted>, OutOfMemory> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for layer in implicit {
        if !wanted.iter().any(|there| there.name == layer.name) {
            wanted.try_push(layer)?;
        }
    }
    for name in names.map(CStr::to_bytes) {
        if !wanted.iter().any(|there| there.name.as_slice() == name) {
            wanted.try_push(Wanted { name: text(&[name])?, by: By::Application })?;
        }
    }
    Ok(wanted)
}
