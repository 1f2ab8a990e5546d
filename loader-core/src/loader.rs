//! What belongs to the process: the platform, the open drivers, the last discovery, the names of unknown commands.

mod settings;
mod users;

use core::fmt;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::chain::FoundLayers;
use crate::chain::known::KnownObjects;
use crate::discovery::{
    self, BestReason, Candidate, Decision, Outcome, Plan, Request, Snapshot, best_reason,
};
use crate::dispatch::{KEYS, UnknownCommands};
use crate::flavour::{FOREIGN_HANDLES, Flavour};
use crate::log::{Filter, Level, Topic, write_line};
use crate::logger::{Listeners, Logger};
use crate::memory::{Application, Counted, OutOfMemory, Shown, Text, TryGrow, Vec};
use crate::objects::{DriverRef, LiveInstances, OpenDrivers, OpenError};
use crate::platform::{Files, Fingerprint, Lock, Platform, Variable, Waiting, variables};
use crate::registry::{Class, CommandId};

pub use crate::logger::FoundSettings;
pub use users::User;
use users::Users;

/// A loader. There is one, a `static` of the platform's crate.
pub struct Loader {
    /// The operating system.
    pub platform: &'static Platform,
    /// Which kind of loader this is.
    pub flavour: Flavour,
    /// Driver libraries that are open, for as long as the loader's own library is.
    pub drivers: OpenDrivers,
    /// Commands that the registry does not know and that a driver or layer has.
    pub unknown: UnknownCommands,
    /// What layers are handed.
    pub known: KnownObjects,
    found_settings: Lock<Option<Counted<FoundSettings>>>,
    discovered: Lock<Option<Counted<Drivers>>>,
    pub(crate) found_layers: Lock<Option<Counted<FoundLayers>>>,
    pub(crate) instances: LiveInstances,
    users: Users,
}

/// The loader of this process, once it has been called.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

/// The drivers of the system as one call sees them.
pub struct Drivers {
    /// The answers that the plan was made from, beside those that the settings rely on.
    pub snapshot: Snapshot,
    /// Every driver that was found.
    pub plan: Plan,
    /// The drivers that were opened, each with its place in the plan.
    pub open: Vec<(usize, DriverRef)>,
    /// What was learnt by opening them, each with its place in the plan.
    pub outcomes: Vec<(usize, Outcome)>,
    /// Libraries that do not open: their places in the plan and the states of their files, `None` for those that are missing.
    unopened: Vec<(usize, Option<Fingerprint>)>,
    request: Request,
    settings: Counted<FoundSettings>,
}

impl Loader {
    /// A loader for this platform and flavour.
    #[must_use]
    pub const fn new(platform: &'static Platform, flavour: Flavour) -> Self {
        Self {
            platform,
            flavour,
            drivers: OpenDrivers::new(),
            unknown: UnknownCommands::new(),
            known: KnownObjects::new(),
            found_settings: Lock::new(None),
            discovered: Lock::new(None),
            found_layers: Lock::new(None),
            instances: LiveInstances::new(),
            users: Users::new(),
        }
    }

    /// Makes this the loader that reports for handles that belong to nobody.
    pub fn make_current(&'static self) {
        CURRENT.store(core::ptr::from_ref(self).cast_mut(), Ordering::Release);
    }

    /// Every global command does this first, and keeps what it gets to its end.
    pub fn enter(&'static self) -> User {
        self.make_current();
        self.users.come()
    }

