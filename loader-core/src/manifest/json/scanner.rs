//! Passes over the bytes of a document once, and checks everything that is skipped.
#![forbid(unsafe_code)]

use super::{DEPTH_LIMIT, ErrorKind, Str, Value, Wanted, unescape};

/// A position in a document that moves forward only.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    pub(super) fn skip_prologue(&mut self) -> Result<(), ErrorKind> {
        if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
            return Err(ErrorKind::Utf16);
        }
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.step(3);
        }
        self.skip_blanks();
        self.peek().map(|_| ()).ok_or(ErrorKind::Empty)
    }

    #[inline(never)] // several callers
    fn skip_blanks(&mut self) {
        if let Some(1..=b' ') = self.peek() {
            self.step(1);
            if let Some(1..=b' ') = self.peek() {
                self.skip_all_blanks();
            }
        }
    }

    #[inline(never)]
    fn skip_all_blanks(&mut self) {
        let mut rest = self.rest();
        loop {
            // Most blanks indent something.
            if let Some((word, after)) = rest.split_first_chunk() {
                match spaces(*word) {
                    8 => {
                        rest = after;
                        continue;
                    }
                    spaces => rest = rest.get(spaces..).unwrap_or_default(),
                }
            }
            match rest {
                [1..=b' ', after @ ..] => rest = after,
                _ => break,
            }
        }
        self.at = self.bytes.len().saturating_sub(rest.len());
    }

    /// Skips blanks, one `separator` if present, and blanks.
    pub(super) fn skip_blanks_and(&mut self, separator: u8) {
        self.skip_blanks();
        if self.peek() == Some(separator) {
            self.step(1);
            self.skip_blanks();
        }
    }

    /// Returns the value that begins here, in a document that has been checked.
    pub(super) fn take_checked_value(&mut self) -> Option<Value<'a>> {
        let at = self.at;
        self.skip_value().ok()?;
        Some(Value { bytes: self.bytes, at, end: self.at })
    }

    /// Checks the value that begins here, and skips it. Passes the members of an object to `wanted`, with the key of the object
    /// `inside` which they are; those of an object in the document's own come before it.
    pub(super) fn take_members(
        &mut self,
        nesting: &mut Nesting,
        inside: Option<Str<'a>>,
        wanted: &mut Wanted<'_, 'a>,
    ) -> Result<Value<'a>, ErrorKind> {
        self.skip_blanks();
        let at = self.at;
        let outside = nesting.depth;
        if outside > 1 || self.peek() != Some(b'{') {
            self.skip_value_in(nesting)?;
            return Ok(Value { bytes: self.bytes, at, end: self.at });
        }
        let mut next = match self.enter(nesting, true)? {
            None => self.skip_to_next_value(nesting, outside)?,
            first => first,
        };
        while let Some(key) = next {
            let value = self.take_members(nesting, Some(key), wanted)?;
            wanted.put(inside, key, value);
            next = self.skip_to_next_value(nesting, outside)?;
        }
        Ok(Value { bytes: self.bytes, at, end: self.at })
    }

    pub(super) fn skip_value(&mut self) -> Result<(), ErrorKind> {
        self.skip_value_in(&mut Nesting::default())
    }

    /// Does the same inside containers.
    fn skip_value_in(&mut self, nesting: &mut Nesting) -> Result<(), ErrorKind> {
        let outside = nesting.depth;
        loop {
            self.skip_blanks();
            let first = self.peek().ok_or(ErrorKind::UnexpectedEnd)?;
            if matches!(first, b'{' | b'[') {
                if self.enter(nesting, first == b'{')?.is_some() {
                    continue;
                }
            } else {
                self.skip_scalar()?;
            }
            if self.skip_to_next_value(nesting, outside)?.is_none() {
                return Ok(());
            }
        }
    }

    /// Enters the container that begins here. Returns the key of its first value, empty in a list; `None` if the container is.
    fn enter(&mut self, nesting: &mut Nesting, object: bool) -> Result<Option<Str<'a>>, ErrorKind> {
        nesting.enter(object)?;
        self.step(1);
        self.skip_blanks();
        match self.peek() {
            Some(b'}') if object => Ok(None),
            Some(b']') if !object => Ok(None),
            _ if object => self.skip_key().map(Some),
            _ => Ok(Some(Str(b""))),
        }
    }

    /// Leaves the containers that end after a value, except the `outside` ones. Returns the key of the value that follows, empty in
    /// a list; `None` if none follows.
    fn skip_to_next_value(
        &mut self,
        nesting: &mut Nesting,
        outside: u32,
    ) -> Result<Option<Str<'a>>, ErrorKind> {
        while nesting.depth > outside {
            let in_object = nesting.is_in_object();
            self.skip_blanks();
            let end = if in_object { b'}' } else { b']' };
            match self.peek().ok_or(ErrorKind::UnexpectedEnd)? {
                byte if byte == end => {
                    self.step(1);
                    nesting.leave();
                }
                b',' => {
                    let comma = self.at;
                    self.skip_blanks_and(b',');
                    if self.peek() == Some(end) {
                        self.at = comma;
                        return Err(ErrorKind::TrailingComma);
                    }
                    return if in_object { self.skip_key().map(Some) } else { Ok(Some(Str(b""))) };
                }
                _ => return Err(ErrorKind::MissingComma),
            }
        }
        Ok(None)
    }

    /// Skips a key and its colon, and returns the key.
    fn skip_key(&mut self) -> Result<Str<'a>, ErrorKind> {
        let key = match self.peek() {
            None => return Err(ErrorKind::UnexpectedEnd),
            Some(b'"') => self.take_string()?,
            Some(_) => return Err(ErrorKind::KeyNotAString),
        };
        self.skip_blanks();
        match self.peek() {
            None => Err(ErrorKind::UnexpectedEnd),
            Some(b':') => {
                self.step(1);
                Ok(key)
            }
            Some(_) => Err(ErrorKind::MissingColon),
        }
    }

    fn skip_scalar(&mut self) -> Result<(), ErrorKind> {
        match self.peek() {
            Some(b'"') => self.take_string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            _ => {
                let word =
                    [&b"true"[..], b"false", b"null"].into_iter().find(|word| self.rest().starts_with(word));
                self.step(word.ok_or(ErrorKind::NotAValue)?.len());
                Ok(())
            }
        }
    }

    fn skip_number(&mut self) -> Result<(), ErrorKind> {
        let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = self.rest().iter().position(|byte| !is_part(byte)).unwrap_or(self.rest().len());
        let number = self.rest().get(..length).unwrap_or_default();
        if !number.iter().any(u8::is_ascii_digit) {
            return Err(ErrorKind::BadNumber);
        }
        self.step(length);
        Ok(())
    }

    /// Returns the string that begins here. On an error the scanner stops at the fault.
    pub(super) fn take_string(&mut self) -> Result<Str<'a>, ErrorKind> {
        if self.peek() != Some(b'"') {
            return Err(ErrorKind::NotAValue);
        }
        self.step(1);
        let start = self.at;
        loop {
            self.step(plain_length(self.rest()));
            match self.peek() {
                None => return Err(ErrorKind::UnexpectedEnd),
                Some(b'"') => {
                    let text = self.bytes.get(start..self.at).unwrap_or_default();
                    self.step(1);
                    return Ok(Str(text));
                }
                Some(_) => self.skip_escape()?,
            }
        }
    }

    #[cold]
    fn skip_escape(&mut self) -> Result<(), ErrorKind> {
        let rest = self.rest();
        let (_, after) = unescape(rest).ok_or(ErrorKind::BadEscape)?;
        self.step(rest.len().saturating_sub(after.len()));
        Ok(())
    }
}

