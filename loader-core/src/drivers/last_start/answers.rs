//! A driver's answers for instances with one create info, as lines of the file of the last start.
//!
//! ```text
//! api 4206847
//! command vkGetPhysicalDeviceProperties
//! device
//! extension VK_KHR_swapchain 70
//! answer properties 0 0 ff00400085103500
//! answer format 1000059002 37 0100
//! ```
//!
//! The first lines describe the driver and its commands. Then each device has its extensions, and its answers: the
//! query, the type of the structure or 0 for one without a type, a number, and the bytes that the driver writes,
//! without the structure's `sType` and `pNext`. Two dots stand for a byte that it does not write; zeros at the end
//! are left out.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::ops::Range;

use ash::vk;

use super::file::{Lines, extension, extension_line, value};
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, ascii, formatted};
use crate::registry::{self, CommandId, DeviceQuery};

/// The words for the queries.
const QUERIES: [(DeviceQuery, &[u8]); 6] = [
    (DeviceQuery::Properties, b"properties"),
    (DeviceQuery::Features, b"features"),
    (DeviceQuery::Memory, b"memory"),
    (DeviceQuery::QueueFamilies, b"families"),
    (DeviceQuery::Format, b"format"),
    (DeviceQuery::Tools, b"tools"),
];

/// Identifies an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerKey {
    /// The query.
    pub query: DeviceQuery,
    /// The `VkStructureType`, or 0.
    pub s_type: u32,
    /// The format, the number of queue families or tools, or 0.
    pub number: u32,
}

/// Writes answers.
pub struct AnswerWriter(Text);

impl AnswerWriter {
    /// Begins with the version of Vulkan that is used for the driver.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(api_version: u32) -> Result<Self, OutOfMemory> {
        formatted(format_args!("api {api_version}\n")).map(Self)
    }

    /// Adds a command that the driver has.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn command(&mut self, command: CommandId) -> Result<(), OutOfMemory> {
        self.0.try_extend(b"command ")?;
        self.0.try_extend(command.name().to_bytes())?;
        self.0.try_push(b'\n')
    }

    /// Begins a device that has these extensions.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn device(&mut self, extensions: &[vk::ExtensionProperties]) -> Result<(), OutOfMemory> {
        self.0.try_extend(b"device\n")?;
        extensions.iter().try_for_each(|extension| extension_line(&mut self.0, extension))
    }

    /// Adds an answer of the last device: its bytes after two calls that found memory with different contents.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn answer(&mut self, key: AnswerKey, one: &[u8], other: &[u8]) -> Result<(), OutOfMemory> {
        self.0.try_extend(b"answer ")?;
        let word = QUERIES.iter().find(|(query, _)| *query == key.query).map_or(&b""[..], |(_, word)| word);
        self.0.try_extend(word)?;
        self.0.try_extend(&formatted(format_args!(" {} {} ", key.s_type, key.number))?)?;
        let start = self.0.len();
        let is_zero = |(one, other): (&u8, &u8)| *one == 0 && *other == 0;
        let length =
            one.iter().zip(other).rposition(|bytes| !is_zero(bytes)).map_or(0, |last| last.wrapping_add(1));
        self.0.try_resize(start.saturating_add(length.saturating_mul(2)), b'.')?;
        let (digits, _) = self.0.get_mut(start..).unwrap_or_default().as_chunks_mut::<2>();
        for (digits, (one, other)) in digits.iter_mut().zip(one.iter().zip(other)) {
            if one == other {
                *digits = [one >> 4, one & 15].map(digit);
            }
        }
        self.0.try_extend(b"-\n")
    }

    /// Returns the lines.
    pub fn finish(self) -> Text {
        self.0
    }
}

fn digit(value: u8) -> u8 {
    b"0123456789abcdef".get(usize::from(value)).copied().unwrap_or_default()
}

/// The lines about a driver, before those of its devices.
pub struct DriverAnswers<'a> {
    /// The version of Vulkan that is used for it, as Vulkan encodes it.
    pub api_version: u32,
    commands: &'a [u8],
    /// The number of bytes before the first device.
    devices: usize,
}

impl<'a> DriverAnswers<'a> {
    /// Reads the first lines. `None` if they are not in this form.
    pub fn read(text: &'a [u8]) -> Option<Self> {
        let mut lines = Lines(text);
        let api_version = lines.number(b"api")?;
        let commands = lines.skip_lines(|line| value(line, b"command").is_some());
        Some(Self { api_version, commands, devices: text.len().saturating_sub(lines.0.len()) })
    }

    /// Returns the commands that the driver has.
    pub fn commands(&self) -> impl Iterator<Item = CommandId> + use<'a> {
        Lines(self.commands).filter_map(|line| command(value(line, b"command")?))
    }

    /// Returns each device's answers, found in the same `text`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn devices(&self, text: &[u8]) -> Result<Vec<DeviceAnswers>, OutOfMemory> {
        let mut devices: Vec<DeviceAnswers> = Vec::new();
        let mut at = self.devices;
        for line in Lines(text.get(at..).unwrap_or_default()) {
            let end = at.saturating_add(line.len()).saturating_add(1);
            if line == b"device" {
                devices.try_push(DeviceAnswers { extensions: end..end, index: Vec::new() })?;
            } else if let Some(device) = devices.last_mut() {
                match answer(line) {
                    Some((key, start)) => {
                        let bytes = at.saturating_add(start)..end.saturating_sub(2);
                        device.index.try_push((key, bytes))?;
                    }
                    None if device.index.is_empty() => device.extensions.end = end,
                    None => {}
                }
            }
            at = end;
        }
        for device in &mut devices {
            crate::memory::sort_by(&mut device.index, |one, other| one.0.cmp(&other.0));
        }
        Ok(devices)
    }
}

