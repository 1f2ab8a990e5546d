//! Records facts about drivers for the next start.
#![forbid(unsafe_code)]

use super::found::FoundDrivers;
use super::last_start::{InstanceKey, KnownDriver, LastStart, LibraryFile, StartFile, Writer};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::memory::{OutOfMemory, Text};
use crate::platform::{LARGEST_CACHE, Platform};

/// New facts about a driver.
pub(crate) struct LearnedDriver {
    /// Its index in the plan.
    pub(crate) index: usize,
    /// The number of its devices. 0 if it refused the instance.
    pub(crate) devices: u32,
    /// Its answers.
    pub(crate) answers: Text,
}

impl FoundDrivers {
    /// Returns whether this start adds to the record about the driver at `index` of the plan, for instances with this key:
    /// the driver is open, its file is known, and no two starts agree yet.
    pub(crate) fn can_learn(&self, index: usize, key: InstanceKey) -> bool {
        let Some(last) = &self.last_start else { return false };
        let open = self.drivers.iter().find(|found| found.index == index).and_then(|found| found.open);
        if open.is_none_or(|driver| driver.file.is_none()) {
            return false;
        }
        let candidate = self.plan.drivers.get(index);
        let known = candidate.and_then(|candidate| last.driver(last.find_driver(candidate, Some(key))?));
        known.is_none_or(|known| !known.is_certain())
    }

    /// Records facts for the next start. Called after every driver of an instance with this key has
    /// been queried for its devices.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn keep(
        &self,
        key: InstanceKey,
        learned: &[LearnedDriver],
        platform: &Platform,
        logger: &Logger,
    ) -> Result<(), OutOfMemory> {
        let Some(last) = &self.last_start else { return Ok(()) };
        // After a change since this start began, it is unknown which circumstances the drivers saw.
        if !last.still_true(platform)? {
            return Ok(());
        }
        let now = last.now()?;
        // Only files of this library's are large: the records for other instances then give way.
        for others in [true, false] {
            let mut file = Writer::new(&last.circumstances)?;
            for driver in learned {
                self.write(driver, key, last, now.as_ref(), &mut file)?;
            }
            for known in others.then_some(now.as_ref()).flatten().into_iter().flat_map(StartFile::drivers) {
                let is_learned =
                    |index| known.instance == key && learned.iter().any(|new| new.index == index);
                let mut is_of = self.plan.used().filter(|(_, candidate)| known.is_of(candidate));
                if is_of.next().is_some_and(|(index, _)| !is_learned(index)) {
                    file.known(&known)?;
                }
            }
            let file = file.finish()?;
            if file.len() <= LARGEST_CACHE || !others {
                return last.keep(&file, logger);
            }
        }
        Ok(())
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

    fn write(
        &self,
        learned: &LearnedDriver,
        key: InstanceKey,
        last: &LastStart,
        before: Option<&StartFile>,
        file: &mut Writer,
    ) -> Result<(), OutOfMemory> {
        let found = self.drivers.iter().find(|found| found.index == learned.index);
        let candidate = self.plan.drivers.get(learned.index);
        let (Some(driver), Some(candidate)) = (found.and_then(|found| found.open), candidate) else {
            return Ok(());
        };
        // An update may have replaced the file since it was opened.
        let opened_from = driver.file.as_ref().filter(|file| last.is_still(&file.path, &file.identity));
        let Some(LibraryFile { path, identity }) = opened_from else { return Ok(()) };
        let Ok(extensions) = driver.instance_extensions() else { return Ok(()) };
        let now = KnownDriver {
            manifest: &candidate.path,
            library: &candidate.library,
            file: path,
            identity,
            api_version: candidate.api_version,
            instance: key,
            devices: learned.devices,
            answers: &learned.answers,
            starts: 1,
            moment: last.cache.moment(),
            ..KnownDriver::default()
        };
        let mut all = before.into_iter().flat_map(StartFile::drivers);
        let known =
            all.find(|known| known.instance == key && known.is_of(candidate) && last.is_recent(known));
        file.driver(&now, &mut extensions.into_iter(), known.as_ref())
    }
}