/// Returns the number of bytes before the first quote or backslash.
///
/// Compares eight bytes at once: a large layer's manifest has tens of thousands, scanned
/// repeatedly.
fn plain_length(text: &[u8]) -> usize {
    let (words, tail) = text.as_chunks();
    let mut length = 0usize;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let stops = mark(word, b'"') | mark(word, b'\\');
        if stops != 0 {
            return length.wrapping_add((stops.trailing_zeros() / u8::BITS) as usize);
        }
        length = length.wrapping_add(size_of::<u64>());
    }
    let in_tail = tail.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    length.wrapping_add(in_tail.unwrap_or(tail.len()))
}

/// Returns the number of spaces at the beginning.
fn spaces(word: [u8; 8]) -> usize {
    let differences = u64::from_le_bytes(word) ^ u64::from_le_bytes([b' '; 8]);
    (differences.trailing_zeros() / u8::BITS) as usize
}

/// Sets the highest bit of the first byte of a word that is `byte`, and perhaps of others after it.
fn mark(word: u64, byte: u8) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; size_of::<u64>()]);
    let zero_where_equal = word ^ ONES.wrapping_mul(u64::from(byte));
    zero_where_equal.wrapping_sub(ONES) & !zero_where_equal & ONES.wrapping_shl(7)
}

/// The open containers: one bit for each, 1 for an object.
#[derive(Default)]
pub(super) struct Nesting {
    objects: u64,
    depth: u32,
}

impl Nesting {
    fn enter(&mut self, object: bool) -> Result<(), ErrorKind> {
        if self.depth >= DEPTH_LIMIT {
            return Err(ErrorKind::TooDeep);
        }
        self.objects = self.objects.wrapping_shl(1) | u64::from(object);
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    fn leave(&mut self) {
        self.objects = self.objects.wrapping_shr(1);
        self.depth = self.depth.saturating_sub(1);
    }

    fn is_in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}
