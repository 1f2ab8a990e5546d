//! The system's drivers, as found by discovery and by opening them.

use core::fmt;
use core::ops::Deref;

use ash::vk;

use super::best::{BestReason, best_reason};
use super::driver::DriverRef;
use super::last_start::{InstanceKey, KEEPS_STARTS, LastStart, RecordedAnswers};
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
    /// The request and the search results.
    search: Arc<Search>,
    /// The drivers that can be used, in the order of the plan.
    pub(super) drivers: Vec<FoundDriver>,
    /// The outcome of opening each driver, with its index in the plan.
    pub outcomes: Vec<(usize, DriverStatus)>,
    /// Libraries that do not open: their indices in the plan and the states of their files, `None` for
    /// missing files.
    unopened: Vec<(usize, Option<Fingerprint>)>,
    /// The records of the last start, if they are used.
    pub(super) last_start: Option<Arc<LastStart>>,
    /// The purpose that they serve, since known drivers may not be open.
    purpose: Purpose,
}

/// Knowledge that does not require opening drivers.
pub struct Search {
    /// The answers that the plan is based on, except those that the settings rely on.
    pub snapshot: Snapshot,
    /// Every driver that was found.
    pub plan: Plan,
    /// The request.
    pub(crate) request: Request,
    settings: Arc<FoundSettings>,
}

/// A driver that can be used.
pub(super) struct FoundDriver {
    /// Its index in the plan.
    pub(super) index: usize,
    /// The open driver, unless the last start's records suffice.
    pub(super) open: Option<DriverRef>,
    /// Its number in the file of the last start.
    pub(super) known: Option<usize>,
}

/// How an instance uses a driver.
pub(crate) enum FoundFor {
    /// It is open.
    Use(DriverRef),
    /// It is opened when a call needs it. Until then, these are its answers.
    Demand(RecordedAnswers),
}

/// The purpose of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To know their instance extensions. A driver that the last starts knew is not opened.
    Extensions,
    /// For instances with a create info of this digest. A driver that the last starts knew with the same is
    /// not opened.
    Instances(InstanceKey),
    /// For any purpose. All are opened.
    Everything,
}

impl Purpose {
    /// Returns whether drivers found for this purpose serve the other one.
    fn covers(self, other: Self) -> bool {
        self == Self::Everything || other == Self::Extensions || self == other
    }
}

impl Deref for FoundDrivers {
    type Target = Search;
    fn deref(&self) -> &Search {
        &self.search
    }
}

impl FoundDrivers {
    /// Searches the system for drivers, and opens them. The second value is whether a change to this result
    /// can be detected.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn discover(
        platform: &Platform,
        flavour: &Flavour,
        request: Request,
        purpose: Purpose,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(Self, bool), OutOfMemory> {
        let mut snapshot = Snapshot::default();
        let settings = logger.settings.clone();
        let plan = flavour.source.drivers(platform, &request, &settings.known, &mut snapshot)?;
        snapshot.forget_contents();
        let search = Arc::try_new(Search { snapshot, plan, request, settings })?;
        search.log(logger, Logger::log);
        let last_start = if purpose == Purpose::Everything {
            None
        } else {
            LastStart::find(platform, flavour.keeps_starts, logger)?
        };
        Self::open(search, last_start, purpose, platform, drivers, logger)
    }

    /// Opens the drivers that another purpose requires. Whether these are current has been checked in the same call.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn also_for(
        &self,
        purpose: Purpose,
        platform: &Platform,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(Self, bool), OutOfMemory> {
        let (search, last_start) = (self.search.clone(), self.last_start.clone());
        Self::open(search, last_start, purpose, platform, drivers, logger)
    }

    fn open(
        search: Arc<Search>,
        last_start: Option<Arc<LastStart>>,
        purpose: Purpose,
        platform: &Platform,
        drivers: &OpenDrivers,
        logger: &Logger,
    ) -> Result<(Self, bool), OutOfMemory> {
        let mut found = Self {
            search,
            drivers: Vec::new(),
            outcomes: Vec::new(),
            unopened: Vec::new(),
            last_start,
            purpose: Purpose::Everything,
        };
        found.open_all(purpose, platform, drivers)?;
        if !logger.is_silent() {
            for (index, outcome) in &found.outcomes {
                found.log_outcome(logger, *index, outcome);
            }
        }
        let lasting = found.watch_unopened(platform)?;
        Ok((found, lasting))
    }

