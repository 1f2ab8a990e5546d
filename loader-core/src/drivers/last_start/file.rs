//! The file that one start leaves for the next one: lines of text, the last of which is a checksum.
//!
//! ```text
//! vkload start cache 3
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
use crate::manifest::Version;
use crate::memory::{OutOfMemory, Text, TryGrow, Vec, ascii, formatted};
use crate::platform::{Moment, hash};

/// The first line. The number changes whenever the lines change.
const FIRST: &[u8] = b"vkload start cache 3";

/// The number of starts that must have had the same results from a driver before they are used. One process
/// may have lacked a resource that the next one has.
const ENOUGH_STARTS: u32 = 2;

/// The word that each driver begins with.
const DRIVER: &[u8] = b"driver";

/// The records about a driver.
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
    extensions: &'a [u8],
    /// All its lines except those about the starts.
    lines: &'a [u8],
}

/// A digest of everything in a create info that drivers get.
pub type InstanceKey = [u8; 16];

impl<'a> KnownDriver<'a> {
    /// Creates a driver without extensions.
    pub fn new(manifest: &'a [u8], library: &'a [u8], file: &'a [u8], identity: &'a [u8]) -> Self {
        let (api_version, moment) = (Version::new(1, 0, 0), Moment::default());
        let (extensions, lines) = (&[][..], &[][..]);
        Self {
            manifest,
            library,
            file,
            identity,
            api_version,
            instance: [b'0'; 16],
            devices: 0,
            answers: &[],
            starts: 1,
            moment,
            extensions,
            lines,
        }
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
        let starts = rest.number(DRIVER)?;
        let moment = Moment { seconds: rest.number(b"seconds")?, process: rest.number(b"process")? };
        let lines = rest.0;
        let (manifest, library) = (rest.field(b"manifest")?, rest.field(b"library")?);
        let known = Self::new(manifest, library, rest.field(b"file")?, rest.field(b"identity")?);
        let api_version = Version::from_encoded(rest.number(b"version")?);
        let instance = rest.field(b"instance")?.try_into().ok()?;
        let mut extensions = rest.0;
        let length = Lines(extensions)
            .take_while(|line| extension(line).is_some())
            .fold(0usize, |length, line| length.saturating_add(line.len()).saturating_add(1));
        (extensions, rest.0) = extensions.split_at_checked(length)?;
        let devices = rest.number(b"devices")?;
        let answers = rest.0;
        Some(Self { api_version, instance, devices, answers, starts, moment, extensions, lines, ..known })
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

    /// Returns the number of drivers in the file.
    pub fn count(&self) -> usize {
        self.drivers.len()
    }

    /// Returns the records about all drivers.
    pub fn drivers(&self) -> impl Iterator<Item = KnownDriver<'_>> {
        (0..self.count()).filter_map(|number| self.driver(number))
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
    let length = decimal(value(lines.next()?, b"circumstances")?)? as usize;
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

    /// Returns the number that follows `name` in the next line.
    #[inline(never)] // many callers
    pub(super) fn number(&mut self, name: &[u8]) -> Option<u32> {
        decimal(self.field(name)?)
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

pub(super) fn decimal(digits: &[u8]) -> Option<u32> {
    ascii::number(digits, 10)
}

/// Returns the extension that a line names.
pub(super) fn extension(line: &[u8]) -> Option<vk::ExtensionProperties> {
    let line = value(line, b"extension")?;
    let blank = line.iter().position(|byte| *byte == b' ')?;
    let (extension, version) = (line.get(..blank)?, line.get(blank.wrapping_add(1)..)?);
    let mut properties = vk::ExtensionProperties { spec_version: decimal(version)?, ..Default::default() };
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
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec as StdVec;

    fn known<'a>() -> KnownDriver<'a> {
        let api_version = Version::new(1, 3, 302);
        KnownDriver {
            api_version,
            devices: 1,
            answers: b"interface 5\n",
            starts: 2,
            moment: Moment { seconds: u32::MAX, process: 4711 },
            ..KnownDriver::new(b"/a b.json", b"liba.so", b"/lib/liba.so", b"77ff")
        }
    }

    fn extensions() -> impl Iterator<Item = vk::ExtensionProperties> {
        [(c"VK_KHR_surface", 25), (c"VK_KHR_display", u32::MAX)].into_iter().map(|(name, spec_version)| {
            let mut properties = vk::ExtensionProperties { spec_version, ..Default::default() };
            name::fill(&mut properties.extension_name, name.to_bytes());
            properties
        })
    }

    fn written() -> Text {
        let mut writer = Writer::new(b"node /dev/dri/card0\nuser 7\n").unwrap();
        writer.driver(&known(), &mut extensions(), None).unwrap();
        writer
            .driver(&KnownDriver { devices: 0, answers: b"", ..known() }, &mut [].into_iter(), None)
            .unwrap();
        writer.finish().unwrap()
    }

    /// Returns the number and the time of the consecutive starts with these results: `known` is from the last
    /// start, `now` from this one.
    fn starts_after(known: &KnownDriver<'_>, now: &KnownDriver<'_>) -> (u32, Moment) {
        let file = |writer: Writer| StartFile::read(writer.finish().unwrap()).unwrap().unwrap();
        let mut writer = Writer::new(b"").unwrap();
        writer.driver(known, &mut extensions(), None).unwrap();
        let before = file(writer);
        let mut writer = Writer::new(b"").unwrap();
        writer.known(&before.driver(0).unwrap()).unwrap();
        writer.driver(now, &mut extensions(), Some(&before.driver(0).unwrap())).unwrap();
        let after = file(writer);
        assert_eq!(after.driver(0).unwrap().starts, known.starts, "as it was");
        let driver = after.driver(1).unwrap();
        (driver.starts, driver.moment)
    }

    #[test]
    fn starts_of_other_processes_count_that_got_the_same() {
        let moment = Moment { seconds: 7, process: 815 };
        let now = || KnownDriver { starts: 1, moment, ..known() };
        let first = KnownDriver { starts: 1, ..known() };
        assert_eq!(starts_after(&first, &now()), (2, moment));
        assert_eq!(starts_after(&known(), &now()), (3, moment));
        let same_process = Moment { process: 4711, ..moment };
        assert_eq!(starts_after(&first, &KnownDriver { moment: same_process, ..now() }), (1, same_process));
        for other in [
            KnownDriver { devices: 2, ..now() },
            KnownDriver { answers: b"interface 6\n", ..now() },
            KnownDriver { instance: [b'1'; 16], ..now() },
            KnownDriver { identity: b"78", ..now() },
            KnownDriver { file: b"/lib/libb.so", ..now() },
            KnownDriver { api_version: Version::new(1, 2, 0), ..now() },
        ] {
            assert_eq!(starts_after(&known(), &other), (1, moment));
        }
    }

    #[test]
    fn written_files_are_read_back() {
        let file = StartFile::read(written()).unwrap().unwrap();
        assert_eq!(file.circumstances(), b"node /dev/dri/card0\nuser 7\n");
        assert_eq!(file.count(), 2);
        let (first, second) = (file.driver(0).unwrap(), file.driver(1).unwrap());
        assert_eq!((first.manifest, first.library), (known().manifest, known().library));
        assert_eq!((first.file, first.identity), (known().file, known().identity));
        assert_eq!(first.api_version, known().api_version);
        assert_eq!((first.devices, second.devices), (1, 0));
        assert_eq!((first.answers, second.answers), (known().answers, &b""[..]));
        assert_eq!(file.at(file.answers(0).unwrap()), known().answers);
        assert_eq!((first.starts, first.moment), (2, known().moment));
        let names = |driver: &KnownDriver<'_>| {
            let name = |one: vk::ExtensionProperties| {
                (one.extension_name_as_c_str().unwrap().to_str().map(String::from).unwrap(), one.spec_version)
            };
            driver.extensions().map(name).collect::<StdVec<_>>()
        };
        assert_eq!(names(&first), [("VK_KHR_surface".into(), 25), ("VK_KHR_display".into(), u32::MAX)]);
        assert!(names(&second).is_empty() && file.driver(2).is_none());
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
        let whole = written();
        for end in 0..whole.len() {
            let cut = crate::memory::text(&[&whole[..end]]).unwrap();
            assert!(StartFile::read(cut).unwrap().is_none(), "cut after {end} bytes");
        }
        for index in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = crate::memory::text(&[&whole]).unwrap();
                changed[index] ^= 1 << bit;
                assert!(StartFile::read(changed).unwrap().is_none(), "bit {bit} of byte {index}");
            }
        }
        let longer = crate::memory::text(&[&whole, b"\n"]).unwrap();
        assert!(StartFile::read(longer).unwrap().is_none());
    }

