//! The file that one start leaves for the next one: lines of text, the last of which is a checksum.
//!
//! ```text
//! vkload start cache 4
//! circumstances 1234
//! (1,234 bytes, as the platform describes them)
//! driver 2
//! seconds 1764000000
//! process 4711
//! manifest /usr/share/vulkan/icd.d/radeon_icd.x86_64.json
//! library libvulkan_radeon.so
//! file /usr/lib/x86_64-linux-gnu/libvulkan_radeon.so
//! identity 5a9b3c0d1e2f4876
//! version 4206830
//! instance 5a9b3c0d1e2f4876
//! extension VK_KHR_surface 25
//! devices 1
//! (answers, as the module `answers` describes them)
//! end 00c0ffee00c0ffee
//! ```
//!
//! Every line ends in a line feed. A driver's first lines contain the number of consecutive starts with the
//! same results, the time of the last of them, and its process number. A driver has one line for each of its
//! instance extensions, in its own order. A driver whose instances were created in several ways is there once
//! for each: `instance` is a digest of the create info.
#![forbid(unsafe_code)]

use core::ops::Range;

use ash::vk;

use crate::abi::name;
use crate::discovery::Candidate;
use crate::manifest::Version;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, ascii, formatted};
use crate::platform::{Moment, hash};

/// The first line. The number changes whenever the lines change.
const FIRST: &[u8] = b"vkload start cache 4";

/// The number of starts that must have had the same results from a driver before they are used. One process
/// may have lacked a resource that the next one has.
const ENOUGH_STARTS: u32 = 2;

/// The word that each driver begins with.
const DRIVER: &[u8] = b"driver";

/// The records about a driver.
#[derive(Default)]
pub struct KnownDriver<'a> {
    /// Its manifest.
    pub manifest: &'a [u8],
    /// The library that the manifest names.
    pub library: &'a [u8],
    /// The file that the library was opened from.
    pub file: &'a [u8],
    /// The identity of that file.
    pub identity: &'a [u8],
    /// The version that its manifest claims.
    pub api_version: Version,
    /// The digest of the create info of the instances that it was used for.
    pub instance: InstanceKey,
    /// The number of its devices. 0 if it refused the instance.
    pub devices: u32,
    /// Its answers, empty without devices.
    pub answers: &'a [u8],
    /// The number of consecutive starts with these results.
    pub starts: u32,
    /// The time of the last of them.
    pub moment: Moment,
    /// A line for each extension.
    pub(in crate::drivers) extensions: &'a [u8],
    /// All its lines except those about the starts.
    pub(in crate::drivers) lines: &'a [u8],
}

/// A digest of everything in a create info that drivers get.
pub type InstanceKey = [u8; 16];

impl<'a> KnownDriver<'a> {
    /// Returns whether these are records about the driver of `candidate`, which may have changed since.
    pub(in crate::drivers) fn is_of(&self, candidate: &Candidate) -> bool {
        self.manifest == candidate.path.as_slice() && self.library == candidate.library.as_slice()
    }

    /// Returns whether enough starts agreed.
    pub fn is_certain(&self) -> bool {
        self.starts >= ENOUGH_STARTS
    }

    /// Returns its instance extensions.
    pub fn extensions(&self) -> impl Iterator<Item = vk::ExtensionProperties> + use<'a> {
        Lines(self.extensions).filter_map(extension)
    }

    /// Returns the driver that these lines describe. `None` if a line is missing, superfluous or malformed.
    fn read(text: &'a [u8]) -> Option<Self> {
        let mut rest = Lines(text);
        Some(Self {
            starts: rest.number(DRIVER)?,
            moment: Moment { seconds: rest.number(b"seconds")?, process: rest.number(b"process")? },
            lines: rest.0,
            manifest: rest.field(b"manifest")?,
            library: rest.field(b"library")?,
            file: rest.field(b"file")?,
            identity: rest.field(b"identity")?,
            api_version: Version::from_encoded(rest.number(b"version")?),
            instance: rest.field(b"instance")?.try_into().ok()?,
            extensions: rest.skip_lines(|line| extension(line).is_some()),
            devices: rest.number(b"devices")?,
            answers: rest.0,
        })
    }
}

/// A file whose contents are valid.
pub struct StartFile {
    content: Text,
    circumstances: Range<usize>,
    drivers: Vec<Range<usize>>,
}

