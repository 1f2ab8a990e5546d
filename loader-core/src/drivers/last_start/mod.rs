//! Facts about drivers that the last start of this program recorded, so that this start need not open them.
//!
//! It is off unless enabled by `VK_LOADER_X_START_CACHE` or by the build. Each start makes its plan again.
//! The file replaces only the results of opening a driver, and only for drivers whose manifest and library
//! are unchanged, in the same circumstances.
#![forbid(unsafe_code)]

mod answers;
mod file;

use core::fmt;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::discovery::{Candidate, Name};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::{Arc, Escaped, OutOfMemory, Text};
use crate::platform::{CacheFault, Library, Platform, Reader, StartCache, variables};

pub use answers::{Answer, AnswerKey, AnswerWriter, DeviceAnswers, DriverAnswers};
pub use file::{InstanceKey, KnownDriver, StartFile, Writer, last_line};

/// Whether the library can record the results of a start. This adds some bytes, so only libraries for systems
/// with a directory for the file include it (the feature `start-cache`).
pub(crate) const KEEPS_STARTS: bool = cfg!(feature = "start-cache");

/// The number of seconds for which later starts rely on records: a week. After that, undetectable changes are
/// noticed as well.
pub const LONGEST_AGE: u32 = 7 * 24 * 60 * 60;

/// The circumstances of this start, and the records of the last start in the same circumstances.
pub struct LastStart {
    pub(super) cache: &'static dyn StartCache,
    /// Whether it is on without the variable.
    by_default: bool,
    pub(super) circumstances: Text,
    file: Option<StartFile>,
    /// Whether the records misled this start.
    is_forgotten: AtomicBool,
}

/// A driver's answers, as the last starts recorded them.
#[derive(Clone)]
pub(crate) struct RecordedAnswers {
    pub(crate) last: Arc<LastStart>,
    positions: Range<usize>,
}

impl RecordedAnswers {
    /// Returns the lines.
    pub(crate) fn text(&self) -> &[u8] {
        self.last.file.as_ref().map_or(&[], |file| file.at(self.positions.clone()))
    }
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
        let is_forgotten = AtomicBool::new(false);
        Arc::try_new(Self { cache, by_default, circumstances, file, is_forgotten }).map(Some)
    }

    /// Returns whether the circumstances still match this start, and the records have not misled it.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn still_true(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        Ok(!self.is_forgotten.load(Ordering::Relaxed)
            && is_on(platform, self.by_default)?
            && unless_out_of_memory(self.cache.circumstances())?.is_ok_and(|now| now == self.circumstances))
    }

    /// Returns the records about the driver with this number.
    #[inline(never)] // several callers
    pub(super) fn driver(&self, number: usize) -> Option<KnownDriver<'_>> {
        self.file.as_ref()?.driver(number)
    }

    /// Returns the number of the driver that `candidate` names, if its manifest and library are the same as
    /// in the last start: the records for instances with this key, or without a key the first that enough
    /// starts agree on.
    pub(super) fn find_driver(&self, candidate: &Candidate, key: Option<InstanceKey>) -> Option<usize> {
        let serves = |known: &KnownDriver<'_>| {
            known.is_of(candidate)
                && known.api_version == candidate.api_version
                && key.map_or_else(|| known.is_certain(), |key| key == known.instance)
                && (known.devices == 0 || DriverAnswers::read(known.answers).is_some())
        };
        let number = self.file.as_ref()?.drivers().position(|known| serves(&known))?;
        self.is_unchanged(number).then_some(number)
    }

    /// Returns the answers of the driver with this number.
    pub(crate) fn answers(last: &Arc<Self>, number: usize) -> Option<RecordedAnswers> {
        let positions = last.file.as_ref()?.answers(number)?;
        Some(RecordedAnswers { last: last.clone(), positions })
    }

    /// Returns whether the library of the driver with this number is still the same file, and the records are
    /// not too old.
    pub(super) fn is_unchanged(&self, number: usize) -> bool {
        self.driver(number)
            .is_some_and(|known| self.is_recent(&known) && self.is_still(known.file, known.identity))
    }

    /// Returns whether the records are not too old. If the clock was set back, all are.
    pub(super) fn is_recent(&self, known: &KnownDriver<'_>) -> bool {
        self.cache.moment().seconds.checked_sub(known.moment.seconds).is_some_and(|age| age < LONGEST_AGE)
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

    /// Returns the records that the file has now: other instances of the program may have added some.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn now(&self) -> Result<Option<StartFile>, OutOfMemory> {
        Ok(read(self.cache, &self.circumstances)?.ok())
    }

    /// Keeps a file for the next start.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn keep(&self, file: &[u8], logger: &Logger) -> Result<(), OutOfMemory> {
        match unless_out_of_memory(self.cache.keep(file))? {
            Ok(()) => log(logger, format_args!("recorded the drivers' answers"), Level::Debug),
            Err(fault) => log(logger, format_args!("nothing is recorded: {fault}"), Level::Info),
        }
        Ok(())
    }

    /// Removes the file: it misled this start.
    pub(crate) fn forget(&self) {
        self.is_forgotten.store(true, Ordering::Relaxed);
        self.cache.forget();
    }
}

/// Returns whether starts are recorded.
fn is_on(platform: &Platform, by_default: bool) -> Result<bool, OutOfMemory> {
    platform.option(variables::VK_LOADER_X_START_CACHE, by_default)
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
