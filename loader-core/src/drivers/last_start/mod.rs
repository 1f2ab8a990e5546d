//! Facts about drivers that the last start of this program recorded, so that this start need not open them.
//!
//! It is off unless enabled by `VK_LOADER_X_START_CACHE` or by the build. Each start makes its plan again.
//! The file replaces only the results of opening a driver, and only for drivers whose manifest and library
//! are unchanged, in the same circumstances.
#![forbid(unsafe_code)]

mod file;

use core::fmt;

use crate::discovery::{Candidate, Name};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::{Arc, Escaped, OutOfMemory, Text};
use crate::platform::{CacheFault, Library, Moment, Platform, Reader, StartCache, variables};

pub use file::{KnownDriver, PRESENT, StartFile, Writer, last_line};

/// Whether the library can record the results of a start. This adds some bytes, so only libraries for systems
/// with a directory for the file include it (the feature `start-cache`).
pub(super) const KEEPS_STARTS: bool = cfg!(feature = "start-cache");

/// The number of seconds for which later starts rely on records: a week. After that, undetectable changes are
/// noticed as well.
pub const LONGEST_AGE: u32 = 7 * 24 * 60 * 60;

/// The circumstances of this start, and the records of the last start in the same circumstances.
pub struct LastStart {
    cache: &'static dyn StartCache,
    /// Whether it is on without the variable.
    by_default: bool,
    circumstances: Text,
    file: Option<StartFile>,
}

/// The file of a library, as it was when the library was opened.
pub struct LibraryFile {
    pub(super) path: Text,
    pub(super) identity: Text,
}

impl LastStart {
    /// Looks for the last start's records, unless that is disabled. If anything is wrong with them, this
    /// start continues as if it were the first.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn find(
        platform: &Platform,
        by_default: bool,
        logger: &Logger,
    ) -> Result<Option<Arc<Self>>, OutOfMemory> {
        let Some(cache) = platform.start_cache.filter(|_| KEEPS_STARTS) else { return Ok(None) };
        if platform.identity.elevated() {
            let variable = variables::VK_LOADER_X_START_CACHE;
            if platform.environment.variable(variable.name, Reader::Plain)?.is_some() {
                let name = Name(variable.name);
                log(
                    logger,
                    format_args!("{name} is ignored because this process is elevated"),
                    Level::Warning,
                );
            }
            return Ok(None);
        }
        if !is_on(platform, by_default)? {
            return Ok(None);
        }
        let circumstances = match unless_out_of_memory(cache.circumstances())? {
            Ok(circumstances) => circumstances,
            Err(fault) => {
                log(logger, format_args!("nothing is recorded: {fault}"), Level::Info);
                return Ok(None);
            }
        };
        let file = match read(cache, &circumstances)? {
            Ok(file) => Some(file),
            Err(unused) => {
                log(logger, format_args!("not used: {unused}"), unused.level());
                None
            }
        };
        Arc::try_new(Self { cache, by_default, circumstances, file }).map(Some)
    }

    /// Returns whether the circumstances still match this start.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn still_true(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        Ok(is_on(platform, self.by_default)?
            && unless_out_of_memory(self.cache.circumstances())?.is_ok_and(|now| now == self.circumstances))
    }

    /// Returns the records about the driver with this number.
    #[inline(never)] // several callers
    pub(super) fn driver(&self, number: usize) -> Option<KnownDriver<'_>> {
        self.file.as_ref()?.driver(number)
    }

    /// Returns the number of the driver that `candidate` names, if its manifest and library are the same as
    /// in the last start. The search begins at `expected`, since the plan usually has the drivers in the last
    /// start's order.
    pub(super) fn find_driver(&self, candidate: &Candidate, expected: usize) -> Option<usize> {
        let count = self.file.as_ref()?.count();
        let names = |number: &usize| {
            self.driver(*number).is_some_and(|known| {
                known.manifest == candidate.path.as_slice() && known.library == candidate.library.as_slice()
            })
        };
        let number = (expected..count).chain(0..expected.min(count)).find(names)?;
        let known = self.driver(number)?;
        (known.api_version == candidate.api_version && self.is_unchanged(number)).then_some(number)
    }

    /// Returns whether the library of the driver with this number is still the same file, and the records are
    /// not too old. If the clock was set back, all records are too old.
    pub(super) fn is_unchanged(&self, number: usize) -> bool {
        let now = self.moment().seconds;
        let is_recent = |then: u32| now.checked_sub(then).is_some_and(|age| age < LONGEST_AGE);
        self.driver(number)
            .is_some_and(|known| is_recent(known.moment.seconds) && self.is_still(known.file, known.identity))
    }

    /// Returns the current time and this process.
    pub(super) fn moment(&self) -> Moment {
        self.cache.moment()
    }

    /// Returns whether the file at `path` has this identity.
    pub(super) fn is_still(&self, path: &[u8], identity: &[u8]) -> bool {
        self.cache.identity(path).is_some_and(|now| now.as_slice() == identity)
    }

    /// Returns the file that the driver of `candidate` was opened from just now, if a later start can
    /// recognise it. It may have been replaced while it was being opened. The next start compares it before
    /// it opens it, and only results that both starts got count.
    pub(super) fn file_of(&self, library: Library, candidate: &Candidate) -> Option<LibraryFile> {
        let path = self.cache.file_of(library, &candidate.library)?;
        let identity = self.cache.identity(&path)?;
        Some(LibraryFile { path, identity })
    }

    /// Begins a file for the next start. `None` if the circumstances have changed since this start began: it
    /// is unknown which of them the drivers saw.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn begin(&self, platform: &Platform) -> Result<Option<Writer>, OutOfMemory> {
        if !self.still_true(platform)? {
            return Ok(None);
        }
        Writer::new(&self.circumstances).map(Some)
    }

    /// Keeps a file for the next start.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn keep(&self, file: Writer, logger: &Logger) -> Result<(), OutOfMemory> {
        match unless_out_of_memory(self.cache.keep(&file.finish()?))? {
            Ok(()) => log(logger, format_args!("recorded the drivers' answers"), Level::Debug),
            Err(fault) => log(logger, format_args!("nothing is recorded: {fault}"), Level::Info),
        }
        Ok(())
    }

    /// Removes the file: it misled this start.
    pub(super) fn forget(&self) {
        self.cache.forget();
    }
}

