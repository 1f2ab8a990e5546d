//! JSON as it occurs in manifests, read in place.
//!
//! [`parse`] checks a whole document in one pass over the caller's bytes, without recursion and
//! without allocating, and returns a [`Value`] to query. Text is copied only on request.
//!
//! Shipped manifests were written for lenient readers, so this one accepts, beyond the standard: a
//! byte-order mark; anything after the document; duplicate keys, of which the first is used; keys
//! in another case; control characters in strings and, except NUL, between tokens; bytes that are
//! not UTF-8 (file names); numbers such as `01` and `1.`. It rejects comments, commas before a
//! closing bracket, and nesting deeper than [`DEPTH_LIMIT`].
#![forbid(unsafe_code)]

mod scanner;

use core::fmt;
use core::ops::Range;

use crate::memory::ascii::is_same_in_any_case;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec};
use scanner::{Nesting, Scanner};

/// The number of objects and lists that may be open at once.
pub const DEPTH_LIMIT: u32 = 64;

/// Checks the document at the beginning of `bytes` and returns its value.
pub fn parse(bytes: &[u8]) -> Result<Value<'_>, Error> {
    parse_wanted(bytes, &mut Wanted { outer: (&[], &mut []), inner: (&[], &mut []) })
}

/// Does the same, and returns in the same pass the results of [`members_named`](Value::members_named) of the document, and of its
/// first member with the first of `names`.
pub fn parse_members<'a, const N: usize, const M: usize>(
    bytes: &'a [u8],
    names: [&str; N],
    names_inside: [&str; M],
) -> Result<(Value<'a>, NamedMembers<'a, N>, NamedMembers<'a, M>), Error> {
    let (mut outer, mut inner) = ([None; N], [None; M]);
    let mut wanted = Wanted { outer: (&names, &mut outer), inner: (&names_inside, &mut inner) };
    let root = parse_wanted(bytes, &mut wanted)?;
    Ok((root, outer, inner))
}

pub type NamedMembers<'a, const N: usize> = [Option<Value<'a>>; N];

/// The names of members and the values found: of the document, and of its first member with the first of these names.
struct Wanted<'w, 'a> {
    outer: Named<'w, 'a>,
    inner: Named<'w, 'a>,
}

type Named<'w, 'a> = (&'w [&'w str], &'w mut [Option<Value<'a>>]);

impl<'a> Wanted<'_, 'a> {
    /// Receives a member of the document, or of the member of the document with the key `inside`.
    fn put(&mut self, inside: Option<Str<'a>>, key: Str<'a>, value: Value<'a>) {
        let first = matches!((self.outer.1.first(), inside, self.outer.0.first()),
            (Some(None), Some(inside), Some(name)) if inside.is(name));
        if inside.is_none() {
            put(&mut self.outer, key, value);
        } else if first {
            put(&mut self.inner, key, value);
        }
    }
}

fn parse_wanted<'a>(bytes: &'a [u8], wanted: &mut Wanted<'_, 'a>) -> Result<Value<'a>, Error> {
    let mut scanner = Scanner { bytes, at: 0 };
    let checked =
        scanner.skip_prologue().and_then(|()| scanner.take_members(&mut Nesting::default(), None, wanted));
    checked.map_err(|kind| {
        let (line, column) = position(bytes, scanner.at);
        Error { kind, line, column }
    })
}

/// Keeps the first member with each name, at the index of the name.
#[inline(never)] // several callers
fn put<'a>((names, found): &mut Named<'_, 'a>, key: Str<'a>, value: Value<'a>) {
    // Most keys are written like their names.
    let exact = names.iter().position(|name| key.0 == name.as_bytes());
    let index = exact.or_else(|| names.iter().position(|name| key.is(name)));
    if let Some(slot) = index.and_then(|index| found.get_mut(index)) {
        slot.get_or_insert(value);
    }
}

#[derive(Clone, Copy)]
pub struct Value<'a> {
    bytes: &'a [u8],
    /// The offset of its beginning in the document.
    at: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    List,
    String,
    Number,
    Truth,
    Null,
}

impl<'a> Value<'a> {
    pub fn kind(&self) -> Kind {
        match self.bytes.get(self.at) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::List,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Truth,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Returns the first member of an object whose key is `name` in any case. `None` also for a non-object.
    pub fn member(&self, name: &str) -> Option<Value<'a>> {
        self.members().find(|(key, _)| key.is(name)).map(|(_, value)| value)
    }

