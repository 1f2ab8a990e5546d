//! Takes the names of people out of a recording: home folders and users' names, however they are written.

use std::env;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::Value;

use crate::lossless;

/// The replacements. The second person is `user2`.
const HOME: &[u8] = b"/home/user";
const NAME: &str = "user";
/// Names that do not identify a person, and parts of the paths that every loader asks for.
const NOBODY: &[&str] = &[
    "", "config", "data", "dev", "etc", "home", "json", "lib", "lib64", "local", "media", "mnt", "nobody",
    "opt", "proc", "root", "run", "share", "so", "sys", "tmp", "user", "usr", "var", "vulkan", "xdg",
];
/// Variables with the name of the user, or of the one who used sudo or doas.
const VARIABLES: [&str; 4] = ["USER", "LOGNAME", "SUDO_USER", "DOAS_USER"];
/// The numbers of people's accounts.
const PEOPLE: std::ops::Range<u32> = 1000..65534;

/// Names that must not be in a recording.
#[derive(Default)]
pub(super) struct Names {
    homes: Vec<Vec<u8>>,
    /// The longest first, each with its replacement.
    names: Vec<(Vec<u8>, String)>,
}

impl Names {
    /// Returns the names of the users of this machine, among them the one with this home folder and name, which may belong to different
    /// users, as with sudo.
    pub(super) fn here(home: &str, name: &str) -> Self {
        let mut names = Self::new(home.as_bytes(), name.as_bytes());
        names.add_home(env::var_os("HOME").unwrap_or_default().as_bytes());
        VARIABLES.iter().filter_map(env::var_os).for_each(|name| names.add(name.as_bytes()));
        for line in fs::read("/etc/passwd").unwrap_or_default().split(|byte| *byte == b'\n') {
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
            let [name, _, id, _, _, home, ..] = fields[..] else { continue };
            let id = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
            if id.is_some_and(|id| PEOPLE.contains(&id)) {
                names.add(name);
                names.add_home(home);
            }
        }
        names
    }

    fn new(home: &[u8], name: &[u8]) -> Self {
        let mut names = Self::default();
        names.add_home(home);
        names.add(name);
        names
    }

    fn add(&mut self, name: &[u8]) {
        let is_nobody = NOBODY.iter().any(|nobody| nobody.as_bytes() == name);
        if is_nobody || self.names.iter().any(|(known, _)| known == name) {
            return;
        }
        let number = if self.names.is_empty() { String::new() } else { (self.names.len() + 1).to_string() };
        self.names.push((name.to_vec(), format!("{NAME}{number}")));
        self.names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    }

    /// Adds a home folder, and its user's name if it is one of the usual folders.
    fn add_home(&mut self, home: &[u8]) {
        let parts: Vec<&[u8]> = parts(home).collect();
        match parts[..] {
            [b"home", name] => self.add(name),
            [_, _, ..] => self.homes.push([&b"/"[..], &parts.join(&b'/')].concat()),
            _ => {}
        }
    }

    /// Adds the names in paths of home folders.
    fn find(&mut self, text: &[u8]) {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b":;,\"'()<>|&$`".contains(byte);
        for path in text.split(is_end) {
            let parts: Vec<&[u8]> = parts(path).collect();
            // `/home/NAME`, `/var/home/NAME`.
            let of_home =
                parts.windows(2).take(2).find(|pair| pair[0] == b"home" && !pair[1].starts_with(b"."));
            of_home.into_iter().for_each(|pair| self.add(pair[1]));
        }
    }

    /// Replaces them in every string, also in the names of fields.
    pub(super) fn take_out(mut self, value: &mut Value) {
        change(value, &mut |text| {
            self.find(text);
            text.to_vec()
        });
        change(value, &mut |text| self.without(text));
    }

    fn without(&self, text: &[u8]) -> Vec<u8> {
        let text = self.homes.iter().fold(text.to_vec(), |text, home| replaced(&text, home, HOME));
        self.names.iter().fold(text, |text, (name, by)| replaced(&text, name, by.as_bytes()))
    }
}

/// Changes every string, also the names of fields.
fn change(value: &mut Value, by: &mut dyn FnMut(&[u8]) -> Vec<u8>) {
    match value {
        Value::String(text) => *text = lossless::text(&by(&lossless::bytes(text))),
        Value::Array(elements) => elements.iter_mut().for_each(|element| change(element, by)),
        Value::Object(fields) => {
            let changed = std::mem::take(fields).into_iter().map(|(name, mut field)| {
                let name = lossless::text(&by(&lossless::bytes(&name)));
                change(&mut field, by);
                (name, field)
            });
            *fields = changed.collect();
        }
        _ => {}
    }
}

fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// Returns the text with each `part` replaced that is no part of a longer word. A slash may be written as several, and as `/./`.
fn replaced(text: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
    let is_of_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.first() {
        let after = after(rest, part).filter(|after| !is_of_word(after.first()));
        match after.filter(|_| part.starts_with(b"/") || !is_of_word(out.last())) {
            Some(after) => {
                out.extend_from_slice(by);
                rest = after;
            }
            None => {
                out.push(*first);
                rest = &rest[1..];
            }
        }
    }
    out
}

/// Returns what comes after `part` in a text that begins with it.
fn after<'a>(mut text: &'a [u8], part: &[u8]) -> Option<&'a [u8]> {
    for byte in part {
        text = text.strip_prefix(&[*byte])?;
        while let (b'/', Some(rest)) = (byte, text.strip_prefix(b"/").or_else(|| text.strip_prefix(b"./"))) {
            text = rest;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests;