    #[test]
    fn lines_that_no_writer_writes_are_refused_whatever_the_checksum() {
        let text = |change: fn(&str) -> String| {
            let whole = written();
            let end = whole.len() - LAST;
            let body = change(core::str::from_utf8(&whole[..end]).unwrap()).into_bytes();
            StartFile::read(crate::memory::text(&[&body, &last_line(&body)]).unwrap()).unwrap()
        };
        assert!(text(|whole| whole.into()).is_some());
        let changes: [fn(&str) -> String; 13] = [
            |whole| whole.replace("cache 3", "cache 2"),
            |whole| whole.replace("circumstances 27", "circumstances 27777"),
            |whole| whole.replace("circumstances 27", "circumstances 26"),
            |whole| whole.replacen("library", "libraries", 1),
            |whole| whole.replacen("identity 77ff\n", "", 1),
            |whole| whole.replacen("devices 0", "devices no", 1),
            |whole| whole.replacen("process 4711\n", "", 1),
            |whole| whole.replacen("seconds 4294967295", "seconds 4294967296", 1),
            |whole| whole.replace("VK_KHR_surface 25", "VK_KHR_surface"),
            |whole| whole.replace("VK_KHR_surface 25", "VK_KHR_surface 4294967296"),
            |whole| whole.replace("VK_KHR_surface", &"V".repeat(256)),
            |whole| whole.replace("VK_KHR_surface", "VK\0KHR_surface"),
            |whole| whole.replacen("liba.so", "lib\ta.so", 1),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            assert!(text(change).is_none(), "change {number}");
        }
    }

    #[test]
    fn a_path_with_a_line_break_is_not_written() {
        let mut writer = Writer::new(b"").unwrap();
        let known = KnownDriver { manifest: b"/two\nlines.json", ..known() };
        writer.driver(&known, &mut extensions(), None).unwrap();
        assert_eq!(StartFile::read(writer.finish().unwrap()).unwrap().unwrap().count(), 0);
    }
}
