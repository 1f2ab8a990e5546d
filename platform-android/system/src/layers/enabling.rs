//! Which layers are requested for an instance, and by whom.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use vkload_core::memory::{OutOfMemory, Text, TryGrow, Vec, sort_by, text};

use platform_android::system::{PROPERTY_VALUE_MAX, PropertyValue};

const LIST: &CStr = c"debug.vulkan.layers";

/// The prefix of numbered properties, which enable one layer each.
const NUMBERED: &str = "debug.vulkan.layer.";

/// How many of them are always read, whether or not the preceding ones are set.
const ALWAYS_ASKED: u32 = 10;

/// The maximum number of them, so that the search ends on any system.
const MOST: u32 = 1000;

#[derive(Debug)]
pub(super) struct Wanted {
    pub name: Text,
    pub by: By,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The settings: `gpu_debug_layers`.
    Settings,
    List,
    Numbered(u32),
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

/// Returns the layers requested without the application, its nearest first: the settings' layers,
/// or if the settings name none the properties'.
///
/// Empty names in the settings' list are kept; those in the property's list only take up a
/// position.
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

/// Returns the properties' layers by rising priority. A numbered property's priority is its number;
/// the list's priorities begin low enough for all of its names to be below 0.
fn by_properties(property: &dyn Fn(&CStr) -> PropertyValue) -> Result<Vec<Wanted>, OutOfMemory> {
    let first = i64::try_from(PROPERTY_VALUE_MAX).unwrap_or_default().saturating_neg();
    let mut found: Vec<(i64, Wanted)> = Vec::new();
    let list = property(LIST);
    for (priority, name) in (first..).zip(list.as_bytes().split(|byte| *byte == b':')) {
        if !name.is_empty() {
            found.try_push((priority, Wanted { name: text(&[name])?, by: By::List }))?;
        }
    }
    let mut name = text(&[NUMBERED.as_bytes()])?;
    for number in 0..MOST {
        name.truncate(NUMBERED.len());
        push_decimal(&mut name, number)?;
        name.try_push(0)?;
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

/// Appends a number. `format_into` takes ten times as long, for at least eleven names in each vkCreateInstance.
fn push_decimal(text: &mut Text, number: u32) -> Result<(), OutOfMemory> {
    if number > 9 {
        push_decimal(text, number / 10)?;
    }
    text.try_push(b'0' | (number % 10) as u8)
}

/// Appends the application's layers to those that are active without it. A name that is already
/// present is dropped: a layer that occurs twice in a chain would call itself endlessly.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::string::{String, ToString as _};
    use std::vec::Vec as StdVec;

    use vkload_core::memory::Escaped;

    use super::*;

    /// Returns the layers requested with these properties, as "name by whom".
    fn wanted(settings: &str, properties: &[(&str, &str)], names: &[&CStr]) -> StdVec<String> {
        let properties: BTreeMap<&str, &str> = properties.iter().copied().collect();
        let property = |name: &CStr| {
            let value = properties.get(name.to_str().unwrap()).copied().unwrap_or_default();
            PropertyValue::new(value.as_bytes())
        };
        let implicit = implicit(settings.as_bytes(), &property).unwrap();
        let all = with_application(implicit, names.iter().copied()).unwrap();
        all.iter().map(|one| std::format!("{} {}", Escaped(&one.name), one.by)).collect()
    }

    fn names(settings: &str, properties: &[(&str, &str)], names: &[&CStr]) -> StdVec<String> {
        let all = wanted(settings, properties, names);
        all.iter().map(|line| line.split(' ').next().unwrap_or_default().to_string()).collect()
    }

    #[test]
    fn settings_beat_properties() {
        let properties = [("debug.vulkan.layers", "p"), ("debug.vulkan.layer.0", "q")];
        assert_eq!(names("a:b", &properties, &[]), ["a", "b"]);
        assert_eq!(names("", &properties, &[]), ["p", "q"]);
    }

    #[test]
    fn empty_names_of_the_property_only_take_up_a_position() {
        assert_eq!(names("", &[("debug.vulkan.layers", ":a::b:")], &[]), ["a", "b"]);
        // 46 names, as many as fit into a property, all come before the numbered ones.
        let many = StdVec::from_iter((0..46).map(|_| "x")).join(":");
        let many = [("debug.vulkan.layers", many.as_str()), ("debug.vulkan.layer.0", "first")];
        assert_eq!(names("", &many, &[]), ["x", "first"]);
    }

    #[test]
    fn ten_numbers_are_always_asked_for_and_more_as_long_as_they_follow() {
        let numbered = |numbers: &[u32]| {
            let all = numbers.iter().map(|n| (std::format!("debug.vulkan.layer.{n}"), std::format!("l{n}")));
            let all: StdVec<_> = all.collect();
            let all: StdVec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            names("", &all, &[])
        };
        assert_eq!(numbered(&[9, 0, 5]), ["l0", "l5", "l9"]);
        assert_eq!(numbered(&[10, 11, 13]), ["l10", "l11"]);
        assert_eq!(numbered(&[3, 11]), ["l3"]);
    }

    #[test]
    fn the_list_comes_before_the_numbers_which_rise() {
        let properties =
            [("debug.vulkan.layer.2", "c"), ("debug.vulkan.layers", "a:b"), ("debug.vulkan.layer.10", "d")];
        assert_eq!(
            wanted("", &properties, &[]),
            [
                "a the property debug.vulkan.layers",
                "b the property debug.vulkan.layers",
                "c the property debug.vulkan.layer.2",
                "d the property debug.vulkan.layer.10",
            ]
        );
    }

    #[test]
    fn the_applications_layers_come_last_and_each_is_there_once() {
        let app = [c"c", c"a", c"c", c"d"];
        assert_eq!(
            wanted("a:b:a", &[], &app),
            [
                "a the setting gpu_debug_layers",
                "b the setting gpu_debug_layers",
                "c the application",
                "d the application",
            ]
        );
    }
}
