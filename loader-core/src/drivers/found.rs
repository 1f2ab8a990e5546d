//! The drivers of the system, as found by discovery and by opening them.

use core::fmt;

use super::best::{BestReason, best_reason};
use super::driver::{DriverRef, OpenError};
use super::open::OpenDrivers;
use super::report::{log_candidate, log_outcome, log_outcome_by};
use crate::discovery::{self, Plan, Request, Snapshot};
use crate::log::{Level, Topic};
use crate::logger::{FoundSettings, Log, Logger};
use crate::memory::{Counted, OutOfMemory, Shown, TryGrow, Vec};
use crate::negotiation::Outcome;
use crate::platform::{Files, Fingerprint, Platform};

/// The drivers of the system as one call sees them.
pub struct FoundDrivers {
    /// The answers that the plan was made from, beside those that the settings rely on.
    pub snapshot: Snapshot,
    /// Every driver that was found.
    pub plan: Plan,
    /// The drivers that were opened, each with its place in the plan.
    pub open: Vec<(usize, DriverRef)>,
    /// What was learnt by opening them, each with its place in the plan.
    pub outcomes: Vec<(usize, Outcome)>,
    /// Libraries that do not open: their places in the plan and the states of their files, `None` for those
    /// that are missing.
    unopened: Vec<(usize, Option<Fingerprint>)>,
    request: Request,
    settings: Counted<FoundSettings>,
}

impl FoundDrivers {
    /// Searches the system for drivers, and opens them. The second value tells whether a change to this can
    /// be detected.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn discover(
        platform: &Platform,
        policy: &discovery::Policy,
        request: Request,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(Self, bool), OutOfMemory> {
        let mut snapshot = Snapshot::default();
        let settings = logger.settings.clone();
        let plan = discovery::discover(platform, policy, &request, &settings.known, &mut snapshot)?;
        snapshot.forget_contents();
        let (open, outcomes, unopened) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { snapshot, plan, open, outcomes, unopened, request, settings };
        found.log_plan(logger, Logger::log);
        found.open_all(platform, drivers, logger)?;
        let lasting = found.watch_unopened(platform)?;
        Ok((found, lasting))
    }

    /// Whether `request` would find the same now.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn still_serve(
        &self,
        request: Request,
        platform: &Platform,
        logger: &Logger,
    ) -> Result<bool, OutOfMemory> {
        Ok(self.settings == logger.settings
            && self.serve(request)
            && self.snapshot.still_true(platform)?
            && self.still_unopened(platform.files))
    }

    /// Whether these drivers are what `request` would find. Applications ask for extensions (all drivers
    /// count) and then for an instance (seldom of those that implement only a part of Vulkan): most systems
    /// have none of the latter, so one search serves both.
    fn serve(&self, request: Request) -> bool {
        self.request == request || !self.plan.drivers.iter().any(|candidate| candidate.portability)
    }

    fn open_all(
        &mut self,
        platform: &Platform,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(), OutOfMemory> {
        for (place, candidate) in self.plan.used() {
            match drivers.open(platform, candidate) {
                Ok((driver, is_new)) => {
                    // Not where it cannot be: the whole search would cost the square of the number of drivers.
                    let earlier =
                        if is_new { None } else { self.open.iter().find(|(_, open)| *open == driver) };
                    if let Some(&(earlier, _)) = earlier {
                        self.outcomes.try_push((place, Outcome::DuplicateOf { driver: earlier }))?;
                        continue;
                    }
                    if let Some(lie) = driver.lie(candidate.api_version) {
                        self.outcomes.try_push((place, lie))?;
                    }
                    self.open.try_push((place, driver))?;
                }
                Err(OpenError::OutOfMemory) => return Err(OutOfMemory),
                Err(OpenError::Refused(outcome)) => self.outcomes.try_push((place, outcome))?,
            }
        }
        if logger.is_silent() {
            return Ok(());
        }
        for (place, outcome) in &self.outcomes {
            self.log_outcome(logger, *place, outcome);
        }
        Ok(())
    }

    /// Notes the states of libraries that do not open, so that a new or changed one is noticed. Whether each
    /// can be watched: one that is whole may lack another one, and the linker looks for a bare name in many
    /// places.
    fn watch_unopened(&mut self, platform: &Platform) -> Result<bool, OutOfMemory> {
        for (place, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*place) else { continue };
            let (library, files) = (candidate.library.as_slice(), platform.files);
            if matches!(outcome, Outcome::DoesNotOpen { .. }) {
                let mut state = None;
                if files.exists(library) {
                    state = files.fingerprint(library);
                    if state.is_none() || !platform.libraries.never_opens(library) {
                        return Ok(false);
                    }
                }
                if !library.contains(&b'/') {
                    return Ok(false);
                }
                self.unopened.try_push((*place, state))?;
            }
        }
        Ok(true)
    }

    /// Whether the libraries that did not open are as they were.
    fn still_unopened(&self, files: &dyn Files) -> bool {
        let library =
            |place: usize| self.plan.drivers.get(place).map_or(&[][..], |candidate| &candidate.library);
        self.unopened.iter().all(|(place, state)| match state {
            None => !files.exists(library(*place)),
            known => files.fingerprint(library(*place)) == *known,
        })
    }

    /// Logs what became of the driver at `place`.
    pub fn log_outcome(&self, logger: &Logger, place: usize, outcome: &Outcome) {
        let Some(candidate) = self.plan.drivers.get(place) else { return };
        log_outcome(logger, &candidate.library, outcome);
    }

    /// Repeats to the current listeners what was logged when the drivers were found.
    pub(crate) fn tell(&self, logger: &Logger) {
        if logger.listeners.is_empty() {
            return;
        }
        let tell = |logger: &Logger, level, topic, message: fmt::Arguments<'_>| {
            logger.tell(level, topic, message);
        };
        self.log_plan(logger, tell);
        for (place, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*place) else { continue };
            log_outcome_by(logger, tell, &candidate.library, outcome);
        }
    }

    fn log_plan(&self, logger: &Logger, log: Log) {
        if logger.is_silent() {
            return;
        }
        for searched in &self.plan.searched {
            let (path, origin, result) = (Shown(&searched.path), searched.origin, searched.result);
            log(logger, Level::Debug, Topic::Driver, format_args!("searched {path} ({origin}): {result}"));
        }
        for note in &self.plan.notes {
            log(logger, Level::Warning, Topic::Driver, format_args!("{note}"));
        }
        for candidate in &self.plan.drivers {
            log_candidate(logger, log, candidate);
        }
    }

    /// Why there is no driver, given what was learnt by making instances of those that are open.
    #[must_use]
    pub fn best_reason<'a>(&'a self, outcomes: &'a [(usize, Outcome)]) -> BestReason<'a> {
        best_reason(&self.plan, self.outcomes.iter().chain(outcomes))
    }
}
