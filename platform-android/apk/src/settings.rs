//! The options' layer settings, as layers get them (VK_EXT_layer_settings).

use core::ffi::{CStr, c_char, c_void};
use core::fmt;

use ash::vk;
use vkload_core::manifest::json::{Items, Kind, Value};
use vkload_core::memory::{Escaped, OutOfMemory, Text, TryGrow, Vec, text};

use super::members::{OptionsError, items, string, unknown};

type Type = vk::LayerSettingTypeEXT;

/// A type of values: its name in the options, its number, a description of its values, and how to
/// read one.
struct Row(&'static str, Type, &'static str, Read);

/// The result of reading a value: `None` if it does not have the type.
type Number<T> = Result<Option<T>, OutOfMemory>;

/// How to read a value: to 4 bytes, to 8, or as a text.
enum Read {
    Narrow(fn(Value<'_>) -> Number<u32>),
    Wide(fn(Value<'_>) -> Number<u64>),
    String,
}

const TYPES: &[Row] = &[
    Row("bool32", Type::BOOL32, "true or false", Read::Narrow(bool32)),
    Row("int32", Type::INT32, "whole numbers of 32 bits", Read::Narrow(int32)),
    Row("int64", Type::INT64, "whole numbers of 64 bits", Read::Wide(int64)),
    Row("uint32", Type::UINT32, "whole numbers from 0 to 4294967295", Read::Narrow(uint32)),
    Row("uint64", Type::UINT64, "whole numbers from 0 to 18446744073709551615", Read::Wide(uint64)),
    Row("float32", Type::FLOAT32, "numbers that a float has room for", Read::Narrow(float32)),
    Row("float64", Type::FLOAT64, "numbers that a double has room for", Read::Wide(float64)),
    Row("string", Type::STRING, "strings", Read::String),
];

fn bool32(value: Value<'_>) -> Number<u32> {
    Ok(value.truth().map(u32::from))
}

fn int32(value: Value<'_>) -> Number<u32> {
    Ok(whole::<i64>(value).and_then(|number| i32::try_from(number).ok()).map(i32::cast_unsigned))
}

fn int64(value: Value<'_>) -> Number<u64> {
    Ok(whole::<i64>(value).map(i64::cast_unsigned))
}

fn uint32(value: Value<'_>) -> Number<u32> {
    Ok(whole::<u64>(value).and_then(|number| number.try_into().ok()))
}

fn uint64(value: Value<'_>) -> Number<u64> {
    Ok(whole(value))
}

/// Returns the float nearest to the double: one way to read fractions is enough.
fn float32(value: Value<'_>) -> Number<u32> {
    Ok(double(value)?.map(|number| number as f32).filter(|nearest| nearest.is_finite()).map(f32::to_bits))
}

fn float64(value: Value<'_>) -> Number<u64> {
    Ok(double(value)?.filter(|number| number.is_finite()).map(f64::to_bits))
}

/// Returns the whole number that this is, if it fits the type `T`.
fn whole<T: core::str::FromStr>(value: Value<'_>) -> Option<T> {
    if value.kind() != Kind::Number {
        return None;
    }
    core::str::from_utf8(value.as_written()).ok()?.parse().ok()
}

/// Returns the double nearest to a number, or infinite. The C library parses it: Rust's tables for
/// that have ten thousand bytes.
fn double(value: Value<'_>) -> Number<f64> {
    if value.kind() != Kind::Number {
        return Ok(None);
    }
    let written = text(&[value.as_written(), b"\0"])?;
    // SAFETY: the text is NUL-terminated.
    Ok(Some(unsafe { libc::strtod(written.as_ptr().cast(), core::ptr::null_mut()) }))
}

#[derive(Debug)]
pub struct LayerSetting {
    /// The layer's name and the setting's, each NUL-terminated.
    layer: Text,
    name: Text,
    row: usize,
    values: Values,
    written: Text,
}

#[derive(Debug)]
enum Values {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
    Strings { pointers: Vec<Pointer>, _texts: Vec<Text> },
}

#[derive(Debug)]
#[repr(transparent)]
struct Pointer(*const c_char);

// SAFETY: the text that the pointer leads to is owned by the same `Values`, and is neither moved
// nor changed.
unsafe impl Send for Pointer {}
// SAFETY: the text that the pointer leads to is owned by the same `Values`, and is neither moved
// nor changed.
unsafe impl Sync for Pointer {}

impl LayerSetting {
    /// Reads a setting: an object with the layer, the name, the type and the values.
    pub(super) fn parse(value: Value<'_>) -> Result<Self, OptionsError> {
        const KNOWN: [&str; 4] = ["layer", "name", "type", "values"];
        let line = value.line();
        for (key, value) in value.members() {
            if !KNOWN.iter().any(|name| key.as_written() == name.as_bytes()) {
                return Err(unknown("a setting of a layer", key, value, &mut KNOWN.into_iter()));
            }
        }
        let [Some(layer), Some(name), Some(kind), Some(values)] = value.members_named(KNOWN) else {
            return Err(OptionsError::mistake(format_args!(
                "line {line}: a member of \"layer_settings\" is {{\"layer\": NAME, \"name\": NAME, \"type\": TYPE, \"values\": [...]}}"
            )));
        };
        let kind = string(kind, "type")?;
        let Some((row, of)) = TYPES.iter().enumerate().find(|(_, row)| row.0.as_bytes() == kind.as_slice())
        else {
            return Err(OptionsError::mistake(format_args!(
                "line {line}: \"type\" is {}; known are bool32, int32, int64, uint32, uint64, float32, float64 and string",
                Escaped(&kind)
            )));
        };
        let (written, values) = (text(&[values.as_written()])?, Values::parse(values, of)?);
        Ok(Self { layer: c_name(layer, "layer")?, name: c_name(name, "name")?, row, values, written })
    }

    pub(super) fn layer(&self) -> &[u8] {
        without_nul(&self.layer)
    }

    pub(super) fn name(&self) -> &[u8] {
        without_nul(&self.name)
    }

    pub(super) fn type_name(&self) -> &'static str {
        TYPES.get(self.row).map_or("", |row| row.0)
    }

    pub(super) fn written(&self) -> &[u8] {
        &self.written
    }

    /// Returns the structure for layers, valid as long as `self`.
    fn structure(&self) -> vk::LayerSettingEXT<'static> {
        let (count, values): (usize, *const c_void) = match &self.values {
            Values::Narrow(all) => (all.len(), all.as_ptr().cast()),
            Values::Wide(all) => (all.len(), all.as_ptr().cast()),
            Values::Strings { pointers, .. } => (pointers.len(), pointers.as_ptr().cast()),
        };
        vk::LayerSettingEXT {
            p_layer_name: self.layer.as_ptr().cast(),
            p_setting_name: self.name.as_ptr().cast(),
            ty: TYPES.get(self.row).map_or(Type::STRING, |row| row.1),
            value_count: u32::try_from(count).unwrap_or(0),
            p_values: if count == 0 { core::ptr::null() } else { values },
            ..Default::default()
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Layer,
    /// To the layer, but the layer does not claim to know such settings.
    PerhapsUnread,
    /// To the layer, if the application enables it.
    IfEnabled,
    Nowhere,
}

impl Reach {
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Layer => "passed-on",
            Self::PerhapsUnread => "perhaps-unread",
            Self::IfEnabled => "not-active",
            Self::Nowhere => "no-layer",
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Layer => "passed on",
            Self::PerhapsUnread => {
                "passed on, and perhaps not read: the layer does not list VK_EXT_layer_settings; update it, or see \
                 its documentation for how it is set"
            }
            Self::IfEnabled => {
                "reaches the layer only in instances that enable it; name the layer in \"layers\" for all of them"
            }
            Self::Nowhere => {
                "has no effect: no layer of this name can be used; correct the name, or read above why the layer is unusable"
            }
        })
    }
}

impl Values {
    fn parse(values: Value<'_>, of: &Row) -> Result<Self, OptionsError> {
        let Row(kind, _, what, read) = of;
        let wrong = |value: Value<'_>| {
            OptionsError::at(value, format_args!("\"values\" of the type {kind} are {what}"))
        };
        let all = items(values, "values")?;
        Ok(match read {
            Read::Narrow(read) => Self::Narrow(numbers(all, *read, wrong)?),
            Read::Wide(read) => Self::Wide(numbers(all, *read, wrong)?),
            Read::String => {
                let (mut texts, mut pointers) = (Vec::new(), Vec::new());
                for value in all {
                    if value.kind() != Kind::String {
                        return Err(wrong(value));
                    }
                    let text = text(&[&string(value, "values")?, b"\0"])?;
                    // The text's buffer is a separate allocation: it stays in place when the list
                    // grows.
                    pointers.try_push(Pointer(text.as_ptr().cast()))?;
                    texts.try_push(text)?;
                }
                Self::Strings { pointers, _texts: texts }
            }
        })
    }
}

