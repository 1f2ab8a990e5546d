//! The members of the options' JSON, and the mistakes in them.
#![forbid(unsafe_code)]

use core::fmt;

use vkload_core::manifest::json::{self, Kind, Str, Value};
use vkload_core::memory::{Escaped, OutOfMemory, Text, format_into};

#[derive(Debug)]
pub enum OptionsError {
    Mistake(Text),
    OutOfMemory,
}

impl OptionsError {
    pub(super) fn mistake(message: fmt::Arguments<'_>) -> Self {
        let mut words = Text::new();
        format_into(&mut words, message);
        Self::Mistake(words)
    }

    /// Returns the mistake with the line of the value.
    pub(super) fn at(value: Value<'_>, message: fmt::Arguments<'_>) -> Self {
        Self::mistake(format_args!("line {}: {message}", value.line()))
    }
}

impl From<OutOfMemory> for OptionsError {
    fn from(_: OutOfMemory) -> Self {
        Self::OutOfMemory
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistake(words) => Escaped(words).fmt(f),
            Self::OutOfMemory => f.write_str("there is not enough memory"),
        }
    }
}

pub(super) fn items<'a>(value: Value<'a>, name: &str) -> Result<json::Items<'a>, OptionsError> {
    if value.kind() == Kind::List { Ok(value.items()) } else { Err(wrong_type(name, "a list", value)) }
}

pub(super) fn string(value: Value<'_>, name: &str) -> Result<Text, OptionsError> {
    let string = value.string().ok_or_else(|| wrong_type(name, "a string", value))?.to_text()?;
    if string.contains(&0) {
        return Err(OptionsError::at(value, format_args!("{name:?} has a NUL in it; leave it out")));
    }
    Ok(string)
}

pub(super) fn wrong_type(name: &str, wanted: &str, value: Value<'_>) -> OptionsError {
    OptionsError::at(value, format_args!("{name:?} takes {wanted}"))
}

pub(super) fn unknown(
    whose: &str,
    key: Str<'_>,
    value: Value<'_>,
    known: &mut dyn Iterator<Item = &str>,
) -> OptionsError {
    let mut words = Text::new();
    let (line, key) = (value.line(), Escaped(key.as_written()));
    format_into(&mut words, format_args!("line {line}: {whose} cannot have \"{key}\"; known are"));
    for (index, name) in known.enumerate() {
        let before = if index == 0 { "" } else { "," };
        format_into(&mut words, format_args!("{before} {name}"));
    }
    OptionsError::Mistake(words)
}