    /// Returns the result of [`member`](Value::member) for each of `names`, in one pass.
    pub fn members_named<const N: usize>(&self, names: [&str; N]) -> NamedMembers<'a, N> {
        let mut found = [None; N];
        self.members().find_named(&names, &mut found);
        found
    }

    #[inline(never)] // several callers
    pub fn members(&self) -> Members<'a> {
        Members(self.contents(Kind::Object))
    }

    /// Returns the members that follow this member's value in its object.
    pub fn members_behind(&self) -> Members<'a> {
        Members(Some(Scanner { bytes: self.bytes, at: self.end }))
    }

    #[inline(never)] // several callers
    pub fn items(&self) -> Items<'a> {
        Items(self.contents(Kind::List))
    }

    pub fn string(&self) -> Option<Str<'a>> {
        self.as_written().strip_prefix(b"\"")?.strip_suffix(b"\"").map(Str)
    }

    pub fn truth(&self) -> Option<bool> {
        (self.kind() == Kind::Truth).then(|| self.bytes.get(self.at) == Some(&b't'))
    }

    pub fn as_written(&self) -> &'a [u8] {
        self.bytes.get(self.range()).unwrap_or_default()
    }

    /// Returns the leading digits of a number that is not negative; a larger one counts as the maximum.
    pub fn unsigned(&self) -> Option<u32> {
        (self.kind() == Kind::Number).then(|| leading_number(self.bytes.get(self.at..)?)).flatten()
    }

    /// Returns a whole number. A negative one is reinterpreted as an unsigned 32-bit number, since tools
    /// write driver versions like this.
    pub fn wrapped(&self) -> Option<u32> {
        let negative = self.bytes.get(self.at) == Some(&b'-');
        let digits = Value { at: self.at.saturating_add(usize::from(negative)), ..*self };
        let number = digits.unsigned()?;
        Some(if negative { number.wrapping_neg() } else { number })
    }

    pub const fn range(&self) -> Range<usize> {
        self.at..self.end
    }

    #[inline(never)] // several callers
    pub fn line(&self) -> u32 {
        position(self.bytes, self.at).0
    }

    /// Returns a scanner after the opening bracket.
    fn contents(&self, kind: Kind) -> Option<Scanner<'a>> {
        (self.kind() == kind).then(|| Scanner { bytes: self.bytes, at: self.at.saturating_add(1) })
    }
}

pub struct Members<'a>(Option<Scanner<'a>>);

impl<'a> Members<'a> {
    #[inline(never)] // several callers
    fn find_named(&mut self, names: &[&str], found: &mut [Option<Value<'a>>]) {
        for (key, value) in self {
            put(&mut (names, found), key, value);
        }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Str<'a>, Value<'a>);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        let scanner = self.0.as_mut()?;
        scanner.skip_blanks_and(b',');
        let key = scanner.take_string().ok()?;
        scanner.skip_blanks_and(b':');
        Some((key, scanner.take_checked_value()?))
    }
}

#[derive(Default)]
pub struct Items<'a>(Option<Scanner<'a>>);

impl<'a> Items<'a> {
    /// Returns the next value, and in the same pass its members with these names at the indices of the names.
    pub fn next_with_members(
        &mut self,
        names: &[&str],
        found: &mut [Option<Value<'a>>],
    ) -> Option<Value<'a>> {
        found.fill(None);
        let scanner = self.0.as_mut()?;
        scanner.skip_blanks_and(b',');
        let value = Value { bytes: scanner.bytes, at: scanner.at, end: scanner.at };
        match scanner.peek() {
            Some(b']') => return None,
            Some(b'{') => {}
            _ => return scanner.take_checked_value(),
        }
        let mut members = value.members();
        members.find_named(names, found);
        scanner.at = members.0?.at.saturating_add(1);
        Some(Value { end: scanner.at, ..value })
    }
}

impl<'a> From<Option<&Value<'a>>> for Items<'a> {
    fn from(list: Option<&Value<'a>>) -> Self {
        list.map_or_else(Self::default, |list| list.items())
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_with_members(&[], &mut [])
    }
}

/// The text of a string, with its escapes as in the file.
#[derive(Clone, Copy)]
pub struct Str<'a>(&'a [u8]);

impl<'a> Str<'a> {
    /// Returns the text without escapes. The result may be a path with a NUL, or not in UTF-8.
    pub fn to_text(self) -> Result<Text, OutOfMemory> {
        let mut text = Vec::new();
        // Names get a NUL.
        text.try_fit(self.0.len().saturating_add(1))?;
        for piece in self.pieces() {
            match piece {
                Piece::Plain(bytes) => text.try_extend(bytes)?,
                Piece::Escaped(c) => text.try_extend(c.encode_utf8(&mut [0; 4]).as_bytes())?,
            }
        }
        Ok(text)
    }