    /// The logger that the settings file or the environment asks for now, to which nobody listens. It has been told what
    /// the settings file says.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn logger(&self) -> Result<Logger, OutOfMemory> {
        let logger = self.logger_in(Application::process())?;
        logger.settings.report(logger.sink, &logger);
        Ok(logger)
    }

    /// The same, with room for those who will listen in memory of `allocator`; told nothing yet.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn logger_in(&self, allocator: Application) -> Result<Logger, OutOfMemory> {
        let settings = self.settings()?;
        let from_variable = || {
            let wanted = self.variable(variables::VK_LOADER_DEBUG).ok().flatten();
            wanted.map_or(Filter::SILENT, |value| Filter::parse(&value))
        };
        Ok(Logger {
            sink: self.platform.log,
            filter: settings.stderr_log().unwrap_or_else(from_variable),
            settings,
            listeners: Listeners::new(allocator, self.platform.waiting),
        })
    }

    /// The value of a variable, if it is set and honoured.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn variable(&self, variable: Variable) -> Result<Option<Text>, OutOfMemory> {
        self.platform.environment.variable(variable.name, variable.reader)
    }

    /// Whether a variable is set to anything but nothing and `0`.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn switch(&self, variable: Variable) -> Result<bool, OutOfMemory> {
        let value = self.variable(variable)?;
        Ok(value.is_some_and(|value| !value.is_empty() && value.as_slice() != b"0"))
    }

    /// The drivers of the system, opened. What was found last time is used again if nothing has changed since.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn discover(&self, request: Request, logger: &Logger) -> Result<Counted<Drivers>, OutOfMemory> {
        let waiting = self.platform.waiting;
        let last = self.discovered.lock(waiting).clone();
        if let Some(last) = last
            && last.settings == logger.settings
            && last.serve(request)
            && last.snapshot.still_true(self.platform)?
            && last.still_unopened(self.platform.files)
        {
            last.tell(logger);
            return Ok(last);
        }
        let mut snapshot = Snapshot::default();
        let (policy, settings) = (&self.flavour.discovery, logger.settings.clone());
        let plan = discovery::discover(self.platform, policy, &request, &settings.known, &mut snapshot)?;
        snapshot.forget_contents();
        let (open, outcomes, unopened) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Drivers { snapshot, plan, open, outcomes, unopened, request, settings };
        found.log_plan(logger, Logger::log);
        found.open_all(self, logger)?;
        let lasting = found.watch_unopened(self.platform)?;
        let found = Counted::try_new(found)?;
        if lasting {
            let previous = self.discovered.lock(waiting).replace(found.clone());
            drop(previous);
        }
        Ok(found)
    }

    /// Gives back what the process owns, unless somebody uses it: then it is left to the end of the process. Afterwards the loader
    /// works as if it had just been started.
    ///
    /// Other threads may enter at any moment. Each thing is taken under its lock while nobody has come yet, what refers to others
    /// before these; so nobody has seen what is freed.
    pub fn unload(&self) {
        let Some(idle) = self.users.idle() else { return };
        let waiting = self.platform.waiting;
        let lasts = || idle.lasts();
        drop(take_if(&self.discovered, waiting, lasts));
        drop(take_if(&self.found_layers, waiting, lasts));
        drop(take_if(&self.found_settings, waiting, lasts));
        self.unknown.forget(waiting, lasts);
        self.known.forget(waiting, lasts);
        self.instances.forget(waiting, lasts);
        if FOREIGN_HANDLES && lasts() {
            KEYS.forget(waiting);
        }
        self.drivers.close(self.platform, lasts);
    }
}

fn take_if<T>(lock: &Lock<Option<T>>, waiting: &dyn Waiting, condition: impl Fn() -> bool) -> Option<T> {
    let mut held = lock.lock(waiting);
    if condition() { held.take() } else { None }
}

impl Drivers {
    /// Whether these drivers are what `request` would find. Applications ask for extensions (all drivers count) and then
    /// for an instance (seldom of those that implement only a part of Vulkan): most systems have none of the latter,
    /// so that one search serves both.
    fn serve(&self, request: Request) -> bool {
        self.request == request || !self.plan.drivers.iter().any(|candidate| candidate.portability)
    }

    fn open_all(&mut self, loader: &Loader, logger: &Logger) -> Result<(), OutOfMemory> {
        for (place, candidate) in self.plan.used() {
            match loader.drivers.open(loader.platform, candidate) {
                Ok((driver, lie)) => {
                    let earlier = self.open.iter().find(|(_, open)| *open == driver).map(|(place, _)| *place);
                    if let Some(earlier) = earlier {
                        self.outcomes.try_push((place, Outcome::DuplicateOf { driver: earlier }))?;
                        continue;
                    }
                    if let Some(lie) = lie {
                        self.outcomes.try_push((place, lie))?;
                    }
                    self.open.try_push((place, driver))?;
                }
                Err(OpenError::OutOfMemory) => return Err(OutOfMemory),
                Err(OpenError::Refused(outcome)) => self.outcomes.try_push((place, outcome))?,
            }
        }
        for (place, outcome) in &self.outcomes {
            self.log_outcome(logger, *place, outcome);
        }
        Ok(())
    }

