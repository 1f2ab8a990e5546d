//! Paths and values of variables as text that loses nothing: each byte that is not part of UTF-8 is a character of Unicode's last private
//! plane, as Python's `surrogateescape` uses surrogates. Such text can be compared, split and kept in JSON. [`bytes`] turns it back for the
//! system, and [`crate::escape`] shows it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// The character for the byte 0.
const FIRST: u32 = 0x10_FE00;

/// Returns the byte that this character stands for.
pub(crate) fn byte(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()
}

/// Returns whether the text has a character of the last planes. This is quick even if it is not optimised: package managers list megabytes.
fn may_contain_bytes(text: &str) -> bool {
    text.as_bytes().contains(&0xF4)
}

/// Returns the text of a path, a name or a value.
pub(crate) fn text(system: &[u8]) -> String {
    let character = |byte: &u8| char::from_u32(FIRST + u32::from(*byte)).unwrap_or_default();
    let mut out = String::new();
    for chunk in system.utf8_chunks() {
        match may_contain_bytes(chunk.valid()) {
            false => out.push_str(chunk.valid()),
            true => chunk.valid().chars().for_each(|valid| match byte(valid) {
                Some(_) => out.extend(valid.encode_utf8(&mut [0; 4]).as_bytes().iter().map(character)),
                None => out.push(valid),
            }),
        }
        out.extend(chunk.invalid().iter().map(character));
    }
    out
}

pub(crate) fn of(system: impl AsRef<OsStr>) -> String {
    text(system.as_ref().as_bytes())
}

/// Returns what this text was made from.
pub(crate) fn bytes(text: &str) -> Cow<'_, [u8]> {
    if !may_contain_bytes(text) {
        return text.as_bytes().into();
    }
    let mut out = Vec::new();
    for character in text.chars() {
        match byte(character) {
            Some(byte) => out.push(byte),
            None => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.into()
}

pub(crate) fn system(text: &str) -> OsString {
    OsString::from_vec(bytes(text).into_owned())
}

pub(crate) fn path(text: impl AsRef<str>) -> PathBuf {
    PathBuf::from(system(text.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_as_it_was() {
        let names: [&[u8]; 4] = [b"/plain/\t'\n", b"g\xfc/\xff\xfe", "\u{10fefc}\u{e9}".as_bytes(), b""];
        for name in names {
            let text = text(name);
            assert_eq!(*bytes(&text), *name);
            assert_eq!(serde_json::from_str::<String>(&serde_json::to_string(&text).unwrap()).unwrap(), text);
        }
        assert_ne!(text(b"\xfc"), text(b"\xfd"));
    }
}