    /// Returns whether the text is `name`, which contains no backslash, in any case.
    pub fn is(self, name: &str) -> bool {
        if self.0 == name.as_bytes() {
            return true;
        }
        // Most other keys begin with another letter.
        if let (Some(first), Some(wanted)) = (self.0.first(), name.as_bytes().first())
            && *first != b'\\'
            && !first.eq_ignore_ascii_case(wanted)
        {
            return false;
        }
        // An escape is longer than its character.
        if self.0.len() <= name.len() {
            return is_same_in_any_case(self.0, name.as_bytes());
        }
        let mut rest = name.as_bytes();
        for piece in self.pieces() {
            let mut buffer = [0; 4];
            let part = match piece {
                Piece::Plain(bytes) => bytes,
                Piece::Escaped(c) => c.encode_utf8(&mut buffer).as_bytes(),
            };
            match rest.split_at_checked(part.len()) {
                Some((start, end)) if is_same_in_any_case(start, part) => rest = end,
                _ => return false,
            }
        }
        rest.is_empty()
    }

    /// Returns the bytes between the quotes, escapes included. Enough for text that needs none.
    pub fn as_written(self) -> &'a [u8] {
        self.0
    }

    /// Returns the leading digits of the text, after blanks; a larger number counts as the maximum.
    pub fn unsigned(self) -> Option<u32> {
        leading_number(self.0.trim_ascii_start())
    }

    fn pieces(self) -> Pieces<'a> {
        Pieces(self.0)
    }
}

fn leading_number(text: &[u8]) -> Option<u32> {
    let mut digits = text.iter().take_while(|byte| byte.is_ascii_digit()).peekable();
    digits.peek()?;
    let add = |number: u32, digit: &u8| {
        number.saturating_mul(10).saturating_add(u32::from(digit.wrapping_sub(b'0')))
    };
    Some(digits.fold(0, add))
}

enum Piece<'a> {
    Plain(&'a [u8]),
    Escaped(char),
}

/// The parts of a checked string. Stops at a malformed escape.
struct Pieces<'a>(&'a [u8]);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        // Few texts have an escape, and this is the fastest way to see it.
        let plain = match self.0.contains(&b'\\') {
            true => self.0.iter().position(|byte| *byte == b'\\').unwrap_or_default(),
            false => self.0.len(),
        };
        if plain > 0 {
            let (piece, rest) = self.0.split_at_checked(plain)?;
            self.0 = rest;
            return Some(Piece::Plain(piece));
        }
        let (c, rest) = unescape(self.0)?;
        self.0 = rest;
        Some(Piece::Escaped(c))
    }
}

/// Returns the character of the escape at the beginning of `bytes`, and the rest after it.
fn unescape(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (b'\\', rest) = bytes.split_first()? else { return None };
    let (letter, rest) = rest.split_first()?;
    let c = match letter {
        b'"' | b'\\' | b'/' => char::from(*letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unescape_code(rest),
        _ => return None,
    };
    Some((c, rest))
}

/// Returns the character whose code follows `\u`: one unit of UTF-16, or two with `\u` between them.
fn unescape_code(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (first, rest) = hexadecimal(bytes)?;
    if !(0xD800..0xE000).contains(&first) {
        return Some((char::from_u32(u32::from(first))?, rest));
    }
    let (second, rest) = hexadecimal(rest.strip_prefix(b"\\u")?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, rest))
}

fn hexadecimal(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(4)?;
    let mut value = 0u16;
    for digit in digits {
        let digit = char::from(*digit).to_digit(16)?;
        value = value.wrapping_shl(4) | u16::try_from(digit).ok()?;
    }
    Some((value, rest))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    Empty,
    Utf16,
    UnexpectedEnd,
    NotAValue,
    TrailingComma,
    /// Neither a comma nor the closing bracket after a value.
    MissingComma,
    /// A member whose key is not a string.
    KeyNotAString,
    MissingColon,
    /// A backslash with an invalid escape, or half a character.
    BadEscape,
    BadNumber,
    /// More open brackets than [`DEPTH_LIMIT`].
    TooDeep,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.kind)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the file is empty",
            Self::Utf16 => "the file is UTF-16, but must be UTF-8",
            Self::UnexpectedEnd => "the file ends in the middle of a value",
            Self::NotAValue => "a value is expected here",
            Self::TrailingComma => "there is a comma before a closing bracket",
            Self::MissingComma => "a comma or a closing bracket is missing",
            Self::KeyNotAString => "a key in double quotes is expected here",
            Self::MissingColon => "the colon after a key is missing",
            Self::BadEscape => "a backslash is followed by something that JSON does not know",
            Self::BadNumber => "a number has no digits",
            Self::TooDeep => "brackets are nested too deeply",
        })
    }
}

/// Returns the line and column of an offset, both from 1.
fn position(bytes: &[u8], at: usize) -> (u32, u32) {
    let before = bytes.get(..at).unwrap_or(bytes);
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    (breaks(before).saturating_add(1), u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1))
}

pub(super) fn breaks(bytes: &[u8]) -> u32 {
    let breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
