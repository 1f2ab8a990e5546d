//! The system's drivers, as found by discovery and by opening them.

use core::fmt;

use ash::vk;

use super::best::{BestReason, best_reason};
use super::driver::DriverRef;
use super::open::OpenDrivers;
use super::report::{log_candidate, log_outcome, log_outcome_by};
use crate::discovery::{Plan, Request, Snapshot};
use crate::flavour::Flavour;
use crate::log::{Level, Topic};
use crate::logger::{FoundSettings, Log, Logger};
use crate::memory::{Arc, Escaped, OrOutOfMemory, OutOfMemory, TryGrow, Vec};
use crate::negotiation::DriverStatus;
use crate::platform::{Files, Fingerprint, Platform};

/// The system's drivers as one call sees them.
pub struct FoundDrivers {
    /// The answers that the plan is based on, except those that the settings rely on.
    pub snapshot: Snapshot,
    pub plan: Plan,
    request: Request,
    settings: Arc<FoundSettings>,
    pub open: Vec<(usize, DriverRef)>,
    pub outcomes: Vec<(usize, DriverStatus)>,
    /// Libraries that do not open: their indices in the plan and the states of their files, `None` for
    /// missing files.
    unopened: Vec<(usize, Option<Fingerprint>)>,
}

impl FoundDrivers {
    /// Searches the system for drivers, and opens them. The second value is whether a change to this result
    /// can be detected.
    pub(crate) fn discover(
        platform: &Platform,
        flavour: &Flavour,
        request: Request,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(Self, bool), OutOfMemory> {
        let mut snapshot = Snapshot::default();
        let settings = logger.settings.clone();
        let plan = flavour.source.drivers(platform, &request, &settings.known, &mut snapshot)?;
        snapshot.forget_contents();
        let (open, outcomes, unopened) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { snapshot, plan, request, settings, open, outcomes, unopened };
        found.log_plan(logger, Logger::log);
        found.open_all(platform, drivers)?;
        if !logger.is_silent() || found.settings.known.has_fixed_drivers {
            for (index, outcome) in &found.outcomes {
                found.log_outcome(logger, *index, outcome);
            }
        }
        let lasting = found.watch_unopened(platform)?;
        Ok((found, lasting))
    }

    pub(crate) fn are_current(
        &self,
        request: Request,
        platform: &Platform,
        logger: &Logger,
    ) -> Result<bool, OutOfMemory> {
        Ok(self.settings == logger.settings
            && self.serve(request)
            && self.snapshot.still_true_for(true, platform, &|path| logger.found_absent(path))?
            && self.still_unopened(platform.files))
    }

    /// Returns whether these drivers are the ones that `request` would find. Applications query extensions
    /// (all drivers count) and then create an instance (usually without drivers that implement only a part of
    /// Vulkan): most systems have no such drivers, so one search serves both.
    fn serve(&self, request: Request) -> bool {
        self.request == request || !self.plan.drivers.iter().any(|candidate| candidate.portability)
    }

    fn open_all(&mut self, platform: &Platform, drivers: &OpenDrivers) -> Result<(), OutOfMemory> {
        for (index, candidate) in self.plan.used() {
            match drivers.open(platform, candidate) {
                Ok((mut driver, is_new)) => {
                    // A new driver has no duplicate. Searching for one each time would cost the square of the
                    // number of drivers.
                    let earlier =
                        if is_new { None } else { self.open.iter().find(|(_, open)| *open == driver) };
                    if let Some((earlier, _)) = earlier {
                        note(&mut self.outcomes, index, DriverStatus::DuplicateOf { driver: *earlier })?;
                        continue;
                    }
                    if let Err(outcome) = driver.use_manifest(candidate) {
                        note(&mut self.outcomes, index, outcome)?;
                        continue;
                    }
                    if let Some(lie) = driver.overstated_version(candidate.api_version) {
                        note(&mut self.outcomes, index, lie)?;
                    }
                    self.open.try_push((index, driver))?;
                }
                Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
                Err(OrOutOfMemory::Failed(outcome)) => note(&mut self.outcomes, index, outcome)?,
            }
        }
        Ok(())
    }

    /// Calls `use_it` with each instance extension of each driver in turn. Calls `failed` for drivers that do
    /// not report their extensions.
    pub(crate) fn each_extension(
        &self,
        mut use_it: impl FnMut(&vk::ExtensionProperties) -> Result<(), OutOfMemory>,
        failed: impl Fn(&DriverRef, vk::Result),
    ) -> Result<(), vk::Result> {
        for (_, driver) in &self.open {
            match driver.instance_extensions() {
                Ok(extensions) => extensions.iter().try_for_each(&mut use_it)?,
                Err(error @ vk::Result::ERROR_OUT_OF_HOST_MEMORY) => return Err(error),
                Err(error) => failed(driver, error),
            }
        }
        Ok(())
    }

    /// Records the states of libraries that do not open, so that a new or changed one is noticed. Returns
    /// whether all of them can be watched: an intact library may depend on a missing one, and the linker
    /// searches many folders for a bare name.
    fn watch_unopened(&mut self, platform: &Platform) -> Result<bool, OutOfMemory> {
        for (index, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*index) else { continue };
            let (library, files) = (candidate.library.as_slice(), platform.files);
            if matches!(outcome, DriverStatus::DoesNotOpen { .. }) {
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
                self.unopened.try_push((*index, state))?;
            }
        }
        Ok(true)
    }

    fn still_unopened(&self, files: &dyn Files) -> bool {
        let library =
            |index: usize| self.plan.drivers.get(index).map_or(&[][..], |candidate| &candidate.library);
        self.unopened.iter().all(|(index, state)| match state {
            None => !files.exists(library(*index)),
            known => files.fingerprint(library(*index)) == *known,
        })
    }

    pub fn log_outcome(&self, logger: &Logger, index: usize, outcome: &DriverStatus) {
        let Some(candidate) = self.plan.drivers.get(index) else { return };
        log_outcome(logger, &candidate.library, outcome);
    }

    pub(crate) fn tell(&self, logger: &Logger) {
        if logger.listeners.is_empty() {
            return;
        }
        self.log_plan(logger, tell);
        for (index, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*index) else { continue };
            log_outcome_by(logger, tell, &candidate.library, outcome);
        }
    }

    fn log_plan(&self, logger: &Logger, log: Log) {
        if logger.is_silent() {
            return;
        }
        for searched in &self.plan.searched {
            let (path, origin, result) = (Escaped(&searched.path), searched.origin, searched.result);
            log(logger, Level::Debug, Topic::Driver, format_args!("searched {path} ({origin}): {result}"));
        }
        for note in &self.plan.notes {
            log(logger, Level::Warning, Topic::Driver, format_args!("{note}"));
        }
        for candidate in &self.plan.drivers {
            log_candidate(logger, log, candidate);
        }
    }

    pub fn best_reason<'a>(&'a self, outcomes: &'a [(usize, DriverStatus)]) -> BestReason<'a> {
        best_reason(&self.plan, self.outcomes.iter().chain(outcomes))
    }
}

/// Records the outcome of the driver at `index` of a plan. Not inlining it saves half a kilobyte.
#[inline(never)]
pub(crate) fn note(
    outcomes: &mut Vec<(usize, DriverStatus)>,
    index: usize,
    outcome: DriverStatus,
) -> Result<(), OutOfMemory> {
    outcomes.try_push((index, outcome))
}

fn tell(logger: &Logger, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
    logger.tell(level, topic, message);
}