fn numbers<'a, T>(
    values: Items<'a>,
    read: fn(Value<'_>) -> Number<T>,
    wrong: impl Fn(Value<'a>) -> OptionsError,
) -> Result<Vec<T>, OptionsError> {
    let mut list = Vec::new();
    for value in values {
        list.try_push(read(value)?.ok_or_else(|| wrong(value))?)?;
    }
    Ok(list)
}

pub(super) fn structures(all: &[LayerSetting]) -> Result<Vec<vk::LayerSettingEXT<'static>>, OutOfMemory> {
    let mut structures = Vec::new();
    all.iter().try_for_each(|setting| structures.try_push(setting.structure()))?;
    Ok(structures)
}

/// Reads a list of settings with unique names.
pub(super) fn list(value: Value<'_>, name: &str) -> Result<Vec<LayerSetting>, OptionsError> {
    let mut all: Vec<LayerSetting> = Vec::new();
    for value in items(value, name)? {
        let setting = LayerSetting::parse(value)?;
        if all.iter().any(|other| (&other.layer, &other.name) == (&setting.layer, &setting.name)) {
            return Err(OptionsError::mistake(format_args!(
                "line {}: the setting {} of {} occurs twice; remove one of them",
                value.line(),
                Escaped(setting.name()),
                Escaped(setting.layer())
            )));
        }
        all.try_push(setting)?;
    }
    Ok(all)
}