impl StartFile {
    /// Reads a file. `None` if it is cut short, damaged or of another format.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn read(content: Text) -> Result<Option<Self>, OutOfMemory> {
        let Some((circumstances, body)) = parts(&content) else { return Ok(None) };
        let mut drivers: Vec<Range<usize>> = Vec::new();
        let mut at = body.start;
        for line in Lines(content.get(body).unwrap_or_default()) {
            let end = at.saturating_add(line.len()).saturating_add(1);
            match drivers.last_mut() {
                _ if value(line, DRIVER).is_some() => drivers.try_push(at..end)?,
                Some(driver) => driver.end = end,
                None => return Ok(None),
            }
            at = end;
        }
        let file = Self { content, circumstances, drivers };
        let whole = (0..file.drivers.len()).all(|number| file.driver(number).is_some());
        Ok(whole.then_some(file))
    }

    /// Returns the circumstances in which it was written.
    pub fn circumstances(&self) -> &[u8] {
        self.content.get(self.circumstances.clone()).unwrap_or_default()
    }

    /// Returns the records about all drivers.
    pub fn drivers(&self) -> impl Iterator<Item = KnownDriver<'_>> {
        (0..self.drivers.len()).filter_map(|number| self.driver(number))
    }

    /// Returns the positions of a driver's answers.
    pub fn answers(&self, number: usize) -> Option<Range<usize>> {
        let (driver, range) = (self.driver(number)?, self.drivers.get(number)?);
        Some(range.end.checked_sub(driver.answers.len())?..range.end)
    }

    /// Returns the bytes at these positions.
    pub fn at(&self, positions: Range<usize>) -> &[u8] {
        self.content.get(positions).unwrap_or_default()
    }

    /// Returns the records about one driver.
    pub fn driver(&self, number: usize) -> Option<KnownDriver<'_>> {
        KnownDriver::read(self.content.get(self.drivers.get(number)?.clone())?)
    }
}

/// Returns the ranges of the circumstances and of the drivers, if the checksum is right.
fn parts(content: &[u8]) -> Option<(Range<usize>, Range<usize>)> {
    let checked = content.len().checked_sub(LAST)?;
    if content.get(checked..)? != last_line(content.get(..checked)?) {
        return None;
    }
    let mut lines = Lines(content.get(..checked)?);
    if lines.next()? != FIRST {
        return None;
    }
    let length = ascii::number(value(lines.next()?, b"circumstances")?, 10)? as usize;
    let start = checked.checked_sub(lines.0.len())?;
    let end = start.checked_add(length).filter(|end| *end <= checked)?;
    Some((start..end, end..checked))
}

/// Writes a file.
pub struct Writer(Text);

impl Writer {
    /// Creates a file without drivers.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(circumstances: &[u8]) -> Result<Self, OutOfMemory> {
        let mut writer = Self(Vec::new());
        writer.0.try_extend(FIRST)?;
        writer.0.try_push(b'\n')?;
        writer.number(b"circumstances", circumstances.len())?;
        writer.0.try_extend(circumstances)?;
        Ok(writer)
    }

    /// Adds a driver with these extensions, unless one of its paths does not fit in a line. If the previous
    /// starts had the same results, as `known` shows, they are counted.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn driver(
        &mut self,
        driver: &KnownDriver<'_>,
        extensions: &mut dyn Iterator<Item = vk::ExtensionProperties>,
        known: Option<&KnownDriver<'_>>,
    ) -> Result<(), OutOfMemory> {
        let fields: [(&[u8], _); 4] = [
            (b"manifest", driver.manifest),
            (b"library", driver.library),
            (b"file", driver.file),
            (b"identity", driver.identity),
        ];
        if !fields.iter().all(|(_, value)| is_value(value)) {
            return Ok(());
        }
        let mut lines = Self(Vec::new());
        for (name, value) in fields {
            lines.field(name, value)?;
        }
        lines.number(b"version", driver.api_version.encoded() as usize)?;
        lines.field(b"instance", &driver.instance)?;
        for extension in extensions {
            extension_line(&mut lines.0, &extension)?;
        }
        lines.number(b"devices", driver.devices as usize)?;
        lines.0.try_extend(driver.answers)?;
        let (moment, mut starts) = (driver.moment, driver.starts);
        if let Some(known) = known.filter(|known| known.lines == lines.0.as_slice()) {
            // Whatever keeps a driver from its device now may do so for as long as this process runs.
            starts = known.starts.saturating_add(u32::from(known.moment.process != moment.process));
        }
        self.first_lines(starts, moment, &lines.0)
    }

    /// Adds a driver with its known records.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn known(&mut self, known: &KnownDriver<'_>) -> Result<(), OutOfMemory> {
        self.first_lines(known.starts, known.moment, known.lines)
    }

    /// Adds the first lines of a driver and the others.
    fn first_lines(&mut self, starts: u32, moment: Moment, lines: &[u8]) -> Result<(), OutOfMemory> {
        self.number(DRIVER, starts as usize)?;
        self.number(b"seconds", moment.seconds as usize)?;
        self.number(b"process", moment.process as usize)?;
        self.0.try_extend(lines)
    }

    /// Returns the file.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn finish(mut self) -> Result<Text, OutOfMemory> {
        let last = last_line(&self.0);
        self.0.try_extend(&last)?;
        Ok(self.0)
    }

    fn field(&mut self, name: &[u8], value: &[u8]) -> Result<(), OutOfMemory> {
        for part in [name, b" ", value, b"\n"] {
            self.0.try_extend(part)?;
        }
        Ok(())
    }

    fn number(&mut self, name: &[u8], number: usize) -> Result<(), OutOfMemory> {
        self.field(name, &formatted(format_args!("{number}"))?)
    }
}

