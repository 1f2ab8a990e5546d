//! Text from outside, shown as text: whatever it contains, a terminal, a browser or a reader takes no orders from it.

use std::fmt::Write as _;

use serde_json::Value;
use vkload_core::memory::{Escaped, is_visible};

use crate::lossless;

/// Returns the text with all characters escaped that are not shown as themselves.
pub(crate) fn line(text: &str) -> String {
    Escaped(&lossless::bytes(text)).to_string()
}

/// Returns the lines with all characters in them escaped that are not shown as themselves.
pub(crate) fn lines(text: &str) -> String {
    let parts = text.split_inclusive(['\n', '\t']).map(|part| match part.strip_suffix(['\n', '\t']) {
        Some(rest) => line(rest) + part.get(rest.len()..).unwrap_or_default(),
        None => line(part),
    });
    parts.collect()
}

/// Returns the value as JSON in lines. Characters that are not shown as themselves are escaped there, too: a program reads them as they were.
pub(crate) fn json(value: &Value) -> String {
    let mut out = String::new();
    for character in format!("{value:#}\n").chars() {
        if let Some(byte) = lossless::byte(character) {
            let _ = write!(out, "\\\\x{byte:02x}");
        } else if character == '\n' || is_visible(character) {
            out.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(out, "\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests;