fn c_name(value: Value<'_>, name: &str) -> Result<Text, OptionsError> {
    let given = string(value, name)?;
    if given.is_empty() {
        return Err(OptionsError::at(value, format_args!("{name:?} of a setting is empty; name it")));
    }
    Ok(text(&[&given, b"\0"])?)
}

fn without_nul(text: &[u8]) -> &[u8] {
    CStr::from_bytes_until_nul(text).unwrap_or_default().to_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;
    use std::format;
    use std::string::{String, ToString};

    /// Returns the bytes that layers get for these values.
    fn read(kind: &str, values: &str) -> Result<std::vec::Vec<u8>, String> {
        let options = format!(
            r#"{{"layer_settings": [{{"layer": "VK_LAYER_a", "name": "b", "type": "{kind}", "values": {values}}}]}}"#
        );
        match Options::parse(options.as_bytes()) {
            Ok(options) => Ok(bytes(&options.layer_settings[0])),
            Err(stop) => Err(stop.to_string()),
        }
    }

    fn bytes(setting: &LayerSetting) -> std::vec::Vec<u8> {
        let given = setting.structure();
        match &setting.values {
            Values::Narrow(all) => {
                assert_eq!(given.value_count as usize, all.len());
                all.iter().flat_map(|one| one.to_ne_bytes()).collect()
            }
            Values::Wide(all) => {
                assert_eq!(given.value_count as usize, all.len());
                all.iter().flat_map(|one| one.to_ne_bytes()).collect()
            }
            Values::Strings { pointers, .. } => {
                assert_eq!(given.value_count as usize, pointers.len());
                // SAFETY: each pointer leads to a NUL-terminated text of the same setting.
                let text = |one: &Pointer| unsafe { CStr::from_ptr(one.0) }.to_bytes_with_nul().to_vec();
                pointers.iter().flat_map(text).collect()
            }
        }
    }

    fn all<const N: usize, const M: usize>(values: [[u8; N]; M]) -> std::vec::Vec<u8> {
        values.concat()
    }

    #[test]
    fn values_are_of_their_type() {
        for (kind, values, given) in [
            ("bool32", "[true, false]", all([1u32, 0].map(u32::to_ne_bytes))),
            ("int32", "[-2147483648, 7]", all([i32::MIN, 7].map(i32::to_ne_bytes))),
            ("int64", "[-9223372036854775808]", all([i64::MIN].map(i64::to_ne_bytes))),
            ("uint32", "[4294967295]", all([u32::MAX].map(u32::to_ne_bytes))),
            ("uint64", "[18446744073709551615]", all([u64::MAX].map(u64::to_ne_bytes))),
            ("float32", "[0.5, -1e3]", all([0.5f32, -1e3].map(f32::to_ne_bytes))),
            ("float64", "[1e300, 0.1, -4.9e-324]", all([1e300, 0.1, -4.9e-324f64].map(f64::to_ne_bytes))),
            ("string", r#"["\u00fc", ""]"#, "ü\0\0".as_bytes().to_vec()),
            ("string", "[]", std::vec![]),
        ] {
            assert_eq!(read(kind, values), Ok(given), "{kind} {values}");
        }
    }

    #[test]
    fn a_mistake_in_a_setting_is_named() {
        for (kind, values, words) in [
            ("bool", "[true]", "\"type\" is bool; known are bool32,"),
            ("bool32", "true", "\"values\" takes a list"),
            ("bool32", "[1]", "of the type bool32 are true or false"),
            ("int32", "[2147483648]", "whole numbers of 32 bits"),
            ("int32", "[1.5]", "whole numbers of 32 bits"),
            ("int32", "[\"1\"]", "whole numbers of 32 bits"),
            ("uint32", "[-1]", "from 0 to 4294967295"),
            ("uint64", "[18446744073709551616]", "from 0 to 18446744073709551615"),
            ("float32", "[1e39]", "that a float has room for"),
            ("float64", "[1e309]", "that a double has room for"),
            ("float64", "[\"1\"]", "that a double has room for"),
            ("string", "[1]", "are strings"),
            ("string", r#"["\u0000"]"#, "NUL"),
        ] {
            let said = read(kind, values).unwrap_err();
            assert!(said.starts_with("line 1: ") && said.contains(words), "{kind} {values}: {said}");
        }
        for (setting, words) in [
            (
                r#"{"layer": "a", "name": "b", "value": [1]}"#,
                "cannot have \"value\"; known are layer, name, type, values",
            ),
            (r#"{"layer": "a", "name": "b", "type": "int32"}"#, "is {\"layer\": NAME,"),
            (
                r#"{"layer": "", "name": "b", "type": "int32", "values": []}"#,
                "\"layer\" of a setting is empty",
            ),
            ("7", "is {\"layer\": NAME,"),
            (
                r#"{"layer": "a", "name": "b", "type": "int32", "values": []}, {"layer": "a", "name": "b", "type": "string", "values": []}"#,
                "the setting b of a occurs twice",
            ),
        ] {
            let options = format!(r#"{{"layer_settings": [{setting}]}}"#);
            let said = Options::parse(options.as_bytes()).unwrap_err().to_string();
            assert!(said.contains(words), "{setting}: {said}");
        }
    }
}