/// Returns the command of this name.
fn command(name: &[u8]) -> Option<CommandId> {
    let mut with_nul = [0; 128];
    with_nul.get_mut(..name.len())?.copy_from_slice(name);
    registry::find(CStr::from_bytes_until_nul(&with_nul).ok()?)
}

/// Returns the key of the answer in a line, and the position of its bytes.
fn answer(line: &[u8]) -> Option<(AnswerKey, usize)> {
    let rest = value(line, b"answer")?;
    let mut words = rest.splitn(4, |byte| *byte == b' ');
    let word = words.next()?;
    let (query, _) = QUERIES.iter().find(|(_, known)| *known == word)?;
    let (s_type, number) = (ascii::number(words.next()?, 10)?, ascii::number(words.next()?, 10)?);
    let bytes = words.next()?.strip_suffix(b"-")?;
    let start = line.len().checked_sub(bytes.len())?.checked_sub(1)?;
    Some((AnswerKey { query: *query, s_type, number }, start))
}

/// The answers of a device, as positions in the text that they were found in.
pub struct DeviceAnswers {
    extensions: Range<usize>,
    index: Vec<(AnswerKey, Range<usize>)>,
}

impl DeviceAnswers {
    /// Returns the device's extensions.
    pub fn extensions<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = vk::ExtensionProperties> + use<'a> {
        Lines(text.get(self.extensions.clone()).unwrap_or_default()).filter_map(extension)
    }

    /// Returns the number of the first answer with this query and type.
    pub fn number(&self, query: DeviceQuery, s_type: u32) -> Option<u32> {
        let is_it = |(key, _): &&(AnswerKey, _)| key.query == query && key.s_type == s_type;
        self.index.iter().find(is_it).map(|(key, _)| key.number)
    }

    /// Returns an answer's bytes.
    pub fn find<'a>(&self, text: &'a [u8], key: AnswerKey) -> Option<Answer<'a>> {
        let number = self.index.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        let (_, range) = self.index.get(number)?;
        text.get(range.clone()).map(Answer)
    }
}

/// The bytes of an answer, in hexadecimal digits.
#[derive(Clone, Copy)]
pub struct Answer<'a>(&'a [u8]);

impl Answer<'_> {
    /// Writes the bytes from the one at `start` on, except those that the driver does not write.
    pub fn fill(self, start: usize, out: &mut [u8]) {
        let mut digits = self.0.get(start.saturating_mul(2)..).unwrap_or_default().chunks_exact(2);
        for byte in out {
            match digits.next() {
                None => *byte = 0,
                Some(b"..") => {}
                Some(digits) => {
                    let value = ascii::number(digits, 16).unwrap_or(0);
                    *byte = u8::try_from(value).unwrap_or(0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::command;
    use std::vec::Vec as StdVec;

    const KEYS: [AnswerKey; 3] = [
        AnswerKey { query: DeviceQuery::Format, s_type: 7, number: 37 },
        AnswerKey { query: DeviceQuery::Properties, s_type: 0, number: 0 },
        AnswerKey { query: DeviceQuery::Properties, s_type: 1_000_059_001, number: 0 },
    ];

    fn written() -> Text {
        let mut writer = AnswerWriter::new(4_206_847).unwrap();
        writer.command(command::GET_PHYSICAL_DEVICE_FEATURES).unwrap();
        for answers in [&[[1, 1], [0, 255], [0xab, 0xab], [0, 0]][..], &[[0, 0]], &[[0, 9], [0, 9]]] {
            writer.device(&[]).unwrap();
            for key in KEYS {
                let [one, other] =
                    [0, 1].map(|number| answers.iter().map(|bytes| bytes[number]).collect::<StdVec<u8>>());
                writer.answer(key, &one, &other).unwrap();
            }
        }
        writer.finish()
    }

    #[test]
    fn what_was_written_is_found_and_bytes_that_a_driver_left_stay() {
        let text = written();
        let driver = DriverAnswers::read(&text).unwrap();
        assert_eq!(driver.api_version, 4_206_847);
        assert_eq!(driver.commands().collect::<StdVec<_>>(), [command::GET_PHYSICAL_DEVICE_FEATURES]);
        let devices = driver.devices(&text).unwrap();
        let expected: [[u8; 6]; 3] = [[1, 9, 0xab, 0, 0, 0], [0, 0, 0, 0, 0, 0], [9, 9, 0, 0, 0, 0]];
        assert_eq!(devices.len(), expected.len());
        for (device, expected) in devices.iter().zip(expected) {
            for key in KEYS {
                let mut bytes = [9; 6];
                device.find(&text, key).unwrap().fill(0, &mut bytes);
                assert_eq!(bytes, expected);
                let mut last = [9; 2];
                device.find(&text, key).unwrap().fill(1, &mut last);
                assert_eq!(last, expected[1..3]);
            }
            assert!(device.find(&text, AnswerKey { number: 1, ..KEYS[0] }).is_none());
            assert_eq!(device.number(DeviceQuery::Format, 7), Some(37));
        }
    }

    #[test]
    fn lines_of_another_form_have_no_answer() {
        for line in
            ["answer", "answer x 0 0 -", "answer format 0 -", "answer format 0 0 00", "answer format x 0 -"]
        {
            assert!(answer(line.as_bytes()).is_none(), "{line}");
        }
        assert!(DriverAnswers::read(b"api x\n").is_none());
    }
}
