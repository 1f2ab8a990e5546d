//! Writing JSON: manifests for the core, reports for programs.
#![forbid(unsafe_code)]

use core::fmt::{self, Display, Write};

use vkload_core::memory::{OutOfMemory, Text, TryGrow};

/// A document being written. Commas are inserted automatically.
#[derive(Default)]
pub(super) struct Json {
    text: Text,
    /// Whether a value has ended here, so that the next one needs a comma.
    ended: bool,
}

impl Json {
    pub(super) fn finish(self) -> Text {
        self.text
    }

    /// Writes the output of `inside` in brackets: `{}` or `[]`.
    pub(super) fn within(
        &mut self,
        brackets: [u8; 2],
        inside: impl FnOnce(&mut Self) -> Result<(), OutOfMemory>,
    ) -> Result<(), OutOfMemory> {
        let [open, close] = brackets;
        self.separate()?;
        self.text.try_push(open)?;
        self.ended = false;
        inside(self)?;
        self.text.try_push(close)?;
        self.ended = true;
        Ok(())
    }

    pub(super) fn key(&mut self, key: &str) -> Result<&mut Self, OutOfMemory> {
        self.string(key)?;
        self.text.try_push(b':')?;
        self.ended = false;
        Ok(self)
    }

    pub(super) fn string(&mut self, value: impl Display) -> Result<(), OutOfMemory> {
        self.separate()?;
        self.text.try_push(b'"')?;
        // Writing fails only if memory runs out.
        write!(Escaped(&mut self.text), "{value}").map_err(|_| OutOfMemory)?;
        self.text.try_push(b'"')?;
        self.ended = true;
        Ok(())
    }

    /// Writes a string of raw bytes, for the core, which accepts paths that are not UTF-8.
    pub(super) fn bytes(&mut self, value: &[u8]) -> Result<(), OutOfMemory> {
        self.separate()?;
        self.text.try_push(b'"')?;
        for byte in value {
            match byte {
                b'"' | b'\\' => self.text.try_extend(&[b'\\', *byte])?,
                byte => self.text.try_push(*byte)?,
            }
        }
        self.text.try_push(b'"')?;
        self.ended = true;
        Ok(())
    }

    pub(super) fn null(&mut self) -> Result<(), OutOfMemory> {
        self.separate()?;
        self.text.try_extend(b"null")?;
        self.ended = true;
        Ok(())
    }

    fn separate(&mut self) -> Result<(), OutOfMemory> {
        if core::mem::take(&mut self.ended) { self.text.try_push(b',') } else { Ok(()) }
    }
}

struct Escaped<'a>(&'a mut Text);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        part.bytes().try_for_each(|byte| self.byte(byte)).map_err(|_| fmt::Error)
    }
}

impl Escaped<'_> {
    fn byte(&mut self, byte: u8) -> Result<(), OutOfMemory> {
        match byte {
            b'"' | b'\\' => self.0.try_extend(&[b'\\', byte]),
            0..0x20 => {
                let digit = |half: u8| if half < 10 { b'0' | half } else { half.wrapping_add(b'a' - 10) };
                self.0.try_extend(b"\\u00")?;
                self.0.try_extend(&[digit(byte >> 4), digit(byte & 15)])
            }
            byte => self.0.try_push(byte),
        }
    }
}

pub(super) const OBJECT: [u8; 2] = *b"{}";
pub(super) const LIST: [u8; 2] = *b"[]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_json_for_any_content() {
        let mut json = Json::default();
        json.within(OBJECT, |json| {
            json.key("a")?.string("\"\\\u{1}\u{1f}\n \u{e9}")?;
            json.key("b")?.within(LIST, |json| {
                json.within(LIST, |_| Ok(()))?;
                json.null()?;
                json.bytes(b"\"\\\xff")
            })?;
            json.key("c")?.null()
        })
        .unwrap();
        let text = json.finish();
        let expected =
            b"{\"a\":\"\\\"\\\\\\u0001\\u001f\\u000a \xc3\xa9\",\"b\":[[],null,\"\\\"\\\\\xff\"],\"c\":null}";
        assert_eq!(text.as_slice(), expected);
    }
}
