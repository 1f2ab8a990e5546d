//! What this start learns about drivers, for the next one.
#![forbid(unsafe_code)]

use core::sync::atomic::{AtomicU8, Ordering};

use super::found::{FoundDriver, FoundDrivers};
use super::last_start::{KnownDriver, LastStart, LibraryFile, Writer};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::OutOfMemory;
use crate::platform::Platform;

/// Whether a driver has devices, as far as this start knows.
const NOT_ASKED: u8 = 0;
const NO_DEVICE: u8 = 1;
const DEVICES: u8 = 2;

impl FoundDrivers {
    /// Notes whether the driver at `place` of the plan has a device.
    pub(crate) fn note_devices(&self, place: usize, has_device: bool) {
        if self.last_start.is_none() {
            return;
        }
        if let Ok(number) = self.drivers.binary_search_by_key(&place, |found| found.place) {
            let devices = if has_device { DEVICES } else { NO_DEVICE };
            if let Some(found) = self.drivers.get(number) {
                found.devices.store(devices, Ordering::Relaxed);
            }
        }
    }

    /// Keeps what was noted for the next start, if it is new. Called when every driver of an instance has been asked for its
    /// devices; only the first call does anything.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn keep(&self, platform: &Platform, logger: &Logger) -> Result<(), OutOfMemory> {
        let Some(last) = &self.last_start else { return Ok(()) };
        if self.settled.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let any_device = self.drivers.iter().any(|found| found.has_device() == Some(true));
        if !any_device {
            // Something is wrong at the moment, or was at the last start.
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

    /// Removes what the last start kept, since it led this one astray.
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
        let (Some(driver), Some(has_device)) = (&found.open, found.has_device()) else {
            let known = found.known.and_then(|number| last.driver(number));
            return known.map_or(Ok(()), |known| file.driver(&known, &mut known.extensions()));
        };
        let Some(candidate) = self.plan.drivers.get(found.place) else { return Ok(()) };
        // An update may have replaced the file since it was opened.
        let opened_from =
            found.opened_from.as_ref().filter(|opened| last.is_still(&opened.path, &opened.identity));
        let Some(LibraryFile { path, identity }) = opened_from else { return Ok(()) };
        let Ok(extensions) = driver.instance_extensions() else { return Ok(()) };
        let mut known = KnownDriver::new(&candidate.path, &candidate.library, path, identity);
        (known.api_version, known.has_device) = (candidate.api_version, has_device);
        file.driver(&known, &mut extensions.into_iter())
    }
}

impl FoundDriver {
    /// A driver that is not open.
    pub(super) fn new(place: usize, known: Option<usize>) -> Self {
        Self { place, open: None, known, opened_from: None, devices: AtomicU8::new(NOT_ASKED) }
    }

    /// Whether it has a device. `None` if it was not asked, or did not tell.
    fn has_device(&self) -> Option<bool> {
        match self.devices.load(Ordering::Relaxed) {
            NO_DEVICE => Some(false),
            DEVICES => Some(true),
            _ => None,
        }
    }

    /// Whether the last start knew as much as the next one can learn from this one.
    fn is_as_known(&self, last: &LastStart) -> bool {
        if self.known.is_none() && self.opened_from.is_none() {
            return true;
        }
        let Some(now) = self.has_device() else { return true };
        let known = self.known.and_then(|number| last.driver(number));
        known.is_some_and(|known| known.has_device == now)
    }
}