/// Returns whether starts are recorded.
fn is_on(platform: &Platform, by_default: bool) -> Result<bool, OutOfMemory> {
    let wanted = platform.variable(variables::VK_LOADER_X_START_CACHE)?;
    Ok(wanted.map_or(by_default, |value| !value.is_empty() && value.as_slice() != b"0"))
}

fn read(
    cache: &dyn StartCache,
    circumstances: &[u8],
) -> Result<Result<StartFile, StartFileError>, OutOfMemory> {
    let content = match unless_out_of_memory(cache.load())? {
        Ok(content) => content,
        Err(fault) => return Ok(Err(StartFileError::Fault(fault))),
    };
    let Some(file) = StartFile::read(content)? else { return Ok(Err(StartFileError::Damaged)) };
    if let Some(what) = first_difference(file.circumstances(), circumstances)? {
        return Ok(Err(StartFileError::Changed { what }));
    }
    Ok(Ok(file))
}

/// Returns the first word of the first line in which two descriptions differ; `None` if they are the same.
fn first_difference(last: &[u8], now: &[u8]) -> Result<Option<Text>, OutOfMemory> {
    if last == now {
        return Ok(None);
    }
    let lines = |text| <[u8]>::split(text, |byte| *byte == b'\n');
    let differ = lines(last).zip(lines(now)).find(|(last, now)| last != now);
    let word = differ.and_then(|(last, _)| last.split(|byte| *byte == b' ').next()).unwrap_or_default();
    crate::memory::text(&[word]).map(Some)
}

fn unless_out_of_memory<T>(result: Result<T, CacheFault>) -> Result<Result<T, CacheFault>, OutOfMemory> {
    match result {
        Err(CacheFault::OutOfMemory) => Err(OutOfMemory),
        other => Ok(other),
    }
}

fn log(logger: &Logger, message: fmt::Arguments<'_>, level: Level) {
    logger.log(level, Topic::Driver, format_args!("start cache: {message}"));
}

/// Why the file of the last start is not used.
enum StartFileError {
    Fault(CacheFault),
    Damaged,
    /// A line of the circumstances differs, which begins with this word.
    Changed {
        what: Text,
    },
}

impl StartFileError {
    fn level(&self) -> Level {
        match self {
            Self::Fault(CacheFault::NotFound) | Self::Changed { .. } => Level::Debug,
            Self::Fault(_) | Self::Damaged => Level::Warning,
        }
    }
}

impl fmt::Display for StartFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Damaged => f.write_str("the file is damaged or has another format; this start replaces it"),
            Self::Changed { what } => write!(f, "\"{}\" differs from the last start", Escaped(what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::imaginary::Imaginary;

    #[test]
    fn the_variable_decides_and_without_it_the_build() {
        for (value, wanted) in
            [(None, None), (Some("1"), Some(true)), (Some("0"), Some(false)), (Some(""), Some(false))]
        {
            let system = Imaginary::new();
            if let Some(value) = value {
                system.set("VK_LOADER_X_START_CACHE", value);
            }
            for by_default in [false, true] {
                assert_eq!(
                    is_on(&system.platform(), by_default),
                    Ok(wanted.unwrap_or(by_default)),
                    "{value:?}"
                );
            }
        }
    }
}