/// Adds the line of an extension, unless its name cannot be one.
pub(super) fn extension_line(
    text: &mut Text,
    extension: &vk::ExtensionProperties,
) -> Result<(), OutOfMemory> {
    let name = name::in_array(&extension.extension_name).unwrap_or_default().to_bytes();
    if !is_extension(name) {
        return Ok(());
    }
    text.try_extend(b"extension ")?;
    text.try_extend(name)?;
    text.try_extend(&formatted(format_args!(" {}\n", extension.spec_version))?)
}

/// The lines of a text, each terminated by a line feed; an unterminated last line is left over.
pub(super) struct Lines<'a>(pub(super) &'a [u8]);

impl<'a> Lines<'a> {
    /// Returns the text after `name` in the next line.
    #[inline(never)] // many callers
    fn field(&mut self, name: &[u8]) -> Option<&'a [u8]> {
        value(self.next()?, name)
    }

    /// Skips the lines that `belongs` accepts, and returns them.
    pub(super) fn skip_lines(&mut self, belongs: impl Fn(&[u8]) -> bool) -> &'a [u8] {
        let all = self.0;
        let mut rest = Lines(all);
        while rest.next().is_some_and(&belongs) {
            self.0 = rest.0;
        }
        all.get(..all.len().saturating_sub(self.0.len())).unwrap_or_default()
    }

    /// Returns the number that follows `name` in the next line.
    #[inline(never)] // many callers
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        ascii::number(self.field(name)?, 10)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline(never)] // some callers
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let line = self.0.get(..end)?;
        self.0 = self.0.get(end.wrapping_add(1)..)?;
        Some(line)
    }
}

/// Returns the text after `name` and a blank in a line that begins with them.
pub(super) fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(name)?.strip_prefix(b" ").filter(|value| is_value(value))
}

/// Returns whether this fits in a line after a name and a blank.
fn is_value(text: &[u8]) -> bool {
    !text.is_empty() && !text.iter().any(u8::is_ascii_control)
}

/// Returns whether this can be the name of an extension.
fn is_extension(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
}

/// Returns the extension that a line names.
pub(super) fn extension(line: &[u8]) -> Option<vk::ExtensionProperties> {
    let line = value(line, b"extension")?;
    let blank = line.iter().position(|byte| *byte == b' ')?;
    let (extension, version) = (line.get(..blank)?, line.get(blank.wrapping_add(1)..)?);
    let mut properties =
        vk::ExtensionProperties { spec_version: ascii::number(version, 10)?, ..Default::default() };
    if !is_extension(extension) || extension.len() >= properties.extension_name.len() {
        return None;
    }
    name::fill(&mut properties.extension_name, extension);
    Some(properties)
}

/// The length of the last line.
const LAST: usize = 21;

/// Returns the last line of a file that begins with `content`.
///
/// The checksum detects damage, not forgery: the only user who can write the file is the one who reads it.
pub fn last_line(content: &[u8]) -> [u8; LAST] {
    let mut line = *b"end 0000000000000000\n";
    if let Some(digits) = line.get_mut(4..20) {
        digits.copy_from_slice(&hash::hex(hash::hash(0, content)));
    }
    line
}

#[cfg(test)]
mod tests;
