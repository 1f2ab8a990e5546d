//! From JSON to members of structures.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use vkload_core::manifest::json::{Kind, Str, Value};
use vkload_driver_runtime::reflect::{self, Slot, SlotError};

/// The parts that were not understood.
#[derive(Default)]
pub(super) struct Notes(pub(super) Vec<String>);

impl Notes {
    pub(super) fn unknown(&mut self, value: Value<'_>, at: &str, what: &str) {
        let line = value.line();
        self.0.push(format!("line {line}: {at}: no such {what} is known; it is ignored"));
    }
}

/// Returns a key as written: keys in profiles have no escapes.
pub(super) fn key_of(key: Str<'_>) -> String {
    String::from_utf8_lossy(key.as_written()).into_owned()
}

/// Returns an object's entries, each with the path to it.
pub(super) fn entries<'a>(object: Value<'a>, at: &str) -> impl Iterator<Item = (String, String, Value<'a>)> {
    object.members().map(move |(key, value)| {
        let key = key_of(key);
        let at = format!("{at}/{key}");
        (key, at, value)
    })
}

pub(super) fn text_of(value: Value<'_>) -> Option<String> {
    let text = value.string()?.to_text().ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

pub(super) fn wrong(value: Value<'_>, at: &str, why: &str) -> String {
    format!("line {}: {at}: {why}", value.line())
}

/// Sets a member and everything inside it.
pub(super) fn fill(slot: &mut Slot<'_>, value: Value<'_>, at: &str, notes: &mut Notes) -> Result<(), String> {
    if value.kind() == Kind::Null {
        return Ok(());
    }
    if let Some(count) = slot.elements() {
        if value.kind() != Kind::List {
            return Err(wrong(value, at, &format!("a list of up to {count} is wanted")));
        }
        for (number, item) in value.items().enumerate() {
            let at = format!("{at}/{number}");
            let Some(mut element) = slot.element(number) else {
                return Err(wrong(item, &at, &format!("the list has room for {count} only")));
            };
            fill(&mut element, item, &at, notes)?;
        }
        return Ok(());
    }
    match slot.kind() {
        reflect::Kind::Nested(_) => {
            if value.kind() != Kind::Object {
                return Err(wrong(value, at, "an object is wanted"));
            }
            for (key, at, value) in entries(value, at) {
                match slot.member(&key) {
                    Some(mut member) => fill(&mut member, value, &at, notes)?,
                    None => notes.unknown(value, &at, "member"),
                }
            }
            Ok(())
        }
        reflect::Kind::Flags(_) | reflect::Kind::Flags64(_) if value.kind() == Kind::List => {
            flags(slot, value, at, notes)
        }
        _ => set(slot, value, at, notes),
    }
}

/// Sets the flags of a list, and no others.
fn flags(slot: &mut Slot<'_>, list: Value<'_>, at: &str, notes: &mut Notes) -> Result<(), String> {
    slot.set(reflect::Value::Integer(0)).map_err(|_| wrong(list, at, "no flags are wanted"))?;
    add_flags(slot, list, at, notes)
}

pub(super) fn add_flags(
    slot: &mut Slot<'_>,
    list: Value<'_>,
    at: &str,
    notes: &mut Notes,
) -> Result<(), String> {
    for item in list.items() {
        if let Some(bits) = integer(item) {
            let known = match slot.get() {
                Some(reflect::Value::Integer(known)) => known,
                _ => 0,
            };
            let all = slot.set(reflect::Value::Integer(known | bits));
            all.map_err(|_| wrong(item, at, "the number is out of the range of its type"))?;
            continue;
        }
        let name = text_of(item).ok_or_else(|| wrong(item, at, "the names of flags are wanted"))?;
        if slot.add_flag(&name).is_err() {
            notes.unknown(item, &format!("{at}/{name}"), "flag");
        }
    }
    Ok(())
}

fn set(slot: &mut Slot<'_>, value: Value<'_>, at: &str, notes: &mut Notes) -> Result<(), String> {
    let text = text_of(value);
    // Some writers of files put numbers into quotes.
    let quoted = text.as_deref().filter(|_| slot.kind() != reflect::Kind::Char).and_then(number_of);
    let read = match value.kind() {
        Kind::String if quoted.is_some() => quoted,
        Kind::Truth => value.truth().map(reflect::Value::Bool),
        Kind::String => text.as_deref().map(reflect::Value::Text),
        Kind::Number => number(value),
        _ => None,
    };
    let Some(read) = read else { return Err(wrong(value, at, wanted(slot))) };
    match slot.set(read) {
        Ok(()) => Ok(()),
        Err(SlotError::Name) => {
            notes.unknown(value, &format!("{at}/{}", text.unwrap_or_default()), "value");
            Ok(())
        }
        Err(SlotError::Type) => Err(wrong(value, at, wanted(slot))),
        Err(SlotError::Range) => Err(wrong(value, at, "the number is out of the range of its type")),
        Err(SlotError::Length) => Err(wrong(value, at, "the text is too long")),
    }
}

/// Returns a value as a whole number, in quotes or not.
fn integer(value: Value<'_>) -> Option<i128> {
    let number = match value.kind() {
        Kind::Number => number(value),
        Kind::String => text_of(value).as_deref().and_then(number_of),
        _ => None,
    };
    match number? {
        reflect::Value::Integer(number) => Some(number),
        _ => None,
    }
}

fn number(value: Value<'_>) -> Option<reflect::Value<'static>> {
    number_of(core::str::from_utf8(value.as_written()).ok()?)
}

fn number_of(text: &str) -> Option<reflect::Value<'static>> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok().map(reflect::Value::Integer);
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    let whole = text.parse().ok().map(reflect::Value::Integer);
    whole.or_else(|| text.parse().ok().map(reflect::Value::Real))
}

fn wanted(slot: &Slot<'_>) -> &'static str {
    match slot.kind() {
        reflect::Kind::Bool => "true or false is wanted",
        reflect::Kind::Char => "a text is wanted",
        reflect::Kind::F32 => "a number is wanted",
        reflect::Kind::Enum(_) => "the name of a value or a number is wanted",
        reflect::Kind::Flags(_) | reflect::Kind::Flags64(_) => "a list of the names of flags is wanted",
        _ => "a whole number is wanted",
    }
}

/// Returns the values of the known names in a list.
pub(super) fn names(
    list: Value<'_>,
    known: &[(&str, i64)],
    at: &str,
    notes: &mut Notes,
) -> Result<Vec<i64>, String> {
    let mut values = Vec::new();
    for item in list.items() {
        if let Some(number) = integer(item).and_then(|number| i64::try_from(number).ok()) {
            values.push(number);
            continue;
        }
        let name = text_of(item).ok_or_else(|| wrong(item, at, "a list of names is wanted"))?;
        match reflect::value(known, &name) {
            Some(value) => values.push(value),
            None => notes.unknown(item, &format!("{at}/{}", name.to_owned()), "value"),
        }
    }
    Ok(values)
}
