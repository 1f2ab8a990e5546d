//! Records facts about drivers for the next start.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

use super::found::{FoundDriver, FoundDrivers};
use super::last_start::{KnownDriver, LastStart, LibraryFile, PRESENT, Writer};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::OutOfMemory;
use crate::platform::Platform;

/// The version while it is unknown whether a driver has a device.
const NOT_ASKED: u32 = PRESENT - 1;

impl FoundDrivers {
    /// Records whether the driver at `index` of the plan has a device.
    pub(crate) fn note_devices(&self, index: usize, has_device: bool) {
        self.note_refusal(index, if has_device { PRESENT } else { 0 });
    }

    /// Records that the driver at `index` of the plan refused an instance of this version of Vulkan. Without
    /// hardware it refuses all versions; but a driver that claims the version and lacks it may accept a lower
    /// one.
    pub(crate) fn note_refusal(&self, index: usize, api_version: u32) {
        if self.last_start.is_none() {
            return;
        }
        if let Ok(number) = self.drivers.binary_search_by_key(&index, |found| found.index)
            && let Some(found) = self.drivers.get(number)
        {
            found.absent.store(api_version, Ordering::Relaxed);
        }
    }

    /// Keeps the records for the next start, if they are new. Called after every driver of an instance has
    /// been queried for its devices; only the first call has an effect.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn keep(&self, platform: &Platform, logger: &Logger) -> Result<(), OutOfMemory> {
        let Some(last) = &self.last_start else { return Ok(()) };
        if self.settled.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let any_device = self.drivers.iter().any(|found| found.absent() == Some(PRESENT));
        if !any_device {
            // A fault exists at the moment, or existed at the last start.
            if self.leave_some_out() {
                self.forget(logger);
            }
            return Ok(());
        }
        if self.drivers.iter().all(|found| found.is_as_known(last)) {
            return Ok(());
        }
        let Some(mut file) = last.begin(platform)? else { return Ok(()) };
        for found in &self.drivers {
            self.write(found, last, &mut file)?;
        }
        last.keep(file, logger)
    }

    /// Removes the last start's records, since they misled this start.
    pub(crate) fn forget(&self, logger: &Logger) {
        let Some(last) = &self.last_start else { return };
        logger.log(
            Level::Warning,
            Topic::Driver,
            format_args!(
                "start cache: none of the drivers that it left over can be used now; the file is removed, and the next start \
                 opens all drivers"
            ),
        );
        last.forget();
    }

    fn write(&self, found: &FoundDriver, last: &LastStart, file: &mut Writer) -> Result<(), OutOfMemory> {
        let known = found.known.and_then(|number| last.driver(number));
        let (Some(driver), Some(absent)) = (&found.open, found.absent()) else {
            return known.map_or(Ok(()), |known| file.known(&known));
        };
        let Some(candidate) = self.plan.drivers.get(found.index) else { return Ok(()) };
        // An update may have replaced the file since it was opened.
        let opened_from = driver.file.as_ref().filter(|file| last.is_still(&file.path, &file.identity));
        let Some(LibraryFile { path, identity }) = opened_from else { return Ok(()) };
        let Ok(extensions) = driver.instance_extensions() else { return Ok(()) };
        let mut now = KnownDriver::new(&candidate.path, &candidate.library, path, identity);
        (now.api_version, now.absent, now.moment) = (candidate.api_version, absent, last.moment());
        file.driver(&now, &mut extensions.into_iter(), known.as_ref())
    }
}

impl FoundDriver {
    /// Creates a driver that is not open.
    pub(super) fn new(index: usize, known: Option<usize>) -> Self {
        Self { index, open: None, known, absent: AtomicU32::new(NOT_ASKED) }
    }

    /// Returns the lowest version for whose instances it has no device. `None` if it was not queried, or did
    /// not report.
    fn absent(&self) -> Option<u32> {
        Some(self.absent.load(Ordering::Relaxed)).filter(|version| *version != NOT_ASKED)
    }

    /// Returns whether the last starts knew as much as the next start can learn from this one.
    fn is_as_known(&self, last: &LastStart) -> bool {
        if self.known.is_none() && self.open.is_none_or(|driver| driver.file.is_none()) {
            return true;
        }
        let Some(now) = self.absent() else { return true };
        let known = self.known.and_then(|number| last.driver(number));
        known.is_some_and(|known| known.is_certain() && known.absent == now)
    }
}