    /// Notes the states of libraries that do not open, so that one that comes or changes is noticed. Whether each can be watched:
    /// one that is whole may lack another one, and the linker looks for a bare name in many places.
    fn watch_unopened(&mut self, platform: &Platform) -> Result<bool, OutOfMemory> {
        for (place, outcome) in &self.outcomes {
            let Some(candidate) = self.plan.drivers.get(*place) else { continue };
            let (library, files) = (candidate.library.as_slice(), platform.files);
            if matches!(outcome, Outcome::DoesNotOpen { .. }) {
                let state = files.fingerprint(library);
                let tells = if state.is_some() {
                    platform.libraries.never_opens(library)
                } else {
                    !files.exists(library)
                };
                if !tells || !library.contains(&b'/') {
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

    /// Tells those who listen now what was logged when the drivers were found.
    fn tell(&self, logger: &Logger) {
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

    /// Says why none of them can be used, as [`report_no_driver`] does.
    pub(crate) fn report_no_driver(&self, loader: &Loader, logger: &Logger, outcomes: &[(usize, Outcome)]) {
        report_no_driver(loader, logger, format_args!("{}", self.best_reason(outcomes)));
    }
}

/// Says why no driver can be used: to everybody who listens, and if nobody does, as one line on the sink, since an
/// application that does not start would otherwise leave its user without a hint.
pub(crate) fn report_no_driver(loader: &Loader, logger: &Logger, reason: fmt::Arguments<'_>) {
    let heard = logger.tell(Level::Error, Topic::Driver, reason);
    let shown = logger.write(Level::Error, Topic::Driver, reason);
    if !(shown || heard || loader.switch(variables::VK_LOADER_X_QUIET) == Ok(true)) {
        write_line(logger.sink, Level::Error, Topic::Driver, reason);
    }
}

/// Logs what became of the driver that is called `name`.
pub(crate) fn log_outcome(logger: &Logger, name: &[u8], outcome: &Outcome) {
    log_outcome_by(logger, Logger::log, name, outcome);
}

/// How a record is logged: to everybody, or only to those who listen.
pub(crate) type Log = fn(&Logger, Level, Topic, fmt::Arguments<'_>);

fn log_outcome_by(logger: &Logger, log: Log, name: &[u8], outcome: &Outcome) {
    let (name, policy) = (Shown(name), Policy(outcome.policy()));
    log(logger, outcome.level(), Topic::Driver, format_args!("{name}: {outcome}{policy}"));
}

/// The number of a rule of the driver interface document, behind a message.
pub(crate) struct Policy(pub(crate) Option<&'static str>);

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |number| write!(f, " [{number}]"))
    }
}

fn log_candidate(logger: &Logger, log: Log, candidate: &Candidate) {
    let path = Shown(&candidate.path);
    match &candidate.decision {
        Decision::Skip(reason) => {
            let policy = Policy(reason.policy());
            log(logger, reason.level(), Topic::Driver, format_args!("{path}: not used: {reason}{policy}"));
        }
        Decision::Use if candidate.kind.is_foreign() => {
            log(logger, Level::Debug, Topic::Driver, format_args!("{path}: used: another Vulkan loader"));
        }
        Decision::Use => {
            let (library, version) = (Shown(&candidate.library), candidate.api_version);
            log(
                logger,
                Level::Debug,
                Topic::Driver,
                format_args!("{path}: used: {library}, Vulkan {version}"),
            );
        }
    }
    if let Some(warning) = &candidate.warning {
        log(logger, Level::Warning, Topic::Driver, format_args!("{path}: {warning}"));
    }
}

/// Reports that the handle given to `command` is not one of the loader's, and aborts: going on would be undefined.
/// The identifier of the violated rule is the one that validation tools use.
pub fn report_bad_handle(command: CommandId) -> ! {
    let name = command.name().to_str().unwrap_or_default();
    let parameter = match command.class() {
        Class::Global | Class::Instance => "instance",
        // Commands below a device are given physical devices only as objects to name.
        _ => "physicalDevice",
    };
    fatal(Topic::Loader, format_args!("{name}: Invalid {parameter} [VUID-{name}-{parameter}-parameter]"))
}

/// Writes a message whatever any filter says, and aborts.
pub fn fatal(topic: Topic, message: fmt::Arguments<'_>) -> ! {
    if let Some(loader) = current() {
        write_line(loader.platform.log, Level::Error, topic, message);
        (loader.platform.abort)()
    }
    let words = LAST_WORDS.load(Ordering::Acquire);
    if words.is_null() {
        // SAFETY: does not return.
        unsafe { crate::dispatch::trap() }
    }
    // SAFETY: only `end_with` stores here, and it stores functions of this type.
    (unsafe { core::mem::transmute::<*mut (), LastWords>(words) })(topic, message)
}

/// Writes a message and ends the process.
pub type LastWords = fn(Topic, fmt::Arguments<'_>) -> !;

/// The last words of a platform that has no [`Loader`].
static LAST_WORDS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Lets a platform that has no [`Loader`] say how [`fatal`] ends the process, which else just traps.
pub fn end_with(words: LastWords) {
    LAST_WORDS.store(words as *mut (), Ordering::Release);
}

/// The loader of this process, if any global command has been called.
#[must_use]
pub fn current() -> Option<&'static Loader> {
    // SAFETY: only `enter` stores here, and it stores references to statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Policy;
    use crate::logger::Listener;
    use crate::platform::imaginary::Imaginary;
    use ash::vk;
    use std::boxed::Box;
    use std::string::String;

    const ALL: Request = Request { portability: true };
    const WHOLE: Request = Request { portability: false };

    fn loader_of(system: &'static Imaginary) -> &'static Loader {
        static ROOTS: [discovery::Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");
        let platform = Box::leak(Box::new(system.platform()));
        Box::leak(Box::new(Loader::new(platform, Flavour::linux(Policy::linux(&ROOTS)))))
    }

    /// How many drivers the search would use, and how many folders and files it read. Folders that are missing are not counted:
    /// they are listed each time.
    fn search(loader: &Loader, system: &Imaginary, request: Request) -> (usize, usize) {
        system.calls();
        let found = loader.discover(request, &loader.logger().unwrap()).unwrap();
        let is_read = |call: &&String| {
            call.strip_prefix("list ").is_some_and(|folder| system.exists(folder.as_bytes()))
                || call.starts_with("read ")
        };
        let calls = system.calls();
        (found.plan.used().count(), calls.iter().filter(is_read).count())
    }

    #[test]
    fn one_search_serves_calls_that_want_all_drivers_and_calls_that_want_whole_ones() {
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/broken.json", "{}");
        let loader = loader_of(system);
        assert!(search(loader, system, ALL).1 > 0);
        assert_eq!(search(loader, system, WHOLE), (0, 0));
        assert_eq!(search(loader, system, ALL), (0, 0));
        system.file("/etc/vulkan/icd.d/another.json", "{}");
        assert!(search(loader, system, WHOLE).1 > 0, "a change is seen");
    }

    #[test]
    fn a_library_that_is_missing_is_not_searched_for_again_until_it_comes() {
        let system = Imaginary::new();
        let driver = |library: &str| {
            std::format!(
                r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
            )
        };
        system.file("/etc/vulkan/icd.d/a.json", driver("/lib/a.so"));
        let loader = loader_of(system);
        assert!(search(loader, system, ALL).1 > 0);
        assert_eq!(search(loader, system, ALL), (1, 0));
        system.file("/lib/a.so", "");
        assert!(search(loader, system, ALL).1 > 0, "it came");
        assert!(
            search(loader, system, ALL).1 > 0,
            "it is there and does not open: something else may be missing"
        );
        system.file("/etc/vulkan/icd.d/a.json", driver("a.so"));
        assert!(search(loader, system, ALL).1 > 0);
        assert!(search(loader, system, ALL).1 > 0, "the linker may find a bare name somewhere now");
    }

    #[test]
    fn who_listens_to_a_second_search_is_told_what_the_first_one_found() {
        unsafe extern "system" fn count(
            _: vk::DebugUtilsMessageSeverityFlagsEXT,
            _: vk::DebugUtilsMessageTypeFlagsEXT,
            data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
            heard: *mut core::ffi::c_void,
        ) -> vk::Bool32 {
            // SAFETY: the logger passes valid data, and the test a counter that lives longer.
            let (text, heard) = unsafe { ((*data).message_as_c_str(), &mut *heard.cast::<usize>()) };
            *heard +=
                usize::from(text.unwrap().to_str().unwrap().starts_with("/etc/vulkan/icd.d/broken.json: "));
            vk::FALSE
        }
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/broken.json", "{}");
        let loader = loader_of(system);
        assert!(search(loader, system, WHOLE).1 > 0);
        let mut heard = 0usize;
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::from_raw(0x1111))
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
            .pfn_user_callback(Some(count))
            .user_data((&raw mut heard).cast());
        let logger = loader.logger().unwrap();
        logger.listeners.add(Listener::messenger(&info)).unwrap();
        system.calls();
        drop(loader.discover(WHOLE, &logger).unwrap());
        assert!(!system.calls().iter().any(|call| call.starts_with("read ")), "nothing is searched again");
        assert_eq!(heard, 1);
    }

    #[test]
    fn drivers_for_a_part_of_vulkan_are_found_after_a_search_that_leaves_them_out() {
        let system = Imaginary::new();
        system.file(
            "/etc/vulkan/icd.d/part.json",
            r#"{"file_format_version": "1.0.1", "ICD":
                {"library_path": "/part.so", "api_version": "1.3.0", "is_portability_driver": true}}"#,
        );
        let loader = loader_of(system);
        assert_eq!(search(loader, system, WHOLE).0, 0);
        assert_eq!(search(loader, system, ALL).0, 1);
    }
}