    /// Returns whether these drivers serve the purpose.
    pub(crate) fn cover(&self, purpose: Purpose) -> bool {
        self.purpose.covers(purpose)
    }

    /// Returns whether `request` would find the same now.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn are_current(
        &self,
        request: Request,
        platform: &Platform,
        logger: &Logger,
    ) -> Result<bool, OutOfMemory> {
        Ok(self.settings == logger.settings
            && self.serve(request)
            && self.snapshot.still_true(platform)?
            && self.still_unopened(platform.files)
            && self.still_known(platform)?)
    }

    /// Returns whether these drivers are the ones that `request` would find. Applications query extensions
    /// (all drivers count) and then create an instance (usually without drivers that implement only a part of
    /// Vulkan): most systems have no such drivers, so one search serves both.
    fn serve(&self, request: Request) -> bool {
        self.request == request || !self.plan.drivers.iter().any(|candidate| candidate.portability)
    }

    /// Returns whether the facts taken from the last start still hold.
    fn still_known(&self, platform: &Platform) -> Result<bool, OutOfMemory> {
        let Some(last) = self.last_start.as_ref().filter(|_| self.leave_some_out()) else {
            return Ok(true);
        };
        let not_open = || self.drivers.iter().filter(|driver| driver.open.is_none());
        Ok(last.still_true(platform)?
            && not_open().filter_map(|driver| driver.known).all(|known| last.is_unchanged(known)))
    }

    fn open_all(
        &mut self,
        purpose: Purpose,
        platform: &Platform,
        drivers: &OpenDrivers,
    ) -> Result<(), OutOfMemory> {
        for (index, candidate) in self.search.plan.used() {
            let last = self.last_start.as_ref();
            let key = if let Purpose::Instances(key) = purpose { Some(key) } else { None };
            let known = last.and_then(|last| last.find_driver(candidate, key));
            let mut found = FoundDriver { index, open: None, known };
            let driver = known.zip(last).and_then(|(number, last)| last.driver(number));
            if let Some(driver) = driver.filter(|known| purpose != Purpose::Everything && known.is_certain())
            {
                self.purpose = purpose;
                // Logged once, when instances are made.
                if key.is_some() {
                    let status =
                        if driver.devices == 0 { DriverStatus::LeftOut } else { DriverStatus::OnDemand };
                    note(&mut self.outcomes, index, status)?;
                }
                self.drivers.try_push(found)?;
                continue;
            }
            match drivers.open(platform, candidate, last.map(|last| &**last)) {
                Ok((mut driver, is_new)) => {
                    // A new driver has no duplicate. Searching for one each time would cost the square of the
                    // number of drivers.
                    let earlier = if is_new {
                        None
                    } else {
                        self.drivers.iter().find(|found| found.open == Some(driver))
                    };
                    if let Some(driver) = earlier.map(|found| found.index) {
                        note(&mut self.outcomes, index, DriverStatus::DuplicateOf { driver })?;
                        continue;
                    }
                    if let Err(outcome) = driver.use_manifest(candidate) {
                        note(&mut self.outcomes, index, outcome)?;
                        continue;
                    }
                    if let Some(lie) = driver.lie(candidate.api_version) {
                        note(&mut self.outcomes, index, lie)?;
                    }
                    found.open = Some(driver);
                    self.drivers.try_push(found)?;
                }
                Err(OrOutOfMemory::OutOfMemory) => return Err(OutOfMemory),
                Err(OrOutOfMemory::Failed(outcome)) => note(&mut self.outcomes, index, outcome)?,
            }
        }
        Ok(())
    }

    /// Returns the drivers that are open, each with its index in the plan.
    pub fn open_drivers(&self) -> impl Iterator<Item = (usize, DriverRef)> {
        self.drivers.iter().filter_map(|found| Some((found.index, found.open?)))
    }

    /// Returns whether no driver can be used.
    pub(crate) fn are_none(&self) -> bool {
        self.drivers.is_empty()
    }

    /// Returns whether a driver is not open because the last start's records suffice.
    pub(crate) fn leave_some_out(&self) -> bool {
        self.purpose != Purpose::Everything
    }

    /// Returns the drivers that instances use, in the order of the plan, each with its index there. Those without devices at
    /// the last starts are left out.
    pub(crate) fn for_instances(&self) -> impl Iterator<Item = (usize, FoundFor)> {
        self.drivers.iter().filter_map(|found| {
            let last = self.last_start.as_ref();
            let driver = match found.open {
                Some(driver) => FoundFor::Use(driver),
                None => {
                    let number = found.known.filter(|number| {
                        last.and_then(|last| last.driver(*number)).is_some_and(|known| known.devices > 0)
                    });
                    FoundFor::Demand(LastStart::answers(last?, number?)?)
                }
            };
            Some((found.index, driver))
        })
    }

    /// Returns the instance extensions of the driver at `index` of the plan, if it is not open.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(crate) fn known_extensions(&self, index: usize) -> Result<Vec<vk::ExtensionProperties>, OutOfMemory> {
        let mut extensions = Vec::new();
        let found = self.drivers.iter().find(|found| found.index == index);
        let known = found.and_then(|found| self.last_start.as_ref()?.driver(found.known?));
        for extension in known.iter().flat_map(|known| known.extensions()) {
            extensions.try_push(extension)?;
        }
        Ok(extensions)
    }

    /// Returns whether starts are recorded.
    pub(crate) fn keep_records(&self) -> bool {
        KEEPS_STARTS && self.last_start.is_some()
    }

    /// Calls `use_it` with each instance extension of each driver in turn. Calls `failed` for drivers that do
    /// not report their extensions.
    ///
    /// # Errors
    /// The error of `use_it`, or `ERROR_OUT_OF_HOST_MEMORY`.
    pub(crate) fn each_extension(
        &self,
        mut use_it: impl FnMut(&vk::ExtensionProperties) -> Result<(), vk::Result>,
        failed: impl Fn(&DriverRef, vk::Result),
    ) -> Result<(), vk::Result> {
        for found in &self.drivers {
            let Some(driver) = &found.open else {
                let known = self.last_start.as_ref().zip(found.known);
                let known = known.and_then(|(last, number)| last.driver(number));
                known.into_iter().flat_map(|known| known.extensions()).try_for_each(|one| use_it(&one))?;
                continue;
            };
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

    /// Returns whether the libraries that did not open are unchanged.
    fn still_unopened(&self, files: &dyn Files) -> bool {
        let library =
            |index: usize| self.plan.drivers.get(index).map_or(&[][..], |candidate| &candidate.library);
        self.unopened.iter().all(|(index, state)| match state {
            None => !files.exists(library(*index)),
            known => files.fingerprint(library(*index)) == *known,
        })
    }

    /// Logs the outcome of the driver at `index`.
    pub fn log_outcome(&self, logger: &Logger, index: usize, outcome: &DriverStatus) {
        let Some(candidate) = self.plan.drivers.get(index) else { return };
        log_outcome(logger, &candidate.library, outcome);
    }

    /// Repeats the search's log messages to the current listeners.
    pub(crate) fn tell(&self, logger: &Logger) {
        if logger.listeners.is_empty() {
            return;
        }
        self.tell_search(logger);
        for (index, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*index) else { continue };
            log_outcome_by(logger, tell, &candidate.library, outcome);
        }
    }

    /// Returns why no driver can be used, given the outcomes of making instances of the open drivers.
    #[must_use]
    pub fn best_reason<'a>(&'a self, outcomes: &'a [(usize, DriverStatus)]) -> BestReason<'a> {
        best_reason(&self.plan, self.outcomes.iter().chain(outcomes))
    }
}

/// Records the outcome of the driver at `index` of a plan. Not inlining it saves half a kilobyte.
///
/// # Errors
/// [`OutOfMemory`].
#[inline(never)]
pub(crate) fn note(
    outcomes: &mut Vec<(usize, DriverStatus)>,
    index: usize,
    outcome: DriverStatus,
) -> Result<(), OutOfMemory> {
    outcomes.try_push((index, outcome))
}

/// Passes a message to the listeners only.
fn tell(logger: &Logger, level: Level, topic: Topic, message: fmt::Arguments<'_>) {
    logger.tell(level, topic, message);
}

impl Search {
    /// Repeats the search's log messages to the current listeners.
    pub(crate) fn tell_search(&self, logger: &Logger) {
        if !logger.listeners.is_empty() {
            self.log(logger, tell);
        }
    }

    fn log(&self, logger: &Logger, log: Log) {
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
}
